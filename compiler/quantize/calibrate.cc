// SPDX-License-Identifier: Apache-2.0
#include "compiler/quantize/calibrate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "compiler/import/diagnostic_codes.h"
#include "compiler/quantize/correct.h"
#include "compiler/quantize/from_tflite.h"
#include "compiler/quantize/simplify.h"

namespace cosim::quantize {
namespace {

using import::onnx::File;

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
  void Say(const char* what, size_t i, size_t n) const {
    if (settings_.progress) settings_.progress(fmt::format("{} {}/{}", what, i + 1, n));
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
    const auto inputs = samples_.Get(0, diagnostics_);
    const auto example = inputs ? RunFloat(*inputs) : std::nullopt;
    if (!example) return false;
    Upgrade(file_, *example, diagnostics_);
    if (diagnostics_.HasErrors()) return false;
    FoldConstants(file_);
    FoldIntoProducts(file_);
    return true;
  }

  std::optional<Values> RunFloat(const std::vector<graph::Tensor>& inputs) {
    std::string error;
    auto values = Evaluate(file_, inputs, error);
    if (!values) Refuse(error);
    return values;
  }

  bool Observe() {
    for (size_t i = 0; i < samples_.size(); ++i) {
      Say("calibrating", i, samples_.size());
      const auto inputs = samples_.Get(i, diagnostics_);
      const auto values = inputs ? RunFloat(*inputs) : std::nullopt;
      if (!values) return false;
      if (i == 0) placement_ = Place(file_, *values);
      for (const auto& [value, decides] : placement_.scale_of) {
        if (value != decides) continue;
        const auto data = values->at(value)->data<float>();
        if (!std::all_of(data.begin(), data.end(), [](float v) { return std::isfinite(v); }))
          return Refuse(fmt::format("value '{}' is not finite on sample {}", value, i));
        histograms_[value].Add(data);
      }
    }
    if (placement_.ends_in.empty()) return Refuse("no operator of the network can be quantized");
    return true;
  }

  bool Correct(Quantized& quantized) {
    BiasCorrection correction(quantized);
    for (size_t i = 0; i < samples_.size(); ++i) {
      Say("correcting", i, samples_.size());
      const auto inputs = samples_.Get(i, diagnostics_);
      const auto values = inputs ? RunFloat(*inputs) : std::nullopt;
      if (!values) return false;
      std::string error;
      const auto alone = EvaluateAlone(quantized, *inputs, *values, error);
      if (!alone) return Refuse(error);
      correction.AddRun(*values, *alone);
    }
    correction.Apply(quantized);
    return true;
  }

  bool Report(Outcome& outcome) {
    outcome.report = EmptyReport(outcome.quantized);
    const size_t n = std::min(settings_.reported, samples_.size());
    for (size_t i = 0; i < n; ++i) {
      Say("comparing", i, n);
      const auto inputs = samples_.Get(i, diagnostics_);
      const auto values = inputs ? RunFloat(*inputs) : std::nullopt;
      std::string error;
      if (!values) return false;
      if (!AddRun(outcome.quantized, *inputs, *values, outcome.report, error)) return Refuse(error);
    }
    return true;
  }

  File file_;
  const import::Samples& samples_;
  const Settings& settings_;
  Diagnostics& diagnostics_;
  Placement placement_;
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
