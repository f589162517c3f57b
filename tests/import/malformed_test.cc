// SPDX-License-Identifier: Apache-2.0
// Damaged model files: a diagnostic, never a crash. Damage is drawn from a seed, so a failure repeats.
#include <gmock/gmock.h>

#include <fstream>
#include <random>

#include "compiler/import/diagnostic_codes.h"
#include "tests/import/testing.h"

namespace cosim::import {
namespace {

/// Imports; whatever comes out, either a model or a reason.
bool Imports(const std::vector<uint8_t>& bytes) {
  Diagnostics diagnostics;
  const auto model = ImportTflite(bytes, "damaged.tflite", diagnostics);
  EXPECT_EQ(model.has_value(), !diagnostics.HasErrors());
  return model.has_value();
}

TEST(Malformed, AnEmptyFileIsNoModel) {
  Diagnostics diagnostics;
  EXPECT_FALSE(ImportTflite({}, "empty.tflite", diagnostics));
  EXPECT_THAT(diagnostics.Render(),
              testing::HasSubstr("empty.tflite: error[E0901]: not a TensorFlow Lite file"));
}

TEST(Malformed, EveryTruncationIsRefused) {
  COSIM_NEED_DATA();
  const auto bytes = BytesOf(DataFolder() + "/tflite/kws_dscnn_int8.tflite");
  ASSERT_GT(bytes.size(), 1000u);
  for (size_t length = 0; length < bytes.size(); length += length < 2000 ? 1 : 997)
    EXPECT_FALSE(Imports({bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(length)})) << length;
}

// Four bytes behind the header move whatever stood at a multiple of eight; the sanitizers see how it is read.
TEST(Malformed, LongsNeedNotBeAligned) {
  COSIM_NEED_DATA();
  auto bytes = BytesOf(DataFolder() + "/tflite/kws_dscnn_int8.tflite");
  bytes.insert(bytes.begin() + 8, 4, 0);
  bytes[0] = static_cast<uint8_t>(bytes[0] + 4);  // where the root is
  ASSERT_GE(bytes[0], 4);
  EXPECT_TRUE(Imports(bytes));
}

TEST(Malformed, FlippedBytesNeverCrash) {
  COSIM_NEED_DATA();
  for (const char* name : {"kws_dscnn_int8", "resnet8_cifar10_fp32", "mobilenetv1_025_128_uint8"}) {
    const auto bytes = BytesOf(DataFolder() + "/tflite/" + name + ".tflite");
    // Tables stand at both ends, constants in between: most flips go where the structure is.
    std::mt19937 random(7);
    int refused = 0;
    for (int round = 0; round < 200; ++round) {
      auto damaged = bytes;
      for (int flips = 1 + static_cast<int>(random() % 8); flips > 0; --flips) {
        const size_t window = std::min<size_t>(bytes.size(), 4096), at = random() % window;
        damaged[random() % 2 ? at : bytes.size() - 1 - at] = static_cast<uint8_t>(random());
      }
      refused += !Imports(damaged);
    }
    EXPECT_GT(refused, 0) << name;
  }
}

TEST(Diagnostics, TheReferenceListsEveryCode) {
  std::ifstream file(COSIM_SOURCE_DIR "/docs/reference/diagnostics.md");
  const std::string text((std::istreambuf_iterator<char>(file)), {});
#define COSIM_EXPECT_ROW(name, code, meaning) \
  EXPECT_THAT(text, testing::HasSubstr(std::string("| ") + code + " | " + meaning + " |"));
  COSIM_IMPORT_DIAGNOSTICS(COSIM_EXPECT_ROW)
#undef COSIM_EXPECT_ROW
}

}  // namespace
}  // namespace cosim::import
