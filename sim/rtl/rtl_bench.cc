// SPDX-License-Identifier: Apache-2.0
// The clock, and the processor's accesses as handshakes over some cycles.
#include "sim/rtl/rtl_bench.h"

#include <string>

#include "isa/check.h"
#include "isa/spec/registers.h"

namespace cosim::sim {
namespace {

namespace registers = isa::registers;

static_assert(kMaxRtlPorts == isa::kMaxPorts);
constexpr int kResetCycles = 8;
/// No access to a register may take longer, whatever stalls.
constexpr int kAccessCycles = 1000;

}  // namespace

RtlBench::RtlBench(RtlModel& model, const isa::Spec& spec, MemoryPort& memory, MemoryTiming& timing)
    : model_(model), timing_(timing), port_checkers_(spec.ports, AxiPortChecker(spec)) {
  for (int port = 0; port < spec.ports; ++port) buses_.emplace_back(spec, port, memory, timing);
}

void RtlBench::Reset() {
  inputs_ = {.reset = true};
  model_.Cycle(inputs_, outputs_);
  for (int i = 1; i < kResetCycles; ++i) {
    model_.Cycle(inputs_, outputs_);
    std::string broken = register_checker_.CheckReset(outputs_);
    for (size_t port = 0; port < buses_.size(); ++port)
      broken += port_checkers_[port].CheckReset(outputs_.ports[port]);
    COSIM_CHECK(broken.empty(), "AXI: {}", broken);
  }
  inputs_ = {};
  register_checker_.Reset();
  for (AxiPortChecker& checker : port_checkers_) checker.Reset();
}

const RtlOutputs& RtlBench::Clock() {
  const Cycle now = cycle_ - zero_;
  DrivePorts(now);
  model_.Cycle(inputs_, outputs_);
  CheckBuses();
  if (outputs_.start) {
    started_ = true;
    zero_ = cycle_;
    timing_.Reset();
  }
  TakePorts(now);
  if (started_ && observe) observe(cycle_ - zero_, outputs_);
  ++cycle_;
  return outputs_;
}

void RtlBench::DrivePorts(Cycle now) {
  for (size_t port = 0; port < buses_.size(); ++port) {
    RtlPortInputs& inputs = inputs_.ports[port];
    const bool silent = buses_[port].faults.silent;
    inputs.ar_ready = !silent && !Stalls();
    inputs.aw_ready = !silent && !Stalls();
    inputs.w_ready = !silent && !Stalls();
    buses_[port].DriveReads(now, Stalls(), inputs);
    buses_[port].DriveWrites(now, Stalls(), inputs);
  }
}

/// In the order in which the timing page has memory asked (M5): an address is on the bus one cycle after its
/// burst was accepted, a last beat two cycles after it left. So the reads accepted in a cycle, of all ports,
/// come before the writes whose last beat left in the cycle before.
void RtlBench::TakePorts(Cycle now) {
  for (size_t port = 0; port < buses_.size(); ++port)
    buses_[port].TakeReads(now, inputs_.ports[port], outputs_.ports[port]);
  for (size_t port = 0; port < buses_.size(); ++port)
    buses_[port].TakeWrites(now, inputs_.ports[port], outputs_.ports[port]);
}

void RtlBench::CheckBuses() {
  for (size_t port = 0; port < buses_.size(); ++port) {
    const std::string broken = port_checkers_[port].Check(inputs_.ports[port], outputs_.ports[port]);
    COSIM_CHECK(broken.empty(), "AXI at memory port {}: {}", port, broken);
  }
  const std::string broken = register_checker_.Check(inputs_, outputs_);
  COSIM_CHECK(broken.empty(), "AXI at the registers: {}", broken);
}

uint32_t RtlBench::ReadRegister(uint32_t offset) {
  inputs_.s_ar_address = offset;
  bool asked = false;
  for (int cycles = 0; cycles < kAccessCycles; ++cycles) {
    if (!asked && !Stalls()) inputs_.s_ar_valid = true;
    inputs_.s_r_ready = !Stalls();
    Clock();
    asked |= inputs_.s_ar_valid && outputs_.s_ar_ready;
    if (asked) inputs_.s_ar_valid = false;
    if (!outputs_.s_r_valid || !inputs_.s_r_ready) continue;
    inputs_.s_r_ready = false;
    return outputs_.s_r_data;
  }
  COSIM_CHECK(false, "register {:#x} does not answer", offset);
}

void RtlBench::WriteRegister(uint32_t offset, uint32_t value, uint32_t strobe) {
  inputs_.s_aw_address = offset;
  inputs_.s_w_data = value;
  inputs_.s_w_strobe = strobe;
  bool asked = false, given = false;
  for (int cycles = 0; cycles < kAccessCycles; ++cycles) {
    if (!asked && !Stalls()) inputs_.s_aw_valid = true;
    if (!given && !Stalls()) inputs_.s_w_valid = true;
    inputs_.s_b_ready = !Stalls();
    Clock();
    asked |= inputs_.s_aw_valid && outputs_.s_aw_ready;
    given |= inputs_.s_w_valid && outputs_.s_w_ready;
    if (asked) inputs_.s_aw_valid = false;
    if (given) inputs_.s_w_valid = false;
    if (!outputs_.s_b_valid || !inputs_.s_b_ready) continue;
    inputs_.s_b_ready = false;
    return;
  }
  COSIM_CHECK(false, "register {:#x} does not answer", offset);
}

void RtlBench::Start(uint64_t code_address, size_t code_words) {
  WriteRegister(registers::kProgram, static_cast<uint32_t>(code_address));
  WriteRegister(registers::kLength, static_cast<uint32_t>(code_words));
  WriteRegister(registers::kControl, registers::kStart | registers::kInterruptEnable);
}

bool RtlBench::WaitUntilIdle(Cycle cycles) {
  for (const Cycle end = cycle_ + cycles; cycle_ < end;) {
    if ((ReadRegister(registers::kStatus) & registers::kBusy) == 0) return true;
  }
  return false;
}

}  // namespace cosim::sim
