// SPDX-License-Identifier: Apache-2.0
// QuantizeLinear and DequantizeLinear beyond integers of 8 and 16 bits under float32 scales: float16, other
// results, scales of blocks. They are computed in float32, as ONNX says, one step after the other.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "compiler/host/numeric.h"
#include "compiler/host/quantized.h"
#include "compiler/import/onnx/expand.h"
#include "compiler/import/onnx/node_view.h"

namespace cosim::import::onnx {
namespace {

using graph::DType;
using graph::Shape;
using graph::Tensor;

constexpr int64_t kFloatType = 1, kInt32Type = 6;

int64_t NumberOfType(DType dtype) {
  switch (dtype) {
    case DType::kUint8:
      return 2;
    case DType::kInt8:
      return 3;
    case DType::kUint16:
      return 4;
    case DType::kInt16:
      return 5;
    case DType::kFloat16:
      return 10;
    default:
      return kFloatType;
  }
}

/// Scales or zero points so that they broadcast to x; empty, and said, when they do not fit.
std::string Spread(Builder& builder, const NodeInfo& node, const std::string& parameter, const Shape& x) {
  NodeView view(node);
  const Shape shape = builder.TypeOf(parameter).shape;
  const int64_t block = view.Int("block_size", 0), axis = view.Int("axis", 1);
  const auto fail = [&] {
    builder.Fail(node,
                 fmt::format("scales or zero points {} of {}", graph::ToString(shape), graph::ToString(x)));
    return std::string();
  };
  if (graph::NumElements(shape) == 1 && block == 0)
    return builder.Emit(node, "Reshape", {parameter, builder.AddIntegers(node.name + ".scalar", {})});
  const auto at = host::AxisOf(axis, x.size());
  if (!at || block < 0) return fail();
  if (block == 0) {
    if (shape != Shape{x[*at]}) return fail();
    Shape spread(x.size(), 1);
    spread[*at] = x[*at];
    return builder.Emit(node, "Reshape", {parameter, builder.AddIntegers(node.name + ".spread", spread)});
  }
  Shape blocks = x;
  blocks[*at] = (x[*at] + block - 1) / block;
  constexpr int64_t kMostPlaces = int64_t{1} << 24;
  if (shape != blocks || x[*at] > kMostPlaces) return fail();
  std::vector<int64_t> places;
  for (int64_t i = 0; i < x[*at]; ++i) places.push_back(i / block);
  return builder.Emit(node, "Gather",
                      {parameter, builder.AddIntegers(node.name + ".blocks", std::move(places))},
                      {{"axis", static_cast<int64_t>(*at)}});
}

std::string Converted(Builder& builder, const NodeInfo& node, const std::string& x, int64_t type,
                      const std::string& output = "") {
  return builder.Emit(node, "Cast", {x}, {{"to", type}}, output);
}

bool ExpandDequantize(Builder& builder, const NodeInfo& node) {
  const graph::TensorType x = builder.TypeOf(node.inputs[0]), scale = builder.TypeOf(node.inputs[1]);
  if (!graph::IsFloat(scale.dtype) || graph::IsFloat(x.dtype) || x.dtype == DType::kInt32)
    return builder.Fail(node,
                        fmt::format("{} under scales of {}", graph::Name(x.dtype), graph::Name(scale.dtype)));
  std::string value = Converted(builder, node, node.inputs[0], kInt32Type);
  if (const std::string zero = OperandOf(node, 2); !zero.empty()) {
    const std::string spread = Spread(builder, node, zero, x.shape);
    if (spread.empty()) return false;
    value = builder.Emit(node, "Sub", {value, Converted(builder, node, spread, kInt32Type)});
  }
  const std::string scales = Spread(builder, node, node.inputs[1], x.shape);
  if (scales.empty()) return false;
  const std::string real = builder.Emit(
      node, "Mul",
      {Converted(builder, node, value, kFloatType), Converted(builder, node, scales, kFloatType)});
  Converted(builder, node, real, NumberOfType(scale.dtype), node.outputs[0]);
  return true;
}

/// The integers of a type, of four bits too; nothing for another.
std::optional<std::pair<double, double>> RangeOf(int64_t type) {
  static const std::map<int64_t, std::pair<double, double>> ranges = {
      {2, {0, 255}}, {3, {-128, 127}}, {4, {0, 65535}}, {5, {-32768, 32767}}};
  const auto at = ranges.find(type);
  return at == ranges.end() ? std::nullopt : std::optional(at->second);
}

bool ExpandQuantize(Builder& builder, const NodeInfo& node) {
  NodeView view(node);
  const graph::TensorType x = builder.TypeOf(node.inputs[0]);
  const std::string zero = OperandOf(node, 2);
  if (builder.IsHalfByte(zero)) return builder.Fail(node, "a result of four bits");
  const int64_t wanted = view.Int("output_dtype", 0), type = !zero.empty()
                                                                 ? NumberOfType(builder.TypeOf(zero).dtype)
                                                             : wanted != 0 ? wanted
                                                                           : NumberOfType(DType::kUint8);
  const auto range = RangeOf(type);
  if (!range || (wanted != 0 && wanted != type))
    return builder.Fail(node, fmt::format("a result of element type {}", type));
  if (!graph::IsFloat(x.dtype)) return builder.Fail(node, fmt::format("input is {}", graph::Name(x.dtype)));
  const std::string scales = Spread(builder, node, node.inputs[1], x.shape);
  if (scales.empty()) return false;
  std::string value = builder.Emit(
      node, "Div",
      {Converted(builder, node, node.inputs[0], kFloatType), Converted(builder, node, scales, kFloatType)});
  value = builder.Emit(node, "Round", {value});
  if (!zero.empty()) {
    const std::string spread = Spread(builder, node, zero, x.shape);
    if (spread.empty()) return false;
    value = builder.Emit(node, "Add", {value, Converted(builder, node, spread, kFloatType)});
  }
  const auto bound = [&](double v) {
    return builder.AddConstant(node.name + ".bound", Tensor({}, std::vector<float>{static_cast<float>(v)}));
  };
  value = builder.Emit(node, "Clip", {value, bound(range->first), bound(range->second)});
  Converted(builder, node, value, type, node.outputs[0]);
  return true;
}

}  // namespace

Expansion QuantizationVariantOf(const Builder& builder, const NodeInfo& node) {
  const bool is_quantize = node.op == "QuantizeLinear";
  if ((!is_quantize && node.op != "DequantizeLinear") || node.outputs.size() != 1) return nullptr;
  for (size_t i : {0, 1})
    if (OperandOf(node, i).empty()) return nullptr;
  for (const std::string& name : node.inputs)
    if (!name.empty() && (builder.BundleOf(name) || builder.IsBroken(name))) return nullptr;
  const auto is_set = [&](const char* name) {
    const auto at = node.attributes.find(name);
    const auto* value = at == node.attributes.end() ? nullptr : std::get_if<int64_t>(&at->second);
    return value && *value != 0;
  };
  const DType x = builder.TypeOf(node.inputs[0]).dtype, scale = builder.TypeOf(node.inputs[1]).dtype;
  const std::string zero = OperandOf(node, 2);
  const DType bytes = is_quantize ? zero.empty() ? DType::kUint8 : builder.TypeOf(zero).dtype : x;
  const bool is_plain = scale == DType::kFloat32 && !is_set("block_size") && !is_set("output_dtype") &&
                        (!is_quantize || x == DType::kFloat32) && !builder.IsHalfByte(zero) &&
                        (host::IsStepType(bytes) || (!is_quantize && bytes == DType::kInt32));
  return is_plain ? nullptr : is_quantize ? ExpandQuantize : ExpandDequantize;
}

}  // namespace cosim::import::onnx
