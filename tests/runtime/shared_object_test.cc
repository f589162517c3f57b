// SPDX-License-Identifier: Apache-2.0
// Shared objects of all machines as they are read, and each way in which one can be broken.
#include "runtime/elf/shared_object.h"

#include <gmock/gmock.h>

#include <functional>

#include "tests/runtime/small_elf.h"

namespace cosim::runtime::elf {
namespace {

using ::testing::HasSubstr;

template <typename Machine>
class SharedObjectTest : public ::testing::Test {
 protected:
  using Elf = testing::SmallElf<Machine>;

  /// Why it is not read.
  static std::string Refusal(const std::vector<uint8_t>& file) {
    std::string error;
    EXPECT_FALSE(ReadSharedObject(file, error));
    return error;
  }
  static std::string Broken(const std::function<void(Elf&)>& change) {
    Elf elf;
    change(elf);
    return Refusal(elf.Bytes());
  }
};

using Machines = ::testing::Types<testing::X86, testing::Arm64, testing::Arm>;
TYPED_TEST_SUITE(SharedObjectTest, Machines);

TYPED_TEST(SharedObjectTest, IsReadForWhateverMachineItIs) {
  typename TestFixture::Elf elf;
  const auto file = elf.Bytes();
  std::string error;
  const auto object = ReadSharedObject(file, error);
  ASSERT_TRUE(object) << error;
  EXPECT_EQ(object->architecture, TypeParam::kArchitecture);
  EXPECT_EQ(object->word_bytes, sizeof(elf.data[0]));
  EXPECT_EQ(object->bytes, elf.kData + elf.kBytes);
  ASSERT_EQ(object->segments.size(), 3U);
  EXPECT_TRUE(object->segments[1].is_executable && !object->segments[1].is_writable);
  EXPECT_TRUE(object->segments[2].is_writable && !object->segments[2].is_executable);
  EXPECT_EQ(object->segments[2].content.size(), 4 * sizeof(elf.data[0]));
  ASSERT_EQ(object->symbols.size(), 4U);
  EXPECT_EQ(object->symbols[1].name, "memcpy");
  EXPECT_FALSE(object->symbols[1].is_defined);
  EXPECT_EQ(object->symbols[2].name, "answer");
  EXPECT_TRUE(object->symbols[2].is_defined && object->symbols[2].is_function);
  EXPECT_EQ(object->symbols[2].address, elf.kCode);
  ASSERT_EQ(object->relocations.size(), 5U);
  EXPECT_EQ(object->relocations[0].symbol, kTheObject);
  EXPECT_EQ(object->relocations[0].addend, elf.kAddend);
  EXPECT_EQ(object->relocations[1].symbol, 1U);
  EXPECT_EQ(object->relocations[1].addend, elf.kAddend);
  EXPECT_EQ(object->relocations[3].address, elf.kData + 3 * sizeof(elf.data[0]));
}

TYPED_TEST(SharedObjectTest, IsRefusedWhereverItIsCutOff) {
  typename TestFixture::Elf elf;
  const auto file = elf.Bytes();
  std::string error;
  for (size_t bytes = 0; bytes < file.size(); ++bytes) {
    const std::vector<uint8_t> start(file.begin(), file.begin() + static_cast<ptrdiff_t>(bytes));
    EXPECT_FALSE(ReadSharedObject(start, error)) << bytes;
  }
}

// That nothing is read or written outside, the sanitizers see.
TYPED_TEST(SharedObjectTest, AnyByteMayBeWrong) {
  typename TestFixture::Elf elf;
  const auto file = elf.Bytes();
  std::string error;
  int read = 0;
  for (size_t at = 0; at < elf.kCodeAt; ++at)
    for (const uint8_t value :
         {uint8_t{0}, uint8_t{0x7f}, uint8_t{0xff}, static_cast<uint8_t>(file[at] + 1)}) {
      auto wrong = file;
      wrong[at] = value;
      read += ReadSharedObject(wrong, error) ? 1 : 0;
    }
  EXPECT_GT(read, 0);  // most bytes are nobody's
}

TYPED_TEST(SharedObjectTest, HasToBeASharedObjectOfItsMachine) {
  using Elf = typename TestFixture::Elf;
  EXPECT_EQ(this->Refusal({}), "it is no ELF file");
  EXPECT_EQ(this->Refusal(std::vector<uint8_t>(100, 0x55)), "it is no ELF file");
  EXPECT_EQ(this->Broken([](Elf& e) { e.header.e_machine = EM_RISCV; }),
            "it is for machine 243 of class " + std::string(Elf::kIs64 ? "2" : "1") + ", byte order 1");
  EXPECT_THAT(this->Broken([](Elf& e) { e.header.e_ident[EI_CLASS] = ELFCLASSNONE; }),
              HasSubstr("of class 0"));
  EXPECT_THAT(this->Broken([](Elf& e) { e.header.e_ident[EI_DATA] = ELFDATA2MSB; }),
              HasSubstr("byte order 2"));
  EXPECT_EQ(this->Broken([](Elf& e) { e.header.e_type = ET_EXEC; }), "it is of type 2, not a shared object");
  EXPECT_EQ(this->Broken([](Elf& e) { e.header.e_version = 2; }), "it is of ELF version 2");
  EXPECT_EQ(this->Broken([](Elf& e) { e.header.e_phentsize = 8; }), "its program headers have 8 bytes each");
  EXPECT_EQ(this->Broken([](Elf& e) { e.header.e_phoff = 0xffffff00; }), "its program headers are cut off");
  if (TypeParam::kMachine == EM_ARM)
    EXPECT_EQ(this->Broken([](Elf& e) { e.header.e_flags = EF_ARM_EABI_VER5; }),
              "it does not pass floats in registers");
}

TYPED_TEST(SharedObjectTest, SegmentsAreInOrderWithinTheFileAndProtected) {
  using Elf = typename TestFixture::Elf;
  EXPECT_EQ(this->Broken([](Elf& e) { e.parts[1].p_offset = 0x2019; }), "its segment at 0x10000 is cut off");
  EXPECT_EQ(this->Broken([](Elf& e) { e.parts[1].p_memsz = 1; }), "its segment at 0x10000 is cut off");
  EXPECT_EQ(this->Broken([](Elf& e) { e.parts[2].p_memsz = 0x7fffffff; }),
            "its segment at 0x20000 takes more than 1073741824 bytes");
  EXPECT_EQ(this->Broken([](Elf& e) { e.parts[2].p_vaddr = 0xfffff000; }),
            "its segment at 0xfffff000 takes more than 1073741824 bytes");
  EXPECT_EQ(this->Broken([](Elf& e) { e.parts[1].p_vaddr = 0x800; }),
            "its segment at 0x800 lies within another");
  EXPECT_EQ(this->Broken([](Elf& e) { e.parts[1].p_flags |= PF_W; }),
            "its segment at 0x10000 is both writable and executable");
  EXPECT_EQ(this->Broken([](Elf& e) { e.parts[1].p_align = 3; }), "its segment at 0x10000 is aligned to 3");
  EXPECT_EQ(this->Broken([](Elf& e) { e.parts[1].p_align = 0x20000; }),
            "its segment at 0x10000 is aligned to 131072");
  EXPECT_EQ(this->Broken([](Elf& e) { e.parts.clear(); }), "it has no segments");
  EXPECT_EQ(this->Broken([](Elf& e) {
    for (unsigned i = 0; i < 14; ++i) e.parts.push_back(e.Part(PT_LOAD, PF_R, 0, 0x30000 + i, 0, 1));
  }),
            "it has more than 16 segments");
}

TYPED_TEST(SharedObjectTest, PartsThatNoKernelHasAreRefused) {
  using Elf = typename TestFixture::Elf;
  const auto with = [&](uint32_t type, uint32_t flags = 0) {
    return this->Broken([=](Elf& e) { e.parts.push_back(e.Part(type, flags, 0, 0x800, 0, 8)); });
  };
  EXPECT_EQ(with(PT_TLS), "it has variables of threads");
  EXPECT_EQ(with(PT_INTERP), "it has a program header of type 0x3");
  EXPECT_EQ(with(PT_GNU_STACK, PF_X), "it asks for a stack that is executable");
  EXPECT_EQ(with(PT_DYNAMIC), "it has two dynamic sections");
  EXPECT_EQ(with(PT_GNU_RELRO), "the part that is constant once loaded lies in no writable segment");
  EXPECT_EQ(this->Broken([](Elf& e) { e.parts[3].p_type = PT_NULL; }), "it has no dynamic section");
}

TYPED_TEST(SharedObjectTest, CodeThatWouldRunWhileLoadingIsRefused) {
  using Elf = typename TestFixture::Elf;
  const auto with = [&](int64_t tag, uint64_t value = 0) {
    return this->Broken([=](Elf& e) {
      e.Entry(DT_NULL).d_tag = 0, e.dynamic.pop_back(), e.Add(tag, value), e.Add(DT_NULL, 0);
    });
  };
  for (const int64_t tag : {DT_INIT, DT_FINI, DT_INIT_ARRAY, DT_FINI_ARRAY, DT_PREINIT_ARRAY})
    EXPECT_EQ(with(tag), "it has code that runs when it is loaded or let go");
  EXPECT_EQ(with(DT_NEEDED), "it asks for a library");
  EXPECT_EQ(with(DT_FLAGS, DF_TEXTREL), "its code is to be relocated");
  EXPECT_EQ(with(DT_TEXTREL), "its dynamic section has an entry 0x16");
  EXPECT_EQ(with(DT_SYMTAB), "its dynamic section has two entries 0x6");
}

TYPED_TEST(SharedObjectTest, TablesLieWhereTheFileHasBytes) {
  using Elf = typename TestFixture::Elf;
  const auto moved = [&](int64_t tag, uint64_t to) {
    return this->Broken([=](Elf& e) { e.Entry(tag).d_un.d_val = static_cast<typename Elf::Word>(to); });
  };
  for (const uint64_t outside :
       {uint64_t{0xffc}, uint64_t{0x5000}, Elf::kData + 0x1000, uint64_t{0xffffffff}}) {
    EXPECT_EQ(moved(DT_SYMTAB, outside), "its symbols are cut off");
    EXPECT_EQ(moved(DT_GNU_HASH, outside), "its table of hash values is cut off");
    EXPECT_EQ(moved(Elf::kIs64 ? DT_RELA : DT_REL, outside), "its relocations are cut off");
  }
  EXPECT_EQ(moved(DT_STRTAB, 0x5000), "the name of its symbol 0 is cut off");
  EXPECT_EQ(moved(DT_STRSZ, 10), "the name of its symbol 2 is cut off");
  EXPECT_EQ(moved(DT_SYMENT, 5), "its symbols have 5 bytes each");
  EXPECT_EQ(moved(Elf::kIs64 ? DT_RELASZ : DT_RELSZ, 9), "its relocations are cut off");
  EXPECT_EQ(moved(Elf::kIs64 ? DT_RELAENT : DT_RELENT, 9),
            "its relocations are of another form than its machine's");
  EXPECT_EQ(this->Broken([](Elf& e) { e.Entry(DT_GNU_HASH).d_tag = DT_HASH; }),
            "it has no table of hash values");
  EXPECT_EQ(this->Broken([](Elf& e) { e.hash[0] = 0xffffffff; }), "its table of hash values is cut off");
  EXPECT_EQ(this->Broken([](Elf& e) { e.hash[2] = 0xffffffff; }), "its table of hash values is cut off");
  EXPECT_EQ(this->Broken([](Elf& e) { e.hash[1] = 3; }), "its table of hash values names symbol 2 before 3");
  // No bucket, and no symbol before those of buckets: not even the one that is nobody's.
  EXPECT_EQ(this->Broken([](Elf& e) { e.hash[0] = e.hash[1] = 0; }),
            "its symbols lack the first, which is nobody's");
  EXPECT_EQ(this->Broken([](Elf& e) { e.Entry(DT_NULL).d_tag = DT_SONAME, e.parts[3].p_vaddr = 0xffc; }),
            "its dynamic section is cut off");
}

TYPED_TEST(SharedObjectTest, SymbolsAreWhatKernelsHave) {
  using Elf = typename TestFixture::Elf;
  EXPECT_EQ(this->Broken([](Elf& e) { e.symbols[2].st_info = STT_GNU_IFUNC; }),
            "its symbol 'answer' is of type 10");
  EXPECT_EQ(this->Broken([](Elf& e) { e.symbols[3].st_info = STT_TLS; }), "its symbol 'table' is of type 6");
  const std::string place = "its symbol 'answer' is not where such a symbol can be";
  EXPECT_EQ(this->Broken([](Elf& e) { e.symbols[2].st_value = 0x40000; }), place);
  EXPECT_EQ(this->Broken([](Elf& e) { e.symbols[2].st_value = Elf::kData; }), place);
  EXPECT_EQ(this->Broken([](Elf& e) { e.symbols[2].st_shndx = SHN_ABS; }), place);
}

TYPED_TEST(SharedObjectTest, RelocationsAreOfDataAndOfFourKinds) {
  using Elf = typename TestFixture::Elf;
  const auto with = [&](uint64_t at, uint32_t symbol, uint32_t type) {
    return this->Broken([=](Elf& e) {
      e.Relocate(0, symbol, type, 0);
      e.relocations[0] = e.relocations.back();
      e.relocations[0].r_offset = static_cast<typename Elf::Word>(at);
      e.relocations.pop_back();
    });
  };
  EXPECT_EQ(with(Elf::kData, 1, 200), "its relocation at 0x20000 is of type 200");
  EXPECT_EQ(with(Elf::kData, 4, TypeParam::kJumpSlot),
            "its relocation at 0x20000 is of symbol 4, which there is not");
  EXPECT_EQ(with(Elf::kData, 0, TypeParam::kAbsolute),
            "its relocation at 0x20000 is of symbol 0, which there is not");
  EXPECT_EQ(with(Elf::kCode, 1, TypeParam::kJumpSlot), "its relocation at 0x10000 is not of data");
  EXPECT_EQ(with(Elf::kData + Elf::kBytes - 1, 1, TypeParam::kJumpSlot),
            "its relocation at 0x22fff is not of data");
  EXPECT_EQ(with(0xfffffffc, 1, TypeParam::kJumpSlot), "its relocation at 0xfffffffc is not of data");
}

}  // namespace
}  // namespace cosim::runtime::elf
