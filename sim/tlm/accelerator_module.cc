// SPDX-License-Identifier: Apache-2.0
// The life of a run: start, program, timing, data at their times, done. The register file is
// accelerator_registers.cc.
#include "sim/tlm/accelerator_module.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <variant>

#include "isa/check.h"
#include "isa/program/codec.h"

namespace cosim::sim {
namespace {

using registers::ErrorCode;

constexpr uint64_t kPageBytes = 4096;  ///< programs begin on one; they are also read by as much

std::vector<size_t> ByRetirement(const std::vector<runtime::InstructionTimes>& times) {
  std::vector<size_t> order(times.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, {}, [&](size_t i) { return times[i].retire; });
  return order;
}

}  // namespace

SC_HAS_PROCESS(AcceleratorModule);

AcceleratorModule::AcceleratorModule(sc_core::sc_module_name name, const isa::Spec& spec, SimdLevel level)
    : sc_module(name), control("control"), memory("memory"), interrupt("interrupt"), port_(memory) {
  Configure(spec, level);
  control.register_b_transport(this, &AcceleratorModule::Access);
  control.register_transport_dbg(this, &AcceleratorModule::DebugAccess);
  memory.register_invalidate_direct_mem_ptr(this, &AcceleratorModule::Invalidate);
  SC_THREAD(Serve);
  SC_METHOD(DriveInterrupt);
  sensitive << interrupt_changed_;
}

void AcceleratorModule::Configure(const isa::Spec& spec, SimdLevel level) {
  COSIM_CHECK(!busy(), "the accelerator is running");
  spec_ = &spec;
  period_ = sc_core::sc_time(1000.0 / spec.clock_mhz, sc_core::SC_NS);
  data_ = std::make_unique<PortedEngine>(spec, level, port_);
  timing_ = std::make_unique<TimingEngine>(spec);
  status_ = 0;
  interrupt_enabled_ = false;
  error_ = ErrorCode::kNone;
  program_ = 0;
  base_ = 0;
  length_ = 0;
  watchdog_ = registers::kWatchdogReset;
  kept_high_ = 0;
  run_ = {};
  interrupt_changed_.notify(sc_core::SC_ZERO_TIME);
}

void AcceleratorModule::Invalidate(sc_dt::uint64 first, sc_dt::uint64 last) { port_.Invalidate(first, last); }

void AcceleratorModule::DriveInterrupt() {
  interrupt.write(interrupt_enabled_ && (status_ & registers::kInterrupt) != 0);
}

void AcceleratorModule::Serve() {
  for (;;) {
    wait(start_);
    began_ = sc_core::sc_time_stamp();
    run_ = {};
    port_.SetBase(base_);
    Failure failure = Run();
    WaitForCycle(run_.cycles);
    if (aborted_) {
      failure = {ErrorCode::kAborted, "the run was aborted"};
      run_.cycles = static_cast<runtime::Cycle>((sc_core::sc_time_stamp() - began_) / period_);
    }
    run_.completed = failure.ok();
    run_.error = std::move(failure.message);
    error_ = failure.code;
    status_ = registers::kDone | registers::kInterrupt | (run_.completed ? 0 : registers::kFailed);
    interrupt_changed_.notify(sc_core::SC_ZERO_TIME);
  }
}

void AcceleratorModule::WaitForCycle(runtime::Cycle cycle) {
  const sc_core::sc_time at = began_ + period_ * static_cast<double>(cycle);
  if (at > sc_core::sc_time_stamp() && !aborted_) wait(at - sc_core::sc_time_stamp(), abort_);
}

Failure AcceleratorModule::Run() {
  run_.cycles = 1;  // what it takes to refuse a program
  if (program_ % kPageBytes != 0 || base_ % kPageBytes != 0)
    return {ErrorCode::kBadProgramAddress,
            fmt::format("the program address {:#x} or the base {:#x} is not a multiple of {}", program_,
                        base_, kPageBytes)};
  LoadedProgram program;
  Failure failure = ReadProgram(program);
  if (!failure.ok()) return failure;
  run_ = timing_->Run(program.decoded, program_, {.record_instructions = true, .layer_of = layer_of_});
  if (!run_.completed) return {ErrorCode::kStuck, run_.error};
  return MoveData(program);
}

Failure AcceleratorModule::ReadProgram(LoadedProgram& program) {
  const auto word_bytes = static_cast<uint64_t>(spec_->word_bytes());
  const uint64_t bytes = length_ * word_bytes;
  const auto bus_error = [](uint64_t address) {
    return Failure{ErrorCode::kBusError,
                   fmt::format("fetching the program at {:#x} gets a bus error", address)};
  };
  // The far end first, so that a length gone wrong costs nothing.
  std::vector<uint8_t> words(word_bytes);
  if (bytes > 0 && !port_.Read(program_ + bytes - word_bytes, words))
    return bus_error(program_ + bytes - word_bytes);
  words.resize(bytes);
  for (uint64_t at = 0; at < bytes; at += kPageBytes) {
    const auto page = std::span(words).subspan(at, std::min(kPageBytes, bytes - at));
    if (!port_.Read(program_ + at, page)) return bus_error(program_ + at);
  }
  const isa::Decoder decode(*spec_);
  program.instructions.resize(length_);
  program.decoded.reserve(length_);
  for (size_t i = 0; i < length_; ++i) {
    const auto word = std::span<const uint8_t>(words).subspan(i * word_bytes, word_bytes);
    if (const auto error = isa::DecodeWord(*spec_, word, program.instructions[i]))
      return {ErrorCode::kBadInstruction, fmt::format("instruction {} is none: {}", i, error->message)};
    program.decoded.push_back(decode(program.instructions[i]));
  }
  return {};
}

std::string AcceleratorModule::Name(const LoadedProgram& program, size_t instruction) const {
  const std::string layer = layer_of_ ? layer_of_(instruction) : "";
  const auto format = static_cast<size_t>(program.decoded[instruction].format);
  return fmt::format("#{} {}{}", instruction, spec_->formats[format].name,
                     layer.empty() ? "" : fmt::format(" (layer {})", layer));
}

Failure AcceleratorModule::MoveData(const LoadedProgram& program) {
  for (const size_t i : ByRetirement(run_.instructions)) {
    if (std::holds_alternative<isa::Transfer>(program.decoded[i].body))
      WaitForCycle(run_.instructions[i].retire);
    if (aborted_) return {};
    Failure failure = data_->Execute(program.instructions[i], program.decoded[i]);
    if (failure.ok()) continue;
    run_.cycles = run_.instructions[i].retire + 1;
    failure.message = fmt::format("{} {}", Name(program, i), failure.message);
    return failure;
  }
  return {};
}

}  // namespace cosim::sim
