// SPDX-License-Identifier: Apache-2.0
#include "sim/synth/place_report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <regex>

namespace cosim::synth {
namespace {

using nlohmann::json;

/// "load_unit.sv:88", the first place in the RTL that a text names: of signals
/// "rtl/load_unit.sv:88.24-88.30", of cells "$lt$rtl/load_unit.sv:88$12". Empty if it names none; Yosys's
/// libraries are none.
std::string SourceIn(const std::string& text) {
  static const std::regex place(R"((?:^|[$])(?:rtl|sv)/(\w+\.sv:\d+))");
  std::smatch match;
  return std::regex_search(text, match, place) ? match[1].str() : "";
}

std::string SourceOf(const json& step) {
  std::string source;
  if (step.contains("sources"))
    for (const json& text : step["sources"])
      if (source.empty()) source = SourceIn(text.get<std::string>());
  if (source.empty() && step.contains("net")) source = SourceIn(step["net"].get<std::string>());
  return source.empty() ? SourceIn(step.at("to").at("cell").get<std::string>()) : source;
}

/// A name in the design: bits of the wrapper's shift register are the registers they stand for.
std::string DesignName(std::string name, const std::vector<BlockPort>& ports) {
  int bit = 0;
  if (std::sscanf(name.c_str(), "in_q[%d]", &bit) == 1) return NameOfInput(ports, bit);
  if (name.starts_with("dut.")) name.erase(0, 4);
  return name;
}

/// Registers are named after the signal they drive ("rows_q[3]\FDRE"), as Yosys's `rename -wire` does.
std::string RegisterName(std::string name, const std::vector<BlockPort>& ports) {
  if (const size_t type = name.rfind("\\FD"); type != std::string::npos) name.resize(type);
  return DesignName(std::move(name), ports);
}

std::vector<PlaceStep> PathOf(const json& path, const std::vector<BlockPort>& ports) {
  std::vector<PlaceStep> steps;
  for (const json& piece : path) {
    PlaceStep step{piece.at("type").get<std::string>(), piece.at("delay").get<double>(), "", SourceOf(piece)};
    const std::string cell = piece.at("to").at("cell").get<std::string>();
    if (piece.contains("net"))
      step.name = DesignName(piece["net"].get<std::string>(), ports);
    else
      step.name = step.kind == "logic" ? DesignName(cell, ports) : RegisterName(cell, ports);
    steps.push_back(std::move(step));
  }
  return steps;
}

int Used(const json& utilization, const char* cell) {
  return utilization.contains(cell) ? utilization[cell].at("used").get<int>() : 0;
}

}  // namespace

std::optional<Route> ParsePlaceReport(std::string_view text, const std::vector<BlockPort>& ports,
                                      std::string& error) {
  try {
    const json report = json::parse(text);
    const json& clocks = report.at("fmax");
    if (clocks.size() != 1) {
      error = fmt::format("the report has {} clocks, not one", clocks.size());
      return std::nullopt;
    }
    Route route;
    route.mhz = clocks.begin()->at("achieved").get<double>();
    const std::string edge = "posedge " + clocks.begin().key();
    for (const json& path : report.at("critical_paths"))
      if (path.at("from") == edge && path.at("to") == edge) route.path = PathOf(path.at("path"), ports);
    const json& used = report.at("utilization");
    route.used = {.lut = Used(used, "SLICE_LUTX"),
                  .ff = Used(used, "SLICE_FFX"),
                  .dsp = Used(used, "DSP48E1_DSP48E1"),
                  .ramb18 = Used(used, "RAMB18E1_RAMB18E1") + 2 * Used(used, "RAMB36E1_RAMB36E1")};
    if (route.mhz > 0 && !route.path.empty()) return route;
    error = "the report has no path between registers";
  } catch (const json::exception& exception) {
    error = fmt::format("not a report of nextpnr: {}", exception.what());
  }
  return std::nullopt;
}

}  // namespace cosim::synth
