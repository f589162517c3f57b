// SPDX-License-Identifier: Apache-2.0
#include "cli/host_report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/print.h"
#include "cli/report_checks.h"
#include "cli/text.h"
#include "cli/version.h"
#include "compiler/explore/compare.h"

namespace cosim::cli {
namespace {

using Json = nlohmann::ordered_json;

std::string HostLayerRows(const session::HostResult& measured) {
  constexpr auto kRow = "{:<28} {:<34} {:>15} {:>10} {:>9} {:>8}\n";
  std::string text = fmt::format(kRow, "layer", "op", "MACs", "ms", "Gop/s", "of peak");
  const session::Result& result = measured.result;
  for (size_t i = 0; i < result.network.layers.size(); ++i) {
    const runtime::Layer& layer = result.network.layers[i];
    text += fmt::format(kRow, layer.name, layer.op, layer.macs ? Grouped(layer.macs) : "",
                        fmt::format("{:.3f}", 1e3 * result.run.layers[i].cpu_seconds),
                        layer.macs ? fmt::format("{:.2f}", measured.Gops(i)) : "",
                        layer.macs ? Percent(measured.PeakShare(i)) : "");
  }
  return text;
}

std::string HostTotals(const session::HostResult& measured, const session::Options& options) {
  const session::Result& result = measured.result;
  const runtime::HostPeak& peak = measured.peak;
  const size_t runs = measured.runs.size();
  std::string text = fmt::format(
      "latency: {:.3f} ms at the least, {:.3f} ms median of {} behind a warm-up on {}; CPU time {:.3f} ms at "
      "the least; the layers are those of the fastest run\n",
      measured.LeastMs(), measured.MedianMs(), Counted(runs, "run"),
      Counted(static_cast<size_t>(measured.threads), "thread"), measured.LeastCpuMs());
  text += fmt::format("total: {} MACs, {:.2f} Gop/s (two operations a MAC)\n", Grouped(result.macs),
                      2e-6 * static_cast<double>(result.macs) / measured.LeastMs());
  text +=
      fmt::format("peak, measured at the start on one thread: {:.1f} Gop/s float ({}), {:.1f} integer ({})\n",
                  peak.float_gops, peak.float_loop, peak.integer_gops, peak.integer_loop);
  text += fmt::format("{} on the host device, seed {}; values take {} bytes; {} (commit {})\n",
                      result.network.name, options.seed,
                      Grouped(static_cast<int64_t>(result.network.value_bytes)), "cosim " COSIM_VERSION,
                      Commit());
  text += fmt::format("CPU seconds: quantize {:.2f}, compile {:.2f}, check {:.2f}; peak {:.0f} MiB\n",
                      result.host.quantize_s, result.host.compile_s, result.host.check_s,
                      result.host.peak_rss_mb);
  return text;
}

Json HostLayerJson(const session::HostResult& measured, size_t i) {
  const runtime::Layer& layer = measured.result.network.layers[i];
  return {{"name", layer.name},
          {"op", layer.op},
          {"where", "cpu"},
          {"reason", layer.reason},
          {"schedule", layer.schedule},
          {"macs", layer.macs},
          {"cycles", 0},
          {"ideal_cycles", 0},
          {"utilization", 0},
          {"dram_bytes", 0},
          {"measured_ms", 1e3 * measured.result.run.layers[i].cpu_seconds},
          {"gops", measured.Gops(i)},
          {"peak_share", measured.PeakShare(i)}};
}

}  // namespace

std::string HostTable(const session::HostResult& measured, const session::Options& options) {
  return HostLayerRows(measured) + "\n" + HostTotals(measured, options) + Verdict(measured.result, options);
}

std::string HostJson(const session::HostResult& measured, const session::Options& options) {
  const session::Result& result = measured.result;
  Json json;
  json["schema"] = explore::kRunSchema;
  json["network"] = result.network.name;
  json["device"] = options.device;
  json["seed"] = options.seed;
  json["latency_ms"] = {{"min", measured.LeastMs()}, {"median", measured.MedianMs()}};
  json["cpu_ms"] = measured.LeastCpuMs();
  json["repeat"] = measured.runs.size();
  json["threads"] = measured.threads;
  json["peak"] = {{"float_gops", measured.peak.float_gops},
                  {"float_loop", measured.peak.float_loop},
                  {"integer_gops", measured.peak.integer_gops},
                  {"integer_loop", measured.peak.integer_loop}};
  json["macs"] = result.macs;
  json["macs_host"] = result.macs_host;
  json["value_bytes"] = result.network.value_bytes;
  AddOutputs(result, json);
  json["layers"] = Json::array();
  for (size_t i = 0; i < result.network.layers.size(); ++i)
    json["layers"].push_back(HostLayerJson(measured, i));
  AddCheckedLayers(result, json);
  json["version"] = "cosim " COSIM_VERSION;
  json["commit"] = Commit();
  json["host"] = {{"quantize_s", result.host.quantize_s},
                  {"compile_s", result.host.compile_s},
                  {"check_s", result.host.check_s},
                  {"cpu_fallback_s", result.host.cpu_fallback_s},
                  {"peak_rss_mb", result.host.peak_rss_mb}};
  return JsonText(json);
}

}  // namespace cosim::cli
