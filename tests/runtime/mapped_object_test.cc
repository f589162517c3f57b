// SPDX-License-Identifier: Apache-2.0
// Objects of this machine in memory: what is relocated, what is protected, what is refused. Those of other
// machines are built and read the same way (shared_object_test.cc), and mapped where these tests run under
// emulation (scripts/board-test).
#include "runtime/elf/mapped_object.h"

#include <gmock/gmock.h>
#include <math.h>

#include <array>
#include <cstring>
#include <fstream>
#include <sstream>

#include "runtime/elf/outside_functions.h"
#include "tests/runtime/small_elf.h"

namespace cosim::runtime::elf {
namespace {

using ::testing::EndsWith;
using Elf = testing::SmallElf<testing::Here>;

std::unique_ptr<const MappedObject> Map(Elf elf, std::string& error) {
  const auto file = elf.Bytes();
  const auto object = ReadSharedObject(file, error);
  return object ? MappedObject::Map(*object, error) : nullptr;
}

/// "r-xp" of the mapping of this process that has `address`.
std::string RightsOf(const void* address) {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    std::istringstream text(line);
    uintptr_t begin = 0, end = 0;
    char dash = 0;
    std::string rights;
    text >> std::hex >> begin >> dash >> end >> rights;
    const auto at = reinterpret_cast<uintptr_t>(address);
    if (at >= begin && at < end) return rights;
  }
  return "";
}

const std::byte* DataOf(const MappedObject& object) {
  return static_cast<const std::byte*>(object.FindData("table"));
}

TEST(MappedObject, RunsItsFunctions) {
  std::string error;
  const auto mapped = Map({}, error);
  ASSERT_TRUE(mapped) << error;
  int value = 0;
  const std::array<void*, 1> arguments = {&value};
  reinterpret_cast<void (*)(void* const*)>(mapped->FindFunction("answer"))(arguments.data());
  EXPECT_EQ(value, 42);
  EXPECT_EQ(mapped->FindFunction("table"), nullptr);
  EXPECT_EQ(mapped->FindFunction("memcpy"), nullptr);
  EXPECT_EQ(mapped->FindData("answer"), nullptr);
}

TEST(MappedObject, RelocatesItsData) {
  std::string error;
  const auto mapped = Map({}, error);
  ASSERT_TRUE(mapped) << error;
  const std::byte* const data = DataOf(*mapped);
  std::array<uintptr_t, Elf::kWords> words{};
  std::memcpy(words.data(), data, sizeof words);
  const auto base = reinterpret_cast<uintptr_t>(data) - Elf::kData;
  EXPECT_EQ(words[0], base + Elf::kAddend);
  EXPECT_EQ(words[1], reinterpret_cast<uintptr_t>(FindOutside("memcpy")) + Elf::kAddend);
  EXPECT_EQ(words[2], reinterpret_cast<uintptr_t>(data));
  EXPECT_EQ(words[3], reinterpret_cast<uintptr_t>(mapped->FindFunction("answer")));
  EXPECT_EQ(words[4], base);  // its segment goes on behind what the file has
  EXPECT_EQ(std::to_integer<int>(data[Elf::kBytes - 1]), 0);
}

TEST(MappedObject, NothingIsWritableAndExecutable) {
  std::string error;
  Elf elf;
  elf.parts.push_back(Elf::Part(PT_GNU_RELRO, PF_R, Elf::kDataAt, Elf::kData, 0x1000, 0x1000));
  const auto mapped = Map(elf, error);
  ASSERT_TRUE(mapped) << error;
  const std::byte* const data = DataOf(*mapped);
  EXPECT_EQ(RightsOf(data - Elf::kData), "r--p");
  EXPECT_EQ(RightsOf(data - Elf::kData + 0x8000), "---p");  // a hole
  EXPECT_EQ(RightsOf(mapped->FindFunction("answer")), "r-xp");
  EXPECT_EQ(RightsOf(data), "r--p");  // constant once relocated
  EXPECT_EQ(RightsOf(data + 0x1000), "rw-p");
}

TEST(MappedObject, AsksForWhatThereIs) {
  std::string error;
  Elf elf;
  elf.names.replace(elf.names.find("memcpy"), 6, "system");
  EXPECT_EQ(Map(elf, error), nullptr);
  EXPECT_EQ(error, "it asks for 'system', which kernels cannot call");
}

TEST(MappedObject, CodeAndDataShareNoPage) {
  std::string error;
  Elf elf;
  elf.parts[1].p_vaddr = 0x1000 - sizeof testing::Here::kCode;
  elf.parts[0].p_filesz = elf.parts[0].p_memsz = elf.parts[1].p_vaddr;
  elf.symbols[2].st_value = elf.parts[1].p_vaddr;
  EXPECT_EQ(Map(elf, error), nullptr);
  EXPECT_THAT(error, EndsWith(" bytes"));
  EXPECT_THAT(error, ::testing::StartsWith("two of its segments share a page of "));
}

TEST(MappedObject, IsOfThisMachine) {
  using Other = std::conditional_t<std::is_same_v<testing::Here, testing::X86>, testing::Arm64, testing::X86>;
  testing::SmallElf<Other> elf;
  const auto file = elf.Bytes();
  std::string error;
  const auto object = ReadSharedObject(file, error);
  ASSERT_TRUE(object) << error;
  EXPECT_EQ(MappedObject::Map(*object, error), nullptr);
  EXPECT_EQ(error, std::string("it is for ") + Other::kArchitecture + ", this machine is " +
                       testing::Here::kArchitecture);
}

TEST(OutsideFunctions, AreThoseOfTheirNames) {
  const auto single = reinterpret_cast<float (*)(float)>(FindOutside("expf"));
  const auto twice = reinterpret_cast<double (*)(double, double)>(FindOutside("fmod"));
  ASSERT_TRUE(single != nullptr && twice != nullptr);
  EXPECT_EQ(single(1.0F), expf(1.0F));
  EXPECT_EQ(twice(7.5, 2.0), 1.5);
  EXPECT_EQ(FindOutside("system"), nullptr);
  EXPECT_EQ(FindOutside(""), nullptr);
  EXPECT_TRUE(IsOutside("aarch64", "memset"));
  EXPECT_TRUE(IsOutside("arm", "__aeabi_idiv"));
  EXPECT_FALSE(IsOutside("x86_64", "__aeabi_idiv"));
}

}  // namespace
}  // namespace cosim::runtime::elf
