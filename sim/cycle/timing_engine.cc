// SPDX-License-Identifier: Apache-2.0
// Runs a Simulation and turns what it found into counters.
#include "sim/cycle/timing_engine.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "isa/check.h"
#include "sim/cycle/simulation.h"
#include "sim/cycle/stuck_report.h"

namespace cosim::sim {
namespace {

void CountSteps(std::span<const isa::Decoded> program, runtime::Counters& counters) {
  for (const isa::Decoded& instruction : program) {
    if (const auto* gemm = std::get_if<isa::Gemm>(&instruction.body)) {
      counters.gemm_steps += static_cast<uint64_t>(std::max<int64_t>(0, gemm->Cycles()));
    } else if (const auto* alu = std::get_if<isa::Alu>(&instruction.body)) {
      counters.alu_steps += static_cast<uint64_t>(std::max<int64_t>(0, alu->nest.Steps()));
    }
  }
}

}  // namespace

TimingEngine::TimingEngine(const isa::Spec& spec, MemoryTiming* memory)
    : spec_(&spec), built_in_(spec.dram), memory_(memory != nullptr ? memory : &built_in_) {}

runtime::Counters TimingEngine::Run(std::span<const isa::Decoded> program, uint64_t code_address,
                                    const TimingOptions& options) {
  COSIM_CHECK(code_address % 4096 == 0, "code at {}", code_address);
  memory_->Reset();
  Simulation simulation(*spec_, memory_, program, code_address);
  COSIM_CHECK(options.ledger || options.record == nullptr);
  if (!options.ledger) simulation.DropLedger();
  if (options.record != nullptr) simulation.KeepRecord();
  runtime::Counters counters;
  counters.timed = true;
  counters.completed = simulation.Run(options.max_cycles);
  counters.cycles = simulation.cycles();
  const auto beat_bytes = static_cast<uint64_t>(spec_->dram.beat_bytes());
  counters.dram_read_bytes = simulation.read_beats() * beat_bytes;
  counters.dram_write_bytes = simulation.write_beats() * beat_bytes;
  if (counters.completed && options.ledger) {
    counters.ledger = simulation.Ledger();
    for (const runtime::LedgerRow& row : counters.ledger) COSIM_CHECK(row.Total() == counters.cycles);
    CountSteps(program, counters);
    if (options.record != nullptr) *options.record = simulation.Record();
  } else if (!counters.completed && (options.ledger || options.max_cycles == kNever)) {
    counters.error = StuckReport(*spec_, program, simulation, options);
  }
  if (options.record_instructions) counters.instructions = std::move(simulation.times());
  return counters;
}

std::vector<isa::Decoded> DecodeAll(const isa::Spec& spec, const isa::Program& program) {
  return isa::Decoder(spec).All(program.instructions);
}

}  // namespace cosim::sim
