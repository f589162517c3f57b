// SPDX-License-Identifier: Apache-2.0
// Elements between their packed form in DRAM (isa::Memory) and the lane arrays of sim/functional/memories.h.
#pragma once

#include <cstdint>
#include <span>

#include "isa/spec/spec.h"
#include "sim/functional/memories.h"

namespace cosim::sim {

/// The two directions for one memory. A mirror packs its owner's lanes, wrapped to the mirror's own type.
class ElementCodec {
 public:
  /// `store` is only asked for its shape.
  ElementCodec(const isa::Memory& memory, const MemoryStore& store);

  int64_t stored_bytes() const { return stored_bytes_; }

  /// `count` elements from `dram` on, stored_bytes() each, to elements from `element` on.
  void Unpack(const uint8_t* dram, MemoryStore& store, int64_t element, int64_t count) const;
  /// Replaces the packed bytes from `first` on of one element; its others stay.
  void Patch(std::span<const uint8_t> bytes, int64_t first, MemoryStore& store, int64_t element) const;
  /// The other way. Bytes of an element's place that hold no lane become 0.
  void Pack(const MemoryStore& store, int64_t element, int64_t count, uint8_t* dram) const;

 private:
  std::vector<isa::Field> fields_;
  int64_t stored_bytes_;
  int64_t lanes_;
  int record_bits_;
  bool whole_bytes_;  ///< one field of 8, 16, 32 or 64 bits, signed: the lanes stand in DRAM as integers do
                      ///< here
};

}  // namespace cosim::sim
