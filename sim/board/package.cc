// SPDX-License-Identifier: Apache-2.0
#include "sim/board/package.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "isa/home.h"
#include "isa/spec/registers.h"
#include "isa/sv/diagnostic_codes.h"
#include "isa/sv/generate.h"
#include "isa/sv/template.h"
#include "isa/text_escape.h"
#include "sim/board/interfaces.h"
#include "sim/board/ip_xact.h"
#include "sim/board/verilog_top.h"

namespace cosim::board {
namespace {

namespace fs = std::filesystem;

constexpr char kConstraints[] = "cosim_ip_ooc.xdc";
constexpr int kLeastPortBits = 32;

void CheckPorts(const isa::Spec& spec, const isa::BoardFacts& board, Diagnostics& diags) {
  const auto refuse = [&](const std::string& what, const std::string& hint) {
    diags.Error(isa::codes::kBoardPorts, {spec.config}, what).hint = hint;
  };
  if (spec.ports > board.ports)
    refuse(fmt::format("the ISA uses {} memory ports, and {} has {}", spec.ports, board.name, board.ports),
           "give units of the ISA the same 'port'");
  if (spec.dram.port_bits < kLeastPortBits || spec.dram.port_bits > board.max_port_bits)
    refuse(fmt::format("memory.port_bits is {}, and the memory ports of {} have {} to {} bits",
                       spec.dram.port_bits, board.name, kLeastPortBits, board.max_port_bits),
           fmt::format("--set memory.port_bits={}", board.max_port_bits));
  if (spec.dram.burst_beats > board.max_burst_beats)
    refuse(fmt::format("memory.burst_beats is {}, and the memory ports of {} take bursts of at most {} beats",
                       spec.dram.burst_beats, board.name, board.max_burst_beats),
           fmt::format("--set memory.burst_beats={}", board.max_burst_beats));
}

/// A number of a device tree's cells, each of 32 bits.
std::string Cells(uint64_t value, int cells) {
  return cells == 1 ? fmt::format("{:#x}", value) : fmt::format("{:#x} {:#x}", value >> 32, value & ~0u);
}

/// What the templates of hw/package ask for.
isa::SvValues Values(const isa::Spec& spec, const isa::BoardFacts& board, const std::string& config_file) {
  return {{"title", std::string(board.title)},
          {"part", board.Part()},
          {"processor", std::string(board.processor)},
          {"config", isa::OneLine(spec.config)},
          {"config_file", isa::OneLine(config_file)},
          {"fingerprint", spec.FingerprintText()},
          {"clock", fmt::format("{:g}", spec.clock_mhz)},
          {"ports", spec.ports == 1 ? "one memory port" : fmt::format("{} memory ports", spec.ports)},
          {"port_bits", fmt::format("{}", spec.dram.port_bits)},
          {"registers", Cells(board.registers, board.cells)},
          {"registers_hex", fmt::format("{:x}", board.registers)},
          {"registers_bytes", Cells(isa::registers::kSize, board.cells)},
          {"interrupt_parent", std::string(board.interrupt_parent)},
          {"interrupt", fmt::format("{}", board.interrupt)},
          {"memory", fmt::format("{:#x}", board.reserved_bytes)},
          {"memory_end", fmt::format("{:#x}", board.memory_bytes)},
          {"cells", fmt::format("{}", board.cells)},
          {"reserved", Cells(board.reserved, board.cells)},
          {"reserved_hex", fmt::format("{:x}", board.reserved)},
          {"reserved_bytes", Cells(board.reserved_bytes, board.cells)}};
}

/// What build.tcl has to know of this accelerator.
std::string Settings(const isa::Spec& spec, const isa::BoardFacts& board) {
  std::string interfaces;
  for (const std::string& name : MemoryInterfaces(spec)) interfaces += (interfaces.empty() ? "" : " ") + name;
  return fmt::format(
      "# SPDX-License-Identifier: Apache-2.0\n# What build.tcl has to know of this accelerator.\n"
      "set part {}\nset component {}\nset clock_mhz {:g}\nset processor_mhz {:g}\nset ports {}\nset "
      "port_bits {}\n"
      "set memory_interfaces {{{}}}\nset registers_address {:#x}\nset registers_bytes {:#x}\n"
      "set memory_bytes {:#x}\n",
      board.Part(), kComponent, spec.clock_mhz, board.ProcessorMhz(spec.clock_mhz), spec.ports,
      spec.dram.port_bits, interfaces, board.registers, isa::registers::kSize, board.memory_bytes);
}

std::string Constraints(const isa::Spec& spec) {
  return fmt::format(
      "# SPDX-License-Identifier: Apache-2.0\n# The clock of a synthesis of cosim_ip alone.\n"
      "create_clock -name aclk -period {:.3f} [get_ports aclk]\n",
      1000.0 / spec.clock_mhz);
}

}  // namespace

std::optional<std::vector<sim::RtlSource>> Package(const isa::Spec& spec, const isa::BoardFacts& board,
                                                   const std::string& config_file, Diagnostics& diags) {
  const size_t errors = diags.list().size();
  isa::CheckSv(spec, diags);
  CheckPorts(spec, board, diags);
  if (diags.list().size() > errors) return std::nullopt;
  const std::vector<Interface> interfaces = Interfaces(spec, board);
  std::vector<sim::RtlSource> files = sim::RtlSources(spec);
  files.push_back({fmt::format("{}.v", kTopModule), VerilogTop(spec, interfaces)});
  std::vector<fs::path> sources;
  for (const sim::RtlSource& file : files) sources.push_back(file.path);
  files.push_back({kConstraints, Constraints(spec)});
  files.push_back({"component.xml", IpXact(spec, board, interfaces, sources, kConstraints)});
  const fs::path from = isa::Home() / "hw" / "package";
  files.push_back(sim::ReadSource(from / "build.tcl", "vivado/build.tcl"));
  files.push_back(sim::ReadSource(from / fmt::format("{}.tcl", board.name), "vivado/board.tcl"));
  files.push_back({"vivado/settings.tcl", Settings(spec, board)});
  const isa::SvValues values = Values(spec, board, config_file);
  for (const auto& [name, to] :
       {std::pair("cosim.dtso", "overlay/cosim.dtso"), std::pair("reserved.dtso", "overlay/reserved.dtso"),
        std::pair("README.md", "README.md")})
    files.push_back({to, isa::FillSvTemplate(sim::ReadSource(from / name, to).text, values)});
  if (board.has_dfx) {  // the overlay of a running system, and what dfx-mgr wants beside it
    const std::string text =
        sim::ReadSource(from / "cosim.dtso", "").text + sim::ReadSource(from / "dfx.dtso", "").text;
    files.push_back({"overlay/dfx.dtso", isa::FillSvTemplate(text, values)});
  }
  return files;
}

}  // namespace cosim::board
