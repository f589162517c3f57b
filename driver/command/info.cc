// SPDX-License-Identifier: Apache-2.0
// cosim-board info: the accelerator and the memory that the kernel shows.
#include <fmt/format.h>

#include <cstdio>

#include "driver/command/command.h"
#include "driver/command/places.h"
#include "driver/hardware_check.h"
#include "runtime/cpu_object.h"

namespace cosim::driver {

int InfoVerb(const Arguments& arguments) {
  const auto options = Options::Parse(arguments, WithPlaces({}), 0);
  if (!options) return 1;
  const auto board = OpenOrFail(*options);
  if (!board) return 1;
  const HardwareIdentity identity = ReadIdentity(*board->registers);
  fmt::print("accelerator  {}, version {:#010x}, spec {:016x}\n", (*options)["uio"], identity.version,
             identity.fingerprint);
  fmt::print("memory       {}, {} bytes at {:#x}\n", board->memory->Name(), board->memory->size(),
             board->memory->bus_address());
  fmt::print("clock        {}\n",
             board->clock_mhz ? fmt::format("{:g} MHz", *board->clock_mhz) : "not shown by the kernel");
  fmt::print("processor    {}\n", runtime::HostArchitecture());
  return 0;
}

}  // namespace cosim::driver
