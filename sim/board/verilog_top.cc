// SPDX-License-Identifier: Apache-2.0
#include "sim/board/verilog_top.h"

#include <fmt/format.h>

#include <iterator>
#include <utility>

#include "isa/sv/package.h"

namespace cosim::board {
namespace {

/// The bus definition that Vivado has for an interface.
const char* BusDefinition(Kind kind) {
  switch (kind) {
    case Kind::kClock:
      return "xilinx.com:signal:clock:1.0";
    case Kind::kReset:
      return "xilinx.com:signal:reset:1.0";
    case Kind::kInterrupt:
      return "xilinx.com:signal:interrupt:1.0";
    case Kind::kRegisters:
    case Kind::kMemory:
      break;
  }
  return "xilinx.com:interface:aximm:1.0";
}

std::string Low(const Signal& signal) { return signal.port + "_low"; }

/// All ports, each interface's parameters at its first.
std::string Ports(const isa::Spec& spec, const std::vector<Interface>& interfaces) {
  std::string text;
  for (const Interface& interface : interfaces) {
    std::string parameters = "XIL_INTERFACENAME " + interface.name;
    for (const auto& [name, value] : InterfaceParameters(spec, interfaces, interface))
      parameters += fmt::format(", {} {}", name, value);
    for (const Signal& signal : interface.signals) {
      text += text.empty() ? "\n" : ",\n";
      if (!parameters.empty()) text += fmt::format("  (* X_INTERFACE_PARAMETER = \"{}\" *)\n", parameters);
      parameters.clear();
      text += fmt::format("  (* X_INTERFACE_INFO = \"{} {} {}\" *)\n  {:<6} wire {}{}",
                          BusDefinition(interface.kind), interface.name, signal.logical,
                          signal.is_input ? "input" : "output", Range(signal.bits), signal.port);
    }
  }
  return text;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> InterfaceParameters(const isa::Spec& spec,
                                                                     const std::vector<Interface>& interfaces,
                                                                     const Interface& of) {
  switch (of.kind) {
    case Kind::kClock: {
      std::string buses, reset;
      for (const Interface& other : interfaces) {
        if (other.kind == Kind::kReset) reset = other.name;
        if (other.kind == Kind::kRegisters || other.kind == Kind::kMemory)
          buses += (buses.empty() ? "" : ":") + other.name;
      }
      return {{"ASSOCIATED_BUSIF", buses}, {"ASSOCIATED_RESET", reset}};
    }
    case Kind::kReset:
      return {{"POLARITY", "ACTIVE_LOW"}};
    case Kind::kInterrupt:
      return {{"SENSITIVITY", "LEVEL_HIGH"}};
    case Kind::kRegisters:
      return {{"PROTOCOL", "AXI4LITE"}, {"DATA_WIDTH", "32"}, {"ADDR_WIDTH", "12"}};
    case Kind::kMemory:
      break;
  }
  int address_bits = 0;
  for (const Signal& signal : of.signals)
    if (signal.logical == "AWADDR") address_bits = signal.bits;
  return {{"PROTOCOL", "AXI4"},
          {"DATA_WIDTH", fmt::format("{}", spec.dram.port_bits)},
          {"ADDR_WIDTH", fmt::format("{}", address_bits)},
          {"ID_WIDTH", "1"},
          {"MAX_BURST_LENGTH", fmt::format("{}", spec.dram.burst_beats)},
          {"NUM_READ_OUTSTANDING", fmt::format("{}", spec.dram.outstanding)},
          {"NUM_WRITE_OUTSTANDING", fmt::format("{}", spec.dram.outstanding)},
          {"SUPPORTS_NARROW_BURST", "0"}};
}

std::string VerilogTop(const isa::Spec& spec, const std::vector<Interface>& interfaces) {
  std::string body, pins, unused;
  for (const Interface& interface : interfaces) {
    for (const Signal& signal : interface.signals) {
      std::string wire = signal.port;
      switch (signal.inside) {
        case Inside::kSame:
          break;
        case Inside::kNarrower:
          wire = Low(signal);
          body += fmt::format("  wire [31:0] {0};\n  assign {1} = {{{2}'d0, {0}}};\n", wire, signal.port,
                              signal.bits - 32);
          break;
        case Inside::kZero:
          body += fmt::format("  assign {} = {}'d0;\n", signal.port, signal.bits);
          continue;
        case Inside::kUnused:
          unused += ", " + signal.port;
          continue;
      }
      pins += fmt::format("{}    .{} ({})", pins.empty() ? "" : ",\n", signal.port, wire);
    }
  }
  return isa::SvBanner(spec, "The accelerator as Vivado takes it: Verilog-2001, every interface named.") +
         fmt::format(
             "\nmodule {} ({}\n);\n\n{}\n  // verilator lint_off UNUSEDSIGNAL\n"
             "  wire unused = &{{1'b0{}}};\n  // verilator lint_on UNUSEDSIGNAL\n\n"
             "  cosim_top i_top (\n{}\n  );\n\nendmodule\n",
             kTopModule, Ports(spec, interfaces), body, unused, pins);
}

}  // namespace cosim::board
