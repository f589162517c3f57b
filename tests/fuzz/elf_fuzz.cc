// SPDX-License-Identifier: Apache-2.0
// Any bytes as the shared object of a module's kernels, and right ones of every machine with a few bytes
// changed: a reason, or an object whose parts lie within it. This machine's are mapped and relocated; nothing
// of them runs.
#include <fuzzer/FuzzedDataProvider.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "isa/check.h"
#include "runtime/elf/mapped_object.h"
#include "runtime/elf/shared_object.h"
#include "tests/runtime/small_elf.h"

namespace cosim::fuzz {
namespace {

using runtime::elf::MappedObject;

constexpr size_t kMostChanges = 6;
constexpr uint64_t kMostMapped = uint64_t{1} << 26;  // memory that would only be reserved and let go

bool Within(uint64_t at, uint64_t bytes, uint64_t size) { return at <= size && bytes <= size - at; }

void Read(std::span<const uint8_t> file) {
  std::string error;
  const auto object = runtime::elf::ReadSharedObject(file, error);
  COSIM_CHECK(object.has_value() == error.empty(), "{}", error);
  if (!object) return;
  for (const auto& segment : object->segments)
    COSIM_CHECK(Within(segment.address, segment.bytes, object->bytes) &&
                segment.content.size() <= segment.bytes && !(segment.is_writable && segment.is_executable));
  for (const auto& relocation : object->relocations)
    COSIM_CHECK(Within(relocation.address, object->word_bytes, object->bytes) &&
                relocation.symbol < object->symbols.size());
  if (object->bytes > kMostMapped) return;
  const auto mapped = MappedObject::Map(*object, error);
  COSIM_CHECK((mapped != nullptr) == error.empty(), "{}", error);
}

template <typename Machine>
std::vector<uint8_t> Right() {
  return runtime::testing::SmallElf<Machine>().Bytes();
}

}  // namespace
}  // namespace cosim::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using cosim::fuzz::Right;
  namespace testing = cosim::runtime::testing;
  static const std::vector<uint8_t> kRight[] = {Right<testing::X86>(), Right<testing::Arm64>(),
                                                Right<testing::Arm>()};
  cosim::fuzz::Read({data, size});
  FuzzedDataProvider provider(data, size);
  std::vector<uint8_t> file = kRight[provider.ConsumeIntegralInRange<size_t>(0, 2)];
  for (size_t i = provider.ConsumeIntegralInRange<size_t>(0, cosim::fuzz::kMostChanges); i > 0; --i) {
    // Nearly all of its bytes that mean something are among the first.
    const size_t at =
        provider.ConsumeIntegralInRange<size_t>(0, testing::SmallElf<testing::X86>::kCodeAt - 1);
    file[at] = provider.ConsumeIntegral<uint8_t>();
  }
  cosim::fuzz::Read(file);
  return 0;
}
