// SPDX-License-Identifier: Apache-2.0
#include "driver/work_meter.h"

#include "isa/spec/registers.h"

namespace cosim::driver {

namespace registers = isa::registers;

void WorkMeter::Began() {
  const std::lock_guard lock(reading_);
  goes_on_ = true;
  ++ended_.runs;
}

void WorkMeter::Ended() {
  const std::lock_guard lock(reading_);
  goes_on_ = false;
  ended_.cycles += ReadCycles();
}

runtime::Progress WorkMeter::Now() {
  const std::lock_guard lock(reading_);
  runtime::Progress now = ended_;
  if (!goes_on_) return now;
  now.cycles += ReadCycles();
  now.busy = (registers_.Read(registers::kStatus) & registers::kBusy) != 0;
  return now;
}

/// The low word first, which keeps the high one.
runtime::Cycle WorkMeter::ReadCycles() {
  const uint32_t low = registers_.Read(registers::kCycles);
  return static_cast<runtime::Cycle>(uint64_t{registers_.Read(registers::kCycles + 4)} << 32 | low);
}

}  // namespace cosim::driver
