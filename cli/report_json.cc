// SPDX-License-Identifier: Apache-2.0
// The report as JSON.
#include <nlohmann/json.hpp>

#include "cli/place_report.h"
#include "cli/print.h"
#include "cli/provenance.h"
#include "cli/report.h"
#include "cli/report_checks.h"
#include "cli/report_figures.h"
#include "cli/spec_json.h"
#include "compiler/explore/compare.h"
#include "compiler/explore/constraint.h"
#include "sim/synth/fit.h"

namespace cosim::cli {

namespace {

using Json = nlohmann::ordered_json;

Json OrNull(const std::optional<double>& value) { return value ? Json(*value) : Json(); }

Json EndToEndJson(const session::EndToEnd& times) {
  return {{"accelerator_ms", OrNull(times.accelerator_ms)},
          {"host_ms", OrNull(times.host_ms)},
          {"host_model", times.host_model.empty() ? Json() : Json("estimate: " + times.host_model)},
          {"copies_ms", OrNull(times.copies_ms)},
          {"copies_model", times.copies_model.empty() ? Json() : Json("estimate: " + times.copies_model)},
          {"frame_ms", OrNull(times.FrameMs())},
          {"pipelined_frames_per_s", OrNull(times.PipelinedFramesPerSecond())}};
}

Json EnergyJson(const session::FrameEnergy& energy) {
  const sim::Energy& parts = energy.parts;
  return {{"table", energy.table},
          {"technology", energy.technology},
          {"model", "estimate"},
          {"macs_mj", parts.macs},
          {"alu_mj", parts.alu},
          {"sram_mj", parts.sram},
          {"dram_mj", parts.dram},
          {"instructions_mj", parts.instructions},
          {"host_mj", energy.total_mj ? Json(parts.host) : Json()},
          {"static_mj", energy.total_mj ? Json(parts.leakage) : Json()}};
}

Json FitJson(const synth::Fit& fit) {
  return {{"fits", fit.fits ? Json(*fit.fits) : Json()}, {"text", fit.text}};
}

Json LayerJson(const session::Result& result, size_t i, const isa::Spec& spec) {
  const auto& layer = result.network.layers[i];
  const auto& profile = result.run.layers[i];
  const int64_t ideal = layer.on_accelerator ? IdealCycles(layer.macs, spec) : 0;
  Json json = {{"name", layer.name},
               {"op", layer.op},
               {"where", layer.on_accelerator ? "accelerator" : "cpu"},
               {"reason", layer.reason},
               {"schedule", layer.schedule},
               {"macs", layer.macs},
               {"cycles", profile.cycles},
               {"ideal_cycles", ideal},
               {"utilization", Utilization(ideal, profile.cycles)},
               {"dram_bytes", profile.dram_bytes}};
  if (layer.on_accelerator) return json;
  const std::vector<double>& host_ms = result.end_to_end.layer_host_ms;
  json["host_ms"] = host_ms.empty() ? Json() : Json(host_ms[i]);
  json["measured_ms"] = 1e3 * profile.cpu_seconds;
  return json;
}

}  // namespace

Json RunObject(const session::Result& result, const isa::Spec& spec, const session::Options& options) {
  Json json;
  json["schema"] = explore::kRunSchema;
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
  if (result.clock) json["clock"] = ClockJson(*result.clock);
  json["memory"] = MemoryJson(result, spec);
  if (result.origin) json["provenance"] = OriginJson(*result.origin);
  json["configuration"] = ConfigurationJson(spec);
  const auto area = explore::AreaOf(spec);
  if (area)
    json["area"] = {{"dsp", area->dsp}, {"ramb36", area->ramb18 / 2.0}, {"lut", area->lut}, {"ff", area->ff}};
  json["fit"] = FitJson(synth::FitOf(spec, area));
  json["end_to_end"] = EndToEndJson(result.end_to_end);
  if (result.accuracy)
    json["accuracy"] = {{"sqnr_db", result.accuracy->sqnr_db}, {"inputs", result.accuracy->inputs}};
  if (result.energy) {
    json["energy_mj"] = OrNull(result.energy->total_mj);
    json["energy"] = EnergyJson(*result.energy);
  }
  json["warnings"] = Json::array();
  for (const auto& warning : result.warnings)
    json["warnings"].push_back({{"kind", warning.kind}, {"text", warning.text}});
  json["macs"] = result.macs;
  json["macs_host"] = result.macs_host;
  json["ideal_cycles"] = result.ideal_cycles;
  json["utilization"] = Utilization(result.ideal_cycles, result.run.cycles);
  json["instructions"] = result.instructions;
  json["dram_bytes"] = DramBytes(result);
  json["inputs"] = Json::array();
  for (const runtime::Place& input : result.network.inputs)
    json["inputs"].push_back(
        {{"name", input.name},
         {"type", input.type},
         {"bytes", input.plain_bytes},
         {"rows", input.image ? Json(input.image->images * input.image->rows) : Json()}});
  AddOutputs(result, json);
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
  for (size_t i = 0; i < result.network.layers.size(); ++i)
    json["layers"].push_back(LayerJson(result, i, spec));
  for (const OpSum& sum : SumByOp(result, spec))
    json["by_op"].push_back(
        {{"op", sum.op}, {"layers", sum.layers}, {"cycles", sum.cycles}, {"ideal_cycles", sum.ideal}});
  AddCheckedLayers(result, json);
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
  return json;
}

std::string RunJson(const session::Result& result, const isa::Spec& spec, const session::Options& options) {
  return JsonText(RunObject(result, spec, options));
}

}  // namespace cosim::cli
