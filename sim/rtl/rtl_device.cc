// SPDX-License-Identifier: Apache-2.0
#include "sim/rtl/rtl_device.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "isa/check.h"
#include "sim/rtl/rtl_compare.h"
#include "sim/rtl/rtl_library.h"
#include "sim/rtl/rtl_memory.h"

namespace cosim::sim {
namespace {

/// A run that takes longer than the model's is not waited for.
constexpr Cycle kPatience = 100'000;

}  // namespace

RtlDevice::RtlDevice(const isa::Spec& spec, const std::filesystem::path& library, MemoryTiming* memory)
    : spec_(spec),
      built_in_(spec.dram),
      timing_(memory != nullptr ? *memory : built_in_),
      engine_(spec, &timing_),
      memory_(dram_),
      model_(MakeRtlModel(library)),
      bench_(*model_, spec, memory_, timing_) {
  bench_.Reset();
}

void RtlDevice::Reserve(uint64_t bytes) {
  const uint64_t beat = spec_.dram.beat_bytes();
  const uint64_t whole = (bytes + beat - 1) / beat * beat;
  if (whole > dram_.size()) dram_.resize(whole);
  memory_ = FlatMemory(dram_);
}

void RtlDevice::Write(uint64_t address, std::span<const uint8_t> bytes) {
  COSIM_CHECK(memory_.Write(address, bytes), "{} bytes at {}", bytes.size(), address);
}

void RtlDevice::Read(uint64_t address, std::span<uint8_t> bytes) {
  COSIM_CHECK(memory_.Read(address, bytes), "{} bytes at {}", bytes.size(), address);
}

void RtlDevice::Trace(RtlTrace trace) {
  trace_ = std::move(trace);
  traced_ = false;
}

/// The waves of a program of that many cycles, under a temporary name; none if they do not begin in it.
RtlTrace RtlDevice::TraceOf(Cycle cycles) const {
  if (trace_.file.empty() || trace_.from < 0 || trace_.from >= cycles) return {};
  RtlTrace trace = trace_;
  trace.file += fmt::format(".{}.tmp", getpid());
  return trace;
}

runtime::Counters RtlDevice::Execute(const isa::Program& program, const runtime::ExecuteOptions& options) {
  COSIM_CHECK(program.fingerprint == spec_.fingerprint, "the program was made for another spec");
  runtime::Counters counters;
  if (options.timing_only || options.watch_hazards) {
    counters.error = options.timing_only ? "the rtl device moves data: it does not run timing only"
                                         : "the rtl device does not watch hazards";
    return counters;
  }
  const runtime::Counters model = engine_.Run(DecodeAll(spec_, program), program.code_address,
                                              {.record_instructions = true, .layer_of = options.layer_of});
  if (!model.completed) return model;  // names the queue; hardware would only say that it is stuck
  Reserve(program.dram_bytes);
  const RtlTrace trace = TraceOf(model.cycles);
  RtlRun run = RunRtl(bench_, spec_, program,
                      {.max_cycles = model.cycles + kPatience, .reset = false, .trace = trace});
  counters = std::move(run.counters);
  counters.instructions = std::move(run.instructions);
  HoldAgainst(spec_, program, model, options.layer_of, counters);
  if (run.traced) {
    std::filesystem::rename(trace.file, trace_.file);
    traced_ = true;
  }
  trace_.from -= model.cycles;
  if (!options.record_instructions) counters.instructions.clear();
  return counters;
}

void RtlDevice::PoisonOnChip(uint64_t seed) { sim::PoisonOnChip(*model_, spec_, seed); }

}  // namespace cosim::sim
