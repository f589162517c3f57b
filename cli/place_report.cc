// SPDX-License-Identifier: Apache-2.0
#include "cli/place_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace cosim::cli {
namespace {

using nlohmann::ordered_json;
using synth::PlaceStep;

/// Yosys's own names, and those of the wrapper, say nothing.
bool IsOfTheDesign(const std::string& name) { return !name.starts_with('$') && !name.starts_with("out"); }

/// Where a path goes: its registers and, between them, the signals and RTL lines that are known.
std::string PathLines(const synth::Route& route) {
  double logic = 0, routing = 0;
  std::string via, last;
  for (size_t i = 0; i < route.path.size(); ++i) {
    const PlaceStep& step = route.path[i];
    (step.kind == "routing" ? routing : logic) += step.ns;
    if (i == 0 || i + 1 == route.path.size() || step.source.empty() || step.source == last) continue;
    last = step.source;
    via += fmt::format("    {:5.2f} ns  {}{}\n", logic + routing, step.source,
                       IsOfTheDesign(step.name) ? " " + step.name : "");
  }
  return fmt::format("    from      {}\n{}    {:5.2f} ns  {}: {:.2f} ns of logic, {:.2f} of routing\n",
                     route.path.front().name, via, logic + routing, route.path.back().name, logic, routing);
}

std::string BlockRow(const synth::RoutedBlock& block) {
  std::string seeds;
  for (const synth::Route& route : block.routes)
    seeds += fmt::format("{}{:.1f}", seeds.empty() ? "" : " ", route.mhz);
  const synth::Resources& used = block.Slowest().used;
  return fmt::format("{:<22}{:>8.1f}  {:<16}{:>8}{:>8}{:>6}{:>8g}\n", block.name, block.Slowest().mhz, seeds,
                     used.lut, used.ff, used.dsp, used.ramb18 / 2.0);
}

ordered_json RoutedJson(const synth::RoutedBlock& block) {
  const synth::Route& slowest = block.Slowest();
  ordered_json json = {{"mhz", slowest.mhz}, {"seeds", ordered_json::array()}};
  for (const synth::Route& route : block.routes)
    json["seeds"].push_back({{"seed", route.seed}, {"mhz", route.mhz}});
  json["critical_path"] = ordered_json::array();
  for (const PlaceStep& step : slowest.path)
    json["critical_path"].push_back(
        {{"kind", step.kind},
         {"ns", step.ns},
         {"name", step.name},
         {"source", step.source.empty() ? ordered_json() : ordered_json(step.source)}});
  json["used"] = {{"lut_halves", slowest.used.lut},
                  {"FF", slowest.used.ff},
                  {"DSP", slowest.used.dsp},
                  {"RAMB36", slowest.used.ramb18 / 2.0}};
  return json;
}

ordered_json OrNothing(double mhz) { return mhz > 0 ? ordered_json(mhz) : ordered_json(); }

}  // namespace

std::string PlaceTable(const synth::Placement& placement) {
  std::string text = fmt::format("{:<22}{:>8}  {:<16}{:>8}{:>8}{:>6}{:>8}\n", "block", "MHz", "by seed",
                                 "LUT/2", "FF", "DSP", "RAMB36");
  std::string paths;
  const auto add = [&](const synth::RoutedBlock& block) {
    text += BlockRow(block);
    paths +=
        fmt::format("\n{}, {:.1f} MHz:\n{}", block.name, block.Slowest().mhz, PathLines(block.Slowest()));
  };
  for (const synth::RoutedBlock& block : placement.blocks) add(block);
  if (placement.design) add(*placement.design);
  text += paths + "\n";
  if (placement.uncovered.empty())
    text += "every path between registers is in the block where it ends: no register is in none\n";
  for (const std::string& object : placement.uncovered) text += fmt::format("in no block: {}\n", object);
  return text + fmt::format("{}; {}, DSP untimed, no clock uncertainty, not by Vivado\n", placement.tool,
                            synth::kPlaceDevice);
}

ordered_json PlaceJson(const synth::Placement& placement) {
  ordered_json json = {{"tool", placement.tool},
                       {"device", synth::kPlaceDevice},
                       {"dsp_timed", false},
                       {"of_blocks", placement.all.size()},
                       {"blocks", ordered_json::array()}};
  for (const synth::RoutedBlock& block : placement.blocks) {
    ordered_json row = {{"name", block.name}};
    row.update(RoutedJson(block));
    json["blocks"].push_back(row);
  }
  if (placement.design) json["design"] = RoutedJson(*placement.design);
  json["uncovered"] = placement.uncovered;
  return json;
}

std::string ClockLine(const synth::ClockEvidence& evidence) {
  return fmt::format("clock: {:g} MHz, {}\n", evidence.clock_mhz, EvidenceText(evidence));
}

ordered_json ClockJson(const synth::ClockEvidence& evidence) {
  return {{"mhz", evidence.clock_mhz},
          {"evidence", EvidenceText(evidence)},
          {"blocks_mhz", OrNothing(evidence.blocks_mhz)},
          {"slowest_block", evidence.slowest.empty() ? ordered_json() : ordered_json(evidence.slowest)},
          {"blocks_routed", evidence.routed},
          {"blocks", evidence.blocks},
          {"design_mhz", OrNothing(evidence.design_mhz)}};
}

}  // namespace cosim::cli
