// SPDX-License-Identifier: Apache-2.0
// Every offset, size and index comes from the file and is held against what is there before it is used.
#include "runtime/elf/shared_object.h"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <map>

namespace cosim::runtime::elf {
namespace {

constexpr uint64_t kMostBytes = uint64_t{1} << 30;         // of memory
constexpr uint64_t kMostAlignment = 65'536;                // the largest page of the machines below
constexpr size_t kMostSegments = 16, kLongestName = 4096;  // so that looking for one takes no time
constexpr uint32_t kGnuProperty = 0x6474e553, kArmExidx = 0x70000001;
// What some linkers note for a lazy binding, which there is none of here.
constexpr int64_t kAarch64BtiPlt = 0x70000001, kAarch64VariantPcs = 0x70000005;

struct Machine {
  uint16_t number;
  std::string_view architecture;
  bool is_64;
  uint32_t absolute, glob_dat, jump_slot, relative;  // the four relocations
};
constexpr Machine kMachines[] = {
    {EM_X86_64, "x86_64", true, R_X86_64_64, R_X86_64_GLOB_DAT, R_X86_64_JUMP_SLOT, R_X86_64_RELATIVE},
    {EM_AARCH64, "aarch64", true, R_AARCH64_ABS64, R_AARCH64_GLOB_DAT, R_AARCH64_JUMP_SLOT,
     R_AARCH64_RELATIVE},
    {EM_ARM, "arm", false, R_ARM_ABS32, R_ARM_GLOB_DAT, R_ARM_JUMP_SLOT, R_ARM_RELATIVE},
};

// 32-bit ARM has the addend in the word that is relocated, the others beside it.
struct Elf32 {
  using Ehdr = Elf32_Ehdr;
  using Phdr = Elf32_Phdr;
  using Dyn = Elf32_Dyn;
  using Sym = Elf32_Sym;
  using Reloc = Elf32_Rel;
  using Word = int32_t;
  static constexpr bool kIs64 = false;
  static constexpr int64_t kTable = DT_REL, kTableBytes = DT_RELSZ, kTableEntry = DT_RELENT,
                           kCount = DT_RELCOUNT;
  static uint32_t SymbolOf(const Reloc& r) { return ELF32_R_SYM(r.r_info); }
  static uint32_t TypeOf(const Reloc& r) { return ELF32_R_TYPE(r.r_info); }
  static std::optional<int64_t> AddendOf(const Reloc&) { return std::nullopt; }
};
struct Elf64 {
  using Ehdr = Elf64_Ehdr;
  using Phdr = Elf64_Phdr;
  using Dyn = Elf64_Dyn;
  using Sym = Elf64_Sym;
  using Reloc = Elf64_Rela;
  using Word = int64_t;
  static constexpr bool kIs64 = true;
  static constexpr int64_t kTable = DT_RELA, kTableBytes = DT_RELASZ, kTableEntry = DT_RELAENT,
                           kCount = DT_RELACOUNT;
  static uint32_t SymbolOf(const Reloc& r) { return ELF64_R_SYM(r.r_info); }
  static uint32_t TypeOf(const Reloc& r) { return ELF64_R_TYPE(r.r_info); }
  static std::optional<int64_t> AddendOf(const Reloc& r) { return r.r_addend; }
};

bool Within(uint64_t begin, uint64_t bytes, uint64_t size) { return begin <= size && bytes <= size - begin; }

template <typename T>
T Take(std::span<const uint8_t> bytes, uint64_t at = 0) {
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

template <typename Elf>
class Reader {
 public:
  Reader(std::span<const uint8_t> file, const Machine& machine, std::string& error)
      : file_(file), machine_(machine), error_(error) {
    object_.architecture = machine.architecture;
    object_.word_bytes = sizeof(typename Elf::Word);
  }

  std::optional<SharedObject> Read() {
    if (ReadHeader() && ReadSegments() && ReadDynamic() && ReadSymbols() &&
        ReadRelocations(Elf::kTable, Elf::kTableBytes) && ReadRelocations(DT_JMPREL, DT_PLTRELSZ))
      return std::move(object_);
    return std::nullopt;
  }

 private:
  template <typename... Args>
  bool Fail(fmt::format_string<Args...> text, Args&&... args) {
    error_ = fmt::format(text, std::forward<Args>(args)...);
    return false;
  }

  bool ReadHeader();
  bool ReadSegments();
  bool ReadHeaderOf(const typename Elf::Phdr& part);
  bool AddSegment(const typename Elf::Phdr& part);
  bool ReadDynamic();
  bool ReadSymbols();
  bool AddSymbol(const typename Elf::Sym& symbol);
  bool ReadRelocations(int64_t table, int64_t bytes);
  bool AddRelocation(const typename Elf::Reloc& reloc);

  const Segment* SegmentOf(uint64_t address, uint64_t bytes) const {
    for (const Segment& s : object_.segments)
      if (address >= s.address && Within(address - s.address, bytes, s.bytes)) return &s;
    return nullptr;
  }

  // What the file has at `address` and behind it, to the end of its segment; empty when that is nothing.
  std::span<const uint8_t> ContentAt(uint64_t address) const {
    const Segment* segment = SegmentOf(address, 1);
    if (!segment || address - segment->address >= segment->content.size()) return {};
    return segment->content.subspan(address - segment->address);
  }

  // Of the dynamic section; 0 when it has none.
  uint64_t Value(int64_t tag) const {
    const auto at = dynamic_.find(tag);
    return at == dynamic_.end() ? 0 : at->second;
  }

  bool CountSymbols(uint64_t& count);

  std::span<const uint8_t> file_;
  const Machine& machine_;
  std::string& error_;
  SharedObject object_;
  typename Elf::Ehdr header_{};
  std::optional<typename Elf::Phdr> dynamic_part_;
  std::map<int64_t, uint64_t> dynamic_;
};

template <typename Elf>
bool Reader<Elf>::ReadHeader() {
  if (file_.size() < sizeof header_) return Fail("its header is cut off");
  header_ = Take<typename Elf::Ehdr>(file_);
  if (header_.e_ident[EI_VERSION] != EV_CURRENT || header_.e_version != EV_CURRENT)
    return Fail("it is of ELF version {}", header_.e_version);
  if (header_.e_type != ET_DYN) return Fail("it is of type {}, not a shared object", header_.e_type);
  if (header_.e_phentsize != sizeof(typename Elf::Phdr))
    return Fail("its program headers have {} bytes each", header_.e_phentsize);
  if (machine_.number == EM_ARM && (header_.e_flags & EF_ARM_ABI_FLOAT_HARD) == 0)
    return Fail("it does not pass floats in registers");
  return true;
}

template <typename Elf>
bool Reader<Elf>::ReadSegments() {
  const uint64_t bytes = uint64_t{header_.e_phnum} * sizeof(typename Elf::Phdr);
  if (!Within(header_.e_phoff, bytes, file_.size())) return Fail("its program headers are cut off");
  for (uint64_t at = 0; at < bytes; at += sizeof(typename Elf::Phdr))
    if (!ReadHeaderOf(Take<typename Elf::Phdr>(file_, header_.e_phoff + at))) return false;
  if (object_.segments.empty()) return Fail("it has no segments");
  if (!dynamic_part_) return Fail("it has no dynamic section");
  const uint64_t constant = object_.constant_end - object_.constant_begin;
  const Segment* segment = SegmentOf(object_.constant_begin, 0);
  // Linkers round its end up to a page, beyond the segment's.
  if (constant > 0 && (!segment || !segment->is_writable || constant > segment->bytes + kMostAlignment))
    return Fail("the part that is constant once loaded lies in no writable segment");
  return true;
}

template <typename Elf>
bool Reader<Elf>::ReadHeaderOf(const typename Elf::Phdr& part) {
  switch (part.p_type) {
    case PT_LOAD:
      return AddSegment(part);
    case PT_DYNAMIC:
      if (dynamic_part_) return Fail("it has two dynamic sections");
      dynamic_part_ = part;
      return true;
    case PT_GNU_RELRO:
      if (!Within(part.p_vaddr, part.p_memsz, kMostBytes))
        return Fail("what is constant once loaded ends nowhere");
      object_.constant_begin = part.p_vaddr;
      object_.constant_end = uint64_t{part.p_vaddr} + part.p_memsz;
      return true;
    case PT_GNU_STACK:
      return (part.p_flags & PF_X) == 0 || Fail("it asks for a stack that is executable");
    case PT_NULL:
    case PT_NOTE:
    case PT_PHDR:
    case PT_GNU_EH_FRAME:
    case kGnuProperty:
      return true;
    case PT_TLS:
      return Fail("it has variables of threads");
    default:
      if (machine_.number == EM_ARM && part.p_type == kArmExidx) return true;
      return Fail("it has a program header of type {:#x}", part.p_type);
  }
}

template <typename Elf>
bool Reader<Elf>::AddSegment(const typename Elf::Phdr& part) {
  if (part.p_filesz > part.p_memsz || !Within(part.p_offset, part.p_filesz, file_.size()))
    return Fail("its segment at {:#x} is cut off", part.p_vaddr);
  if (!Within(part.p_vaddr, part.p_memsz, kMostBytes))
    return Fail("its segment at {:#x} takes more than {} bytes", part.p_vaddr, kMostBytes);
  if (part.p_align > kMostAlignment || (part.p_align != 0 && !std::has_single_bit(uint64_t{part.p_align})))
    return Fail("its segment at {:#x} is aligned to {}", part.p_vaddr, part.p_align);
  const bool writable = (part.p_flags & PF_W) != 0, executable = (part.p_flags & PF_X) != 0;
  if (writable && executable)
    return Fail("its segment at {:#x} is both writable and executable", part.p_vaddr);
  if (part.p_vaddr < object_.bytes) return Fail("its segment at {:#x} lies within another", part.p_vaddr);
  if (object_.segments.size() == kMostSegments) return Fail("it has more than {} segments", kMostSegments);
  object_.segments.push_back(
      {part.p_vaddr, part.p_memsz, file_.subspan(part.p_offset, part.p_filesz), writable, executable});
  object_.bytes = uint64_t{part.p_vaddr} + part.p_memsz;
  return true;
}

template <typename Elf>
bool Reader<Elf>::ReadDynamic() {
  auto rest = ContentAt(dynamic_part_->p_vaddr);
  for (;; rest = rest.subspan(sizeof(typename Elf::Dyn))) {
    if (rest.size() < sizeof(typename Elf::Dyn)) return Fail("its dynamic section is cut off");
    const auto entry = Take<typename Elf::Dyn>(rest);
    switch (entry.d_tag) {
      case DT_NULL:
        return true;
      case DT_NEEDED:
        return Fail("it asks for a library");
      case DT_INIT:
      case DT_FINI:
      case DT_INIT_ARRAY:
      case DT_FINI_ARRAY:
      case DT_PREINIT_ARRAY:
        return Fail("it has code that runs when it is loaded or let go");
      case DT_FLAGS:
        if ((entry.d_un.d_val & DF_TEXTREL) != 0) return Fail("its code is to be relocated");
        break;
      case DT_SYMTAB:
      case DT_SYMENT:
      case DT_STRTAB:
      case DT_STRSZ:
      case DT_GNU_HASH:
      case DT_HASH:
      case DT_JMPREL:
      case DT_PLTRELSZ:
      case DT_PLTREL:
      case DT_PLTGOT:
      case DT_SONAME:
      case DT_SYMBOLIC:
      case DT_BIND_NOW:
      case DT_FLAGS_1:
        break;
      default:
        if (entry.d_tag == Elf::kTable || entry.d_tag == Elf::kTableBytes ||
            entry.d_tag == Elf::kTableEntry || entry.d_tag == Elf::kCount)
          break;
        if (machine_.number == EM_AARCH64 &&
            (entry.d_tag == kAarch64BtiPlt || entry.d_tag == kAarch64VariantPcs))
          break;
        return Fail("its dynamic section has an entry {:#x}", static_cast<uint64_t>(entry.d_tag));
    }
    if (!dynamic_.emplace(entry.d_tag, entry.d_un.d_val).second)
      return Fail("its dynamic section has two entries {:#x}", static_cast<uint64_t>(entry.d_tag));
  }
}

// The table has no length: it ends where the chain of its last hash value does.
template <typename Elf>
bool Reader<Elf>::CountSymbols(uint64_t& count) {
  const auto table = ContentAt(Value(DT_GNU_HASH));
  constexpr uint64_t kHead = 16, kEntry = sizeof(uint32_t);
  const auto cut_off = [&] { return Fail("its table of hash values is cut off"); };
  if (!dynamic_.contains(DT_GNU_HASH)) return Fail("it has no table of hash values");
  if (table.size() < kHead) return cut_off();
  const uint64_t buckets = Take<uint32_t>(table), first = Take<uint32_t>(table, 4),
                 words = Take<uint32_t>(table, 8);
  const uint64_t begin = kHead + words * sizeof(typename Elf::Word);
  if (!Within(begin, buckets * kEntry, table.size())) return cut_off();
  uint64_t last = 0;
  for (uint64_t i = 0; i < buckets; ++i)
    last = std::max<uint64_t>(last, Take<uint32_t>(table, begin + i * kEntry));
  count = first;
  if (last == 0) return true;  // nothing is exported
  if (last < first) return Fail("its table of hash values names symbol {} before {}", last, first);
  for (const uint64_t chain = begin + buckets * kEntry;; ++last) {
    const uint64_t at = chain + (last - first) * kEntry;
    if (!Within(at, kEntry, table.size())) return cut_off();
    count = last + 1;
    if ((Take<uint32_t>(table, at) & 1) != 0) return true;
  }
}

template <typename Elf>
bool Reader<Elf>::ReadSymbols() {
  uint64_t count = 0;
  if (Value(DT_SYMENT) != sizeof(typename Elf::Sym))
    return Fail("its symbols have {} bytes each", Value(DT_SYMENT));
  if (!CountSymbols(count)) return false;
  if (count == 0) return Fail("its symbols lack the first, which is nobody's");
  const auto table = ContentAt(Value(DT_SYMTAB));
  if (!Within(0, count * sizeof(typename Elf::Sym), table.size())) return Fail("its symbols are cut off");
  for (uint64_t i = 0; i < count; ++i)
    if (!AddSymbol(Take<typename Elf::Sym>(table, i * sizeof(typename Elf::Sym)))) return false;
  return true;
}

template <typename Elf>
bool Reader<Elf>::AddSymbol(const typename Elf::Sym& symbol) {
  auto names = ContentAt(Value(DT_STRTAB));
  names = names.first(std::min<uint64_t>(names.size(), Value(DT_STRSZ)));
  const auto index = object_.symbols.size();
  if (symbol.st_name >= names.size()) return Fail("the name of its symbol {} is cut off", index);
  names = names.subspan(symbol.st_name);
  names = names.first(std::min(names.size(), kLongestName));
  const auto end = std::ranges::find(names, uint8_t{0});
  if (end == names.end()) return Fail("the name of its symbol {} is cut off", index);
  const std::string_view name(reinterpret_cast<const char*>(names.data()), end - names.begin());
  const unsigned type = symbol.st_info & 0xf;  // one layout in both classes
  if (type != STT_NOTYPE && type != STT_OBJECT && type != STT_FUNC)
    return Fail("its symbol '{}' is of type {}", name, type);
  Symbol read{name, symbol.st_shndx != SHN_UNDEF, type == STT_FUNC, symbol.st_value};
  if (read.is_defined) {
    const Segment* segment = SegmentOf(read.address, read.is_function ? 1 : 0);
    if (symbol.st_shndx >= SHN_LORESERVE || !segment || (read.is_function && !segment->is_executable))
      return Fail("its symbol '{}' is not where such a symbol can be", name);
  }
  object_.symbols.push_back(read);
  return true;
}

template <typename Elf>
bool Reader<Elf>::ReadRelocations(int64_t table, int64_t bytes) {
  const uint64_t size = Value(bytes);
  if (size == 0) return true;
  if (table == DT_JMPREL ? Value(DT_PLTREL) != static_cast<uint64_t>(Elf::kTable)
                         : Value(Elf::kTableEntry) != sizeof(typename Elf::Reloc))
    return Fail("its relocations are of another form than its machine's");
  const auto content = ContentAt(Value(table));
  if (!Within(0, size, content.size()) || size % sizeof(typename Elf::Reloc) != 0)
    return Fail("its relocations are cut off");
  for (uint64_t at = 0; at < size; at += sizeof(typename Elf::Reloc))
    if (!AddRelocation(Take<typename Elf::Reloc>(content, at))) return false;
  return true;
}

template <typename Elf>
bool Reader<Elf>::AddRelocation(const typename Elf::Reloc& reloc) {
  const uint64_t address = reloc.r_offset;
  const uint32_t type = Elf::TypeOf(reloc), symbol = Elf::SymbolOf(reloc);
  if (type != machine_.absolute && type != machine_.glob_dat && type != machine_.jump_slot &&
      type != machine_.relative)
    return Fail("its relocation at {:#x} is of type {}", address, type);
  const bool has_symbol = type != machine_.relative;
  if (has_symbol && (symbol == 0 || symbol >= object_.symbols.size()))
    return Fail("its relocation at {:#x} is of symbol {}, which there is not", address, symbol);
  const Segment* segment = SegmentOf(address, object_.word_bytes);
  if (!segment || !segment->is_writable) return Fail("its relocation at {:#x} is not of data", address);
  int64_t addend = 0;
  if (const auto beside = Elf::AddendOf(reloc)) {
    addend = *beside;
  } else if (type == machine_.absolute || type == machine_.relative) {
    const auto content = ContentAt(address);
    if (content.size() >= sizeof(typename Elf::Word)) addend = Take<typename Elf::Word>(content);
  }
  object_.relocations.push_back({address, has_symbol ? symbol : kTheObject, addend});
  return true;
}

}  // namespace

std::optional<SharedObject> ReadSharedObject(std::span<const uint8_t> file, std::string& error) {
  if (file.size() < sizeof(Elf32_Ehdr) || std::memcmp(file.data(), ELFMAG, SELFMAG) != 0) {
    error = "it is no ELF file";
    return std::nullopt;
  }
  // One place in both classes.
  const uint16_t number = Take<uint16_t>(file, offsetof(Elf64_Ehdr, e_machine));
  const auto* machine = std::ranges::find(kMachines, number, &Machine::number);
  if (machine == std::end(kMachines) || file[EI_DATA] != ELFDATA2LSB ||
      file[EI_CLASS] != (machine->is_64 ? ELFCLASS64 : ELFCLASS32)) {
    error =
        fmt::format("it is for machine {} of class {}, byte order {}", number, file[EI_CLASS], file[EI_DATA]);
    return std::nullopt;
  }
  return machine->is_64 ? Reader<Elf64>(file, *machine, error).Read()
                        : Reader<Elf32>(file, *machine, error).Read();
}

}  // namespace cosim::runtime::elf
