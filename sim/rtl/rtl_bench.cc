// SPDX-License-Identifier: Apache-2.0
// The clock, and the processor's accesses as handshakes over some cycles.
#include "sim/rtl/rtl_bench.h"

#include <algorithm>

#include "isa/check.h"
#include "isa/registers.h"

namespace cosim::sim {
namespace {

namespace registers = isa::registers;

constexpr int kResetCycles = 8;
/// No access to a register may take longer, whatever stalls.
constexpr int kAccessCycles = 1000;

}  // namespace

void RtlBench::Reset() {
  inputs_ = {.reset = true};
  for (int i = 0; i < kResetCycles; ++i) outputs_ = model_.Cycle(inputs_);
  inputs_ = {};
  standing_ = {};
}

const RtlOutputs& RtlBench::Clock() {
  const Cycle now = cycle_ - zero_;
  const bool silent = bus_.faults.silent;
  inputs_.ar_ready = !silent && !Stalls();
  inputs_.aw_ready = !silent && !Stalls();
  inputs_.w_ready = !silent && !Stalls();
  bus_.DriveReads(now, Stalls(), inputs_);
  bus_.DriveWrites(now, Stalls(), inputs_);
  outputs_ = model_.Cycle(inputs_);
  CheckSteady();
  if (outputs_.start) {
    started_ = true;
    zero_ = cycle_;
    timing_.Reset();
  }
  bus_.Take(now, inputs_, outputs_);
  if (started_ && observe) observe(cycle_ - zero_, outputs_);
  ++cycle_;
  return outputs_;
}

void RtlBench::CheckSteady() {
  const RtlOutputs& was = standing_.outputs;
  const RtlOutputs& is = outputs_;
  COSIM_CHECK(
      !standing_.ar || (is.ar_valid && is.ar_address == was.ar_address && is.ar_beats == was.ar_beats),
      "a read address does not stand until it is taken");
  COSIM_CHECK(
      !standing_.aw || (is.aw_valid && is.aw_address == was.aw_address && is.aw_beats == was.aw_beats),
      "a write address does not stand until it is taken");
  COSIM_CHECK(!standing_.w || (is.w_valid && is.w_last == was.w_last && is.w_strobe == was.w_strobe &&
                               std::equal(standing_.w_data.begin(), standing_.w_data.end(), is.w_data)),
              "a beat does not stand until it is taken");
  COSIM_CHECK(!standing_.s_b || is.s_b_valid, "an answer does not stand until it is taken");
  COSIM_CHECK(!standing_.s_r || (is.s_r_valid && is.s_r_data == was.s_r_data),
              "a register's value does not stand until it is taken");
  standing_.ar = is.ar_valid && !inputs_.ar_ready;
  standing_.aw = is.aw_valid && !inputs_.aw_ready;
  standing_.w = is.w_valid && !inputs_.w_ready;
  standing_.s_b = is.s_b_valid && !inputs_.s_b_ready;
  standing_.s_r = is.s_r_valid && !inputs_.s_r_ready;
  standing_.outputs = is;
  if (standing_.w) standing_.w_data.assign(is.w_data, is.w_data + beat_bytes_);
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
