// SPDX-License-Identifier: Apache-2.0
// How elements are packed in DRAM, and what the micro-op memories hold while a program runs. The layout
// itself is stated at Memory in isa/spec/spec.h.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "isa/program/decode.h"
#include "isa/program/program.h"
#include "isa/spec/spec.h"

namespace cosim::isa {

/// Values an element has: lanes x record fields, in row-major order of the lanes, fields innermost.
int64_t ValuesPerElement(const Memory& memory);

/// Packs whole elements: `values` holds a multiple of ValuesPerElement, `bytes` as many times stored_bytes.
/// Bits that no lane owns become 0. Values must fit their field (CHECKed): whoever has values from a user
/// looks first.
void PackElements(const Memory& memory, std::span<const int64_t> values, std::span<uint8_t> bytes);

/// The reverse; ignores bits that no lane owns.
void UnpackElements(const Memory& memory, std::span<const uint8_t> bytes, std::span<int64_t> values);

/// Puts the low `width` bits (at most 64) of `value` at bit `offset` of `bytes`, lowest bits first.
void PutBits(std::span<uint8_t> bytes, int64_t offset, int width, uint64_t value);
/// Takes `width` bits (at most 64) from bit `offset` on, without sign.
uint64_t TakeBits(std::span<const uint8_t> bytes, int64_t offset, int width);
/// TakeBits as a value of `type`: its highest bit is the sign if the type has one.
int64_t TakeValue(std::span<const uint8_t> bytes, int64_t offset, ScalarType type);

/// True when `type` can hold `value`.
bool Fits(int64_t value, ScalarType type);

/// The contents of all micro-op memories as loads into them execute. Micro-ops are program, not data: they
/// come from the program's segments, so this needs no DRAM. Before the first load nothing is known.
class MicroOpMemories {
 public:
  /// Keeps pointers to both arguments.
  MicroOpMemories(const Spec& spec, const Program& program);

  /// Applies a load if it goes to a micro-op memory; anything else changes nothing. Elements outside the
  /// memory are dropped, and what no segment holds becomes unknown.
  void Execute(const Decoded& decoded);

  /// One value an element, of field `field` of its record; 0 where unknown. `memory` must be a micro-op
  /// memory.
  std::span<const int64_t> Values(int memory, int field) const { return contents_[memory].columns[field]; }
  /// True for an element that a load has given a known value.
  bool Known(int memory, int64_t element) const { return contents_[memory].known[element] != 0; }
  /// Counts the loads into `memory`, so that what was derived from its contents can be kept until the next.
  int64_t Version(int memory) const { return contents_[memory].version; }

 private:
  struct Contents {
    std::vector<std::vector<int64_t>> columns;  // by field, then element
    std::vector<uint8_t> known;
    int64_t version = 0;
  };
  /// `size` bytes from `address` on; empty if no one segment holds them.
  std::span<const uint8_t> Bytes(uint64_t address, uint64_t size) const;
  void Set(Contents& contents, const Memory& memory, int64_t element, std::span<const uint8_t> bytes);
  void Fill(Contents& contents, const Memory& memory, int64_t element, int64_t value);

  const Spec* spec_;
  std::vector<const Segment*> segments_;  // by address
  std::vector<Contents> contents_;        // by memory; empty columns for those without micro-ops
};

}  // namespace cosim::isa
