// SPDX-License-Identifier: Apache-2.0
// What a program's instructions do, counted: operations, and accesses of the on-chip memories. In closed form
// by instruction; nothing is executed. What it costs is sim/energy/energy.h's.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "isa/program/decode.h"
#include "isa/spec/spec.h"

namespace cosim::sim {

struct Work {
  /// Elements. A mirror is written as its original is; a load that gathers writes each element once.
  struct Accesses {
    uint64_t reads = 0, writes = 0;
    friend bool operator==(const Accesses&, const Accesses&) = default;
  };
  uint64_t instructions = 0;
  uint64_t dram_read = 0, dram_written = 0;  ///< bytes that transfers move, whole beats
  /// Multiply-accumulates by instruction format: every lane of every step, those on padding included. A step
  /// that resets has none.
  std::vector<uint64_t> macs;
  std::vector<uint64_t> lane_ops;  ///< by ALU op: a step on one lane of the result
  /// By memory. A gemm step reads its sources and its sum (unless it overwrites) and writes the sum; one that
  /// resets only writes. An ALU step reads the elements of its operands and writes one. Either reads a
  /// micro-op.
  std::vector<Accesses> memories;

  /// Of the same spec.
  Work& operator+=(const Work& other);
  friend bool operator==(const Work&, const Work&) = default;
};

/// All fields as long as the spec's lists, also without instructions.
Work WorkOf(const isa::Spec& spec, std::span<const isa::Decoded> program);

}  // namespace cosim::sim
