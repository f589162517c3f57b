// SPDX-License-Identifier: Apache-2.0
#include "isa/sv/top.h"

#include <fmt/format.h>

#include <string_view>
#include <vector>

#include "isa/sv/engine.h"
#include "isa/sv/package.h"
#include "isa/sv/template.h"

namespace cosim::isa {
namespace {

constexpr std::string_view kHead = R"(
module cosim_top (
  input  logic        aclk,
  input  logic        aresetn,
  // verilator lint_off SYMRSVDWORD
  // Reason: the name from which Vivado infers an interrupt.
  output logic        interrupt,
  // verilator lint_on SYMRSVDWORD
  // Registers.
  input  logic        s_axi_awvalid,
  output logic        s_axi_awready,
  input  logic [11:0] s_axi_awaddr,
  input  logic        s_axi_wvalid,
  output logic        s_axi_wready,
  input  logic [31:0] s_axi_wdata,
  input  logic [3:0]  s_axi_wstrb,
  output logic        s_axi_bvalid,
  input  logic        s_axi_bready,
  output logic [1:0]  s_axi_bresp,
  input  logic        s_axi_arvalid,
  output logic        s_axi_arready,
  input  logic [11:0] s_axi_araddr,
  output logic        s_axi_rvalid,
  input  logic        s_axi_rready,
  output logic [31:0] s_axi_rdata,
  output logic [1:0]  s_axi_rresp@ports@
);

  // What a simulation compares.
  logic                        start, done;
  logic [cosim_pkg::Units-1:0] issue, retire;
  logic                        unused_events;
  assign unused_events = ^{start, done, issue, retire};

  cosim_accelerator i_accelerator (
    .aclk,
    .aresetn,
    .interrupt,
    .s_axi_awvalid,
    .s_axi_awready,
    .s_axi_awaddr,
    .s_axi_wvalid,
    .s_axi_wready,
    .s_axi_wdata,
    .s_axi_wstrb,
    .s_axi_bvalid,
    .s_axi_bready,
    .s_axi_bresp,
    .s_axi_arvalid,
    .s_axi_arready,
    .s_axi_araddr,
    .s_axi_rvalid,
    .s_axi_rready,
    .s_axi_rdata,
    .s_axi_rresp,
@pins@    .start_o      (start),
    .done_o       (done),
    .issue_o      (issue),
    .retire_o     (retire)
  );

endmodule
)";

struct Signal {
  const char* direction;
  const char* width;  ///< of a port, empty for one bit
  const char* name;
};

/// One port's, in the order of cosim_accelerator's.
constexpr Signal kPort[] = {
    {"output", "", "arvalid"},
    {"input", "", "arready"},
    {"output", "[31:0]", "araddr"},
    {"output", "[7:0]", "arlen"},
    {"output", "[2:0]", "arsize"},
    {"output", "[1:0]", "arburst"},
    {"output", "[3:0]", "arcache"},
    {"output", "[2:0]", "arprot"},
    {"input", "", "rvalid"},
    {"output", "", "rready"},
    {"input", "[cosim_pkg::PortBits-1:0]", "rdata"},
    {"input", "", "rlast"},
    {"input", "[1:0]", "rresp"},
    {"output", "", "awvalid"},
    {"input", "", "awready"},
    {"output", "[31:0]", "awaddr"},
    {"output", "[7:0]", "awlen"},
    {"output", "[2:0]", "awsize"},
    {"output", "[1:0]", "awburst"},
    {"output", "[3:0]", "awcache"},
    {"output", "[2:0]", "awprot"},
    {"output", "", "wvalid"},
    {"input", "", "wready"},
    {"output", "[cosim_pkg::PortBits-1:0]", "wdata"},
    {"output", "[cosim_pkg::PortBits/8-1:0]", "wstrb"},
    {"output", "", "wlast"},
    {"input", "", "bvalid"},
    {"output", "", "bready"},
    {"input", "[1:0]", "bresp"},
};

std::string Interface(int port) { return port == 0 ? "m_axi" : fmt::format("m_axi_{}", port); }

/// Who goes through a port.
std::string Users(const Spec& spec, int port) {
  std::string users = port == 0 ? "fetch" : "";
  for (const Unit& unit : spec.units) {
    if ((unit.reads_dram || unit.writes_dram) && unit.port == port)
      users += (users.empty() ? "" : ", ") + unit.name;
  }
  return users;
}

}  // namespace

std::string SvTop(const Spec& spec) {
  std::string ports, pins;
  for (int port = 0; port < spec.ports; ++port) {
    ports += fmt::format(",\n  // Memory port {}: {}.", port, Users(spec, port));
    const char* separator = "\n";
    for (const Signal& signal : kPort) {
      ports += fmt::format("{}  {:<6} logic {}{}{}_{}", separator, signal.direction, signal.width,
                           *signal.width != '\0' ? " " : "", Interface(port), signal.name);
      separator = ",\n";
    }
  }
  for (const Signal& signal : kPort) {
    std::vector<std::string> of_ports;
    for (int port = 0; port < spec.ports; ++port)
      of_ports.push_back(fmt::format("{}_{}", Interface(port), signal.name));
    pins += fmt::format("    .m_axi_{:<7}({{{}}}),\n", signal.name, SvConcatenation(of_ports));
  }
  return SvBanner(spec, "The accelerator for a board: each memory port an interface of its own.") +
         FillSvTemplate(kHead, {{"ports", ports}, {"pins", pins}});
}

}  // namespace cosim::isa
