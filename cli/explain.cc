// SPDX-License-Identifier: Apache-2.0
// cosim explain: why each layer takes the cycles it takes, and what would lift it.
#include "compiler/session/explain.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "cli/explain_partition.h"
#include "cli/model_files.h"
#include "cli/options.h"
#include "cli/output_file.h"
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
std::string Change(Cycle more, Cycle of) {
  const std::string share = Percent(Share(std::abs(more), of));
  if (more == 0) return "as many cycles";
  if (share == Percent(0))
    return fmt::format("{} {} cycles", Grouped(std::abs(more)), more < 0 ? "fewer" : "more");
  return fmt::format("{} {} cycles", share, more < 0 ? "fewer" : "more");
}

/// Operational intensity: multiply-accumulates a byte of the layer's traffic.
double Intensity(const session::LayerExplanation& layer) {
  const uint64_t bytes = layer.read_bytes + layer.write_bytes;
  return bytes > 0 ? static_cast<double>(layer.layer.macs) / static_cast<double>(bytes) : 0;
}

/// Multiply-accumulates a cycle.
std::string Rate(int64_t macs, Cycle cycles) { return fmt::format("{:.1f} MAC/cycle", Share(macs, cycles)); }

std::string Roofline(const session::LayerExplanation& layer) {
  std::string text = fmt::format("  traffic: {} bytes read, {} written; the port needs {} cycles for them\n",
                                 Grouped(static_cast<int64_t>(layer.read_bytes)),
                                 Grouped(static_cast<int64_t>(layer.write_bytes)), Grouped(layer.port));
  if (layer.ideal == 0) return text;
  const int64_t macs = layer.layer.macs;
  return text + fmt::format(
                    "  roofline: at {:.1f} MAC/byte the port gives {}, the array {}: bound by {}; reached "
                    "{}, {} of it\n",
                    Intensity(layer), Rate(macs, layer.port), Rate(macs, layer.ideal),
                    layer.ideal >= layer.port ? "the array" : "the port", Rate(macs, layer.cycles),
                    Percent(Share(std::max(layer.ideal, layer.port), layer.cycles)));
}

/// How much of the array the steps themselves use: blocks that channels do not fill, groups with zeros
/// between them.
std::string Filling(const session::LayerExplanation& layer) {
  if (layer.ideal == 0 || 100 * layer.ideal > 99 * layer.busy) return "";
  return fmt::format(", with {} of its multipliers: the layer's channels do not fill the array",
                     Percent(Share(layer.ideal, layer.busy)));
}

std::string LayerText(const session::LayerExplanation& layer) {
  std::string text =
      fmt::format("{}: {}, {} cycles", layer.layer.name, layer.layer.op, Grouped(layer.cycles));
  if (layer.ideal > 0) text += fmt::format(", {} of the array", Percent(Share(layer.ideal, layer.cycles)));
  text += fmt::format("\n  {:>6}  {} works{}\n", Percent(Share(layer.busy, layer.cycles)), layer.unit,
                      Filling(layer));
  for (const session::Stall& stall : layer.stalls)
    text += fmt::format("  {:>6}  {}\n", Percent(Share(stall.cycles, layer.cycles)), stall.reason);
  text += Roofline(layer);
  if (!layer.layer.reason.empty()) text += "  fusion: " + layer.layer.reason + "\n";
  text += "  schedule: " + layer.layer.schedule + "\n";
  for (const runtime::Alternative& other : layer.layer.alternatives)
    text += fmt::format("  instead: {}: {} cycles, {}\n", other.schedule,
                        Grouped(layer.cycles + other.more_cycles), Change(other.more_cycles, layer.cycles));
  return text;
}

std::string KnobsText(const session::LayerExplanation& layer) {
  std::string text = "  knobs:\n";
  for (const runtime::Knob& knob : layer.layer.knobs)
    text += fmt::format("    {}={} of {}\n", knob.name, knob.value, fmt::join(knob.legal, " "));
  return text;
}

