// SPDX-License-Identifier: Apache-2.0
// A shared object made byte by byte, of any of the machines that cosim makes code for, whose parts a test can
// break: three segments (tables, code, data), a function, data with four relocations.
#pragma once

#include <elf.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace cosim::runtime::testing {

struct X86 {
  static constexpr const char* kArchitecture = "x86_64";
  static constexpr uint16_t kMachine = EM_X86_64;
  static constexpr uint32_t kFlags = 0;
  static constexpr uint32_t kAbsolute = R_X86_64_64, kGlobDat = R_X86_64_GLOB_DAT,
                            kJumpSlot = R_X86_64_JUMP_SLOT, kRelative = R_X86_64_RELATIVE;
  // mov rax, [rdi]; mov dword [rax], 42; ret
  static constexpr uint8_t kCode[] = {0x48, 0x8b, 0x07, 0xc7, 0x00, 0x2a, 0x00, 0x00, 0x00, 0xc3};
};
struct Arm64 {
  static constexpr const char* kArchitecture = "aarch64";
  static constexpr uint16_t kMachine = EM_AARCH64;
  static constexpr uint32_t kFlags = 0;
  static constexpr uint32_t kAbsolute = R_AARCH64_ABS64, kGlobDat = R_AARCH64_GLOB_DAT,
                            kJumpSlot = R_AARCH64_JUMP_SLOT, kRelative = R_AARCH64_RELATIVE;
  // ldr x8, [x0]; mov w9, #42; str w9, [x8]; ret
  static constexpr uint8_t kCode[] = {0x08, 0x00, 0x40, 0xf9, 0x49, 0x05, 0x80, 0x52,
                                      0x09, 0x01, 0x00, 0xb9, 0xc0, 0x03, 0x5f, 0xd6};
};
struct Arm {
  static constexpr const char* kArchitecture = "arm";
  static constexpr uint16_t kMachine = EM_ARM;
  static constexpr uint32_t kFlags = EF_ARM_EABI_VER5 | EF_ARM_ABI_FLOAT_HARD;
  static constexpr uint32_t kAbsolute = R_ARM_ABS32, kGlobDat = R_ARM_GLOB_DAT, kJumpSlot = R_ARM_JUMP_SLOT,
                            kRelative = R_ARM_RELATIVE;
  // ldr r2, [r0]; mov r3, #42; str r3, [r2]; bx lr
  static constexpr uint8_t kCode[] = {0x00, 0x20, 0x90, 0xe5, 0x2a, 0x30, 0xa0, 0xe3,
                                      0x00, 0x30, 0x82, 0xe5, 0x1e, 0xff, 0x2f, 0xe1};
};

#if defined(__x86_64__)
using Here = X86;
#elif defined(__aarch64__)
using Here = Arm64;
#else
using Here = Arm;
#endif

template <typename Machine>
struct SmallElf {
  static constexpr bool kIs64 = Machine::kMachine != EM_ARM;
  template <typename A, typename B>
  using Of = std::conditional_t<kIs64, A, B>;
  using Ehdr = Of<Elf64_Ehdr, Elf32_Ehdr>;
  using Phdr = Of<Elf64_Phdr, Elf32_Phdr>;
  using Dyn = Of<Elf64_Dyn, Elf32_Dyn>;
  using Sym = Of<Elf64_Sym, Elf32_Sym>;
  using Rel = Of<Elf64_Rela, Elf32_Rel>;
  using Word = Of<uint64_t, uint32_t>;
  static constexpr uint64_t kTables = 0x600, kCode = 0x10000, kData = 0x20000, kBytes = 0x3000;  // addresses
  static constexpr size_t kCodeAt = 0x1000, kDataAt = 0x2000;  // in the file
  static constexpr size_t kWords = 5;                          // the last is not of the file
  static constexpr int64_t kAddend = 12;

  Ehdr header{};
  std::vector<Phdr> parts;
  std::vector<Dyn> dynamic;
  std::vector<Sym> symbols;
  std::vector<uint32_t> hash;
  std::string names{'\0'};
  std::vector<Rel> relocations;  ///< of the words of data, in order: relative, absolute, glob_dat, jump_slot
  std::vector<Word> data;

