// SPDX-License-Identifier: Apache-2.0
// TensorFlow Lite's functions of one quantized value, in the arithmetic of its reference kernels: each is a
// table of its results for all 256 or 65,536 values.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "compiler/host/inverse_root.h"
#include "compiler/host/tflite_functions.h"
#include "compiler/import/tflite/builder.h"

namespace cosim::import::tflite {

using graph::DType;
using graph::ValueId;
using host::Multiplier;

namespace {

// gemmlowp's arithmetic of 16 bits.
int16_t HighProduct16(int16_t a, int16_t b) {
  if (a == b && a == -32768) return 32767;
  const int32_t product = int32_t{a} * b, nudge = product >= 0 ? 1 << 14 : 1 - (1 << 14);
  return static_cast<int16_t>((product + nudge) / (1 << 15));
}
int16_t TruncatedHighProduct16(int16_t a, int16_t b) {
  if (a == b && a == -32768) return 32767;
  return static_cast<int16_t>(int32_t{a} * b / (1 << 15));
}
int16_t ShiftedLeft16(int16_t x, int bits) {
  return static_cast<int16_t>(std::clamp<int64_t>(int64_t{x} << bits, -32768, 32767));
}
int16_t Upper16(int32_t multiplier) {
  return static_cast<int16_t>(multiplier >= 0x7FFF8000 ? 0x7FFF : (multiplier + 0x8000) >> 16);
}

struct HardSwish {
  Multiplier output, relu;
  int32_t zero_point = 0;

