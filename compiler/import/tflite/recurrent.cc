// SPDX-License-Identifier: Apache-2.0
// TensorFlow Lite's layers with a state: LSTM, RNN, SVDF. Their variable tensors become states of the
// network.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "compiler/host/movement.h"
#include "compiler/host/tflite_recurrent.h"
#include "compiler/import/tflite/builder.h"

namespace cosim::import::tflite {

using graph::DType;
using graph::ValueId;
using host::Multiplier;

namespace {

constexpr char kStepsReason[] = "steps depend on the one before: the host computes them";

/// The exponent of a scale that is a power of two.
std::optional<int> ExponentOf(float scale) {
  const double exponent = std::log2(static_cast<double>(scale)), rounded = std::round(exponent);
  if (std::abs(exponent - rounded) > 1e-5) return std::nullopt;
  return static_cast<int>(rounded);
}

}  // namespace

std::optional<host::CellFunction> Builder::FunctionOf(const RecurrentOptions& options) {
  if (options.tanh) return host::CellFunction::kTanh;
  switch (options.activation) {
    case Activation::kNone:
      return host::CellFunction::kNone;
    case Activation::kRelu:
      return host::CellFunction::kRelu;
    case Activation::kReluN1To1:
      return host::CellFunction::kReluN1To1;
    case Activation::kRelu6:
      return host::CellFunction::kRelu6;
    case Activation::kRelu0To1:
    case Activation::kOther:
      break;
  }
  return std::nullopt;
}

/// Of `op` on x and the operands of the direction that are there: its first result, after the others are what
/// becomes of the states. -1 after a report.
ValueId Builder::Recurred(const std::string& name, const graph::HostOperatorPtr& op, ValueId x,
                          const Direction& direction) {
  if (x < 0) return -1;
  const auto& [from, states, joined] = direction;
  std::vector<ValueId> inputs = {x};
  std::vector<bool> present = {true};
  std::vector<graph::HostOperand> operands = {{model_.graph.node(x).type}};
  for (size_t i : from) {
    const bool is_state = std::ranges::count(states, i) > 0;
    present.push_back(HasOperand(i));
    if (!present.back()) continue;
    ValueId value = is_state ? StateOf(op_->inputs[i]) : Plain(op_->inputs[i]);
    if (const auto more = joined.find(i); more != joined.end())
      value = Host(fmt::format("{}.weights{}", name, i), host::Concat(1),
                   {value, Plain(op_->inputs[more->second])}, kStepsReason);
    inputs.push_back(value);
    if (inputs.back() < 0) return -1;
    operands.push_back({model_.graph.node(inputs.back()).type});
  }
  const auto given = host::WithoutAbsent(op, present);
  const auto types = given->Infer(operands);
  if (const auto* error = std::get_if<std::string>(&types)) return Malformed(*error), -1;
  std::vector<ValueId> results;
  for (size_t k = 0; k <= states.size(); ++k) {
    const int tensor = k == 0 ? op_->outputs[0] : op_->inputs[states[k - 1]];
    graph::HostOp node{given, static_cast<int32_t>(k), std::get<0>(types).at(k), kStepsReason};
    const std::string each = k == 0 ? name : fmt::format("{}.state{}", name, k - 1);
    results.push_back(model_.graph.Add(each, std::move(node), inputs, QuantizationOf(tensor)));
  }
  for (size_t k = 0; k < states.size(); ++k) SetState(op_->inputs[states[k]], results[k + 1]);
  return results[0];
}

bool Builder::FinishRecurrent(const graph::HostOperatorPtr& op, const std::vector<size_t>& from,
                              const std::vector<size_t>& states) {
  return Finish(Recurred(name_, op, Plain(op_->inputs[0]), {from, states}), false);
}

std::optional<host::ByteWeights> Builder::BytesAmong(const std::vector<size_t>& operands, bool asymmetric) {
  host::ByteWeights bytes{std::vector<float>(op_->inputs.size(), 0), asymmetric};
  for (size_t i = 0; i < op_->inputs.size(); ++i) {
    if (!HasOperand(i) || IsFloat(op_->inputs[i])) continue;
    const TensorInfo& info = Info(op_->inputs[i]);
    const bool may = std::ranges::count(operands, i) > 0;
    if (!may || info.dtype != DType::kInt8 || info.scales.size() != 1 || info.zero_points[0] != 0) {
      Unsupported(fmt::format(
          "a float input with operand {} of {}: int8 weights with one scale and no zero point are", i,
          graph::ToString({info.dtype, info.shape})));
      return std::nullopt;
    }
    bytes.scales[i] = info.scales[0];
  }
  return bytes;
}

bool Builder::Lstm() {
  constexpr size_t kNorms = 20, kMost = 24, kHidden = 18, kCells = 19, kProjection = 16;
  const auto* options = std::get_if<RecurrentOptions>(&op_->options);
  if (!options) return Malformed("has no options");
  if (options->basic || op_->inputs.size() == 5) return BasicLstm();
  if (op_->outputs.size() != 1) return Malformed(fmt::format("has {} results, not 1", op_->outputs.size()));
  if (op_->inputs.size() != kNorms && op_->inputs.size() != kMost)
    return Malformed(fmt::format("has {} operands", op_->inputs.size()));
  if (options->diagonal) return Unsupported("diagonal recurrent weights");
  for (size_t i : {size_t{0}, kHidden, kCells})
    if (!HasOperand(i)) return Malformed(fmt::format("operand {} is missing", i));
  const size_t rank = op_->name == "LSTM" ? 2 : 3;
  if (Info(op_->inputs[0]).shape.size() != rank)
    return Malformed(fmt::format("input must have {} dimensions", rank));
  for (size_t i = 0; i < kMost; ++i) {
    if (!HasOperand(i) || i == 0 || i == kHidden || i == kCells) continue;
    if (!Info(op_->inputs[i]).data) return Unsupported("weights that are not constant");
  }
  if (!IsFloat(op_->inputs[0])) return LstmInteger(*options);
  const auto function = FunctionOf(*options);
  if (!function) return Unsupported("its activation function");
  const auto bytes = BytesAmong({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, kProjection}, options->asymmetric);
  if (!bytes) return false;
  std::vector<size_t> from;
  for (size_t i = 1; i < kMost; ++i) from.push_back(i);
  const host::TfliteLstm lstm{*function, static_cast<double>(options->cell_clip),
                              static_cast<double>(options->projection_clip), options->time_major && rank == 3,
                              *bytes};
  return FinishRecurrent(host::LstmFloat(lstm), from, {kHidden, kCells});
}

bool Builder::LstmInteger(const RecurrentOptions& options) {
  constexpr size_t kPeepholes = 9, kBiases = 12, kProjection = 16, kHidden = 18, kCells = 19, kNorms = 20;
  for (size_t i = kPeepholes; i < kBiases; ++i)
    if (HasOperand(i)) return Unsupported("peepholes of integers");
  if (HasOperand(kProjection)) return Unsupported("a projection of integers");
  for (size_t i = kNorms; i < kNorms + 4; ++i)
    if (HasOperand(i)) return Unsupported("layer normalization of integers");
  if (!HasOperand(1) || !HasOperand(5)) return Unsupported("integers without an input gate");
  if (!options.tanh) return Unsupported("an activation function of integers that is not tanh");
  const int x = op_->inputs[0], h = op_->inputs[kHidden], c = op_->inputs[kCells], y = op_->outputs[0];
  const bool wide = IsWide(x), bytes = Info(x).dtype == DType::kInt8 && IsQuantized(x);
  if ((!wide && !bytes) || Info(h).dtype != Info(x).dtype || !IsInteger(h) || !IsWide(c) ||
      !SameQuantization(Info(h), Info(y)))
    return Unsupported("anything but int8 or int16 with a hidden state like its output and cells of int16");
  const auto exponent = ExponentOf(Info(c).scales[0]);
  if (!exponent || *exponent < -24 || *exponent > -4)
    return Unsupported("cells whose scale is no power of two between 2^-24 and 2^-4");
  host::TfliteLstmInteger lstm{.x_zero_point = ZeroPoint(x), .h_zero_point = ZeroPoint(h), .wide = wide};
  lstm.time_major = options.time_major && op_->name != "LSTM";
  for (size_t gate = 0; gate < 4; ++gate)
    for (const bool recurrent : {false, true}) {
      const size_t i = gate + (recurrent ? 5 : 1);
      if (!HasOperand(i) || !HasOperand(kBiases + gate)) return Malformed("a gate has no weights or bias");
      const TensorInfo& w = Info(op_->inputs[i]);
      if (w.dtype != DType::kInt8 || w.scales.size() != 1 || w.zero_points[0] != 0)
        return Unsupported("weights that are not int8 with one scale and no zero point");
      // The reference multiplies the scales in float32.
      const float product = Info(recurrent ? h : x).scales[0] * w.scales[0];
      const Multiplier factor = Multiplier::Of(static_cast<double>(product) * 0x1p12);
      if (wide && factor.exponent >= 8) return Unsupported("int16 with a multiplier of 128 or more");
      (recurrent ? lstm.from_h : lstm.from_x)[gate] = factor;
    }
  lstm.kept = Multiplier::Of(0x1p-15);
  lstm.added = Multiplier::Of(std::ldexp(1.0, -30 - *exponent));
  lstm.output = Multiplier::Of(0x1p-30 / static_cast<double>(Info(h).scales[0]));
  lstm.cell_exponent = *exponent;
  if (options.cell_clip > 0)
    lstm.cell_clip = static_cast<int32_t>(
        std::min(static_cast<double>(options.cell_clip) / static_cast<double>(Info(c).scales[0]), 32767.0));
  const std::vector<size_t> from = {1, 2, 3, 4, 5, 6, 7, 8, 12, 13, 14, 15, kHidden, kCells};
  return FinishRecurrent(host::LstmInteger(lstm), from, {kHidden, kCells});
}

bool Builder::Rnn() {
  if (!Operands(5, 5)) return false;
  const auto* options = std::get_if<RecurrentOptions>(&op_->options);
  if (!options) return Malformed("has no options");
  const size_t rank = op_->name == "RNN" ? 2 : 3;
  if (Info(op_->inputs[0]).shape.size() != rank)
    return Malformed(fmt::format("input must have {} dimensions", rank));
  const auto function = FunctionOf(*options);
  if (!function) return Unsupported("its activation function");
  if (!IsFloat(op_->inputs[0])) return Unsupported("an input that is not float32");
  const auto bytes = BytesAmong({1, 2}, options->asymmetric);
  if (!bytes) return false;
  return FinishRecurrent(host::RnnFloat(*function, options->time_major && rank == 3, *bytes), {1, 2, 3, 4},
                         {4});
}

bool Builder::Svdf() {
  if (op_->inputs.size() != 5) return Malformed(fmt::format("has {} operands", op_->inputs.size()));
  for (size_t i : {0, 1, 2, 4})
    if (!HasOperand(i)) return Malformed(fmt::format("operand {} is missing", i));
  const auto* options = std::get_if<RecurrentOptions>(&op_->options);
  if (!options) return Malformed("has no options");
  const auto function = FunctionOf(*options);
  if (!function) return Unsupported("its activation function");
  const int x = op_->inputs[0], features = op_->inputs[1], times = op_->inputs[2], past = op_->inputs[4],
            y = op_->outputs[0];
  if (IsFloat(x)) {
    const auto bytes = BytesAmong({1, 2}, options->asymmetric);
    if (!bytes) return false;
    return FinishRecurrent(host::SvdfFloat(options->rank, *function, *bytes), {1, 2, 3, 4}, {4});
  }
  // The reference's integers know no activation but what the output's range cuts off.
  if (*function != host::CellFunction::kRelu && *function != host::CellFunction::kNone)
    return Unsupported("an activation function of integers that is not RELU");
  for (int tensor : {x, features, times, past, y}) {
    const TensorInfo& info = Info(tensor);
    if ((info.dtype != DType::kInt8 &&
         !(info.dtype == DType::kInt16 && (tensor == times || tensor == past))) ||
        info.scales.size() != 1)
      return Unsupported("operands that are not int8 with one scale, or int16 for time");
  }
  if (ZeroPoint(features) != 0 || ZeroPoint(times) != 0) return Unsupported("weights with a zero point");
  const float first = Info(x).scales[0] * Info(features).scales[0] / Info(past).scales[0],
              second = Info(past).scales[0] * Info(times).scales[0] / Info(y).scales[0];
  const host::TfliteSvdf svdf{options->rank,
                              ZeroPoint(x),
                              ZeroPoint(past),
                              ZeroPoint(y),
                              Multiplier::Of(static_cast<double>(first)),
                              Multiplier::Of(static_cast<double>(second))};
  return FinishRecurrent(host::SvdfInt8(svdf), {1, 2, 3, 4}, {4});
}

}  // namespace cosim::import::tflite
