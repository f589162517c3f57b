// SPDX-License-Identifier: Apache-2.0
// Every timing that the rules of order allow, sampled: in which orders the effects of a program's
// instructions may come about. Data are left to whoever executes an order. Shares no code with the verifier.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "isa/program/decode.h"
#include "isa/spec/spec.h"
#include "tests/isa/program/random_program.h"

namespace cosim::testing {

/// Positions of instructions, in the order in which their effects come about. `stuck`: the program came to a
/// halt before its end.
struct EffectOrder {
  std::vector<int64_t> instructions;
  bool stuck = false;
};

/// Which of the steps that are possible is taken next: issue of a unit's next instruction, its effect some
/// time later, its retirement some time after that. Room in queues and dispatch count; banks do not, since
/// they order nothing.
struct Schedule {
  /// By unit: who moves first, ascending. Empty: at random, by weights that change now and then.
  std::vector<int> rank;
  /// Whatever can issue does, so that effects come long after it; ranks then decide between effects.
  bool issue_first = false;
};

/// For each unit: it before all others, and after all others, with effects soon and late; then some at
/// random.
std::vector<Schedule> Schedules(const isa::Spec& spec, int random_ones);

/// Effects of one unit come in the order of its instructions, as pipelines do.
EffectOrder RunSchedule(const isa::Spec& spec, std::span<const isa::Decoded> program,
                        const Schedule& schedule, isa::testing::Random& random);

/// The order that the cycle simulator's times give when units and memory have other speeds than the spec
/// says; the effect is at issue, at retirement, or anywhere between.
EffectOrder RunCycles(const isa::Spec& spec, std::span<const isa::Decoded> program, uint64_t code_address,
                      isa::testing::Random& random);

}  // namespace cosim::testing
