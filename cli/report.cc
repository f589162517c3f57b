// SPDX-License-Identifier: Apache-2.0
#include "cli/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/text.h"

namespace cosim::cli {
namespace {

int64_t IdealCycles(int64_t macs, const isa::Spec& spec) {
  return (macs + spec.MacsPerCycle() - 1) / spec.MacsPerCycle();
}

double Utilization(int64_t ideal, int64_t cycles) {
  return cycles > 0 ? static_cast<double>(ideal) / static_cast<double>(cycles) : 0;
}

double Milliseconds(int64_t cycles, const isa::Spec& spec) {
  return static_cast<double>(cycles) / (spec.clock_mhz * 1e3);
}

double CyclesPerSecond(const session::Result& result) {
  return static_cast<double>(result.run.cycles) / result.host.simulate_s;
}

std::string LayerTable(const session::Result& result, const isa::Spec& spec) {
  std::string text = fmt::format("{:<24} {:<34} {:<12} {:>13} {:>10} {:>10} {:>8} {:>11}\n", "layer", "op",
                                 "where", "MACs", "cycles", "ideal", "util", "DRAM bytes");
  for (size_t i = 0; i < result.network.layers.size(); ++i) {
    const auto& layer = result.network.layers[i];
    const auto& profile = result.run.layers[i];
    const int64_t ideal = IdealCycles(layer.macs, spec);
    text += fmt::format("{:<24} {:<34} {:<12} {:>13} {:>10} {:>10} {:>8} {:>11}\n", layer.name, layer.op,
                        layer.on_accelerator ? "accelerator" : "cpu", layer.macs ? Grouped(layer.macs) : "",
                        layer.on_accelerator && result.run.timed ? Grouped(profile.cycles) : "",
                        layer.macs ? Grouped(ideal) : "",
                        layer.on_accelerator && layer.macs && result.run.timed
                            ? Percent(Utilization(ideal, profile.cycles))
                            : "",
                        layer.on_accelerator ? Grouped(static_cast<int64_t>(profile.dram_bytes)) : "");
    if (!layer.on_accelerator) text += fmt::format("  {}\n", layer.reason);
  }
  return text;
}

/// The layers on the accelerator that begin with the same operation, taken together.
struct OpSum {
  std::string op;
  int layers = 0;
  int64_t cycles = 0, ideal = 0;
};

std::vector<OpSum> SumByOp(const session::Result& result, const isa::Spec& spec) {
  std::vector<OpSum> sums;
  for (size_t i = 0; i < result.network.layers.size(); ++i) {
    const auto& layer = result.network.layers[i];
    if (!layer.on_accelerator) continue;
    const std::string op = layer.op.substr(0, layer.op.find('+'));
    auto sum = std::ranges::find(sums, op, &OpSum::op);
    if (sum == sums.end()) sum = sums.insert(sums.end(), {op});
    ++sum->layers;
    sum->cycles += result.run.layers[i].cycles;
    sum->ideal += IdealCycles(layer.macs, spec);
  }
  return sums;
}

std::string OpLines(const session::Result& result, const isa::Spec& spec) {
  std::string text;
  for (const OpSum& sum : SumByOp(result, spec))
    text += fmt::format(
        "{:<24} {:>3} {:<6} {:>12} cycles{}\n", sum.op, sum.layers, sum.layers == 1 ? "layer" : "layers",
        Grouped(sum.cycles),
        sum.ideal > 0 ? fmt::format(", {} of the array", Percent(Utilization(sum.ideal, sum.cycles))) : "");
  return text;
}

std::string LedgerTable(const session::Result& result, const isa::Spec& spec) {
  std::string text =
      fmt::format("{:<9} {:>8} {:>10} {:>10} {:>10} {:>11} {:>8}   of {} cycles\n", "unit", "busy",
                  "wait push", "wait token", "wait port", "wait memory", "idle", Grouped(result.run.cycles));
  for (const auto& row : result.run.ledger) {
    const auto share = [&](runtime::Cycle cycles) { return Percent(Utilization(cycles, result.run.cycles)); };
    runtime::Cycle tokens = 0;
    for (runtime::Cycle wait : row.wait_token) tokens += wait;
    text += fmt::format("{:<9} {:>8} {:>10} {:>10} {:>10} {:>11} {:>8}\n", row.unit, share(row.busy),
                        share(row.wait_push), share(tokens), share(row.wait_port), share(row.wait_memory),
                        share(row.idle));
    for (size_t q = 0; q < row.wait_token.size(); ++q)
      if (row.wait_token[q] * 200 > result.run.cycles)
        text += fmt::format("  {:>38} {} waits for {}\n", "", share(row.wait_token[q]), spec.queues[q].name);
  }
  return text;
}

std::string QuantizationTable(const session::Result& result) {
  std::string text = fmt::format("{:<24} {:>8} {:>9} {:>10}\n", "value", "SQNR dB", "zeros", "saturated");
  for (const auto& row : result.quantization)
    text += fmt::format("{:<24} {:>8.1f} {:>9} {:>10}\n", row.name, row.sqnr_db, Percent(row.zeros),
                        Percent(row.saturated));
  return text;
}

double Share(double part, double whole) { return whole > 0 ? part / whole : 0; }

// The accelerator's time is simulated and the host's is measured here: never in one sum.
std::string FramesLines(const session::FramesSummary& frames, const session::Result& result,
                        const isa::Spec& spec) {
  std::string text = fmt::format("frames: {}", frames.count);
  if (result.run.timed)
    text += fmt::format(", accelerator {} cycles, {:.2f} ms simulated", Grouped(frames.cycles),
                        Milliseconds(frames.cycles, spec));
  return text + fmt::format(
                    "\n  on this host, {} simulated at a time: {:.2f} s from first to last, CPU steps {:.4f} "
                    "s, {} of "
                    "them while the accelerator had another frame\n",
                    frames.jobs, frames.wall_s, frames.cpu_step_s,
                    Percent(Share(frames.overlapped_s, frames.cpu_step_s)));
}

std::string Totals(const session::Result& result, const isa::Spec& spec, const session::Options& options) {
  std::string text;
  if (result.run.timed)
    text += fmt::format("total: {} cycles, {:.2f} ms at {:g} MHz, {} MACs, ideal {} cycles, utilisation {}\n",
                        Grouped(result.run.cycles), Milliseconds(result.run.cycles, spec), spec.clock_mhz,
                        Grouped(result.macs), Grouped(result.ideal_cycles),
                        Percent(Utilization(result.ideal_cycles, result.run.cycles)));
  text += fmt::format("{} on {} ({}), {} device, {} virtual threads, seed {}, spec {}, {} instructions\n",
                      result.network.name, spec.config, spec.isa, options.device, options.virtual_threads,
                      options.seed, spec.FingerprintText(), Grouped(result.instructions));
  if (!result.producer.empty())
    text += fmt::format("module {}, compiled by {}\n", options.network, result.producer);
  if (result.frames) text += FramesLines(*result.frames, result, spec);
  text += fmt::format(
      "host CPU seconds: quantize {:.2f}, compile {:.2f}, verify {:.2f}, simulate {:.2f}, check {:.2f}, cpu "
      "layers {:.3f}; peak {:.0f} MiB\n",
      result.host.quantize_s, result.host.compile_s, result.host.verify_s, result.host.simulate_s,
      result.host.check_s, result.host.cpu_fallback_s, result.host.peak_rss_mb);
  return text;
}

// What the RTL was held against, and how fast it ran.
std::string Agreement(const session::Result& result) {
  if (!result.run.model_cycles) return "";
  return fmt::format(
      "cycle simulator: {} cycles, difference {}; equal in every instruction's issue and retirement and in "
      "the "
      "ledger; the RTL ran at {} cycles/s\n",
      Grouped(*result.run.model_cycles), Grouped(result.run.cycles - *result.run.model_cycles),
      Grouped(static_cast<int64_t>(CyclesPerSecond(result))));
}

std::string Verdict(const session::Result& result, const session::Options& options) {
  if (options.timing_only) return "outputs: not computed (timing only)\n";
  if (options.check == session::Check::kNone) return "outputs: not checked\n";
  if (!result.producer.empty() && !options.inputs.empty())
    return "outputs: not checked: the module has golden outputs for its own samples only\n";
  int64_t values = 0, mismatches = 0;
  for (const auto& output : result.outputs) {
    values += output.values;
    mismatches += output.mismatches;
  }
  std::string text;
  if (!result.layers.empty()) {
    int64_t layer_values = 0, layer_mismatches = 0;
    for (const auto& layer : result.layers) {
      layer_values += layer.values;
      layer_mismatches += layer.mismatches;
      if (layer.mismatches)
        text += fmt::format("  {}: {} of {} values differ\n", layer.name, Grouped(layer.mismatches),
                            Grouped(layer.values));
    }
    text += fmt::format("layers: {} tensors, {} values, {} mismatches against golden\n", result.layers.size(),
                        Grouped(layer_values), Grouped(layer_mismatches));
  }
  const std::string where = result.producer.empty() ? "" : " outputs stored in the module";
  return text + fmt::format("outputs: {} values, {} mismatches against golden{}\n", Grouped(values),
                            Grouped(mismatches), where);
}

}  // namespace

std::string RunTable(const session::Result& result, const isa::Spec& spec, const session::Options& options) {
  std::string text = LayerTable(result, spec) + "\n";
  if (result.run.timed) text += OpLines(result, spec) + "\n";
  if (!result.run.ledger.empty()) text += LedgerTable(result, spec) + "\n";
  if (!result.quantization.empty()) text += QuantizationTable(result) + "\n";
  return text + Totals(result, spec, options) + Agreement(result) + Verdict(result, options);
}

std::string RunJson(const session::Result& result, const isa::Spec& spec, const session::Options& options) {
  using Json = nlohmann::ordered_json;
  Json json;
  json["network"] = result.network.name;
  json["config"] = spec.config;
  json["isa"] = spec.isa;
  json["fingerprint"] = spec.FingerprintText();
  json["device"] = options.device;
  json["timing_only"] = options.timing_only;
  json["virtual_threads"] = options.virtual_threads;
  json["seed"] = options.seed;
  json["cycles"] = result.run.cycles;
  if (result.run.model_cycles)
    json["rtl"] = {{"model_cycles", *result.run.model_cycles},
                   {"difference", result.run.cycles - *result.run.model_cycles},
                   {"cycles_per_second", CyclesPerSecond(result)}};
  json["clock_mhz"] = spec.clock_mhz;
  json["ms"] = Milliseconds(result.run.cycles, spec);
  json["macs"] = result.macs;
  json["ideal_cycles"] = result.ideal_cycles;
  json["utilization"] = Utilization(result.ideal_cycles, result.run.cycles);
  json["instructions"] = result.instructions;
  int64_t values = 0, mismatches = 0;
  for (const auto& output : result.outputs) {
    values += output.values;
    mismatches += output.mismatches;
  }
  json["outputs"] = {{"values", values}, {"mismatches", mismatches}};
  if (!result.producer.empty()) json["module"] = {{"file", options.network}, {"producer", result.producer}};
  if (const auto& f = result.frames)
    json["frames"] = {{"count", f->count},
                      {"jobs", f->jobs},
                      {"cycles", f->cycles},
                      {"ms", Milliseconds(f->cycles, spec)},
                      {"host_wall_s", f->wall_s},
                      {"host_cpu_steps_s", f->cpu_step_s},
                      {"host_overlapped_s", f->overlapped_s}};
  json["layers"] = Json::array();
  for (size_t i = 0; i < result.network.layers.size(); ++i) {
    const auto& layer = result.network.layers[i];
    const auto& profile = result.run.layers[i];
    const int64_t ideal = IdealCycles(layer.macs, spec);
    json["layers"].push_back({{"name", layer.name},
                              {"op", layer.op},
                              {"where", layer.on_accelerator ? "accelerator" : "cpu"},
                              {"reason", layer.reason},
                              {"schedule", layer.schedule},
                              {"macs", layer.macs},
                              {"cycles", profile.cycles},
                              {"ideal_cycles", ideal},
                              {"utilization", Utilization(ideal, profile.cycles)},
                              {"dram_bytes", profile.dram_bytes}});
  }
  for (const OpSum& sum : SumByOp(result, spec))
    json["by_op"].push_back(
        {{"op", sum.op}, {"layers", sum.layers}, {"cycles", sum.cycles}, {"ideal_cycles", sum.ideal}});
  for (const auto& compared : result.layers)
    json["checked_layers"].push_back(
        {{"name", compared.name}, {"values", compared.values}, {"mismatches", compared.mismatches}});
  for (const auto& row : result.quantization)
    json["quantization"].push_back(
        {{"name", row.name}, {"sqnr_db", row.sqnr_db}, {"zeros", row.zeros}, {"saturated", row.saturated}});
  json["ledger"] = Json::object();
  for (const auto& row : result.run.ledger) {
    Json tokens = Json::object();
    for (size_t q = 0; q < row.wait_token.size(); ++q)
      if (row.wait_token[q] > 0) tokens[spec.queues[q].name] = row.wait_token[q];
    json["ledger"][row.unit] = {
        {"busy", row.busy},           {"wait_push", row.wait_push},     {"wait_token", tokens},
        {"wait_port", row.wait_port}, {"wait_memory", row.wait_memory}, {"idle", row.idle}};
  }
  json["host"] = {{"quantize_s", result.host.quantize_s},  {"compile_s", result.host.compile_s},
                  {"verify_s", result.host.verify_s},      {"simulate_s", result.host.simulate_s},
                  {"check_s", result.host.check_s},        {"cpu_fallback_s", result.host.cpu_fallback_s},
                  {"peak_rss_mb", result.host.peak_rss_mb}};
  return json.dump(2) + "\n";
}

}  // namespace cosim::cli
