// SPDX-License-Identifier: Apache-2.0
#include "cli/report_checks.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <vector>

#include "cli/options.h"
#include "cli/text.h"

namespace cosim::cli {
namespace {

session::Compared SumOf(const std::vector<session::Compared>& list) {
  session::Compared sum;
  for (const session::Compared& each : list) {
    sum.values += each.values;
    sum.mismatches += each.mismatches;
  }
  return sum;
}

}  // namespace

std::optional<session::Check> CheckIn(const boost::program_options::variables_map& values) {
  const std::string& what = values["check"].as<std::string>();
  if (what == "outputs") return session::Check::kOutputs;
  if (what == "layers") return session::Check::kLayers;
  if (what == "none") return session::Check::kNone;
  Fail(fmt::format("--check={}: not one of outputs, layers, none", what));
  return std::nullopt;
}

std::string Verdict(const session::Result& result, const session::Options& options) {
  if (options.timing_only) return "outputs: not computed (timing only)\n";
  if (options.check == session::Check::kNone) return "outputs: not checked\n";
  if (!result.producer.empty() && !options.inputs.empty())
    return "outputs: not checked: the module has golden outputs for its own samples only\n";
  std::string text;
  for (const session::Compared& layer : result.layers)
    if (layer.mismatches > 0)
      text += fmt::format("  {}: {} of {} values differ\n", layer.name, Grouped(layer.mismatches),
                          Grouped(layer.values));
  if (!result.layers.empty()) {
    const session::Compared all = SumOf(result.layers);
    text += fmt::format("layers: {} tensors, {} values, {} mismatches against golden\n", result.layers.size(),
                        Grouped(all.values), Grouped(all.mismatches));
  }
  const std::string where = result.producer.empty() ? "" : " outputs stored in the module";
  const session::Compared all = SumOf(result.outputs);
  text += fmt::format("outputs: {} values, {} mismatches against golden{}\n", Grouped(all.values),
                      Grouped(all.mismatches), where);
  if (!result.unchecked.empty())
    text += fmt::format("not checked independently: {}, computed by the golden model's own routines\n",
                        Counted(result.unchecked.size(), "layer"));
  return text;
}

void AddOutputs(const session::Result& result, nlohmann::ordered_json& json) {
  const session::Compared all = SumOf(result.outputs);
  json["outputs"] = {{"values", all.values}, {"mismatches", all.mismatches}};
  json["unchecked_layers"] = result.unchecked;
}

void AddCheckedLayers(const session::Result& result, nlohmann::ordered_json& json) {
  for (const session::Compared& compared : result.layers)
    json["checked_layers"].push_back(
        {{"name", compared.name}, {"values", compared.values}, {"mismatches", compared.mismatches}});
  for (const graph::QuantizationRow& row : result.quantization)
    json["quantization"].push_back(
        {{"name", row.name}, {"sqnr_db", row.sqnr_db}, {"zeros", row.zeros}, {"saturated", row.saturated}});
}

}  // namespace cosim::cli
