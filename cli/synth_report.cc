// SPDX-License-Identifier: Apache-2.0
#include "cli/synth_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/place_report.h"
#include "cli/print.h"
#include "cli/provenance.h"

namespace cosim::cli {
namespace {

using nlohmann::ordered_json;
using synth::Resources;

struct Resource {
  const char* name;
  double (*count)(const Resources&);
};
constexpr Resource kResources[] = {
    {"LUT", [](const Resources& r) { return double(r.lut); }},
    {"FF", [](const Resources& r) { return double(r.ff); }},
    {"DSP", [](const Resources& r) { return double(r.dsp); }},
    {"RAMB36", [](const Resources& r) { return r.ramb18 / 2.0; }},
};

/// "1,234", or "7.5".
std::string Count(double count) {
  const auto whole = static_cast<int64_t>(count);
  std::string text = std::to_string(whole);
  for (int at = static_cast<int>(text.size()) - 3; at > 0; at -= 3) text.insert(at, ",");
  return count == static_cast<double>(whole) ? text : text + ".5";
}

std::string Row(const std::string& name, const Resources& resources, const std::string& last) {
  std::string row = fmt::format("{:<18}", name);
  for (const Resource& resource : kResources) row += fmt::format("{:>10}", Count(resource.count(resources)));
  return row + (last.empty() ? "\n" : fmt::format("{:>9}\n", last));
}

/// The rows below the parts.
std::string BudgetRows(const synth::Synthesis& synthesis) {
  const Resources& total = synthesis.analysis.total;
  std::string rows = Row("total", total, std::to_string(synthesis.analysis.longest.levels));
  if (!synthesis.board.has_budget) return rows;
  rows += Row(synthesis.board.device, synthesis.board.budget, "") + fmt::format("{:<18}", "of that");
  for (const Resource& resource : kResources)
    rows += fmt::format("{:>8.1f} %", 100 * resource.count(total) / resource.count(synthesis.board.budget));
  return rows + "\n";
}

std::string Verdict(const synth::Synthesis& synthesis) {
  if (!synthesis.board.has_budget) return "no board, so no budget to compare with";
  if (synthesis.Fits()) return fmt::format("fits {}", synthesis.board.device);
  std::string text = fmt::format("does not fit {}:", synthesis.board.device);
  for (const Resource& resource : kResources) {
    const double over = resource.count(synthesis.analysis.total) - resource.count(synthesis.board.budget);
    if (over > 0) text += fmt::format(" {} {} too many,", Count(over), resource.name);
  }
  text.pop_back();
  return text;
}

ordered_json JsonOf(const Resources& resources) {
  ordered_json json;
  for (const Resource& resource : kResources) json[resource.name] = resource.count(resources);
  return json;
}

ordered_json JsonOf(const synth::Path& path) {
  return {{"levels", path.levels}, {"from", path.from}, {"to", path.to}};
}

/// How the DSPs use their registers: nextpnr knows no timing inside.
std::string DspLines(const synth::Analysis& analysis) {
  std::string text;
  if (analysis.unregistered_dsps > 0)
    text += fmt::format("{} DSPs have no register behind the multiplier\n", analysis.unregistered_dsps);
  constexpr size_t kShown = 4;
  const std::vector<synth::PartlyRegisteredDsp>& dsps = analysis.partly_registered_dsps;
  if (dsps.empty()) return text;
  text += fmt::format("{} of {} DSPs do not use all their registers:\n", dsps.size(), analysis.total.dsp);
  for (size_t i = 0; i < std::min(kShown, dsps.size()); ++i)
    text += fmt::format("  {} without {}\n", dsps[i].name, dsps[i].missing);
  if (dsps.size() > kShown) text += fmt::format("  and {} more (--json lists them)\n", dsps.size() - kShown);
  return text;
}

std::string PartsTable(const synth::Synthesis& synthesis, const isa::Spec& spec) {
  const synth::Analysis& analysis = synthesis.analysis;
  std::string text = fmt::format("{:<18}", "part");
  for (const Resource& resource : kResources) text += fmt::format("{:>10}", resource.name);
  text += fmt::format("{:>9}\n", "levels");
  for (const synth::Part& part : analysis.parts)
    text += Row(part.name, part.resources, std::to_string(part.longest.levels));
  text += BudgetRows(synthesis);
  text +=
      fmt::format("\n{} on {} ({}): {}\n", spec.config, synthesis.board.name, spec.isa, Verdict(synthesis));
  text += fmt::format("longest path: {} levels, {} to {}\n", analysis.longest.levels, analysis.longest.from,
                      analysis.longest.to);
  return text + DspLines(analysis) +
         fmt::format(
             "{}; mapped, not placed and routed: levels are LUTs and carry chains between registers, no "
             "clock is promised\n",
             synthesis.yosys);
}

void AddParts(const synth::Synthesis& synthesis, ordered_json& json) {
  const synth::Analysis& analysis = synthesis.analysis;
  json["parts"] = ordered_json::array();
  for (const synth::Part& part : analysis.parts)
    json["parts"].push_back(
        {{"name", part.name}, {"resources", JsonOf(part.resources)}, {"longest_path", JsonOf(part.longest)}});
  json["total"] = JsonOf(analysis.total);
  json["longest_path"] = JsonOf(analysis.longest);
  json["unregistered_dsps"] = analysis.unregistered_dsps;
  json["partly_registered_dsps"] = ordered_json::array();
  for (const synth::PartlyRegisteredDsp& dsp : analysis.partly_registered_dsps)
    json["partly_registered_dsps"].push_back({{"name", dsp.name}, {"missing", dsp.missing}});
  if (synthesis.board.has_budget) {
    json["budget"] = JsonOf(synthesis.board.budget);
    ordered_json over = ordered_json::object();
    for (const Resource& resource : kResources) {
      const double more = resource.count(analysis.total) - resource.count(synthesis.board.budget);
      if (more > 0) over[resource.name] = more;
    }
    json["over"] = over;
  }
  json["fits"] = synthesis.Fits();
}

}  // namespace

std::string SynthTable(const SynthReport& report, const isa::Spec& spec) {
  std::string text;
  if (report.synthesis) text += PartsTable(*report.synthesis, spec);
  if (report.synthesis && report.placement) text += "\n";
  if (report.placement) text += PlaceTable(*report.placement);
  text += ClockLine(report.clock);
  const std::string warning = EvidenceWarning(report.clock);
  return warning.empty() ? text : text + fmt::format("warning: {}\n", warning);
}

std::string SynthJson(const SynthReport& report, const isa::Spec& spec) {
  ordered_json json = {{"isa", spec.isa}, {"config", spec.config}, {"fingerprint", spec.FingerprintText()}};
  if (report.synthesis) {
    json["yosys"] = report.synthesis->yosys;
    json["board"] = report.synthesis->board.name;
    json["device"] = report.synthesis->board.device;
    json["placed_and_routed"] = false;
  }
  json["provenance"] = OriginJson(report.origin);
  if (report.synthesis) AddParts(*report.synthesis, json);
  if (report.placement) json["place"] = PlaceJson(*report.placement);
  json["clock"] = ClockJson(report.clock);
  return JsonText(json);
}

}  // namespace cosim::cli
