// SPDX-License-Identifier: Apache-2.0
#include "compiler/quantize/calibrate.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <filesystem>
#include <set>

#include "compiler/import/diagnostic_codes.h"
#include "compiler/quantize/compiled.h"
#include "compiler/quantize/correct.h"
#include "compiler/quantize/equalize.h"
#include "compiler/quantize/from_tflite.h"
#include "compiler/quantize/learn.h"
#include "compiler/quantize/measured_range.h"
#include "compiler/quantize/simplify.h"
#include "compiler/tir/rounding.h"

namespace cosim::quantize {
namespace {

using import::onnx::File;

constexpr uint64_t kMostKeptBytes = uint64_t{512} << 20;
constexpr size_t kEqualizedBy = 16;  // samples, at equal distances: ratios of channels show in few

/// Without a way out on the way, so that compilers take vectors.
bool AreFinite(std::span<const float> values) {
  constexpr uint32_t kExponent = 0x7f800000;
  uint32_t other = 0;
  for (const float v : values) other |= (std::bit_cast<uint32_t>(v) & kExponent) == kExponent;
  return other == 0;
}

class Calibration {
 public:
  Calibration(File file, const import::Samples& samples, const Settings& settings, Diagnostics& diagnostics)
      : file_(std::move(file)), samples_(samples), settings_(settings), diagnostics_(diagnostics) {}

  std::optional<Outcome> Run() {
    CheckNetwork(file_, diagnostics_);
    if (diagnostics_.HasErrors() || !Simplify() || !Observe()) return std::nullopt;
    auto ranges = Ranges();
    std::set<std::string> wide;
    if (!ranges || (settings_.bits16.Any() && !Widen(*ranges, wide))) return std::nullopt;
    Outcome outcome{Quantize(file_, placement_, *ranges, wide, settings_.per_channel), {}};
    if (!Correct(outcome.quantized)) return std::nullopt;
    if (settings_.rounding == Rounding::kLearned && !Learn(outcome.quantized)) return std::nullopt;
    if (!Report(outcome)) return std::nullopt;
    return outcome;
  }

 private:
  /// In runs of the network on one sample. What learned rounding of a network takes was measured.
  double RoundingWork() const {
    return settings_.rounding == Rounding::kLearned ? 3.0 * static_cast<double>(samples_.size()) : 0;
  }
  double WideningWork() const {
    if (!settings_.bits16.Any() || settings_.bits16.All()) return 0;
    return static_cast<double>(std::min(samples_.size(), settings_.reported) * (1 + histograms_.size()));
  }
  double Work() const {
    const auto n = static_cast<double>(samples_.size());
    const double equalizing = settings_.equalize ? std::min<double>(n, kEqualizedBy) : 0;
    return n * 2 + equalizing + RoundingWork() + std::min(n, static_cast<double>(settings_.reported)) +
           WideningWork();
  }
  /// `work` more is done when this is.
  void Tell(const char* doing, size_t done, size_t total, double work) {
    if (settings_.progress)
      settings_.progress({doing, done, total, std::min(1.0, work_ / Work()),
                          std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count()});
    work_ += work;
  }

  bool Refuse(const std::string& what) {
    diagnostics_.Error(import::codes::kUnsupported, {file_.name}, what);
    return false;
  }

  bool Simplify() {
    FoldConstants(file_);
    const auto example = Interpret();
    if (!example) return false;
    Upgrade(file_, *example, diagnostics_);
    if (diagnostics_.HasErrors()) return false;
    FoldConstants(file_);
    FuseActivations(file_);
    FoldIntoProducts(file_);
    return true;
  }

  /// All values on the first sample.
  std::optional<Values> Interpret() {
    const auto inputs = samples_.Get(0, diagnostics_);
    if (!inputs) return std::nullopt;
    std::string error;
    auto values = Evaluate(file_, *inputs, error);
    if (!values) Refuse(error);
    return values;
  }

  /// A network that is compiled when it first runs, and again for inputs of other types.
  struct Network {
    File file;
    std::set<std::string> wanted;
    std::optional<CompiledFile> code;
  };
  std::optional<Values> Run(Network& network, const Operands& inputs) {
    std::string error;
    if (!network.code || !network.code->Takes(inputs))
      network.code = CompiledFile::Make(network.file, network.wanted, inputs, error);
    if (!network.code) return Refuse(error), std::nullopt;
    return network.code->Run(inputs);
  }

  /// Calls use(inputs, values of the float network) for the first `n` samples. False after a mistake.
  template <typename Use>
  bool ForSamples(const char* doing, size_t n, Use use) {
    for (size_t i = 0; i < n; ++i) {
      Tell(doing, i + 1, n, 1);
      const auto inputs = samples_.Get(i, diagnostics_);
      if (!inputs) return false;
      if (const auto kept = kept_.find(i); kept != kept_.end()) {
        if (!use(i, *inputs, kept->second)) return false;
        continue;
      }
      const auto values = Run(float_, PointersTo(*inputs));
      if (!values || !use(i, *inputs, *values)) return false;
      Keep(i, *values);
    }
    return true;
  }

