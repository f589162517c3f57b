// SPDX-License-Identifier: Apache-2.0
// Whether what answers at the registers is the accelerator that a program was made for.
#pragma once

#include <cstdint>
#include <string>

#include "driver/accelerator_registers.h"

namespace cosim::driver {

/// What the registers say of the hardware.
struct HardwareIdentity {
  uint32_t version = 0;
  uint64_t fingerprint = 0;  ///< of its spec
};
HardwareIdentity ReadIdentity(AcceleratorRegisters& registers);

/// Empty when a driver of this map can run programs of that spec on it; else what differs.
std::string DiffersFrom(const HardwareIdentity& identity, uint64_t fingerprint);

}  // namespace cosim::driver
