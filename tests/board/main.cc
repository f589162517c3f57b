// SPDX-License-Identifier: Apache-2.0
// simulated_board CONFIG RAM PLUGIN QTEST CONTROLLER [RUN:FAULT...]: a board for a guest of QEMU whose RAM is
// the file RAM. PLUGIN and QTEST are sockets, for plugin.c and of QEMU; CONTROLLER is QEMU's path of its
// interrupt controller. In run RUN (from 1) of the first accelerator there is a FAULT: base, silent, error,
// interrupt or hang.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <cstdio>
#include <deque>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

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
  COSIM_CHECK(address != MAP_FAILED && size >= kPageAddress - kRamAddress + kBoardPages * kBoardPageBytes,
              "{} cannot be mapped", path);
  return {static_cast<uint8_t*>(address), size};
}

std::map<int, Fault> FaultsIn(const std::vector<std::string>& texts) {
  const std::map<std::string, Fault> names = {{"base", Fault::kBase},
                                              {"silent", Fault::kSilent},
                                              {"error", Fault::kError},
                                              {"interrupt", Fault::kInterrupt},
                                              {"hang", Fault::kHang}};
  std::map<int, Fault> faults;
  for (const std::string& text : texts) {
    const size_t colon = text.find(':');
    COSIM_CHECK(colon != std::string::npos && names.contains(text.substr(colon + 1)), "{} is no fault", text);
    faults[std::stoi(text)] = names.at(text.substr(colon + 1));
  }
  return faults;
}

/// The RTL and the memory's time, newly reset.
struct Hardware {
  Hardware(const isa::Spec& spec, const std::filesystem::path& library, GuestRam& ram)
      : model(sim::MakeRtlModel(library)), timing(spec.dram), bench(*model, spec, ram, timing) {
    bench.Reset();
  }

  std::unique_ptr<sim::RtlModel> model;
  sim::BuiltInMemory timing;
  sim::RtlBench bench;
};

int Main(const std::vector<std::string>& arguments) {
  COSIM_CHECK(arguments.size() >= 5, "CONFIG RAM PLUGIN QTEST CONTROLLER [RUN:FAULT...]");
  Diagnostics diags;
  const auto spec = isa::LoadSpec(arguments[0], "", {}, diags);
  const auto library = spec ? sim::BuildRtl(*spec, {.quick = true}, diags) : std::nullopt;
  if (!library) return std::fputs(diags.Render().c_str(), stderr), 1;
  GuestRam ram(MapFile(arguments[1]));
  std::deque<Hardware> hardware;
  for (int i = 0; i < kBoardPages; ++i) hardware.emplace_back(*spec, *library, ram);
  const int plugin = AcceptAt(arguments[2]), qtest = ConnectTo(arguments[3]);
  std::deque<InterruptLine> lines;
  std::vector<Accelerator> accelerators;
  for (int i = 0; i < kBoardPages; ++i) {
    lines.emplace_back(qtest, arguments[4], kInterrupt + i);
    accelerators.emplace_back(
        i, *spec, hardware[static_cast<size_t>(i)].bench, ram, lines.back(),
        i == 0 ? FaultsIn({arguments.begin() + 5, arguments.end()}) : std::map<int, Fault>());
  }
  Serve(plugin, accelerators);
  return 0;
}

}  // namespace
}  // namespace cosim::board

int main(int argc, char** argv) { return cosim::board::Main({argv + 1, argv + argc}); }
