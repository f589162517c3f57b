// SPDX-License-Identifier: Apache-2.0
// A shared object of ELF as data: read and checked, for whatever machine it is; what may be loaded here,
// mapped_object.h loads. Only what compiled kernels have is taken (segments, symbols, four relocations a
// machine). Everything else that a linker can write is refused by name, code that would run while loading
// above all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cosim::runtime::elf {

/// Addresses are bytes from the object's beginning, wherever it is mapped.
struct Segment {
  uint64_t address = 0;
  uint64_t bytes = 0;  ///< in memory; what `content` does not fill is 0
  std::span<const uint8_t> content;
  bool is_writable = false, is_executable = false;  ///< never both
};

struct Symbol {
  std::string_view name;
  bool is_defined = false;  ///< else it is asked for
  bool is_function = false;
  uint64_t address = 0;  ///< within the object; bit 0 is set for Thumb code
};

inline constexpr uint32_t kTheObject = 0;  ///< no symbol: its beginning

/// The word at `address`, in a writable segment, becomes the address of `symbol` plus `addend`.
struct Relocation {
  uint64_t address = 0;
  uint32_t symbol = kTheObject;
  int64_t addend = 0;
};

/// Refers to the bytes it was read from.
struct SharedObject {
  std::string_view architecture;  ///< as HostArchitecture() names it
  unsigned word_bytes = 0;
  uint64_t bytes = 0;                             ///< of memory, holes between segments included
  std::vector<Segment> segments;                  ///< by ascending addresses, apart from each other
  uint64_t constant_begin = 0, constant_end = 0;  ///< writable for the relocations only
  std::vector<Symbol> symbols;                    ///< the first is nobody's
  std::vector<Relocation> relocations;
};

/// Nothing, and `error` set, when any part of it is broken, reaches outside, or is of a kind not known here.
std::optional<SharedObject> ReadSharedObject(std::span<const uint8_t> file, std::string& error);

}  // namespace cosim::runtime::elf
