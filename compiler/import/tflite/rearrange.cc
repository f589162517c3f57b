// SPDX-License-Identifier: Apache-2.0
// What stands between TensorFlow Lite's convolutions: padding, concatenation, means.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "compiler/host/movement.h"
#include "compiler/host/numeric.h"
#include "compiler/host/reduce.h"
#include "compiler/import/tflite/builder.h"

namespace cosim::import::tflite {

using graph::DType;
using graph::Shape;
using graph::Tensor;
using graph::ValueId;

std::optional<std::vector<int64_t>> Builder::IntegersOf(size_t operand) const {
  const TensorInfo& info = Info(op_->inputs[operand]);
  if (!info.data || (info.dtype != DType::kInt32 && info.dtype != DType::kInt64)) return std::nullopt;
  return host::Integers(*info.data);
}

std::optional<size_t> Builder::AxisOf(int64_t axis, size_t rank) { return host::AxisOf(axis, rank); }

// Bytes without a zero point have the number 0, which of uint8 is -128 here.
ValueId Builder::Nothing(int tensor, const std::string& what) {
  const TensorInfo& info = Info(tensor);
  if (!IsByte(tensor)) return model_.graph.AddConstant(name_ + what, Tensor({info.dtype, {}}));
  const int32_t zero = info.scales.empty() && info.dtype == DType::kUint8 ? -128 : ZeroPoint(tensor);
  return model_.graph.AddConstant(name_ + what, Tensor({}, std::vector<int8_t>{static_cast<int8_t>(zero)}));
}

bool Builder::Pad() {
  const bool valued = op_->name == "PADV2";
  if (!Operands(valued ? 3 : 2, valued ? 3 : 2)) return false;
  const int from = op_->inputs[0], to = op_->outputs[0];
  const Shape& shape = Info(from).shape;
  const auto given = IntegersOf(1);
  if (!given) return Unsupported("paddings that are not constant");
  if (given->size() != 2 * shape.size()) return Malformed("paddings for another number of dimensions");
  if (std::ranges::any_of(*given, [](int64_t v) { return v < 0 || v > kMostElements; }))
    return Malformed("a padding that is negative or too large");
  if (Info(from).scales.size() == 1 && !SameQuantization(Info(from), Info(to)))
    return Unsupported("operands that are quantized differently");
  const auto& p = *given;
  const bool pixels = shape.size() == 4 && p[0] + p[1] + p[6] + p[7] == 0;
  if (IsInteger(from) && pixels && !valued) {
    const graph::Pad pad{{p[2], p[4], p[3], p[5]}, ZeroPoint(from)};
    return Finish(model_.graph.Add(name_, pad, {Nchw(from)}, QuantizationOf(to)), true);
  }
  std::vector<int64_t> frame;  // all begins, then all ends
  for (const size_t end : {0, 1})
    for (size_t d = 0; d < shape.size(); ++d) frame.push_back(p[2 * d + end]);
  const ValueId value = valued ? Plain(op_->inputs[2]) : Nothing(from, ".value");
  return Moved(host::Pad(host::PadMode::kConstant), {Plain(from), List(".pads", std::move(frame)), value});
}

bool Builder::Concatenate() {
  if (!Operands(1, op_->inputs.size())) return false;
  const auto* options = std::get_if<ConcatOptions>(&op_->options);
  if (!options) return Malformed("has no options");
  if (options->activation != Activation::kNone) return Unsupported("a fused activation function");
  const int to = op_->outputs[0];
  const auto rank = static_cast<int64_t>(Info(to).shape.size());
  const int64_t axis = options->axis < 0 ? options->axis + rank : options->axis;
  bool constant = false, alike = true, rescaled = false;
  for (int from : op_->inputs) {
    if (from < 0) return Malformed("an operand is missing");
    alike &= SameQuantization(Info(from), Info(to));
    const bool other = Info(from).scales.size() == 1 && !SameQuantization(Info(from), Info(to));
    rescaled |= other && Info(from).dtype == DType::kUint8;
    if (Info(from).dtype != Info(to).dtype) return Malformed("operands of different types");
    // The reference scales uint8, and copies int16 whatever its scale is.
    if (other && Info(from).dtype == DType::kInt8)
      return Unsupported("operands that are quantized differently");
    if (static_cast<int64_t>(Info(from).shape.size()) != rank)
      return Malformed("operands of different ranks");
    constant |= Info(from).data != nullptr;
  }
  const bool channels = rank == 4 && axis == 3 && IsInteger(to) && alike && !constant;
  std::vector<ValueId> values;
  for (size_t i = 0; i < op_->inputs.size(); ++i) {
    const int from = op_->inputs[i];
    values.push_back(channels ? Nchw(from) : rescaled ? AsInResult(i) : Plain(from));
  }
  if (!channels) return Moved(host::Concat(axis), std::move(values));
  for (int from : op_->inputs)
    for (size_t d : {0, 1, 2})
      if (Info(from).shape[d] != Info(to).shape[d]) return Malformed("operands of different sizes");
  return Finish(model_.graph.Add(name_, graph::Concat{}, values, QuantizationOf(to)), true);
}

// Of uint8, by a table: the reference scales in float32.
ValueId Builder::AsInResult(size_t operand) {
  const int tensor = op_->inputs[operand];
  const TensorInfo &info = Info(tensor), &to = Info(op_->outputs[0]);
  if (!IsQuantized(tensor) || !IsQuantized(op_->outputs[0]))
    return Unsupported("operands of which some are not quantized"), -1;
  if (SameQuantization(info, to)) return Plain(tensor);
  const float scale = info.scales[0] * (1.0f / to.scales[0]),
              bias = static_cast<float>(-info.zero_points[0]) * scale;
  if (!std::isfinite(255 * scale)) return Unsupported("scales that the reference does not define"), -1;
  graph::Table table;
  for (int32_t q = 0; q < 256; ++q) {
    const float steps = std::clamp(std::round(static_cast<float>(q) * scale + bias), -1e6f, 1e6f);
    table.table.push_back(std::clamp(static_cast<int32_t>(steps) + to.zero_points[0], 0, 255) - 128);
  }
  return model_.graph.Add(fmt::format("{}.scaled{}", name_, operand), std::move(table), {Plain(tensor)},
                          QuantizationOf(op_->outputs[0]));
}

bool Builder::Mean() {
  if (!Operands(2, 2)) return false;
  const int from = op_->inputs[0];
  const Shape shape = Info(from).shape;
  auto axes = IntegersOf(1);
  if (!axes) return Unsupported("axes that are not constant");
  const auto* options = std::get_if<ReduceOptions>(&op_->options);
  const bool keep = options && options->keep_dimensions;
  if (IsFloat(from))
    return Finish(Host(name_, host::Reduce("mean", host::Reduction::kMean, *axes, keep, true), {Plain(from)},
                       "float32: the accelerator computes int8"),
                  false);
  if (Info(from).dtype == DType::kInt32 || Info(from).dtype == DType::kInt64)
    return Finish(Host(name_, host::Reduce("mean", host::Reduction::kMean, *axes, keep, true), {Plain(from)},
                       "plain integers"),
                  false);
  std::vector<bool> over(shape.size(), false);
  for (int64_t axis : *axes) {
    const auto d = AxisOf(axis, shape.size());
    if (!d) return Malformed(fmt::format("axis {} of {}", axis, graph::ToString(shape)));
    over[*d] = true;
  }
  if (over != std::vector<bool>{false, true, true, false}) return QuantizedSum(over, keep, true);
  return QuantizedMean(keep);
}

// The reference divides by the number of pixels n with the multiplier itself: it shifts that left as far as n
// has bits, divides by n, rounding down, and shifts the result right as much again.
bool Builder::QuantizedMean(bool keep) {
  const int from = op_->inputs[0], to = op_->outputs[0];
  const Shape& shape = Info(from).shape;
  const int64_t count = shape[1] * shape[2];
  const auto limits = LimitsOf(Activation::kNone, to);
  if (!limits) return false;
  if (!IsInteger(from) || Info(from).dtype != Info(to).dtype)
    return Unsupported("operands that are not quantized alike");
  host::Multiplier m = host::Multiplier::Of(static_cast<double>(Info(from).scales[0]) /
                                            static_cast<double>(Info(to).scales[0]));
  const int bits =
      std::min(static_cast<int>(std::bit_width(static_cast<uint64_t>(count))) - 1, 31 + m.exponent);
  m = {static_cast<int32_t>((int64_t{m.multiplier} << bits) / count), m.exponent - bits};
  const ValueId x = Nchw(from);
  ValueId y = -1;
  // The product of zero point and count has to fit into the bias; so do sums of int16.
  const bool fits = count < (IsWide(from) ? 1 << 15 : 1 << 23);
  if (fits && m.multiplier >= 1 << 29 && m.exponent <= 0) {
    const std::vector<int32_t> offset(static_cast<size_t>(shape[3]),
                                      static_cast<int32_t>(-ZeroPoint(from) * count));
    const ValueId bias = model_.graph.AddConstant(name_ + ".offset", Tensor({shape[3]}, offset));
    const ValueId sum = model_.graph.Add(name_, graph::GlobalSumPool{}, {x});
    const ValueId centred = model_.graph.Add(name_ + ".bias", graph::BiasAdd{}, {sum, bias});
    y = CoreRequantize(centred, {m}, to, *limits);
  } else {
    const host::TfliteMean mean{m, ZeroPoint(from), ZeroPoint(to), limits->low, limits->high};
    y = Host(name_, host::PixelMean(mean), {x},
             fits ? "its multiplier is out of range" : "it sums too many pixels", QuantizationOf(to));
  }
  if (y < 0 || keep) return Finish(y, true);
  return Finish(model_.graph.Add(name_ + ".rows", graph::Flatten{}, {y}, QuantizationOf(to)), false);
}

}  // namespace cosim::import::tflite
