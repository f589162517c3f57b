// SPDX-License-Identifier: Apache-2.0
#include "sim/synth/place_scripts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <sstream>

#include "isa/check.h"

namespace cosim::synth {
namespace {

constexpr char kTop[] = "cosim_accelerator";
constexpr std::string_view kClock = "aclk";
constexpr int kTreeInputs = 36;  // two levels of LUTs
// What Yosys calls registers before they are mapped.
constexpr char kRegisters[] = "$dff,$dffe,$adff,$adffe,$sdff,$sdffe,$sdffce";

/// Registered trees: levels of them until one bit is left, called so_o.
std::string XorTrees(int bits) {
  std::string text, from = "out_q";
  for (int level = 0; bits > 1 || level == 0; ++level) {
    const int groups = (bits + kTreeInputs - 1) / kTreeInputs;
    const std::string to = fmt::format("tree{}_q", level);
    text += fmt::format("  logic [{}:0] {};\n  always_ff @(posedge clk) begin\n", groups - 1, to);
    for (int g = 0; g < groups; ++g)
      text += fmt::format("    {}[{}] <= ^{}[{}:{}];\n", to, g, from,
                          std::min(bits, (g + 1) * kTreeInputs) - 1, g * kTreeInputs);
    text += "  end\n";
    from = to;
    bits = groups;
  }
  return text + fmt::format("  assign so = {}[0];\n", from);
}

}  // namespace

std::vector<BlockPort> ParsePorts(std::string_view text) {
  std::vector<BlockPort> ports;
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string direction, range, name;
    int high = 0, low = 0;
    if (!(words >> direction >> range >> name) || (direction != "input" && direction != "output")) continue;
    if (std::sscanf(range.c_str(), "[%d:%d]", &high, &low) != 2) continue;
    ports.push_back({direction == "input", high - low + 1, name});
  }
  return ports;
}

std::string ElaborateScript(const std::vector<sim::RtlSource>& sources) {
  std::string script;
  for (const sim::RtlSource& source : sources)
    script += fmt::format("read_verilog -sv {}\n", source.path.string());
  return script + fmt::format(
                      "hierarchy -check -top {}\n"
                      "proc\nflatten\nopt_expr\nopt_clean\nopt_mem\nmemory_collect\nopt_clean\n"
                      "splitnets -driver\nopt_clean\nwrite_rtlil flat.il\n"
                      "tee -q -o objects.txt select -list t:$*dff* t:$*latch* %u %co1:+[Q] w:* %i t:$mem* %u "
                      "o:m_axi_* o:s_axi_* o:interrupt %u\n",
                      kTop);
}

std::vector<std::string> ParseObjects(std::string_view text) {
  std::vector<std::string> objects;
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);)
    if (const size_t slash = line.find('/'); slash != std::string::npos)
      objects.push_back(line.substr(slash + 1));
  return objects;
}

std::string ObjectsText(const std::vector<std::string>& objects) {
  std::string text;
  for (const std::string& object : objects) text += fmt::format("{}/{}\n", kTop, object);
  return text;
}

// Registers before the block stay outside, memories come with it: from them a path goes on, from their
// address. Only what drives their data leads back to another block.
std::string CutScript(const std::string& flat) {
  return fmt::format(
      "read_rtlil {0}\n"
      "select -read objects.txt\nselect -set listed %\nselect -clear\n"
      "select -set ends @listed w:* %i %ci1:+{1}[Q] c:* %i @listed c:* %i %u\n"
      "select -set kept @listed w:* %i @listed t:$mem* %i %co1:+[RD_DATA] w:* %i %u\n"
      "select -set cone @listed w:* %i @ends %ci1 %u %ci*:-{1}[Q]:-$mem_v2[WR_EN,WR_ADDR,WR_DATA] c:* %i "
      "@ends %u\n"
      "tee -q -o keep.txt select -list @kept\n"
      "submod -copy -name block @cone\ntee -q -o ports.txt portlist block\n"
      "cd block\nwrite_rtlil -selected block.il\n",
      flat, kRegisters);
}

std::string WholeScript(const std::string& flat) {
  return fmt::format(
      "read_rtlil {0}\ntee -q -o keep.txt select -list o:*\nrename {1} block\n"
      "tee -q -o ports.txt portlist block\nwrite_rtlil block.il\n",
      flat, kTop);
}

std::string WrapperText(const std::vector<BlockPort>& ports, const std::vector<std::string>& kept) {
  const auto is_kept = [&](const BlockPort& port) {
    return std::ranges::find(kept, port.name) != kept.end();
  };
  const bool shows_registers =
      std::ranges::any_of(ports, [&](const BlockPort& port) { return !port.is_input && is_kept(port); });
  int in = 0, out = 0;
  std::vector<std::string> pins;
  for (const BlockPort& port : ports) {
    int& used = port.is_input ? in : out;
    if (port.name == kClock) {
      pins.push_back(fmt::format(".\\{} (clk)", port.name));
    } else if (port.is_input || is_kept(port) || !shows_registers) {
      pins.push_back(fmt::format(".\\{} ({}[{}:{}])", port.name, port.is_input ? "in_q" : "out",
                                 used + port.bits - 1, used));
      used += port.bits;
    }
  }
  COSIM_CHECK(in > 0 && out > 0, "a block has {} input bits and {} output bits", in, out);
  std::string text = "module block_top(input logic clk, input logic si, output logic so);\n";
  text += fmt::format("  (* keep *) logic [{}:0] in_q;\n  logic [{}:0] out, out_q;\n", in - 1, out - 1);
  text += fmt::format(
      "  always_ff @(posedge clk) begin\n    in_q <= {}'({{in_q, si}});\n    out_q <= out;\n  end\n", in);
  return text + XorTrees(out) +
         fmt::format("  block dut (\n    {}\n  );\nendmodule\n", fmt::join(pins, ",\n    "));
}

std::string NameOfInput(const std::vector<BlockPort>& ports, int bit) {
  for (const BlockPort& port : ports) {
    if (!port.is_input || port.name == kClock) continue;
    if (bit < port.bits) return port.bits == 1 ? port.name : fmt::format("{}[{}]", port.name, bit);
    bit -= port.bits;
  }
  return fmt::format("in_q[{}]", bit);
}

// nextpnr knows no cascaded shift registers of LUTs: the wrapper's long one keeps its bits, and the RTL has
// none of more than 32. Cells are named after what they drive.
std::string MapScript() {
  return "read_rtlil block.il\nread_verilog -sv top.sv\n"
         "synth_xilinx -family xc7 -top block_top -flatten -abc9\n"
         "rename -wire\nwrite_json block.json\n";
}

std::string PinsText() {
  std::string text;
  constexpr std::pair<const char*, const char*> kPins[] = {{"clk", "H16"}, {"si", "D19"}, {"so", "R14"}};
  for (const auto& [port, pin] : kPins)
    text += fmt::format(
        "set_property PACKAGE_PIN {} [get_ports {}]\nset_property IOSTANDARD LVCMOS33 [get_ports {}]\n", pin,
        port, port);
  return text;
}

}  // namespace cosim::synth
