// SPDX-License-Identifier: Apache-2.0
// Compiles and times the network again for each question; the graph is quantized once.
#include "compiler/session/explain.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/session/layer_stalls.h"
#include "compiler/session/losses.h"
#include "compiler/session/session.h"
#include "isa/yaml/reader.h"
#include "sim/cycle/timing_engine.h"

namespace cosim::session {
namespace {

using runtime::Cycle;

struct Timed {
  Cycle cycles = 0;
  int host_layers = 0;
  std::vector<LayerExplanation> layers;
};

class Explainer {
 public:
  Explainer(const isa::Spec& spec, const ExplainOptions& options)
      : spec_(spec),
        options_(options),
        graph_(options.model
                   ? options.model->graph
                   : QuantizeFor(spec, options.network, options.seed, options.activation_bits).graph) {}

  std::optional<Explanation> Run(std::string& error) const {
    Say("timing");
    const auto timed = Time(spec_, error);
    if (!timed) return std::nullopt;
    Explanation out{.network = options_.network, .host_layers = timed->host_layers, .cycles = timed->cycles};
    out.losses = LossesOf(timed->layers);
    std::vector<std::string> names;
    for (const LayerExplanation& layer : timed->layers) {
      names.push_back(layer.layer.name);
      out.ideal += layer.ideal;
      if (options_.layer.empty() || layer.layer.name == options_.layer) out.layers.push_back(layer);
    }
    if (options_.layer.empty() && out.layers.empty()) return out;
    if (out.layers.empty()) {
      error = fmt::format("'{}' is not a layer of {} on the accelerator", options_.layer, options_.network);
      if (const std::string hint = isa::NameHint(options_.layer, names); !hint.empty()) error += "; " + hint;
      return std::nullopt;
    }
    AddLifts(out);
    return out;
  }

 private:
  void Say(const std::string& what) const {
    if (options_.progress) options_.progress(what);
  }

