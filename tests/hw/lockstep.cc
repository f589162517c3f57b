// SPDX-License-Identifier: Apache-2.0
// Compares RTL and models, instruction by instruction and element by element.
#include "tests/hw/lockstep.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "isa/check.h"
#include "isa/program/decode.h"
#include "isa/program/microops.h"
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

/// Visits every value of every on-chip memory: (memory, element, lane, field, its bytes in the RTL, bit
/// offset).
template <typename Visit>
void ForEachValue(RtlModel& model, const isa::Spec& spec, Visit visit) {
  for (size_t m = 0; m < spec.memories.size(); ++m) {
    const Memory& memory = spec.memories[m];
    const int64_t bank_depth = memory.depth / memory.banks;
    const int64_t lanes = memory.LaneCount();
    for (int64_t element = 0; element < memory.depth; ++element) {
      const sim::RtlBank bank = model.Bank(memory.name, static_cast<int>(element / bank_depth));
      COSIM_CHECK(bank.data != nullptr, "the RTL has no memory '{}'", memory.name);
      const std::span<uint8_t> bytes(bank.data + element % bank_depth * bank.stride, bank.stride);
      for (int64_t lane = 0; lane < lanes; ++lane) {
        for (size_t field = 0; field < memory.fields.size(); ++field) {
          visit(static_cast<int>(m), element, lane, static_cast<int>(field), bytes,
                lane * memory.record_bits + memory.fields[field].offset);
        }
      }
    }
  }
}

void Poison(RtlModel& model, const isa::Spec& spec, GoldenMachine& golden, uint64_t seed) {
  isa::testing::Random random(seed);
  ForEachValue(
      model, spec,
      [&](int m, int64_t element, int64_t lane, int field, std::span<uint8_t> bytes, int64_t offset) {
        const isa::ScalarType type = spec.memories[m].fields[field].type;
        const bool is_mirror = spec.memories[m].mirrors >= 0;  // has been given its values already
        isa::PutBits(
            bytes, offset, type.width,
            is_mirror ? static_cast<uint64_t>(golden.Value(m, element, lane, field)) : random.Next());
        if (is_mirror) return;
        golden.Set(m, element, lane, field, isa::TakeValue(bytes, offset, type));
      });
}

std::string FirstWrongValue(RtlModel& model, const isa::Spec& spec, const GoldenMachine& golden) {
  std::string first;
  ForEachValue(
      model, spec,
      [&](int m, int64_t element, int64_t lane, int field, std::span<uint8_t> bytes, int64_t offset) {
        if (!first.empty()) return;
        const Memory& memory = spec.memories[m];
        const int64_t rtl = isa::TakeValue(bytes, offset, memory.fields[field].type);
        const int64_t right = golden.Value(m, element, lane, field);
        if (rtl == right) return;
        first = fmt::format("{}[{}] lane {} {}: rtl {}, golden {}\n", memory.name, element, lane,
                            memory.fields[field].name, rtl, right);
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