std::vector<std::string> Settings(const session::Lift& lift) {
  std::vector<std::string> settings;
  for (const isa::Override& change : lift.changes) settings.push_back(change.path + "=" + change.value);
  return settings;
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
    text += fmt::format("  {}: {} (--set {})\n", lift.what, Change(lift.cycles - before, before),
                        fmt::join(Settings(lift), " --set "));
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
    if (!layer.layer.reason.empty()) out["fusion"] = layer.layer.reason;
    for (const auto& knob : layer.layer.knobs)
      out["knobs"].push_back({{"name", knob.name}, {"value", knob.value}, {"legal", knob.legal}});
    for (const auto& other : layer.layer.alternatives)
      out["candidates"].push_back(
          {{"schedule", other.schedule}, {"cycles", layer.cycles + other.more_cycles}});
    json["layers"].push_back(std::move(out));
  }
  for (const auto& lift : result.lifts)
    json["lifts"].push_back({{"what", lift.what}, {"set", Settings(lift)}, {"cycles", lift.cycles}});
  return json.dump(2) + "\n";
}

void Progress(const std::string& what) { fmt::print(stderr, "\r\033[K{} …", what); }

int RunPartition(const po::variables_map& values, const isa::Spec& spec,
                 const session::ExplainOptions& explain, const std::string& json) {
  session::PartitionOptions options{.network = explain.model ? explain.model->graph.name() : explain.network,
                                    .model = explain.model,
                                    .seed = explain.seed,
                                    .activation_bits = explain.activation_bits,
                                    .virtual_threads = explain.virtual_threads,
                                    .respecify = {},
                                    .progress = explain.progress};
  options.respecify = [&](const session::SpecChange& change) {
    return LoadSpecFrom(values, change.overrides, change.isa);
  };
  const auto partition = session::ExplainPartition(spec, options);
  if (options.progress) fmt::print(stderr, "\r\033[K");
  if (json != "-") fmt::print("{}", PartitionText(partition));
  return json.empty() || WriteFile(json, PartitionJson(partition)) ? 0 : 1;
}

}  // namespace

int ExplainVerb(const Arguments& arguments) {
  po::options_description options("options");
  AddSpecOptions(options);
  AddActivationBits(options);
  options.add_options()("layer", po::value<std::string>()->value_name("NAME")->default_value(""),
                        "only this layer, with its knobs; lifts are then the layer's")(
      "partition", "what runs on the host instead: which limit it met, and what would lift it")(
      "virtual-threads", po::value<int>()->value_name("N")->default_value(2), "virtual threads a kernel")(
      "seed", po::value<uint64_t>()->value_name("S")->default_value(1), "seed of weights")(
      "json", po::value<std::string>()->value_name("FILE")->default_value(""),
      "write everything as JSON; - is standard output");
  AddShapeOption(options);
  const auto parsed = Parse(arguments, options,
                            "explain NETWORK|FILE.tflite|FILE.onnx [--layer=NAME | --partition] [options]",
                            "cosim explain small_cnn --config=tiny.yaml", "MODEL");
  if (parsed.exit) return *parsed.exit;
  const auto& values = parsed.values;
  session::ExplainOptions explain;
  explain.network = values["MODEL"].as<std::string>();
  explain.layer = values["layer"].as<std::string>();
  explain.seed = values["seed"].as<uint64_t>();
  explain.virtual_threads = values["virtual-threads"].as<int>();
  explain.respecify = [&](const std::vector<isa::Override>& changes) {
    return LoadSpecFrom(values, changes);
  };
  if (explain.virtual_threads < 1 || explain.virtual_threads > 8)
    return Fail("--virtual-threads: from 1 to 8");
  const std::string json = values["json"].as<std::string>();
  const bool partition = values.count("partition") > 0;
  if (partition && !explain.layer.empty())
    return Fail("--partition is of the whole network: leave out --layer");
  if (import::IsModelFile(explain.network)) {
    explain.model = ImportModel(values, explain.network);
    if (!explain.model) return 1;
    explain.network = explain.model->graph.name();
  } else if (!CheckNetwork(explain.network)) {
    return 1;
  }
  if (!json.empty() && !CheckWritable(json)) return 1;
  const auto spec = LoadSpecFrom(values);
  if (!spec) return 1;
  const auto activation_bits = ActivationBitsIn(values, *spec);
  if (!activation_bits) return 1;
  explain.activation_bits = *activation_bits;
  if (isatty(STDERR_FILENO)) explain.progress = Progress;
  if (partition) return RunPartition(values, *spec, explain, json);
  std::string error;
  const auto result = session::Explain(*spec, explain, error);
  if (explain.progress) fmt::print(stderr, "\r\033[K");
  if (!result) return Fail(error);
  if (json != "-") fmt::print("{}", Text(*result, explain.layer));
  return json.empty() || WriteFile(json, Json(*result)) ? 0 : 1;
}

}  // namespace cosim::cli
