// SPDX-License-Identifier: Apache-2.0
// Compiles and times the network again for each question; the graph is quantized once.
#include "compiler/session/explain.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/session/layer_stalls.h"
#include "compiler/session/session.h"
#include "sim/cycle/timing_engine.h"

namespace cosim::session {
namespace {

using runtime::Cycle;

struct Timed {
  Cycle cycles = 0;
  std::vector<LayerExplanation> layers;
};

class Explainer {
 public:
  Explainer(const isa::Spec& spec, const ExplainOptions& options)
      : spec_(spec), options_(options), quantized_(QuantizeFor(spec, options.network, options.seed)) {}

  std::optional<Explanation> Run(std::string& error) const {
    Say("timing");
    const auto timed = Time(spec_, 0, error);
    if (!timed) return std::nullopt;
    Explanation out{.network = options_.network, .cycles = timed->cycles};
    for (const LayerExplanation& layer : timed->layers) {
      out.ideal += layer.ideal;
      if (options_.layer.empty() || layer.layer.name == options_.layer) out.layers.push_back(layer);
    }
    if (out.layers.empty()) {
      error = fmt::format("'{}' is not a layer of {} on the accelerator", options_.layer, options_.network);
      return std::nullopt;
    }
    AddCandidates(out);
    AddLifts(out);
    return out;
  }

 private:
  void Say(const std::string& what) const {
    if (options_.progress) options_.progress(what);
  }

  /// With every layer on its schedule of rank `choice`.
  std::optional<Timed> Time(const isa::Spec& spec, int choice, std::string& error) const {
    const runtime::Network network = CompileFor(spec, quantized_.graph,
                                                {.virtual_threads = options_.virtual_threads,
                                                 .choice = choice,
                                                 .list_knobs = choice == 0,
                                                 .after_pass = {}});
    Timed timed;
    for (const auto& step : network.steps) {
      const auto* accelerator = std::get_if<runtime::AcceleratorStep>(&step);
      if (!accelerator) continue;
      const auto program = sim::DecodeAll(spec, accelerator->program);
      const auto counters = sim::TimingEngine(spec).Run(program, accelerator->program.code_address,
                                                        {.record_instructions = true});
      if (!counters.completed) {
        error = counters.error;
        return std::nullopt;
      }
      timed.cycles += counters.cycles;
      for (auto& layer :
           ExplainProgram(spec, network, *accelerator, program, counters.instructions, counters.cycles))
        timed.layers.push_back(std::move(layer));
    }
    return timed;
  }

  void AddCandidates(Explanation& out) const {
    for (int choice = 1; choice <= options_.candidates; ++choice) {
      Say(fmt::format("trying schedules of rank {}", choice + 1));
      std::string error;
      const auto timed = Time(spec_, choice, error);
      if (!timed) continue;  // a schedule that gets stuck is no candidate
      for (LayerExplanation& layer : out.layers) {
        const LayerExplanation* other = Find(*timed, layer.layer.name);
        const auto is_same = [&](const Candidate& c) { return c.schedule == other->layer.schedule; };
        if (other == nullptr || other->layer.schedule == layer.layer.schedule ||
            std::ranges::any_of(layer.candidates, is_same))
          continue;
        layer.candidates.push_back({other->layer.schedule, other->cycles});
      }
    }
  }

  void AddLifts(Explanation& out) const {
    for (Lift lift : Changes()) {
      Say(fmt::format("trying {}={}", lift.change.path, lift.change.value));
      const auto spec = options_.respecify ? options_.respecify(lift.change) : std::nullopt;
      if (!spec) continue;
      std::string error;
      const auto timed = Time(*spec, 0, error);
      if (!timed) continue;
      lift.cycles = timed->cycles;
      if (!options_.layer.empty()) {
        const LayerExplanation* layer = Find(*timed, options_.layer);
        if (layer == nullptr) continue;
        lift.cycles = layer->cycles;
      }
      out.lifts.push_back(std::move(lift));
    }
    std::ranges::stable_sort(out.lifts, {}, &Lift::cycles);
  }

  /// Twice of every buffer and of what else may be short; half the memory's latency.
  std::vector<Lift> Changes() const {
    std::vector<Lift> changes;
    const auto add = [&](const std::string& path, int64_t from, int64_t to) {
      if (to != from) changes.push_back({{path, std::to_string(to)}, std::to_string(from), 0});
    };
    for (const isa::Parameter& parameter : spec_.parameters) {
      const auto is = [&](const char* name) { return parameter.name == name; };
      if (parameter.name.ends_with("_bytes") || is("par_depth") || is("alu_lanes") || is("tokens") ||
          is("load_beats"))
        add("parameters." + parameter.name, parameter.value, parameter.value * 2);
    }
    add("memory.port_bits", spec_.dram.port_bits, spec_.dram.port_bits * 2);
    add("memory.outstanding", spec_.dram.outstanding, spec_.dram.outstanding * 2);
    add("memory.latency", spec_.dram.latency, spec_.dram.latency / 2);
    return changes;
  }

  static const LayerExplanation* Find(const Timed& timed, const std::string& name) {
    const auto at = std::ranges::find(timed.layers, name, [](const auto& layer) { return layer.layer.name; });
    return at == timed.layers.end() ? nullptr : &*at;
  }

  const isa::Spec& spec_;
  const ExplainOptions& options_;
  graph::QuantizedGraph quantized_;
};

}  // namespace

std::optional<Explanation> Explain(const isa::Spec& spec, const ExplainOptions& options, std::string& error) {
  if (options.progress) options.progress("quantizing " + options.network);
  return Explainer(spec, options).Run(error);
}

}  // namespace cosim::session
