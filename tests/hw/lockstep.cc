// SPDX-License-Identifier: Apache-2.0
// Compares RTL and models, instruction by instruction and element by element.
#include "tests/hw/lockstep.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "isa/decode.h"
#include "isa/microops.h"
#include "sim/cycle/timing_engine.h"
#include "tests/isa/program/random_program.h"
#include "tests/sim/golden/golden_machine.h"

namespace cosim::testing {
namespace {

using isa::Memory;
using runtime::Cycle;
using runtime::InstructionTimes;

/// Visits every value of every on-chip memory: (memory, element, lane, field, its bytes in the RTL, bit
/// offset).
template <typename Visit>
void ForEachValue(sim::RtlModel& model, const isa::Spec& spec, Visit visit) {
  for (size_t m = 0; m < spec.memories.size(); ++m) {
    const Memory& memory = spec.memories[m];
    const int64_t bank_depth = memory.depth / memory.banks;
    const int64_t lanes = memory.LaneCount();
    for (int64_t element = 0; element < memory.depth; ++element) {
      const sim::RtlBank bank = model.Bank(memory.name, static_cast<int>(element / bank_depth));
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

void Poison(sim::RtlModel& model, const isa::Spec& spec, GoldenMachine& golden, uint64_t seed) {
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

std::string FirstWrongValue(sim::RtlModel& model, const isa::Spec& spec, const GoldenMachine& golden) {
  std::string first;
  ForEachValue(
      model, spec,
      [&](int m, int64_t element, int64_t lane, int field, std::span<uint8_t> bytes, int64_t offset) {
        if (!first.empty()) return;
        const Memory& memory = spec.memories[m];
        const int64_t rtl = isa::TakeValue(bytes, offset, memory.fields[field].type);
        const int64_t right = golden.Value(m, element, lane, field);
        if (rtl == right) return;
        first = fmt::format("{}[{}] lane {} {}: rtl {}, golden {}", memory.name, element, lane,
                            memory.fields[field].name, rtl, right);
      });
  return first;
}

struct Event {
  Cycle at = std::numeric_limits<Cycle>::max();
  std::string text;
};

void Consider(Event& first, size_t instruction, std::string_view format, const char* what, Cycle rtl,
              Cycle model) {
  if (rtl == model) return;
  const Cycle never = std::numeric_limits<Cycle>::max() - 1;
  const Cycle at = std::min(rtl < 0 ? never : rtl, model < 0 ? never : model);
  if (at >= first.at) return;
  first = {at,
           fmt::format("instruction {} ({}): {} at rtl {}, model {}", instruction, format, what, rtl, model)};
}

}  // namespace

std::vector<uint8_t> DramOf(const isa::Spec& spec, const isa::Program& program) {
  const uint64_t beat = spec.dram.beat_bytes();
  std::vector<uint8_t> dram((program.dram_bytes + beat - 1) / beat * beat);
  for (const isa::Segment& segment : program.segments) {
    std::ranges::copy(segment.bytes, dram.begin() + static_cast<int64_t>(segment.address));
  }
  return dram;
}

std::string CompareTiming(sim::RtlModel& model, const isa::Spec& spec, const isa::Program& program) {
  sim::BuiltInMemory memory(spec.dram);
  const sim::RtlRun rtl = sim::RunRtl(model, spec, program, DramOf(spec, program), memory);
  sim::TimingEngine engine(spec);
  const runtime::Counters counters =
      engine.Run(sim::DecodeAll(spec, program), program.code_address, {.record_instructions = true});
  if (!counters.completed) return "the model is stuck: " + counters.error;
  Event first;
  for (size_t i = 0; i < program.instructions.size(); ++i) {
    const std::string& format = spec.formats[program.instructions[i].format].name;
    Consider(first, i, format, "issue", rtl.instructions[i].issue, counters.instructions[i].issue);
    Consider(first, i, format, "retirement", rtl.instructions[i].retire, counters.instructions[i].retire);
  }
  if (!first.text.empty()) return first.text;
  if (!rtl.done) return "the rtl is not done";
  if (rtl.cycles != counters.cycles)
    return fmt::format("done at rtl {}, model {}", rtl.cycles, counters.cycles);
  return "";
}

std::string CompareContents(sim::RtlModel& model, const isa::Spec& spec, const isa::Program& program,
                            uint64_t seed, const sim::RtlRunOptions& options) {
  std::vector<uint8_t> dram = DramOf(spec, program);
  GoldenMachine golden(spec, dram);
  sim::Reset(model);
  Poison(model, spec, golden, seed);
  sim::BuiltInMemory memory(spec.dram);
  const sim::RtlRun rtl = sim::RunRtl(model, spec, program, dram, memory, options);
  if (!rtl.done) return "the rtl is not done";
  const isa::Decoder decoder(spec);
  for (const isa::Instruction& instruction : program.instructions)
    golden.Execute(instruction, decoder(instruction));
  const auto [wrong, right] = std::ranges::mismatch(rtl.dram, golden.dram());
  if (wrong != rtl.dram.end()) {
    return fmt::format("byte {} of DRAM: rtl {}, golden {}", wrong - rtl.dram.begin(), *wrong, *right);
  }
  return FirstWrongValue(model, spec, golden);
}

}  // namespace cosim::testing
