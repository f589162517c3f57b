// SPDX-License-Identifier: Apache-2.0
// What the verifier computes, written a second time the slow and obvious way: every step walked, order by
// reachability in an explicit graph. The property tests compare; the random programs get their tokens from
// it.
#pragma once

#include <compare>
#include <cstdint>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "isa/program/decode.h"
#include "isa/program/microops.h"
#include "isa/program/program.h"
#include "isa/spec/spec.h"

namespace cosim::isa::testing {

/// One element of an on-chip memory, or with memory -1 one byte of DRAM, that an instruction reads or writes.
struct Touch {
  int memory = -1;
  int64_t element = 0;
  bool is_write = false;
  auto operator<=>(const Touch&) const = default;
};

/// All that an instruction touches, each once, sorted. Needs counts of at least 1 and known micro-ops.
std::vector<Touch> Touches(const Spec& spec, const Decoded& decoded, const MicroOpMemories& micro_ops);

/// True if some step of an alu instruction reads what a step less than min_distance before wrote.
bool ReadsTooSoon(const Spec& spec, const Decoded& decoded, const MicroOpMemories& micro_ops);

/// True if an instruction's lock fields name all the banks that it touches.
bool NamesItsBanks(const Spec& spec, const Decoded& decoded, const MicroOpMemories& micro_ops);

/// True if an instruction of `kind` may touch what the one issued before it in its unit touches, though they
/// overlap. `is_first_write` and `is_second_write` say who writes.
bool OverlapIsHarmless(Kind kind, bool is_first_write, bool is_second_write);

/// True if the program can never end: a circle among issues, retirements and dispatches, with places in
/// queues and command queues counted, or a token that nobody gives or makes room for.
bool Deadlocks(const Spec& spec, const Program& program);

/// True if some queue gets more tokens than are taken.
bool LeavesTokens(const Spec& spec, const Program& program);

/// True if all elements and bytes touched exist, and no store goes to a segment or the instructions.
bool InBounds(const Spec& spec, const Program& program);

/// An instruction that reads on chip what nothing has written yet, and the least such element of the memory.
struct UnwrittenRead {
  int64_t instruction = 0;
  int memory = -1;
  int64_t element = 0;
  auto operator<=>(const UnwrittenRead&) const = default;
};
/// In program order, step by step; an element counts for the first instruction that reads it. Micro-ops are
/// left out. The program must be in bounds, its micro-ops known.
std::set<UnwrittenRead> UnwrittenReads(const Spec& spec, const Program& program);

/// Pairs (earlier, later in the program) that touch the same thing, one writing, without an order. The
/// program must not deadlock; micro-ops are followed in program order.
std::set<std::pair<int64_t, int64_t>> Races(const Spec& spec, const Program& program);

}  // namespace cosim::isa::testing
