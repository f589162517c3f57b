// SPDX-License-Identifier: Apache-2.0
// Compares RTL and models, instruction by instruction and element by element.
#include "tests/hw/lockstep.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "isa/check.h"
#include "isa/program/decode.h"
#include "isa/program/microops.h"
#include "isa/sv/plan.h"
#include "sim/cycle/timing_engine.h"
#include "sim/dram/flat_memory.h"
#include "sim/rtl/rtl_compare.h"
#include "tests/isa/program/random_program.h"
#include "tests/sim/golden/golden_machine.h"

namespace cosim::testing {
namespace {

using isa::Memory;
using sim::RtlModel;
using sim::RtlRun;

/// What a run may take: more than the cycles of the model, stalls and all.
constexpr runtime::Cycle kStart = 10000, kSlowdown = 20;

/// A value on chip, and where the RTL has it.
struct Place {
  int memory, copy;
  int64_t element, lane;
  int field;
  std::span<uint8_t> bytes;  ///< of the element
  int64_t offset;            ///< in bits
};

/// Visits every value of every on-chip memory, and of its copies after it.
template <typename Visit>
void ForEachValue(RtlModel& model, const isa::Spec& spec, Visit visit) {
  const isa::SvPlan plan(spec);
  for (size_t m = 0; m < spec.memories.size(); ++m) {
    const Memory& memory = spec.memories[m];
    const int64_t bank_depth = memory.depth / memory.banks, lanes = memory.LaneCount();
    const int copies = isa::SvCopies(spec, plan, static_cast<int>(m));
    for (int64_t i = 0; i < memory.depth * copies; ++i) {
      const int64_t element = i % memory.depth;
      const int copy = static_cast<int>(i / memory.depth);
      const sim::RtlBank bank = model.Bank(memory.name, static_cast<int>(element / bank_depth), copy);
      COSIM_CHECK(bank.data != nullptr, "the RTL has no copy {} of memory '{}'", copy, memory.name);
      const std::span<uint8_t> bytes(bank.data + element % bank_depth * bank.stride, bank.stride);
      for (int64_t lane = 0; lane < lanes; ++lane)
        for (size_t field = 0; field < memory.fields.size(); ++field)
          visit(Place{static_cast<int>(m), copy, element, lane, static_cast<int>(field), bytes,
                      lane * memory.record_bits + memory.fields[field].offset});
    }
  }
}

void Poison(RtlModel& model, const isa::Spec& spec, GoldenMachine& golden, uint64_t seed) {
  isa::testing::Random random(seed);
  ForEachValue(model, spec, [&](const Place& at) {
    const Memory& memory = spec.memories[at.memory];
    const isa::ScalarType type = memory.fields[at.field].type;
    const bool is_given = memory.mirrors >= 0 || at.copy > 0;  // by the values of what it is a copy of
    isa::PutBits(at.bytes, at.offset, type.width,
                 is_given ? static_cast<uint64_t>(golden.Value(at.memory, at.element, at.lane, at.field))
                          : random.Next());
    if (is_given) return;
    golden.Set(at.memory, at.element, at.lane, at.field, isa::TakeValue(at.bytes, at.offset, type));
  });
}

std::string FirstWrongValue(RtlModel& model, const isa::Spec& spec, const GoldenMachine& golden) {
  std::string first;
  ForEachValue(model, spec, [&](const Place& at) {
    if (!first.empty()) return;
    const Memory& memory = spec.memories[at.memory];
    const int64_t rtl = isa::TakeValue(at.bytes, at.offset, memory.fields[at.field].type);
    const int64_t right = golden.Value(at.memory, at.element, at.lane, at.field);
    if (rtl == right) return;
    first = fmt::format("{}[{}] of copy {} lane {} {}: rtl {}, golden {}\n", memory.name, at.element, at.copy,
                        at.lane, memory.fields[at.field].name, rtl, right);
  });
  return first;
}

runtime::Counters Timed(const isa::Spec& spec, const isa::Program& program) {
  sim::TimingEngine engine(spec);
  return engine.Run(sim::DecodeAll(spec, program), program.code_address,
                    {.record_instructions = true, .layer_of = {}});
}

std::string TimingDifference(const isa::Spec& spec, const isa::Program& program, const RtlRun& rtl,
                             const runtime::Counters& model) {
  runtime::Counters seen = rtl.counters;
  seen.instructions = rtl.instructions;
  std::string difference = sim::CompareTiming(spec, program, seen, model);
  if (rtl.done && rtl.cycles != model.cycles)
    difference += fmt::format("done at rtl {}, model {}\n", rtl.cycles, model.cycles);
  return difference;
}

std::string ContentsDifference(RtlModel& model, const isa::Spec& spec, const isa::Program& program,
                               const RtlRun& rtl, GoldenMachine& golden) {
  const isa::Decoder decoder(spec);
  for (const isa::Instruction& instruction : program.instructions)
    golden.Execute(instruction, decoder(instruction));
  std::string difference;
  const auto [wrong, right] = std::ranges::mismatch(rtl.dram, golden.dram());
  if (wrong != rtl.dram.end()) {
    difference =
        fmt::format("byte {} of DRAM: rtl {}, golden {}\n", wrong - rtl.dram.begin(), *wrong, *right);
  }
  return difference + FirstWrongValue(model, spec, golden);
}

}  // namespace

std::vector<uint8_t> DramOf(const isa::Spec& spec, const isa::Program& program, uint64_t seed) {
  const uint64_t beat = spec.dram.beat_bytes();
  std::vector<uint8_t> dram((program.dram_bytes + beat - 1) / beat * beat);
  isa::testing::Random random(seed);
  std::ranges::generate(dram, [&] { return static_cast<uint8_t>(random.Next()); });
  for (const isa::Segment& segment : program.segments) {
    std::ranges::copy(segment.bytes, dram.begin() + static_cast<int64_t>(segment.address));
  }
  return dram;
}

LockstepResult Compare(RtlModel& model, const isa::Spec& spec, const isa::Program& program,
                       const LockstepOptions& options) {
  const runtime::Counters timed = Timed(spec, program);
  if (!timed.completed) return {.difference = "the model is stuck: " + timed.error + "\n"};
  std::vector<uint8_t> dram = DramOf(spec, program, options.seed);
  GoldenMachine golden(spec, dram);
  sim::BuiltInMemory memory(spec.dram);
  sim::FlatMemory unused(dram);
  if (options.reset) sim::RtlBench(model, spec, unused, memory).Reset();
  Poison(model, spec, golden, options.seed);
  isa::testing::Random random(options.seed);
  sim::RtlRunOptions run_options{.max_cycles = kStart + kSlowdown * timed.cycles, .reset = options.reset};
  if (options.stall_percent > 0) run_options.stall = [&] { return random.Percent(options.stall_percent); };
  const RtlRun rtl = RunRtl(model, spec, program, std::move(dram), memory, run_options);
  LockstepResult result{.difference = "", .cycles = rtl.cycles};
  if (!rtl.counters.error.empty()) result.difference = rtl.counters.error + "\n";
  result.difference += options.stall_percent == 0 ? TimingDifference(spec, program, rtl, timed)
                                                  : sim::CompareWork(rtl.counters, timed);
  result.difference +=
      rtl.done ? ContentsDifference(model, spec, program, rtl, golden) : "the rtl is not done\n";
  return result;
}

}  // namespace cosim::testing
