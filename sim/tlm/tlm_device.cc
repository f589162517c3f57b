// SPDX-License-Identifier: Apache-2.0
// The driver side: registers written and read as code on a board would do it.
#include "sim/tlm/tlm_device.h"

#include <functional>
#include <utility>

#include "isa/check.h"
#include "runtime/read_counters.h"
#include "sim/cycle/timing_engine.h"
#include "sim/rtl/recorder.h"
#include "sim/rtl/rtl_compare.h"
#include "sim/rtl/rtl_memory.h"
#include "sim/tlm/example_platform.h"

// The SystemC library wants an entry point, even of programs that have a main of their own and never enter
// there.
int sc_main(int, char**) { return 0; }

namespace cosim::sim {
namespace {

ExamplePlatform* the_platform = nullptr;  ///< lives as long as the process, as SystemC designs do
bool is_taken = false;

/// The accelerator's registers, for code that runs on the processor.
class Registers {
 public:
  Registers(ProcessorModule& processor, uint64_t base) : processor_(processor), base_(base) {}

  uint32_t Read(uint32_t offset) { return processor_.ReadWord(base_ + offset); }
  void Write(uint32_t offset, uint32_t value) { processor_.WriteWord(base_ + offset, value); }
  /// The low word first: reading it keeps the high one.
  uint64_t Read64(uint32_t offset) {
    const uint64_t low = Read(offset);
    return low | uint64_t{Read(offset + 4)} << 32;
  }

 private:
  ProcessorModule& processor_;
  uint64_t base_;
};

runtime::Counters RunProgram(const isa::Spec& spec, const isa::Program& program, ProcessorModule& processor,
                             Registers block) {
  COSIM_CHECK(block.Read(registers::kVersion) == registers::kVersionValue);
  COSIM_CHECK(block.Read64(registers::kFingerprint) == program.fingerprint,
              "the program was made for another spec");
  block.Write(registers::kProgram,
              static_cast<uint32_t>(ExamplePlatform::kMemoryBase + program.code_address));
  block.Write(registers::kLength, static_cast<uint32_t>(program.instructions.size()));
  block.Write(registers::kControl, registers::kStart | registers::kInterruptEnable);
  processor.WaitForInterrupt(true);
  runtime::Counters counters =
      runtime::ReadCounters(spec, [&](uint32_t offset) { return block.Read(offset); });
  block.Write(registers::kStatus, registers::kInterrupt);
  processor.WaitForInterrupt(false);
  return counters;
}

void RunOn(ProcessorModule& processor, std::function<void()> code) {
  COSIM_CHECK(processor.Run(std::move(code)), "the platform came to rest and the processor still waits");
}

/// The platform, made or as new, for one device; false, and `error` says why, when there is none to be had.
bool TakePlatform(const isa::Spec& spec, SimdLevel level, std::string& error) {
  if (is_taken) {
    error = "the tlm device is in use: SystemC has one design a process";
    return false;
  }
  if (the_platform == nullptr && sc_core::sc_get_status() != sc_core::SC_ELABORATION) {
    error = "no tlm device: this process already runs a SystemC design";
    return false;
  }
  if (the_platform == nullptr) {
    the_platform = new ExamplePlatform("platform", spec, level);
  } else {
    the_platform->memory.Clear();
    the_platform->accelerator.Configure(spec, level);
    // The line of a run before falls a moment after its register.
    RunOn(the_platform->processor, [] { the_platform->processor.WaitForInterrupt(false); });
  }
  is_taken = true;
  return true;
}

}  // namespace

std::unique_ptr<TlmDevice> TlmDevice::Make(const isa::Spec& spec, SimdLevel level, std::string& error) {
  if (!TakePlatform(spec, level, error)) return nullptr;
  return std::unique_ptr<TlmDevice>(new TlmDevice(spec, *the_platform, false));
}

std::unique_ptr<TlmDevice> TlmDevice::MakeRtl(const isa::Spec& spec, const std::filesystem::path& library,
                                              std::string& error) {
  if (!TakePlatform(spec, BestSimdLevel(), error)) return nullptr;
  the_platform->rtl.Configure(spec, library);
  return std::unique_ptr<TlmDevice>(new TlmDevice(spec, *the_platform, true));
}

TlmDevice::~TlmDevice() { is_taken = false; }

void TlmDevice::Reserve(uint64_t bytes) {
  COSIM_CHECK(bytes <= platform_.memory.size(), "{} bytes of memory", bytes);
}

void TlmDevice::Write(uint64_t address, std::span<const uint8_t> bytes) {
  RunOn(platform_.processor, [&] {
    COSIM_CHECK(platform_.processor.Write(ExamplePlatform::kMemoryBase + address, bytes), "{} bytes at {}",
                bytes.size(), address);
  });
}

void TlmDevice::Read(uint64_t address, std::span<uint8_t> bytes) {
  RunOn(platform_.processor, [&] {
    COSIM_CHECK(platform_.processor.Read(ExamplePlatform::kMemoryBase + address, bytes), "{} bytes at {}",
                bytes.size(), address);
  });
}

runtime::Counters TlmDevice::Execute(const isa::Program& program, const runtime::ExecuteOptions& options) {
  runtime::Counters counters;
  if (options.timing_only || options.watch_hazards) {
    counters.error = options.timing_only ? "the tlm device moves data: it does not run timing only"
                                         : "the tlm device does not watch hazards";
    return counters;
  }
  return uses_rtl_ ? ExecuteOnRtl(program, options) : ExecuteOnModel(program, options);
}

runtime::Counters TlmDevice::Drive(const isa::Program& program) {
  const Registers block(platform_.processor,
                        uses_rtl_ ? ExamplePlatform::kRtlRegisterBase : ExamplePlatform::kRegisterBase);
  runtime::Counters counters;
  RunOn(platform_.processor, [&] { counters = RunProgram(spec_, program, platform_.processor, block); });
  return counters;
}

runtime::Counters TlmDevice::ExecuteOnModel(const isa::Program& program,
                                            const runtime::ExecuteOptions& options) {
  platform_.accelerator.SetLayers(options.layer_of);
  runtime::Counters counters = Drive(program);
  platform_.accelerator.SetLayers({});
  const runtime::Counters& seen = platform_.accelerator.last_run();
  counters.error = seen.error;
  if (options.record_instructions) counters.instructions = seen.instructions;
  return counters;
}

runtime::Counters TlmDevice::ExecuteOnRtl(const isa::Program& program,
                                          const runtime::ExecuteOptions& options) {
  const runtime::Counters model =
      TimingEngine(spec_).Run(DecodeAll(spec_, program), program.code_address,
                              {.record_instructions = true, .layer_of = options.layer_of});
  if (!model.completed) return model;  // names the queue; hardware would only say that it is stuck
  Recorder recorder(spec_, program);
  platform_.rtl.Observe([&](Cycle now, const RtlOutputs& outputs) { recorder.Record(now, outputs); });
  runtime::Counters counters = Drive(program);
  platform_.rtl.Observe({});
  counters.instructions = std::move(recorder.times());
  HoldAgainst(spec_, program, model, options.layer_of, counters);
  if (!options.record_instructions) counters.instructions.clear();
  return counters;
}

void TlmDevice::PoisonOnChip(uint64_t seed) {
  if (uses_rtl_) {
    sim::PoisonOnChip(platform_.rtl.model(), spec_, seed);
  } else {
    platform_.accelerator.PoisonOnChip(seed);
  }
}

}  // namespace cosim::sim