  /// As many samples as fit, at equal distances, for files come sorted; the first in any case.
  void Keep(size_t i, const Values& values) {
    uint64_t bytes = 0;
    for (const auto& [name, tensor] : values) bytes += tensor->bytes().size();
    if (i == 0) kept_distance_ = std::max<uint64_t>(1, tir::CeilDiv(samples_.size() * bytes, kMostKeptBytes));
    if (i % kept_distance_ != 0 || (i > 0 && kept_bytes_ + bytes > kMostKeptBytes)) return;
    kept_.emplace(i, values);
    kept_bytes_ += bytes;
  }

  /// Before anything is kept of the float network's values: they change.
  bool Equalize(const Values& example) {
    Equalization equalization(file_, example);
    Network exact{file_, {}, {}};
    for (const ChannelGroup& group : equalization.groups())
      for (const std::string& value : group.values)
        if (placement_.scale_of.count(value)) exact.wanted.insert(value);
    if (exact.wanted.empty()) return true;
    const size_t looked_at = std::min(samples_.size(), kEqualizedBy);
    for (size_t i = 0; i < looked_at; ++i) {
      Tell("equalizing", i + 1, looked_at, 1);
      const auto inputs = samples_.Get(i * samples_.size() / looked_at, diagnostics_);
      const auto values = inputs ? Run(exact, PointersTo(*inputs)) : std::nullopt;
      if (!values) return false;
      equalization.AddRun(*values);
    }
    equalization.Apply(file_);
    return true;
  }

  bool Observe() {
    const auto example = Interpret();
    if (!example) return false;
    placement_ = Place(file_, *example);
    if (placement_.ends_in.empty()) return Refuse("no operator of the network can be quantized");
    if (settings_.equalize && !Equalize(*example)) return false;
    float_.file = file_;
    for (const auto& [value, decides] : placement_.scale_of) float_.wanted.insert(decides);
    for (const auto& [node, value] : placement_.ends_in)
      float_.wanted.insert({value, file_.nodes[node].outputs[0]});
    return ForSamples("calibrating", samples_.size(), [&](size_t i, const auto&, const Values& values) {
      for (const auto& [value, decides] : placement_.scale_of) {
        if (value != decides) continue;
        const auto data = values.at(value)->template data<float>();
        if (!AreFinite(data)) return Refuse(fmt::format("value '{}' is not finite on sample {}", value, i));
        histograms_[value].Add(data);
      }
      return true;
    });
  }

  std::optional<std::map<std::string, graph::Range>> Ranges() {
    std::map<std::string, graph::Range> ranges;
    if (settings_.method != Method::kAuto) {
      for (const auto& [value, histogram] : histograms_)
        ranges[value] = ChooseRange(histogram, settings_.method);
      return ranges;
    }
    std::map<std::string, MeasuredRange> measured;
    size_t done = 0;
    for (const auto& [i, values] : kept_) {
      Tell("measuring ranges", ++done, kept_.size(), 0);
      for (const auto& [value, histogram] : histograms_)
        measured.try_emplace(value, histogram).first->second.Add(values.at(value)->template data<float>());
    }
    for (const auto& [value, cost] : measured) ranges[value] = cost.Best();
    return ranges;
  }

  /// Fills `wide`, whose activations are clipped nowhere: they have steps enough.
  bool Widen(std::map<std::string, graph::Range>& ranges, std::set<std::string>& wide) {
    if (settings_.bits16.All()) {
      for (const auto& [value, histogram] : histograms_) wide.insert(value);
    } else if (!Weigh(ranges, wide)) {
      return false;
    }
    for (const std::string& value : wide) ranges[value] = ChooseRange(histograms_.at(value), Method::kMax);
    return true;
  }

  bool Weigh(const std::map<std::string, graph::Range>& ranges, std::set<std::string>& wide) {
    Sensitivity sensitivity(file_, placement_, ranges);
    Network network{sensitivity.file(), {sensitivity.outputs().begin(), sensitivity.outputs().end()}, {}};
    const size_t samples = std::min(samples_.size(), settings_.reported), each = sensitivity.activations();
    for (size_t i = 0; i < samples; ++i) {
      const auto inputs = samples_.Get(i, diagnostics_);
      std::optional<Values> exact;
      if (inputs) exact = Run(network, PointersTo(sensitivity.InputsOf(*inputs, Sensitivity::kNone)));
      if (!exact) return false;
      for (size_t a = 0; a < each; ++a) {
        Tell("weighing activations", i * each + a + 1, samples * each, 1);
        const auto rounded = Run(network, PointersTo(sensitivity.InputsOf(*inputs, a)));
        if (!rounded) return false;
        sensitivity.AddRun(a, *exact, *rounded);
      }
    }
    wide = sensitivity.Choose(settings_.bits16);
    return true;
  }

