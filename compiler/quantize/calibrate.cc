// SPDX-License-Identifier: Apache-2.0
#include "compiler/quantize/calibrate.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
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

namespace cosim::quantize {
namespace {

using import::onnx::File;

constexpr uint64_t kMostKeptBytes = uint64_t{512} << 20;

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
    const double passes = 2 + (settings_.equalize ? 1 : 0) + (settings_.method == Method::kAuto ? 1 : 0);
    return n * passes + RoundingWork() + std::min(n, static_cast<double>(settings_.reported)) +
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
  std::optional<Values> Run(Network& network, const std::vector<graph::Tensor>& inputs) {
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
      if (i < kept_.size()) {
        if (!use(i, *inputs, kept_[i])) return false;
        continue;
      }
      const auto values = Run(float_, *inputs);
      if (!values || !use(i, *inputs, *values)) return false;
      Keep(i, *values);
    }
    return true;
  }

  /// Of the first samples, as many as fit, and the first: what rounding learns from, and looked at again and
  /// again.
  void Keep(size_t i, const Values& values) {
    for (const auto& [name, tensor] : values) kept_bytes_ += tensor->bytes().size();
    if (i == kept_.size() && (i == 0 || kept_bytes_ <= kMostKeptBytes)) kept_.push_back(values);
  }

  /// Before anything is kept of the float network's values: they change.
  bool Equalize(const Values& example) {
    Equalization equalization(file_, example);
    Network exact{file_, {}, {}};
    for (const ChannelGroup& group : equalization.groups())
      for (const std::string& value : group.values)
        if (placement_.scale_of.count(value)) exact.wanted.insert(value);
    if (exact.wanted.empty()) return true;
    for (size_t i = 0; i < samples_.size(); ++i) {
      Tell("equalizing", i + 1, samples_.size(), 1);
      const auto inputs = samples_.Get(i, diagnostics_);
      const auto values = inputs ? Run(exact, *inputs) : std::nullopt;
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
        if (!std::all_of(data.begin(), data.end(), [](float v) { return std::isfinite(v); }))
          return Refuse(fmt::format("value '{}' is not finite on sample {}", value, i));
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
    const auto add = [&](size_t, const auto&, const Values& values) {
      for (const auto& [value, histogram] : histograms_) {
        measured.try_emplace(value, histogram).first->second.Add(values.at(value)->template data<float>());
      }
      return true;
    };
    if (!ForSamples("measuring ranges", samples_.size(), add)) return std::nullopt;
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
      if (inputs) exact = Run(network, sensitivity.InputsOf(*inputs, Sensitivity::kNone));
      if (!exact) return false;
      for (size_t a = 0; a < each; ++a) {
        Tell("weighing activations", i * each + a + 1, samples * each, 1);
        const auto rounded = Run(network, sensitivity.InputsOf(*inputs, a));
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
    for (size_t i = 0; i < kept_.size(); ++i) {
      auto inputs = samples_.Get(i, diagnostics_);
      if (!inputs) return false;
      runs.inputs.push_back(std::move(*inputs));
      runs.reference.push_back(&kept_[i]);
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
      const auto whole = Run(all, inputs);
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
  Network float_;             ///< `file_`, once it is simple
  std::vector<Values> kept_;  ///< its values on the first samples
  uint64_t kept_bytes_ = 0;
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
