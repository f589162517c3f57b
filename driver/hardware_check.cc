// SPDX-License-Identifier: Apache-2.0
#include "driver/hardware_check.h"

#include <fmt/format.h>

#include "isa/spec/registers.h"

namespace cosim::driver {

namespace registers = isa::registers;

HardwareIdentity ReadIdentity(AcceleratorRegisters& registers) {
  HardwareIdentity identity;
  identity.version = registers.Read(registers::kVersion);
  identity.fingerprint = registers.Read(registers::kFingerprint);
  identity.fingerprint |= uint64_t{registers.Read(registers::kFingerprint + 4)} << 32;
  return identity;
}

std::string DiffersFrom(const HardwareIdentity& identity, uint64_t fingerprint) {
  if (identity.version >> 16 != registers::kVersionValue >> 16)
    return fmt::format("the registers have version {:#010x}, and this driver is for {:#010x}",
                       identity.version, registers::kVersionValue);
  if (identity.fingerprint != fingerprint)
    return fmt::format("the accelerator was made for spec {:016x}, and the program for spec {:016x}",
                       identity.fingerprint, fingerprint);
  return "";
}

}  // namespace cosim::driver