  bool Correct(Quantized& quantized) {
    BiasCorrection correction(quantized);
    std::optional<LayersAlone> layers;
    Network alone;
    const auto add = [&](size_t, const auto& inputs, const Values& values) {
      if (!layers) {
        layers = MakeLayersAlone(quantized, values);
        alone = {layers->file, correction.Computed(), {}};
      }
      const auto own = Run(alone, layers->InputsOf(inputs, values));
      if (own) correction.AddRun(values, *own);
      return own.has_value();
    };
    if (!ForSamples("correcting", samples_.size(), add)) return false;
    correction.Apply(quantized);
    return true;
  }

  bool Learn(Quantized& quantized) {
    Runs runs;
    for (const auto& [i, values] : kept_) {
      auto inputs = samples_.Get(i, diagnostics_);
      if (!inputs) return false;
      runs.inputs.push_back(std::move(*inputs));
      runs.reference.push_back(&values);
    }
    const auto progress = [&](size_t layer, size_t layers) {
      Tell("rounding layer", layer + 1, layers, RoundingWork() / static_cast<double>(layers));
    };
    std::string error;
    return LearnRounding(quantized, file_, runs, settings_.seed, progress, error) || Refuse(error);
  }

  bool Report(Outcome& outcome) {
    const Quantized& quantized = outcome.quantized;
    outcome.report = EmptyReport(quantized);
    std::optional<LayersAlone> layers;
    Network all{quantized.file, {}, {}}, alone;
    for (const Layer& layer : quantized.layers) all.wanted.insert(layer.dequantized);
    const auto add = [&](size_t, const auto& inputs, const Values& values) {
      if (!layers) {
        layers = MakeLayersAlone(quantized, values);
        alone.file = layers->file;
        for (const auto& [dequantized, own] : layers->dequantized) alone.wanted.insert(own);
      }
      const auto whole = Run(all, PointersTo(inputs));
      const auto own = whole ? Run(alone, layers->InputsOf(inputs, values)) : std::nullopt;
      if (own) AddRun(values, *whole, *layers, *own, outcome.report);
      return own.has_value();
    };
    return ForSamples("comparing", std::min(settings_.reported, samples_.size()), add);
  }

  File file_;
  const import::Samples& samples_;
  const Settings& settings_;
  Diagnostics& diagnostics_;
  Placement placement_;
  Network float_;                  ///< `file_`, once it is simple
  std::map<size_t, Values> kept_;  ///< its values on some samples: looked at again and again, learned from
  uint64_t kept_bytes_ = 0;
  size_t kept_distance_ = 1;  ///< of one sample to the next, in samples
  std::map<std::string, graph::Histogram> histograms_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  double work_ = 0;  // done
};

}  // namespace

std::optional<File> ReadNetwork(const std::string& path, Diagnostics& diagnostics) {
  const auto bytes = import::ReadFile(path, diagnostics);
  if (!bytes) return std::nullopt;
  const std::filesystem::path file(path);
  if (file.extension() == ".onnx")
    return import::onnx::Read(*bytes, path, file.parent_path().string(), diagnostics);
  const auto tflite = import::tflite::Read(*bytes, path, diagnostics);
  return tflite ? FromTflite(*tflite, diagnostics) : std::nullopt;
}

void FixShapes(File& file, const import::Model& model) {
  const auto fix = [&](import::onnx::ValueInfo& value, graph::ValueId id) {
    const graph::Shape& shape = model.graph.node(id).type.shape;
    value.has_shape = true;
    value.dimensions.assign(shape.begin(), shape.end());
  };
  for (size_t i = 0; i < file.inputs.size() && i < model.graph.inputs().size(); ++i)
    fix(file.inputs[i], model.graph.inputs()[i]);
  for (size_t i = 0; i < file.outputs.size() && i < model.graph.outputs().size(); ++i)
    fix(file.outputs[i], model.graph.outputs()[i]);
}

void CheckNetwork(const File& file, Diagnostics& diagnostics) {
  for (const auto& node : file.nodes) {
    if (node.op.find("Quantize") == std::string::npos && node.op.find("QLinear") == std::string::npos &&
        node.op.find("Integer") == std::string::npos)
      continue;
    diagnostics.Error(import::codes::kUnsupported, {file.name},
                      fmt::format("the network is quantized already: node '{}' is {}", node.name, node.op));
    return;
  }
}

void CheckSamples(const import::Samples& samples, Diagnostics& diagnostics) {
  const auto start = std::chrono::steady_clock::now();
  for (size_t i = 0; i < samples.size(); ++i) {
    samples.Get(i, diagnostics);
    if (std::chrono::steady_clock::now() - start > std::chrono::seconds(1)) return;
  }
}

std::optional<Outcome> QuantizeNetwork(File file, const import::Samples& samples, const Settings& settings,
                                       Diagnostics& diagnostics) {
  return Calibration(std::move(file), samples, settings, diagnostics).Run();
}

}  // namespace cosim::quantize
