// SPDX-License-Identifier: Apache-2.0
// The report as a table: layers, operations, units, quantization; its totals are report_totals.cc's.
#include "cli/report.h"

#include <fmt/format.h>

#include "cli/report_figures.h"
#include "cli/text.h"

namespace cosim::cli {
namespace {

std::string Milli(double ms) { return fmt::format("{:.3f}", ms); }

// Cycles of a layer on the accelerator; of one on the host its time, estimated for the board and measured
// here.
std::string LayerTable(const session::Result& result, const isa::Spec& spec) {
  constexpr auto kRow = "{:<24} {:<34} {:<12} {:>13} {:>10} {:>10} {:>8} {:>11} {:>11} {:>9}\n";
  std::string text = fmt::format(kRow, "layer", "op", "where", "MACs", "cycles", "ideal", "util",
                                 "DRAM bytes", "host est ms", "ms here");
  const std::vector<double>& host_ms = result.end_to_end.layer_host_ms;
  for (size_t i = 0; i < result.network.layers.size(); ++i) {
    const auto& layer = result.network.layers[i];
    const auto& profile = result.run.layers[i];
    const std::string macs = layer.macs ? Grouped(layer.macs) : "";
    if (!layer.on_accelerator) {
      const bool ran = profile.cpu_seconds > 0;
      text += fmt::format(kRow, layer.name, layer.op, "cpu", macs, "", "", "", "",
                          host_ms.empty() ? "unknown" : Milli(host_ms[i]),
                          ran ? Milli(1e3 * profile.cpu_seconds) : "");
      text += fmt::format("  {}\n", layer.reason);
      continue;
    }
    const int64_t ideal = IdealCycles(layer.macs, spec);
    const bool timed = result.run.timed;
    text += fmt::format(kRow, layer.name, layer.op, "accelerator", macs, timed ? Grouped(profile.cycles) : "",
                        layer.macs ? Grouped(ideal) : "",
                        layer.macs && timed ? Percent(Utilization(ideal, profile.cycles)) : "",
                        Grouped(static_cast<int64_t>(profile.dram_bytes)), "", "");
  }
  return text;
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

}  // namespace

std::string RunTable(const session::Result& result, const isa::Spec& spec, const session::Options& options) {
  std::string text = LayerTable(result, spec) + "\n";
  if (result.run.timed) text += OpLines(result, spec) + "\n";
  if (!result.run.ledger.empty()) text += LedgerTable(result, spec) + "\n";
  if (!result.quantization.empty()) text += QuantizationTable(result) + "\n";
  return text + RunTotals(result, spec, options);
}

}  // namespace cosim::cli
