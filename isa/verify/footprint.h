// SPDX-License-Identifier: Apache-2.0
// Which on-chip elements an instruction touches: exact sets, computed from the shape of its loop nest without
// walking its steps. DRAM is left to whoever needs it (a Transfer says it all).
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "isa/program/decode.h"
#include "isa/program/microops.h"
#include "isa/spec/spec.h"
#include "isa/verify/index_set.h"

namespace cosim::isa {

/// A set of elements of `memory` (never a mirror: its original) that an instruction reads or writes.
struct OnChipAccess {
  int memory = -1;
  bool is_write = false;
  const IndexSet* elements = nullptr;
};

/// Least and greatest element index that a nest computes from `index`, clamped to 64 bits. Known micro-ops
/// only.
struct IndexBounds {
  int64_t low = 0, high = 0;
};
IndexBounds BoundsOf(const Nest& nest, const Index& index, const MicroOpMemories& micro_ops);

/// The memory whose storage `memory` names: itself, or what it mirrors.
inline int Storage(const Spec& spec, int memory) {
  return spec.memories[memory].mirrors >= 0 ? spec.memories[memory].mirrors : memory;
}

/// The element that step (out, in, u) takes for `index`. Known micro-ops only.
inline int64_t ElementAt(const Nest& nest, const Index& index, const MicroOpMemories& micro_ops, int64_t out,
                         int64_t in, int64_t u) {
  const int64_t offset = index.uop_field < 0 ? 0 : micro_ops.Values(nest.micro_ops, index.uop_field)[u];
  return index.base + offset + out * index.outer + in * index.inner;
}

/// Calls function(out, in, u) for all steps in their order, as long as it returns true.
template <typename Function>
void ForEachStep(const Nest& nest, Function function) {
  for (int64_t out = 0; out < nest.iter_out; ++out) {
    for (int64_t in = 0; in < nest.iter_in; ++in) {
      for (int64_t u = nest.uop_begin; u < nest.uop_end; ++u) {
        if (!function(out, in, u)) return;
      }
    }
  }
}

/// Computes footprints one after the other, reusing its memory.
class FootprintBuilder {
 public:
  explicit FootprintBuilder(const Spec& spec) : spec_(spec) {}

  /// Everything in bounds, counts at least 1, micro-ops known. Valid until the next call. The accesses of an
  /// alu instruction come as: micro-ops, result, operands; of gemm: micro-ops, dst (write; read first unless
  /// it overwrites or resets), sources (unless it resets).
  std::span<const OnChipAccess> Build(const Decoded& decoded, const MicroOpMemories& micro_ops);

 private:
  IndexSet& NewSet(int memory, bool is_write);
  /// Elements that a step takes from its index on: `lines` rows of `parts`, `pitch` from one to the next.
  struct Block {
    int parts = 1, lines = 1;
    int64_t pitch = 0;
  };

  /// All elements of `memory` that `index` takes in the nest, so many at a time.
  void AddNest(int memory, bool is_write, const Nest& nest, const Index& index,
               const MicroOpMemories& micro_ops, const Block& block);
  void AddNest(int memory, bool is_write, const Nest& nest, const Index& index,
               const MicroOpMemories& micro_ops) {
    AddNest(memory, is_write, nest, index, micro_ops, {});
  }
  void AddMicroOps(const Nest& nest);

  const Spec& spec_;
  std::deque<IndexSet> sets_;
  IndexSet affine_, offsets_;
  std::vector<OnChipAccess> accesses_;
};

}  // namespace cosim::isa
