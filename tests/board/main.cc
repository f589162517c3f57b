// SPDX-License-Identifier: Apache-2.0
// simulated_board CONFIG RAM PLUGIN QTEST CONTROLLER [RUN:FAULT...]: a board for a guest of QEMU whose RAM is
// the file RAM. PLUGIN and QTEST are sockets, for plugin.c and of QEMU; CONTROLLER is QEMU's path of its
// interrupt controller. In run RUN (from 1) there is a FAULT: base, silent, error or interrupt.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <cstdio>
#include <map>
#include <string>

#include "isa/check.h"
#include "isa/spec/loader.h"
#include "sim/rtl/rtl_library.h"
#include "tests/board/board.h"

namespace cosim::board {
namespace {

std::span<uint8_t> MapFile(const std::string& path) {
  const int file = open(path.c_str(), O_RDWR | O_CLOEXEC);
  struct stat status{};
  COSIM_CHECK(file >= 0 && fstat(file, &status) == 0, "{} cannot be opened", path);
  const auto size = static_cast<size_t>(status.st_size);
  void* address = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  COSIM_CHECK(address != MAP_FAILED && size > kPageAddress - kRamAddress + isa::kMaxPorts,
              "{} cannot be mapped", path);
  return {static_cast<uint8_t*>(address), size};
}

std::map<int, Fault> FaultsIn(const std::vector<std::string>& texts) {
  const std::map<std::string, Fault> names = {{"base", Fault::kBase},
                                              {"silent", Fault::kSilent},
                                              {"error", Fault::kError},
                                              {"interrupt", Fault::kInterrupt}};
  std::map<int, Fault> faults;
  for (const std::string& text : texts) {
    const size_t colon = text.find(':');
    COSIM_CHECK(colon != std::string::npos && names.contains(text.substr(colon + 1)), "{} is no fault", text);
    faults[std::stoi(text)] = names.at(text.substr(colon + 1));
  }
  return faults;
}

int Main(const std::vector<std::string>& arguments) {
  COSIM_CHECK(arguments.size() >= 5, "CONFIG RAM PLUGIN QTEST CONTROLLER [RUN:FAULT...]");
  Diagnostics diags;
  const auto spec = isa::LoadSpec(arguments[0], "", {}, diags);
  const auto library = spec ? sim::BuildRtl(*spec, {.quick = true}, diags) : std::nullopt;
  if (!library) return std::fputs(diags.Render().c_str(), stderr), 1;
  const auto model = sim::MakeRtlModel(*library);
  GuestRam ram(MapFile(arguments[1]));
  sim::BuiltInMemory timing(spec->dram);
  sim::RtlBench bench(*model, *spec, ram, timing);
  bench.Reset();
  const int plugin = AcceptAt(arguments[2]);
  InterruptLine line(arguments[3], arguments[4], kInterrupt);
  Board board(*spec, bench, ram, line, FaultsIn({arguments.begin() + 5, arguments.end()}));
  board.Serve(plugin);
  return 0;
}

}  // namespace
}  // namespace cosim::board

int main(int argc, char** argv) { return cosim::board::Main({argv + 1, argv + argc}); }
