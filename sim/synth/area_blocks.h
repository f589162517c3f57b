// SPDX-License-Identifier: Apache-2.0
// What an accelerator is made of, counted from its spec: blocks of RTL and the quantities that decide how
// large each is, as bits of registers or terms of sums. What a quantity costs area_model.h knows.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "isa/spec/spec.h"

namespace cosim::synth {

struct AreaBlock {
  std::string part;  ///< of cosim synth's table: "gemm", "memory wgt", "queues", …
  std::string_view kind;
  std::vector<std::pair<std::string_view, double>> quantities;  ///< a kind has always the same ones
};

/// Kinds of blocks: what of the RTL they are.
///   command      a unit's queue, decoder and issue
///   load, store  those engines
///   gemm, alu    those engines but for what follows
///   nest         their loops over micro-ops
///   array        products and adder trees        accumulator  of them
///   lanes        what stands around the lanes    lane         all lanes of a unit
///   memory       one memory                      queues       all of them
///   locks, fetch, ledger, port                   control      registers, counters, and what is between all
/// The spec must pass isa::CheckSv.
std::vector<AreaBlock> AreaBlocks(const isa::Spec& spec);

}  // namespace cosim::synth
