// SPDX-License-Identifier: Apache-2.0
// The accelerator's registers and its interrupt, as a driver needs them. On a board that is UIO
// (driver/uio.h); tests put simulated hardware behind it.
#pragma once

#include <chrono>
#include <cstdint>

namespace cosim::driver {

class AcceleratorRegisters {
 public:
  virtual ~AcceleratorRegisters() = default;
  /// The 32-bit register at byte `offset` (isa/spec/registers.h). All that this thread wrote to memory before
  /// a Write is there when the accelerator sees the Write; nothing it reads after a Read was read before.
  virtual uint32_t Read(uint32_t offset) = 0;
  virtual void Write(uint32_t offset, uint32_t value) = 0;
  /// Forgets interrupts that came so far and lets the next one come. Once an interrupt has come, no other
  /// does until the next call. A line that is high then counts as one that comes.
  virtual void ArmInterrupt() = 0;
  /// Waits for the interrupt that ArmInterrupt let come; at once if it came since. False after `timeout`.
  virtual bool WaitForInterrupt(std::chrono::milliseconds timeout) = 0;
};

}  // namespace cosim::driver
