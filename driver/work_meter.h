// SPDX-License-Identifier: Apache-2.0
// How far an accelerator has come, for threads that do other work while it runs: its cycle counter, read
// while it counts, and added up over its runs.
#pragma once

#include <mutex>

#include "driver/accelerator_registers.h"
#include "runtime/device.h"

namespace cosim::driver {

class WorkMeter {
 public:
  /// The registers must outlive it.
  explicit WorkMeter(AcceleratorRegisters& registers) : registers_(registers) {}

  /// A run has begun: its start has been written. None that was told of goes on.
  void Began();
  /// It has ended, or was given up, and its counters stand still. To be told before anybody else reads them.
  void Ended();
  /// Three registers are read if a run goes on, none otherwise. Any thread may ask.
  runtime::Progress Now();

 private:
  runtime::Cycle ReadCycles();

  std::mutex reading_;  // the two words of a counter are read by one thread
  AcceleratorRegisters& registers_;
  bool goes_on_ = false;
  runtime::Progress ended_;  // runs that have, but for the count of those begun
};

}  // namespace cosim::driver