  std::optional<Timed> Time(const isa::Spec& spec, std::string& error) const {
    const runtime::Network network = CompileFor(spec, graph_,
                                                {.virtual_threads = options_.virtual_threads,
                                                 .explain = &spec == &spec_,
                                                 .channels_last = !options_.model,
                                                 .timing_only = true,
                                                 .after_pass = {}});
    Timed timed;
    timed.host_layers =
        static_cast<int>(std::ranges::count(network.layers, false, &runtime::Layer::on_accelerator));
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

  void AddLifts(Explanation& out) const {
    for (Lift lift : Lifts()) {
      Say("trying " + lift.what);
      const auto spec = options_.respecify ? options_.respecify(lift.changes) : std::nullopt;
      if (!spec) continue;
      std::string error;
      const auto timed = Time(*spec, error);
      if (!timed) continue;
      lift.cycles = timed->cycles;
      if (!options_.layer.empty()) {
        const LayerExplanation* layer = Find(*timed, options_.layer);
        if (layer == nullptr) continue;
        const LayerExplanation& now = out.layers.front();
        lift.fuses_otherwise = layer->layer.op != now.layer.op;
        lift.cycles = lift.fuses_otherwise ? now.cycles + timed->cycles - out.cycles : layer->cycles;
      }
      lift.fit = IsTheBoards(lift) ? synth::Fit{std::nullopt, "the board's memory, not the accelerator"}
                                   : synth::FitOf(*spec);
      out.lifts.push_back(std::move(lift));
    }
    std::ranges::stable_sort(out.lifts, {}, &Lift::cycles);
  }

  /// Whether the lift changes nothing that is built.
  static bool IsTheBoards(const Lift& lift) {
    return std::ranges::all_of(
        lift.changes, [](const isa::Override& change) { return change.path.starts_with("memory.latency"); });
  }

  const isa::Parameter* FindParameter(const std::string& name) const {
    const auto at = std::ranges::find(spec_.parameters, name, &isa::Parameter::name);
    return at == spec_.parameters.end() ? nullptr : &*at;
  }

  /// Twice the array, every buffer and what else may be short; half the memory's latency.
  std::vector<Lift> Lifts() const {
    std::vector<Lift> lifts;
    const auto add = [&](const std::string& what, const std::string& path, int64_t from, int64_t to) {
      if (to != from)
        lifts.push_back({fmt::format(fmt::runtime(what), fmt::arg("to", to), fmt::arg("from", from)),
                         {{path, std::to_string(to)}},
                         0});
    };
    const auto in = FindParameter("block_in"), out = FindParameter("block_out");
    if (in != nullptr && out != nullptr) {
      const int64_t i = in->value, o = out->value;
      lifts.push_back(
          {fmt::format("array {}x{} instead of {}x{}", 2 * i, 2 * o, i, o),
           {{"parameters.block_in", std::to_string(2 * i)}, {"parameters.block_out", std::to_string(2 * o)}},
           0});
    }
    for (const isa::Parameter& parameter : spec_.parameters) {
      const std::string &name = parameter.name, path = "parameters." + name;
      const int64_t v = parameter.value;
      if (name.ends_with("_bytes"))
        lifts.push_back(
            {fmt::format("{} buffer {} instead of {}", name.substr(0, name.size() - 6), Size(2 * v), Size(v)),
             {{path, std::to_string(2 * v)}},
             0});
      if (name == "par_depth") add("{to} parameter vectors on chip instead of {from}", path, v, 2 * v);
      if (name == "alu_lanes") add("{to} alu lanes instead of {from}", path, v, 2 * v);
      if (name == "tokens") add("token queues of {to} instead of {from}", path, v, 2 * v);
      if (name == "load_beats") add("load data buffer of {to} beats instead of {from}", path, v, 2 * v);
      if (name.ends_with("_port") && SharesItsPort(name.substr(0, name.size() - 5)))
        add(name.substr(0, name.size() - 5) + " at a memory port of its own", path, v, spec_.ports);
    }
    const isa::MemorySystem& dram = spec_.dram;
    add("memory port of {to} bits instead of {from}", "memory.port_bits", dram.port_bits, dram.port_bits * 2);
    add("{to} bursts outstanding instead of {from}", "memory.outstanding", dram.outstanding,
        dram.outstanding * 2);
    add("memory latency {to} instead of {from}", "memory.latency", dram.latency, dram.latency / 2);
    return lifts;
  }

  /// Whether another unit, or fetch, reads or writes through the same half of a port, and there may be one
  /// more.
  bool SharesItsPort(const std::string& name) const {
    const int index = spec_.UnitIndex(name);
    if (index < 0 || spec_.ports == isa::kMaxPorts) return false;
    const isa::Unit& unit = spec_.units[static_cast<size_t>(index)];
    return (unit.reads_dram && unit.port == 0) ||
           std::ranges::any_of(spec_.units, [&](const isa::Unit& other) {
             return &other != &unit && other.port == unit.port &&
                    ((unit.reads_dram && other.reads_dram) || (unit.writes_dram && other.writes_dram));
           });
  }

  static std::string Size(int64_t bytes) {
    return bytes % 1024 == 0 ? fmt::format("{} KiB", bytes / 1024) : fmt::format("{} bytes", bytes);
  }

  static const LayerExplanation* Find(const Timed& timed, const std::string& name) {
    const auto at = std::ranges::find(timed.layers, name, [](const auto& layer) { return layer.layer.name; });
    return at == timed.layers.end() ? nullptr : &*at;
  }

  const isa::Spec& spec_;
  const ExplainOptions& options_;
  graph::Graph graph_;
};

}  // namespace

std::optional<Explanation> Explain(const isa::Spec& spec, const ExplainOptions& options, std::string& error) {
  if (options.progress) options.progress("quantizing " + options.network);
  return Explainer(spec, options).Run(error);
}

}  // namespace cosim::session
