// SPDX-License-Identifier: Apache-2.0
#include "cli/accuracy_measurement.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "cli/accuracy_layers.h"
#include "cli/print.h"
#include "cli/progress.h"
#include "cli/text.h"
#include "compiler/quantize/calibrate.h"
#include "compiler/quantize/ranking.h"

namespace cosim::cli {
namespace {

constexpr size_t kChunk = 16;     // samples between two lines of progress
constexpr size_t kCompared = 16;  // samples whose layers are compared

using graph::Tensor;

}  // namespace

Measurement::Measurement(session::Evaluator& evaluator, const import::Samples& samples,
                         const Reference* reference, const std::optional<import::onnx::File>& network,
                         const import::Model& model, std::optional<int64_t> normal)
    : evaluator_(evaluator),
      samples_(samples),
      reference_(reference),
      network_(network),
      model_(model),
      normal_(normal) {
  tally.with_reference = reference != nullptr;
  tally.names = samples.ClassNames();
}

bool Measurement::Run(size_t limit, Diagnostics& diagnostics, std::string& error) {
  const size_t n = std::min(limit, samples_.size());
  ProgressLine line;
  line.Doing(fmt::format("{} samples", n));
  for (size_t begin = 0; begin < n; begin += kChunk) {
    line.Step(begin, n);
    std::vector<std::vector<Tensor>> inputs;
    for (size_t i = begin; i < std::min(begin + kChunk, n); ++i) {
      auto input = samples_.Get(i, diagnostics);
      if (!input) return false;
      inputs.push_back(std::move(*input));
    }
    const auto outputs = evaluator_.Run(inputs, error);
    if (!outputs) return false;
    for (size_t i = 0; i < inputs.size(); ++i)
      if (!Count(begin + i, inputs[i], (*outputs)[i].front(), diagnostics, error)) return false;
  }
  tally.cycles = evaluator_.cycles();
  if (normal_ && !TellAnomalies(error)) return false;
  if (reference_) tally.losses = finder_.Losses(reference_->network);
  return true;
}

bool Measurement::Count(size_t i, const std::vector<Tensor>& inputs, const Tensor& scores,
                        Diagnostics& diagnostics, std::string& error) {
  ++tally.samples;
  if (const auto label = samples_.Label(i)) {
    const bool good = normal_ ? AddError(samples_.Group(i), *label, inputs.front(), scores, error)
                              : CountClass(*label, i, scores, error);
    if (!good) return false;
  }
  return !reference_ || CompareWithReference(i, inputs, scores, diagnostics, error);
}

bool Measurement::CountClass(int64_t label, size_t i, const Tensor& scores, std::string& error) {
  const auto rank = quantize::RankOf(scores, label);
  if (!rank)
    return error = fmt::format("sample {} has label {}, but the model {} classes", i, label, scores.size()),
           false;
  ++tally.labelled;
  tally.top1 += *rank < 1;
  tally.top5 += *rank < 5;
  ClassTally& row = tally.classes[label];
  ++row.samples;
  row.right += *rank < 1;
  ++row.chosen[quantize::TopClass(scores)];
  return true;
}

bool Measurement::CompareWithReference(size_t i, const std::vector<Tensor>& inputs, const Tensor& scores,
                                       Diagnostics& diagnostics, std::string& error) {
  const auto exact_inputs = reference_->samples->Get(i, diagnostics);
  if (!exact_inputs) return false;
  const auto exact = quantize::Evaluate(reference_->network, *exact_inputs, error);
  if (!exact) return false;
  const Tensor& exact_scores = *exact->at(reference_->network.outputs.front().name);
  if (exact_scores.size() != scores.size())
    return error =
               fmt::format("the reference has {} classes, the model {}", exact_scores.size(), scores.size()),
           false;
  tally.agree += quantize::TopClass(exact_scores) == quantize::TopClass(scores);
  if (i >= kCompared) return true;
  if (!network_) return finder_.AddRun(*exact, LayersOf(model_, inputs, *exact)), true;
  const quantize::Operands operands = quantize::PointersTo(inputs);
  if ((!own_ || !own_->Takes(operands)) && !CompileOwn(*exact, operands, error)) return false;
  finder_.AddRun(*exact, own_->Run(operands));
  return true;
}

bool Measurement::CompileOwn(const quantize::Values& exact, const quantize::Operands& inputs,
                             std::string& error) {
  std::set<std::string> shared;
  for (const auto& node : network_->nodes)
    for (const std::string& name : node.outputs)
      if (exact.count(name)) shared.insert(name);
  own_ = quantize::CompiledFile::Make(*network_, shared, inputs, error);
  return own_.has_value();
}

bool Measurement::AddError(int64_t group, int64_t label, const Tensor& input, const Tensor& output,
                           std::string& error) {
  Recording& recording = recordings_.try_emplace(group, Recording{label, 0, 0}).first->second;
  if (recording.label != label)
    return error = fmt::format("group {} has samples of classes {} and {}", group, recording.label, label),
           false;
  recording.error +=
      quantize::MeanSquaredError(input, model_.input_quantization[0], output, model_.output_quantization[0]);
  ++recording.samples;
  return true;
}

bool Measurement::TellAnomalies(std::string& error) {
  std::vector<std::pair<double, bool>> scores;
  AnomalyTally anomaly;
  for (const auto& [group, recording] : recordings_) {
    const bool anomalous = recording.label != *normal_;
    scores.emplace_back(recording.error / static_cast<double>(recording.samples), anomalous);
    ++(anomalous ? anomaly.anomalous : anomaly.normal);
  }
  const auto area = quantize::AreaUnderCurve(std::move(scores));
  if (!area) return error = fmt::format("all samples are {}", anomaly.normal ? "normal" : "anomalous"), false;
  anomaly.area = *area;
  tally.anomaly = anomaly;
  return true;
}

}  // namespace cosim::cli
