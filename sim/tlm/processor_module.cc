// SPDX-License-Identifier: Apache-2.0
#include "sim/tlm/processor_module.h"

#include <array>
#include <bit>
#include <utility>

#include "isa/check.h"

namespace cosim::sim {

SC_HAS_PROCESS(ProcessorModule);

ProcessorModule::ProcessorModule(sc_core::sc_module_name name)
    : sc_module(name), bus("bus"), interrupt("interrupt"), port_(bus) {
  bus.register_invalidate_direct_mem_ptr(this, &ProcessorModule::Invalidate);
  SC_THREAD(Serve);
}

bool ProcessorModule::Run(std::function<void()> code) {
  COSIM_CHECK(!code_, "the processor is busy");
  code_ = std::move(code);
  handed_in_.notify(sc_core::SC_ZERO_TIME);
  sc_core::sc_start();
  return !code_;
}

void ProcessorModule::Serve() {
  for (;;) {
    while (!code_) wait(handed_in_);
    code_();
    code_ = nullptr;
    sc_core::sc_pause();  // back to Run, also on a platform where time would go on for ever
  }
}

void ProcessorModule::Invalidate(sc_dt::uint64 first, sc_dt::uint64 last) { port_.Invalidate(first, last); }

void ProcessorModule::SpendAnnotated() {
  const sc_core::sc_time time = port_.TakeAnnotated();
  if (time > sc_core::SC_ZERO_TIME) wait(time);
}

bool ProcessorModule::Read(uint64_t address, std::span<uint8_t> bytes) {
  const bool ok = port_.Read(address, bytes);
  SpendAnnotated();
  return ok;
}

bool ProcessorModule::Write(uint64_t address, std::span<const uint8_t> bytes) {
  const bool ok = port_.Write(address, bytes);
  SpendAnnotated();
  return ok;
}

uint32_t ProcessorModule::ReadWord(uint64_t address) {
  std::array<uint8_t, 4> bytes{};
  COSIM_CHECK(Read(address, bytes), "no register at {:#x}", address);
  return std::bit_cast<uint32_t>(bytes);
}

void ProcessorModule::WriteWord(uint64_t address, uint32_t value) {
  const auto bytes = std::bit_cast<std::array<uint8_t, 4>>(value);
  COSIM_CHECK(Write(address, bytes), "no register at {:#x}", address);
}

void ProcessorModule::WaitForInterrupt(bool level) {
  while (interrupt.read() != level) wait(interrupt.value_changed_event());
}

}  // namespace cosim::sim
