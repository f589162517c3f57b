// SPDX-License-Identifier: Apache-2.0
#include "compiler/explore/point_runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <utility>

#include "compiler/graph/zoo/zoo.h"
#include "compiler/import/data/inputs.h"
#include "isa/spec/config_energy.h"
#include "isa/spec/config_host.h"

namespace cosim::explore {
namespace {

// A result without its programs is some ten kilobytes.
constexpr size_t kMostResults = 4096;
// A quantized network with the floats that it came from may be a hundred megabytes.
constexpr size_t kMostQuantized = 4;
// The kernels and measured programs of a network may be fifty megabytes.
constexpr size_t kMostCaches = 3;

/// The last value of a setting, or `otherwise`.
std::string SettingOf(const Point& point, const std::string& key, const std::string& otherwise) {
  std::string value = otherwise;
  for (const isa::Override& setting : point.settings)
    if (setting.path == key) value = setting.value;
  return value;
}

isa::SourceText WithoutFolder(const isa::SourceText& source) {
  return {std::filesystem::path(source.path).filename().string(), source.text};
}

/// Leaves what the host's and the frame's time are made of.
void DropPrograms(runtime::Network& network) {
  for (auto& step : network.steps)
    if (auto* accelerator = std::get_if<runtime::AcceleratorStep>(&step)) *accelerator = {};
}

/// What a quantized network depends on.
std::string QuantizationKey(const graph::QuantizeOptions& options, const Point& point) {
  return fmt::format("{} {} {} {} {} {}", graph::Name(options.scheme), options.weight_bits,
                     options.activation_bits, options.calibration_inputs, options.seed, point.network);
}

/// Makes room for one more.
template <typename Map>
void Bound(Map& map, size_t most) {
  if (map.size() >= most) map.clear();
}

}  // namespace

std::string CyclesKey(const isa::Spec& spec, const Point& point) {
  const isa::MemorySystem& dram = spec.dram;
  return fmt::format("{} {} memory {} {} {} {} {} {} {} {} seed {} threads {} network {}",
                     spec.FingerprintText(), spec.isa, dram.port_bits, dram.burst_beats, dram.latency,
                     dram.write_latency, dram.outstanding, dram.jitter, dram.seed, dram.dram_bytes,
                     point.seed, point.virtual_threads, point.network);
}

const isa::SpecTexts* PointRunner::TextsOf(const Point& point, Diagnostics& diags) {
  const std::string key = point.config + '\n' + point.isa + '\n' + SettingOf(point, "isa", "");
  if (const auto known = texts_.find(key); known != texts_.end()) return &known->second;
  auto texts = isa::FindSpecTexts(point.config, point.isa, point.settings, diags);
  return texts ? &texts_.emplace(key, std::move(*texts)).first->second : nullptr;
}

std::shared_ptr<const graph::QuantizedGraph> PointRunner::QuantizedFor(const isa::Spec& spec,
                                                                       const Point& point) {
  const graph::QuantizeOptions options = session::QuantizeOptionsFor(spec, point.seed);
  const std::string key = QuantizationKey(options, point);
  if (const auto known = quantized_.find(key); known != quantized_.end()) return known->second;
  Bound(quantized_, kMostQuantized);
  auto made = std::make_shared<const graph::QuantizedGraph>(
      graph::QuantizeGraph(graph::zoo::Build(point.network, point.seed), options));
  return quantized_[key] = std::move(made);
}

session::Accuracy PointRunner::AccuracyOf(const isa::Spec& spec, const Point& point) {
  const std::string key = fmt::format("{} of {}", point.accuracy,
                                      QuantizationKey(session::QuantizeOptionsFor(spec, point.seed), point));
  const auto known = accuracies_.find(key);
  if (known != accuracies_.end()) return known->second;
  return accuracies_[key] = session::AccuracyOf(*QuantizedFor(spec, point), point.accuracy, point.seed);
}

bool PointRunner::Meets(const isa::Spec& spec, Outcome& outcome) const {
  bool meets = true;
  for (const Constraint& constraint : constraints_) {
    Diagnostics diags;
    const auto broken = Violation(constraint, spec, diags);
    outcome.violation += broken.value_or(0);
    if (broken == 0.0 || !meets) continue;
    meets = false;
    outcome.status = broken ? Status::kExcluded : Status::kFailed;
    outcome.diagnostic = broken ? "not " + constraint.text() : diags.Render();
  }
  return meets;
}

session::Options PointRunner::OptionsFor(const Point& point) const {
  const Network& network = networks_.at(point.network);
  session::Options options;
  options.network = network.model ? network.model->graph.name() : point.network;
  options.model = network.model;
  if (network.model && options_.check) options.inputs = import::RandomInputs(*network.model, point.seed);
  options.seed = point.seed;
  options.virtual_threads = point.virtual_threads;
  options.timing_only = !options_.check;
  return options;
}

std::optional<session::Result> PointRunner::Experiment(const isa::Spec& spec, session::Options options,
                                                       const Point& point, std::string& error) {
  const std::string key = CyclesKey(spec, point);
  if (const auto known = results_.find(key); known != results_.end()) {
    session::Result result = known->second;
    result.end_to_end = session::EndToEndOf(result.network, result.run, spec.clock_mhz, options.host);
    return result;
  }
  if (!options.model) options.quantized = QuantizedFor(spec, point);
  const std::string cache = fmt::format("{} {} {} {}", network::LoweringCache::KeyOf(spec), point.network,
                                        point.seed, point.virtual_threads);
  if (caches_.count(cache) == 0) Bound(caches_, kMostCaches);
  network::LoweringCache& shared = caches_[cache];
  if (!shared.kernels) {
    shared.kernels = kernels_;
    shared.scope = fmt::format("{} {} {}", network::KernelCache::ScopeOf(spec), point.network, point.seed);
  }
  options.cache = &shared;
  auto result = session::RunExperiment(spec, options, error);
  if (!result) return std::nullopt;
  DropPrograms(result->network);
  Bound(results_, kMostResults);
  results_.emplace(key, *result);
  return result;
}

std::optional<const sim::EnergySource*> PointRunner::EnergySourceFor(const isa::SpecTexts& texts,
                                                                     const Point& point, std::string& error) {
  const auto [name, folder] = isa::EnergyTableOf(texts.config, point.settings);
  if (name.empty()) return nullptr;
  const std::string key = folder + '\n' + name;
  if (const auto known = energies_.find(key); known != energies_.end()) return &known->second;
  Diagnostics diags;
  auto source = sim::LoadEnergySource(name, folder, diags);
  if (!source) return error = diags.Render(), std::nullopt;
  return &energies_.emplace(key, std::move(*source)).first->second;
}

double PointRunner::ViolationBefore(const Point& point) {
  Outcome outcome;
  Diagnostics diags;
  const isa::SpecTexts* texts = TextsOf(point, diags);
  const auto spec = texts ? isa::Elaborate(texts->isa, texts->config, point.settings, diags) : std::nullopt;
  if (!spec || (!Meets(*spec, outcome) && outcome.status == Status::kFailed))
    return std::numeric_limits<double>::infinity();
  return outcome.violation;
}

Outcome PointRunner::Run(const Point& point) {
  Outcome outcome;
  Diagnostics diags;
  const isa::SpecTexts* texts = TextsOf(point, diags);
  auto spec = texts ? isa::Elaborate(texts->isa, texts->config, point.settings, diags) : std::nullopt;
  if (!spec) {
    outcome.diagnostic = diags.Render();
    return outcome;
  }
  outcome.spec = std::move(*spec);
  if (!Meets(*outcome.spec, outcome)) return outcome;
  const auto energy = EnergySourceFor(*texts, point, outcome.diagnostic);
  if (!energy) return outcome;
  std::optional<sim::Costs> costs;
  if (*energy != nullptr) costs = sim::CostsOf(*outcome.spec, **energy, diags);
  if (diags.HasErrors()) {
    outcome.diagnostic = diags.Render();
    return outcome;
  }
  session::Options options = OptionsFor(point);
  options.host = isa::HostOf(texts->config, point.settings);
  auto result = Experiment(*outcome.spec, options, point, outcome.diagnostic);
  if (!result) return outcome;
  if (costs)
    result->energy = session::EnergyOf(*outcome.spec, result->work, result->end_to_end, options.host, *costs);
  if (point.accuracy > 0) result->accuracy = AccuracyOf(*outcome.spec, point);
  const runtime::SpecSource source{WithoutFolder(texts->isa), WithoutFolder(texts->config), point.settings,
                                   outcome.spec->isa, outcome.spec->config};
  result->origin = session::OriginOf(
      *outcome.spec, source, texts->isa.path, texts->config.path,
      {networks_.at(point.network).identity, point.seed, /*activation_bits=*/0, point.virtual_threads});
  if (result->Mismatches() > 0) {
    outcome.diagnostic =
        fmt::format("{} of {} values differ from the golden model's", result->Mismatches(), result->Values());
  } else {
    outcome.status = Status::kDone;
  }
  outcome.result = std::move(*result);
  return outcome;
}

}  // namespace cosim::explore
