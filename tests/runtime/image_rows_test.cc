// SPDX-License-Identifier: Apache-2.0
// Rows of an image: written where they belong, and refused where they do not lie within it.
#include "runtime/image_rows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

namespace cosim::runtime {
namespace {

constexpr uint64_t kHuge = std::numeric_limits<uint64_t>::max();

class Memory final : public Device {
 public:
  std::string Name() const override { return "memory"; }
  void Reserve(uint64_t) override {}
  void PoisonOnChip(uint64_t) override {}
  void Write(uint64_t address, std::span<const uint8_t> bytes) override {
    ASSERT_LE(address + bytes.size(), memory.size());
    std::ranges::copy(bytes, memory.begin() + static_cast<std::ptrdiff_t>(address));
  }
  void Read(uint64_t, std::span<uint8_t>) override { FAIL(); }
  Counters Execute(const isa::Program&, const ExecuteOptions&) override { return {}; }

  std::vector<uint8_t> memory = std::vector<uint8_t>(24, 99);
};

TEST(ImageRows, StandApartWithTheirBorderAround) {
  const ImageRows image{
      .images = 2, .image_pitch = 10, .rows = 2, .row_bytes = 2, .row_pitch = 4, .first = 3, .fill = 7};
  ASSERT_TRUE(Fits(image, 20));
  Memory device;
  WriteBorder(device, 1, image, 20);
  WriteRows(device, 1, image, std::vector<uint8_t>{11, 12, 13, 14, 21, 22, 23, 24});
  EXPECT_EQ(device.memory, (std::vector<uint8_t>{99, 7, 7,  7,  11, 12, 7,  7,  13, 14, 7,  7,
                                                 7,  7, 21, 22, 7,  7,  23, 24, 7,  99, 99, 99}));
}

TEST(ImageRows, FitOnlyWithinTheirImageAndApart) {
  const ImageRows image{
      .images = 2, .image_pitch = 10, .rows = 3, .row_bytes = 2, .row_pitch = 3, .first = 1, .fill = 0};
  EXPECT_TRUE(Fits(image, 19));
  EXPECT_FALSE(Fits(image, 18));
  const auto with = [&](uint64_t ImageRows::* field, uint64_t value) {
    ImageRows changed = image;
    changed.*field = value;
    return Fits(changed, 19);
  };
  for (const auto field : {&ImageRows::images, &ImageRows::rows, &ImageRows::row_bytes}) {
    EXPECT_FALSE(with(field, 0));
    EXPECT_FALSE(with(field, kHuge));
  }
  EXPECT_FALSE(with(&ImageRows::row_pitch, 1));    // rows over each other
  EXPECT_FALSE(with(&ImageRows::image_pitch, 7));  // images over each other
  EXPECT_FALSE(with(&ImageRows::row_pitch, kHuge / 2 + 2));
  EXPECT_FALSE(with(&ImageRows::image_pitch, kHuge - 6));
  EXPECT_FALSE(with(&ImageRows::first, 2));
  EXPECT_FALSE(with(&ImageRows::first, kHuge));
}

}  // namespace
}  // namespace cosim::runtime
