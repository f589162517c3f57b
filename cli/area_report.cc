// SPDX-License-Identifier: Apache-2.0
#include "cli/area_report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/print.h"
#include "cli/provenance.h"
#include "sim/synth/area_model.h"
#include "sim/synth/board.h"

namespace cosim::cli {
namespace {

using nlohmann::ordered_json;

ordered_json JsonOf(const synth::Resources& all) {
  return {{"LUT", all.lut}, {"FF", all.ff}, {"DSP", all.dsp}, {"RAMB36", all.ramb18 / 2.0}};
}

/// "1,234".
std::string Grouped(int count) {
  std::string text = std::to_string(count);
  for (int at = static_cast<int>(text.size()) - 3; at > 0; at -= 3) text.insert(at, ",");
  return text;
}

std::string Share(const char* name, double used, double has) {
  return fmt::format(" {:.1f} % of {}", has > 0 ? 100 * used / has : 0.0, name);
}

}  // namespace

std::string AreaTable(const isa::Spec& spec) {
  std::string text = fmt::format("{:<18}{:>10}{:>10}{:>10}{:>10}\n", "part", "LUT", "FF", "DSP", "RAMB36");
  for (const synth::PartArea& part : synth::EstimateParts(spec))
    text += fmt::format("{:<18}{:>10}{:>10}\n", part.part, Grouped(part.resources.lut),
                        Grouped(part.resources.ff));
  const synth::Resources all = synth::EstimateArea(spec);
  text += fmt::format("{:<18}{:>10}{:>10}{:>10}{:>10g}\n", "total", Grouped(all.lut), Grouped(all.ff),
                      Grouped(all.dsp), all.ramb18 / 2.0);
  const synth::Board* board = synth::FindBoard(spec.board);
  if (board != nullptr && board->has_budget)
    text += fmt::format("{}:{},{},{},{}\n", board->device, Share("LUT", all.lut, board->budget.lut),
                        Share("FF", all.ff, board->budget.ff), Share("DSP", all.dsp, board->budget.dsp),
                        Share("RAMB36", all.ramb18, board->budget.ramb18));
  return text + "LUT and FF are an estimate of what Yosys maps it to; without --estimate Yosys says it\n";
}

std::string AreaJson(const isa::Spec& spec, const session::Origin& origin) {
  ordered_json json;
  json["isa"] = spec.isa;
  json["config"] = spec.config;
  json["board"] = spec.board;
  json["provenance"] = OriginJson(origin);
  json["estimate"] = true;
  json["parts"] = ordered_json::array();
  for (const synth::PartArea& part : synth::EstimateParts(spec))
    json["parts"].push_back({{"name", part.part}, {"LUT", part.resources.lut}, {"FF", part.resources.ff}});
  json["total"] = JsonOf(synth::EstimateArea(spec));
  json["blocks"] = ordered_json::array();
  for (const synth::AreaBlock& block : synth::AreaBlocks(spec)) {
    const synth::BlockArea area = synth::AreaOfBlock(block);
    ordered_json quantities = ordered_json::object();
    for (const auto& [name, amount] : block.quantities) quantities[std::string(name)] = amount;
    json["blocks"].push_back({{"part", block.part},
                              {"kind", block.kind},
                              {"LUT", area.lut},
                              {"FF", area.ff},
                              {"quantities", quantities}});
  }
  return JsonText(json);
}

}  // namespace cosim::cli
