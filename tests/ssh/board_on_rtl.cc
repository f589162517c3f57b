// SPDX-License-Identifier: Apache-2.0
// `cosim-board serve --stdio` of a machine whose accelerator is the RTL of configs/tiny.yaml under Verilator:
// the same server, module loader and driver, with simulated registers and memory where a board has UIO.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "driver/remote/server.h"
#include "isa/spec/loader.h"
#include "tests/driver/simulated_board.h"

namespace cosim::driver {
namespace {

constexpr uint64_t kBusAddress = 0x1000'0000, kMemoryBytes = 8 << 20;

int Main() {
  // Files that the session leaves go where the login says, the RTL stays where it is built once.
  if (const char* cache = std::getenv("COSIM_RTL_CACHE")) setenv("XDG_CACHE_HOME", cache, 1);
  Diagnostics diags;
  const auto spec =
      isa::LoadSpec(COSIM_SOURCE_DIR "/configs/tiny.yaml", COSIM_SOURCE_DIR "/isa/cosim.yaml", {}, diags);
  if (!spec) return std::fputs(diags.Render().c_str(), stderr), 1;
  testing::SimulatedBoard board(*spec, kBusAddress, kMemoryBytes);
  board.registers.cycles_a_millisecond = 1'000;
  remote::Channel channel(STDIN_FILENO, STDOUT_FILENO);
  const auto open = [&](const BoardPlaces&, Diagnostics&) { return testing::Opened(board); };
  return remote::Serve(channel, {}, open) ? 0 : 1;
}

}  // namespace
}  // namespace cosim::driver

int main() { return cosim::driver::Main(); }
