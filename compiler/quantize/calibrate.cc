// SPDX-License-Identifier: Apache-2.0
#include "compiler/quantize/calibrate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>

#include "compiler/import/diagnostic_codes.h"
#include "compiler/quantize/compiled.h"
#include "compiler/quantize/correct.h"
#include "compiler/quantize/from_tflite.h"
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
    if (IsQuantized() || !Simplify() || !Observe()) return std::nullopt;
    std::map<std::string, graph::Range> ranges;
    for (const auto& [value, histogram] : histograms_)
      ranges[value] = ChooseRange(histogram, settings_.method);
    Outcome outcome{Quantize(file_, placement_, ranges, settings_.per_channel), {}};
    if (!Correct(outcome.quantized) || !Report(outcome)) return std::nullopt;
    return outcome;
  }

 private:
  bool Refuse(const std::string& what) {
    diagnostics_.Error(import::codes::kUnsupported, {file_.name}, what);
    return false;
  }

  bool IsQuantized() {
    for (const auto& node : file_.nodes)
      if (node.op.find("Quantize") != std::string::npos || node.op.find("QLinear") != std::string::npos ||
          node.op.find("Integer") != std::string::npos)
        return !Refuse(fmt::format("the network is quantized already: node '{}' is {}", node.name, node.op));
    return false;
  }

  bool Simplify() {
    FoldConstants(file_);
    const auto example = Interpret();
    if (!example) return false;
    Upgrade(file_, *example, diagnostics_);
    if (diagnostics_.HasErrors()) return false;
    FoldConstants(file_);
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
      if (settings_.progress) settings_.progress(fmt::format("{} {}/{}", doing, i + 1, n));
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

  /// Of the first samples, as many as fit: each is looked at thrice.
  void Keep(size_t i, const Values& values) {
    for (const auto& [name, tensor] : values) kept_bytes_ += tensor->bytes().size();
    if (i == kept_.size() && kept_bytes_ <= kMostKeptBytes) kept_.push_back(values);
  }

  bool Observe() {
    const auto example = Interpret();
    if (!example) return false;
    placement_ = Place(file_, *example);
    if (placement_.ends_in.empty()) return Refuse("no operator of the network can be quantized");
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

std::optional<Outcome> QuantizeNetwork(File file, const import::Samples& samples, const Settings& settings,
                                       Diagnostics& diagnostics) {
  return Calibration(std::move(file), samples, settings, diagnostics).Run();
}

}  // namespace cosim::quantize