  /// Less the zero point of the result.
  int32_t operator()(int32_t q) const {
    const auto fine = static_cast<int16_t>((q - zero_point) * 128);
    const int16_t scaled = HighProduct16(fine, Upper16(output.multiplier));
    int16_t gate = fine;
    if (relu.exponent > 0) gate = ShiftedLeft16(gate, relu.exponent - 1);
    gate = HighProduct16(gate, Upper16(relu.multiplier));
    if (relu.exponent > 0) gate = ShiftedLeft16(gate, 1);
    if (relu.exponent < 0)
      gate = static_cast<int16_t>(host::RoundingDivideByPowerOfTwo(gate, -relu.exponent));
    gate = static_cast<int16_t>((gate + 32768) >> 1);
    return host::RoundingDivideByPowerOfTwo(TruncatedHighProduct16(gate, scaled), -output.exponent);
  }
};

}  // namespace

bool Builder::ByTable(const std::function<int64_t(int32_t)>& f) {
  const int from = op_->inputs[0], to = op_->outputs[0];
  if (!IsInteger(from) || !IsInteger(to) || Info(from).dtype != Info(to).dtype)
    return Unsupported(fmt::format("{} to {}: neither float32 nor quantized alike",
                                   graph::Name(Info(from).dtype), graph::Name(Info(to).dtype)));
  const Limits range = RangeOf(Info(to).dtype);
  graph::Table table;
  for (int32_t q = range.low; q <= range.high; ++q)
    table.table.push_back(static_cast<int32_t>(std::clamp<int64_t>(f(q), range.low, range.high)));
  const bool nchw = Info(from).shape.size() == 4 && nchw_.count(from) > 0;
  const ValueId x = nchw ? Nchw(from) : Plain(from);
  return Finish(model_.graph.Add(name_, std::move(table), {x}, QuantizationOf(to)), nchw);
}

namespace {

/// The only value of a constant of bytes; nothing for anything else.
std::optional<int8_t> OnlyValue(const graph::Node& node) {
  const auto* constant = node.As<graph::Constant>();
  if (constant == nullptr || node.type.dtype != DType::kInt8) return std::nullopt;
  const auto values = constant->data->data<int8_t>();
  if (values.empty() || std::ranges::any_of(values, [&](int8_t v) { return v != values[0]; }))
    return std::nullopt;
  return values[0];
}

std::vector<int8_t> AllBytes() {
  std::vector<int8_t> all(256);
  std::iota(all.begin(), all.end(), int8_t{-128});
  return all;
}

}  // namespace

ValueId Builder::OnPairs(const graph::HostOperatorPtr& op, const std::vector<ValueId>& pair,
                         const std::string& why) {
  const auto host = [&] { return Host(name_, op, pair, why, QuantizationOf(op_->outputs[0])); };
  if (pair[0] < 0 || pair[1] < 0) return host();
  graph::Graph& graph = model_.graph;
  const auto type = [&](size_t k) -> const graph::TensorType& { return graph.node(pair[k]).type; };
  const auto same = OnlyValue(graph.node(pair[0])), other = OnlyValue(graph.node(pair[1]));
  const size_t varies = same ? 1 : 0;
  const auto constant = same ? same : other;
  const auto inferred = op->Infer(std::vector<graph::HostOperand>{{type(0)}, {type(1)}});
  const auto* types = std::get_if<std::vector<graph::TensorType>>(&inferred);
  if (same.has_value() == other.has_value() || types == nullptr || types->front() != type(varies))
    return host();

  const graph::Tensor all({256}, AllBytes()), one({1}, std::vector<int8_t>{*constant});
  const auto results = graph::Evaluate(
      *op, varies == 0 ? std::vector<const graph::Tensor*>{&all, &one} : std::vector{&one, &all});
  const auto values = results[0].data<int8_t>();
  // Of a value that is a table's itself, one table for both.
  const graph::Node& node = graph.node(pair[varies]);
  const auto* before = node.As<graph::Table>();
  graph::Table table;
  for (int32_t q = -128; q <= 127; ++q)
    table.table.push_back(values[(before ? before->table[q + 128] : q) + 128]);
  const ValueId read = before ? node.inputs[0] : pair[varies];
  may_have_dead_values_ |= before != nullptr;
  return graph.Add(name_, std::move(table), {read}, QuantizationOf(op_->outputs[0]));
}

// A function of the real value, in float32, rounded half away from zero.
bool Builder::ByFloatTable(const std::function<float(float)>& f) {
  const int from = op_->inputs[0], to = op_->outputs[0];
  if (!IsQuantized(from) || !IsQuantized(to))
    return Unsupported(fmt::format("{} values", graph::Name(Info(from).dtype)));
  const float scale = Info(from).scales[0], inverse = 1 / Info(to).scales[0];
  return ByTable([=, zero = ZeroPoint(from), offset = ZeroPoint(to)](int32_t q) -> int64_t {
    const float steps = std::round(f(scale * static_cast<float>(q - zero)) * inverse);
    if (std::isnan(steps)) return -128;
    return static_cast<int64_t>(std::clamp(steps, -1e6f, 1e6f)) + offset;
  });
}

bool Builder::ByFloatTableOrLines(const std::function<float(float)>& f) {
  const int from = op_->inputs[0], to = op_->outputs[0];
  if (!IsWide(from) || !IsWide(to)) return ByFloatTable(f);
  return ByTable(host::ByLinesInt16(Info(from).scales[0], Info(to).scales[0], f));
}

// Of 0 and below, the least that the result can be.
bool Builder::QuantizedLog() {
  const int from = op_->inputs[0], to = op_->outputs[0];
  const DType type = Info(from).dtype;
  if (!IsInteger(from) || !IsInteger(to) || type == DType::kUint8)
    return Unsupported(
        fmt::format("{} values: the reference computes float32, int8 and int16", graph::Name(type)));
  const float least = static_cast<float>(RangeOf(type).low - ZeroPoint(to)) * Info(to).scales[0];
  return ByFloatTableOrLines([=](float x) { return x <= 0 ? least : std::log(x); });
}

// Cut off, not rounded. Of a value below 0, which stops the reference, as of 0.
bool Builder::QuantizedSqrt() {
  const int from = op_->inputs[0], to = op_->outputs[0];
  if (!IsInteger(from) || !IsInteger(to) || Info(from).dtype == DType::kUint8)
    return Unsupported(fmt::format("{} values: the reference computes float32, int8 and int16",
                                   graph::Name(Info(from).dtype)));
  const float scale = Info(from).scales[0], to_scale = Info(to).scales[0];
  return ByTable([=, zero = ZeroPoint(from), offset = ZeroPoint(to)](int32_t q) -> int64_t {
    const float root = std::sqrt(scale * static_cast<float>(std::max(0, q - zero)));
    return static_cast<int64_t>(std::min(root / to_scale, 1e6f)) + offset;
  });
}

bool Builder::QuantizedLeaky(float alpha) {
  const int from = op_->inputs[0], to = op_->outputs[0];
  if (!IsInteger(from) || !IsInteger(to)) return ByTable({});
  if (!(alpha >= 0)) return Unsupported(fmt::format("integers with a slope of {}", alpha));
  const Multiplier positive = Multiplier::Of(static_cast<double>(Info(from).scales[0] / Info(to).scales[0])),
                   negative =
                       Multiplier::Of(static_cast<double>(Info(from).scales[0] * alpha / Info(to).scales[0]));
  return ByTable([=, zero = ZeroPoint(from), offset = ZeroPoint(to)](int32_t q) -> int64_t {
    const int32_t v = q - zero;
    return int64_t{(v >= 0 ? positive : negative).Apply(v)} + offset;
  });
}

bool Builder::QuantizedHardSwish() {
  const int from = op_->inputs[0], to = op_->outputs[0];
  if (!IsQuantized(from) || !IsQuantized(to))
    return Unsupported(fmt::format("{} values: the reference computes float32 and bytes only",
                                   graph::Name(Info(from).dtype)));
  const float fine = 1.0f / 128 * Info(from).scales[0];
  const HardSwish swish{Multiplier::Of(static_cast<double>(fine / Info(to).scales[0])),
                        Multiplier::Of(static_cast<double>(fine / (3.0f / 32768))), ZeroPoint(from)};
  if (swish.output.exponent > 0 || swish.output.exponent < -31 || swish.relu.exponent > 16)
    return Unsupported("scales that the reference does not define");
  return ByTable([=, offset = ZeroPoint(to)](int32_t q) -> int64_t { return int64_t{swish(q)} + offset; });
}

// Of a value below 0, which stops the reference, as of 0.
bool Builder::QuantizedRsqrt() {
  const int from = op_->inputs[0], to = op_->outputs[0];
  if (!IsInteger(from) || !IsInteger(to) || Info(from).dtype == DType::kUint8)
    return Unsupported(fmt::format("{} values: the reference computes float32, int8 and int16",
                                   graph::Name(Info(from).dtype)));
  constexpr int kShift = 20;
  Multiplier scale = Multiplier::Of(
      1 / (std::sqrt(static_cast<double>(Info(from).scales[0])) * static_cast<double>(Info(to).scales[0])));
  scale.exponent -= kShift;
  if (scale.exponent < -31) return Unsupported("scales that the reference does not define");
  const int64_t most = RangeOf(Info(to).dtype).high;
  return ByTable([=, zero = ZeroPoint(from), offset = ZeroPoint(to)](int32_t q) -> int64_t {
    const int32_t v = q - zero;
    if (v <= 0) return most;
    Multiplier inverse = host::InverseRoot(v);
    inverse.exponent += kShift;
    return int64_t{scale.Apply(inverse.Apply(1))} + offset;
  });
}

}  // namespace cosim::import::tflite
