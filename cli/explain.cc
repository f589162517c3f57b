// SPDX-License-Identifier: Apache-2.0
// cosim explain: why each layer takes the cycles it takes, and what would lift it.
#include "compiler/session/explain.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "cli/options.h"
#include "cli/text.h"
#include "cli/verbs.h"

namespace cosim::cli {
namespace po = boost::program_options;
namespace {

using runtime::Cycle;

double Share(Cycle part, Cycle whole) {
  return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0;
}

/// "1.2 % fewer cycles".
std::string Change(Cycle from, Cycle to) {
  const double share = Share(to - from, from);
  return share <= 0 ? fmt::format("{} fewer cycles", Percent(-share))
                    : fmt::format("{} more cycles", Percent(share));
}

/// Multiply-accumulates a byte of the layer's traffic.
double Intensity(const session::LayerExplanation& layer) {
  const uint64_t bytes = layer.read_bytes + layer.write_bytes;
  return bytes > 0 ? static_cast<double>(layer.layer.macs) / static_cast<double>(bytes) : 0;
}

std::string Roofline(const session::LayerExplanation& layer) {
  std::string text = fmt::format("  traffic: {} bytes read, {} written; the port needs {} cycles for them\n",
                                 Grouped(static_cast<int64_t>(layer.read_bytes)),
                                 Grouped(static_cast<int64_t>(layer.write_bytes)), Grouped(layer.port));
  if (layer.ideal == 0) return text;
  return text +
         fmt::format("  roofline: {:.1f} MAC/byte; the array needs {} cycles, the port {}: bound by {}\n",
                     Intensity(layer), Grouped(layer.ideal), Grouped(layer.port),
                     layer.ideal >= layer.port ? "the array" : "the port");
}

std::string LayerText(const session::LayerExplanation& layer) {
  std::string text =
      fmt::format("{}: {}, {} cycles", layer.layer.name, layer.layer.op, Grouped(layer.cycles));
  if (layer.ideal > 0) text += fmt::format(", {} of the array", Percent(Share(layer.ideal, layer.cycles)));
  text += fmt::format("\n  {:>6}  {} works\n", Percent(Share(layer.busy, layer.cycles)), layer.unit);
  for (const session::Stall& stall : layer.stalls)
    text += fmt::format("  {:>6}  {}\n", Percent(Share(stall.cycles, layer.cycles)), stall.reason);
  text += Roofline(layer) + "  schedule: " + layer.layer.schedule + "\n";
  for (const session::Candidate& candidate : layer.candidates)
    text += fmt::format("  instead: {}: {} cycles, {}\n", candidate.schedule, Grouped(candidate.cycles),
                        Change(layer.cycles, candidate.cycles));
  return text;
}

std::string KnobsText(const session::LayerExplanation& layer) {
  std::string text = "  knobs:\n";
  for (const runtime::Knob& knob : layer.layer.knobs)
    text += fmt::format("    {}={} of {}\n", knob.name, knob.value, fmt::join(knob.legal, " "));
  return text;
}

std::string Text(const session::Explanation& result, const std::string& layer) {
  std::string text;
  for (const auto& each : result.layers)
    text += LayerText(each) + (layer.empty() ? "" : KnobsText(each)) + "\n";
  const Cycle before = layer.empty() ? result.cycles : result.layers[0].cycles;
  text += fmt::format("what would lift {}:\n", layer.empty() ? result.network : layer);
  int shown = 0;
  for (const session::Lift& lift : result.lifts) {
    if (Share(before - lift.cycles, before) < 0.0005) continue;
    ++shown;
    text += fmt::format("  {} {} instead of {}: {}\n", lift.change.path, lift.change.value, lift.from,
                        Change(before, lift.cycles));
  }
  if (shown == 0) text += fmt::format("  none of {} changes tried saves 0.05 %\n", result.lifts.size());
  return text + fmt::format("total: {} cycles, {} of the array\n", Grouped(result.cycles),
                            Percent(Share(result.ideal, result.cycles)));
}

std::string Json(const session::Explanation& result) {
  using nlohmann::ordered_json;
  ordered_json json = {
      {"network", result.network}, {"cycles", result.cycles}, {"ideal_cycles", result.ideal}};
  json["layers"] = ordered_json::array();
  for (const auto& layer : result.layers) {
    ordered_json out = {{"name", layer.layer.name},
                        {"op", layer.layer.op},
                        {"macs", layer.layer.macs},
                        {"cycles", layer.cycles},
                        {"ideal_cycles", layer.ideal},
                        {"port_cycles", layer.port},
                        {"read_bytes", layer.read_bytes},
                        {"write_bytes", layer.write_bytes},
                        {"macs_per_byte", Intensity(layer)},
                        {"unit", layer.unit},
                        {"busy", layer.busy},
                        {"schedule", layer.layer.schedule}};
    for (const auto& stall : layer.stalls)
      out["stalls"].push_back({{"reason", stall.reason}, {"cycles", stall.cycles}});
    for (const auto& knob : layer.layer.knobs)
      out["knobs"].push_back({{"name", knob.name}, {"value", knob.value}, {"legal", knob.legal}});
    for (const auto& candidate : layer.candidates)
      out["candidates"].push_back({{"schedule", candidate.schedule}, {"cycles", candidate.cycles}});
    json["layers"].push_back(std::move(out));
  }
  for (const auto& lift : result.lifts)
    json["lifts"].push_back(
        {{"key", lift.change.path}, {"from", lift.from}, {"to", lift.change.value}, {"cycles", lift.cycles}});
  return json.dump(2) + "\n";
}

}  // namespace

int ExplainVerb(const Arguments& arguments) {
  po::options_description options("options");
  AddSpecOptions(options);
  options.add_options()("layer", po::value<std::string>()->value_name("NAME")->default_value(""),
                        "only this layer, with its knobs; lifts are then the layer's")(
      "virtual-threads", po::value<int>()->value_name("N")->default_value(2), "virtual threads a kernel")(
      "seed", po::value<uint64_t>()->value_name("S")->default_value(1), "seed of weights")(
      "json", po::value<std::string>()->value_name("FILE")->default_value(""),
      "write everything as JSON; - is standard output");
  const auto parsed = Parse(arguments, options, "explain MODEL [--config=FILE] [--layer=NAME] [options]",
                            "cosim explain small_cnn --config=tiny.yaml", "MODEL");
  if (parsed.exit) return *parsed.exit;
  const auto& values = parsed.values;
  session::ExplainOptions explain;
  explain.network = values["MODEL"].as<std::string>();
  explain.layer = values["layer"].as<std::string>();
  explain.seed = values["seed"].as<uint64_t>();
  explain.virtual_threads = values["virtual-threads"].as<int>();
  explain.respecify = [&](const isa::Override& change) { return LoadSpecFrom(values, {change}); };
  if (explain.virtual_threads < 1 || explain.virtual_threads > 8)
    return Fail("--virtual-threads: from 1 to 8");
  const std::string json = values["json"].as<std::string>();
  if (!CheckNetwork(explain.network)) return 1;
  if (!json.empty() && !CheckWritable(json)) return 1;
  const auto spec = LoadSpecFrom(values);
  if (!spec) return 1;
  if (isatty(STDERR_FILENO))
    explain.progress = [](const std::string& what) { fmt::print(stderr, "\r\033[K{} …", what); };
  std::string error;
  const auto result = session::Explain(*spec, explain, error);
  if (explain.progress) fmt::print(stderr, "\r\033[K");
  if (!result) return Fail(error);
  if (json != "-") fmt::print("{}", Text(*result, explain.layer));
  return json.empty() || WriteFile(json, Json(*result)) ? 0 : 1;
}

}  // namespace cosim::cli