  SmallElf() {
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = kIs64 ? ELFCLASS64 : ELFCLASS32;
    header.e_ident[EI_DATA] = ELFDATA2LSB;
    header.e_ident[EI_VERSION] = EV_CURRENT;
    header.e_type = ET_DYN;
    header.e_machine = Machine::kMachine;
    header.e_version = EV_CURRENT;
    header.e_flags = Machine::kFlags;
    header.e_phoff = sizeof header;
    header.e_phentsize = sizeof(Phdr);
    parts = {Part(PT_LOAD, PF_R, 0, 0, kCodeAt, kCodeAt),
             Part(PT_LOAD, PF_R | PF_X, kCodeAt, kCode, sizeof Machine::kCode, sizeof Machine::kCode),
             Part(PT_LOAD, PF_R | PF_W, kDataAt, kData, (kWords - 1) * sizeof(Word), kBytes),
             Part(PT_DYNAMIC, PF_R, kTables, kTables, 0x100, 0x100),
             Part(PT_GNU_STACK, PF_R | PF_W, 0, 0, 0, 0)};
    symbols = {{},
               Symbol("memcpy", STT_FUNC, SHN_UNDEF, 0),
               Symbol("answer", STT_FUNC, 6, kCode),
               Symbol("table", STT_OBJECT, 7, kData)};
    hash = {1, 2, 1, 0};  // one bucket, from symbol 2 on, one word of a filter
    hash.insert(hash.end(), kIs64 ? 2 : 1, 0);
    hash.insert(hash.end(), {2, 0x10, 0x21});  // the bucket's first symbol, then the chain
    data.assign(kWords - 1, 0);
    Relocate(0, 0, Machine::kRelative, kAddend);
    Relocate(1, 1, Machine::kAbsolute, kAddend);
    Relocate(2, 3, Machine::kGlobDat, 0);
    Relocate(3, 2, Machine::kJumpSlot, 0);
    Relocate(4, 0, Machine::kRelative, 0);
    Place();
  }

  static Phdr Part(uint32_t type, uint32_t flags, uint64_t offset, uint64_t address, uint64_t bytes,
                   uint64_t memory) {
    Phdr part{};
    part.p_type = type;
    part.p_flags = flags;
    part.p_offset = static_cast<Word>(offset);
    part.p_vaddr = static_cast<Word>(address);
    part.p_filesz = static_cast<Word>(bytes);
    part.p_memsz = static_cast<Word>(memory);
    part.p_align = 0x1000;
    return part;
  }

  Sym Symbol(const std::string& name, unsigned type, uint16_t section, uint64_t address) {
    Sym symbol{};
    symbol.st_name = static_cast<uint32_t>(names.size());
    names += name + '\0';
    symbol.st_info = static_cast<unsigned char>(ELF64_ST_INFO(STB_GLOBAL, type));
    symbol.st_shndx = section;
    symbol.st_value = static_cast<Word>(address);
    return symbol;
  }

  // Of word `at` of the data, with the addend where the machine has it.
  void Relocate(size_t at, uint32_t symbol, uint32_t type, int64_t addend) {
    Rel relocation{};
    relocation.r_offset = static_cast<Word>(kData + at * sizeof(Word));
    if constexpr (kIs64) {
      relocation.r_info = ELF64_R_INFO(uint64_t{symbol}, type);
      relocation.r_addend = addend;
    } else {
      relocation.r_info = ELF32_R_INFO(symbol, type);
      if (at < data.size()) data[at] = static_cast<Word>(addend);
    }
    relocations.push_back(relocation);
  }

  void Add(int64_t tag, uint64_t value) {
    Dyn entry{};
    entry.d_tag = static_cast<decltype(entry.d_tag)>(tag);
    entry.d_un.d_val = static_cast<Word>(value);
    dynamic.push_back(entry);
  }
  Dyn& Entry(int64_t tag) {
    for (Dyn& entry : dynamic)
      if (entry.d_tag == tag) return entry;
    return dynamic.back();
  }

  // Where the tables are to be found: in the first segment, 0x100 bytes each.
  void Place() {
    Add(DT_SYMTAB, kTables + 0x100);
    Add(DT_SYMENT, sizeof(Sym));
    Add(DT_STRTAB, kTables + 0x200);
    Add(DT_STRSZ, names.size());
    Add(DT_GNU_HASH, kTables + 0x300);
    Add(kIs64 ? DT_RELA : DT_REL, kTables + 0x400);
    Add(kIs64 ? DT_RELASZ : DT_RELSZ, relocations.size() * sizeof(Rel));
    Add(kIs64 ? DT_RELAENT : DT_RELENT, sizeof(Rel));
    Add(DT_NULL, 0);
  }

  std::vector<uint8_t> Bytes() {
    std::vector<uint8_t> file(kDataAt + (kWords - 1) * sizeof(Word));
    header.e_phnum = static_cast<uint16_t>(parts.size());
    const auto put = [&](size_t at, const void* from, size_t bytes) { std::memcpy(&file[at], from, bytes); };
    const auto put_all = [&](size_t at, const auto& all) { put(at, all.data(), all.size() * sizeof all[0]); };
    put(0, &header, sizeof header);
    put_all(sizeof header, parts);
    put_all(kTables, dynamic);
    put_all(kTables + 0x100, symbols);
    put_all(kTables + 0x200, names);
    put_all(kTables + 0x300, hash);
    put_all(kTables + 0x400, relocations);
    put(kCodeAt, Machine::kCode, sizeof Machine::kCode);
    put_all(kDataAt, data);
    return file;
  }
};

}  // namespace cosim::runtime::testing
