// SPDX-License-Identifier: Apache-2.0
// Operators of ONNX that are put together of others, and forms of operators that newer operator sets have.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "compiler/host/numeric.h"
#include "compiler/import/onnx/expand.h"
#include "compiler/import/onnx/node_view.h"

namespace cosim::import::onnx {
namespace {

using graph::DType;
using graph::Shape;
using graph::Tensor;

/// The shape of operand 0; nothing, and said, when there is none.
std::optional<Shape> InputShape(Builder& builder, const NodeInfo& node) {
  const std::string x = OperandOf(node, 0);
  if (!x.empty() && !builder.BundleOf(x) && node.outputs.size() == 1) return builder.TypeOf(x).shape;
  builder.Fail(node, "its operand is no tensor, or it has not one result");
  return std::nullopt;
}

/// Operand i as places among `rank` dimensions, all of them when it is absent.
std::optional<std::vector<size_t>> AxesOf(Builder& builder, const NodeInfo& node,
                                          const std::vector<int64_t>& given, bool is_given, size_t rank) {
  std::vector<size_t> axes;
  for (size_t d = 0; d < rank && !is_given; ++d) axes.push_back(d);
  for (int64_t axis : given) {
    const auto at = host::AxisOf(axis, rank);
    if (!at || std::ranges::count(axes, *at) > 0) {
      builder.Fail(node, fmt::format("axes {}", graph::ToString(given)));
      return std::nullopt;
    }
    axes.push_back(*at);
  }
  return axes;
}

Tensor Number(DType dtype, double value) {
  return host::ConvertTo(Tensor({}, std::vector<float>{static_cast<float>(value)}), dtype);
}

/// Shapes are known here, whatever the tensors are.
bool ExpandShape(Builder& builder, const NodeInfo& node) {
  NodeView view(node);
  const auto shape = InputShape(builder, node);
  if (!shape) return false;
  if (node.op == "Size") {
    builder.Define(node.outputs[0], Tensor({}, std::vector<int64_t>{graph::NumElements(*shape)}));
    return true;
  }
  const auto rank = static_cast<int64_t>(shape->size());
  const auto place = [&](int64_t v) { return std::clamp<int64_t>(v < 0 ? v + rank : v, 0, rank); };
  const int64_t from = place(view.Int("start", 0)), to = std::max(place(view.Int("end", rank)), from);
  builder.Define(node.outputs[0],
                 Tensor({to - from}, std::vector<int64_t>(shape->begin() + from, shape->begin() + to)));
  return true;
}

bool ExpandIdentity(Builder& builder, const NodeInfo& node) {
  if (node.outputs.size() != 1) return builder.Fail(node, "it has one result");
  builder.Alias(node.outputs[0], node.inputs[0]);
  return true;
}

/// bfloat16 is float32 here, rounded.
bool ExpandBfloat16(Builder& builder, const NodeInfo& node) {
  if (!InputShape(builder, node)) return false;
  std::string x = node.inputs[0];
  if (builder.TypeOf(x).dtype != DType::kFloat32) x = builder.Emit(node, "Cast", {x}, {{"to", int64_t{1}}});
  builder.Emit(node, kRoundToBfloat16, {x}, {}, node.outputs[0]);
  builder.SetBfloat16(node.outputs[0]);
  return true;
}

/// Pads with axes, or by what stands at the other end.
bool ExpandPad(Builder& builder, const NodeInfo& node) {
  NodeView view(node);
  const auto shape = InputShape(builder, node);
  const auto given = shape ? IntegersOf(builder, node, 1) : std::nullopt;
  const auto list = given ? IntegersOf(builder, node, 3) : std::nullopt;
  const auto axes =
      list ? AxesOf(builder, node, *list, !OperandOf(node, 3).empty(), shape->size()) : std::nullopt;
  if (!axes) return false;
  if (given->size() != 2 * axes->size())
    return builder.Fail(node, fmt::format("{} pads for {} axes", given->size(), axes->size()));
  std::vector<int64_t> pads(2 * shape->size(), 0);
  for (size_t i = 0; i < axes->size(); ++i) {
    pads[(*axes)[i]] = (*given)[i];
    pads[(*axes)[i] + shape->size()] = (*given)[i + axes->size()];
  }
  if (view.Text("mode", "constant") != "wrap") {
    std::vector<std::string> inputs = {node.inputs[0], builder.AddIntegers(node.name + ".pads", pads)};
    if (const std::string value = OperandOf(node, 2); !value.empty()) inputs.push_back(value);
    builder.Emit(node, "Pad", inputs, node.attributes, node.outputs[0]);
    return true;
  }
  std::string x = node.inputs[0];
  for (size_t d = 0; d < shape->size(); ++d) {
    constexpr int64_t kMostPad = int64_t{1} << 24;
    const int64_t before = pads[d], after = pads[d + shape->size()], n = (*shape)[d];
    if (before == 0 && after == 0) continue;
    if (std::abs(before) > kMostPad || std::abs(after) > kMostPad || n < 1 || n > kMostPad ||
        n + before + after < 1)
      return builder.Fail(node, fmt::format("pads {} and {} of {}", before, after, n));
    std::vector<int64_t> places;
    for (int64_t i = -before; i < n + after; ++i) places.push_back((i % n + n) % n);
    x = builder.Emit(node, "Gather", {x, builder.AddIntegers(node.name + ".places", std::move(places))},
                     {{"axis", static_cast<int64_t>(d)}});
  }
  builder.Alias(node.outputs[0], x);
  return true;
}

bool ExpandCenterCropPad(Builder& builder, const NodeInfo& node) {
  NodeView view(node);
  const auto shape = InputShape(builder, node);
  const auto target = shape ? IntegersOf(builder, node, 1) : std::nullopt;
  const auto axes =
      target ? AxesOf(builder, node, view.Ints("axes"), view.Has("axes"), shape->size()) : std::nullopt;
  if (!axes) return false;
  if (target->size() != axes->size())
    return builder.Fail(node, fmt::format("shape {}", graph::ToString(*target)));
  std::vector<int64_t> pads(2 * shape->size(), 0);
  for (size_t i = 0; i < axes->size(); ++i) {
    const int64_t n = (*shape)[(*axes)[i]], want = (*target)[i];
    if (want < 0 || want > kMostElements) return builder.Fail(node, fmt::format("an extent of {}", want));
    const int64_t size = std::abs(want - n), before = size / 2, sign = want < n ? -1 : 1;
    pads[(*axes)[i]] = sign * before;
    pads[(*axes)[i] + shape->size()] = sign * (size - before);
  }
  builder.Emit(node, "Pad", {node.inputs[0], builder.AddIntegers(node.name + ".pads", pads)}, {},
               node.outputs[0]);
  return true;
}

/// The instances that are normalized are groups of channels.
bool ExpandGroupNormalization(Builder& builder, const NodeInfo& node) {
  NodeView view(node);
  const auto shape = InputShape(builder, node);
  if (!shape) return false;
  const int64_t groups = view.Int("num_groups", 0);
  if (shape->size() < 3 || groups < 1 || (*shape)[1] % groups != 0 || OperandOf(node, 2).empty())
    return builder.Fail(node, fmt::format("{} groups of {}", groups, graph::ToString(*shape)));
  const DType dtype = builder.TypeOf(node.inputs[0]).dtype;
  const auto integers = [&](std::vector<int64_t> list) {
    return builder.AddIntegers(node.name + ".shape", std::move(list));
  };
  const auto same = [&](double value) {
    return builder.AddConstant(
        node.name + ".unit", host::ConvertTo(Tensor({groups}, std::vector<float>(static_cast<size_t>(groups),
                                                                                 static_cast<float>(value))),
                                             dtype));
  };
  // Before operator set 21 a group has one scale and bias, since then each channel has.
  const int64_t channels = (*shape)[1], each = node.opset < 21 ? groups : channels;
  Shape of_channels = {channels};
  of_channels.resize(shape->size() - 1, 1);
  const auto parameter = [&](size_t i) {
    const std::string rows = builder.Emit(node, "Reshape", {node.inputs[i], integers({each, 1})});
    const std::string all = builder.Emit(node, "Expand", {rows, integers({each, channels / each})});
    return builder.Emit(node, "Reshape", {all, integers(of_channels)});
  };
  const std::string grouped =
      builder.Emit(node, "Reshape", {node.inputs[0], integers({(*shape)[0], groups, -1})});
  const std::string normal = builder.Emit(node, "InstanceNormalization", {grouped, same(1), same(0)},
                                          {{"epsilon", view.Float("epsilon", 1e-5f)}});
  const std::string back = builder.Emit(node, "Reshape", {normal, integers(*shape)});
  const std::string scaled = builder.Emit(node, "Mul", {back, parameter(1)});
  builder.Emit(node, "Add", {scaled, parameter(2)}, {}, node.outputs[0]);
  return true;
}

/// x / sqrt(mean(x^2) + epsilon) * scale over `axis` and what follows.
bool ExpandRmsNormalization(Builder& builder, const NodeInfo& node) {
  NodeView view(node);
  const auto shape = InputShape(builder, node);
  if (!shape) return false;
  const auto axis = host::AxisOf(view.Int("axis", -1), shape->size());
  if (!axis || OperandOf(node, 1).empty()) return builder.Fail(node, "its axis or scale");
  const std::string& x = node.inputs[0];
  std::vector<int64_t> axes;
  for (size_t d = *axis; d < shape->size(); ++d) axes.push_back(static_cast<int64_t>(d));
  const std::string squares = builder.Emit(node, "Mul", {x, x}),
                    mean = builder.Emit(node, "ReduceMean", {squares},
                                        {{"axes", axes}, {"keepdims", int64_t{1}}}),
                    epsilon =
                        builder.AddConstant(node.name + ".epsilon",
                                            Number(builder.TypeOf(x).dtype, view.Float("epsilon", 1e-5f))),
                    root = builder.Emit(node, "Sqrt", {builder.Emit(node, "Add", {mean, epsilon})}),
                    normal = builder.Emit(node, "Div", {x, root});
  builder.Emit(node, "Mul", {normal, node.inputs[1]}, {}, node.outputs[0]);
  return true;
}

/// Scales or sizes of some axes as those of all.
struct ResizeOperands {
  std::vector<float> scales;
  std::vector<int64_t> sizes;
};

std::optional<ResizeOperands> ResizeOf(Builder& builder, const NodeInfo& node, const Shape& shape,
                                       const std::vector<size_t>& axes) {
  const auto fail = [&](const std::string& what) {
    builder.Fail(node, what);
    return std::nullopt;
  };
  ResizeOperands all;
  // What has no elements is not there.
  const auto present = [&](size_t operand) {
    const std::string name = OperandOf(node, operand);
    const graph::TensorPtr value = builder.Constant(name);
    return value && value->size() == 0 ? "" : name;
  };
  const std::string scales = present(2), sizes = present(3);
  const graph::TensorPtr known = builder.Constant(scales.empty() ? sizes : scales);
  if (!known || known->size() != static_cast<int64_t>(axes.size()))
    return fail("its scales or sizes must be constants, one for each of its axes");
  const auto given = host::Reals(*known);
  NodeView view(node);
  const std::string policy = view.Text("keep_aspect_ratio_policy", "stretch");
  if (!scales.empty()) {
    all.scales.assign(shape.size(), 1);
    for (size_t i = 0; i < axes.size(); ++i) all.scales[axes[i]] = static_cast<float>(given[i]);
    return all;
  }
  all.sizes = shape;
  double common = 0;
  for (size_t i = 0; i < axes.size(); ++i) {
    const double scale = given[i] / static_cast<double>(std::max<int64_t>(shape[axes[i]], 1));
    common = i == 0 || (policy == "not_larger" ? scale < common : scale > common) ? scale : common;
  }
  for (size_t i = 0; i < axes.size(); ++i) {
    const double size = policy == "stretch" ? given[i] : common * static_cast<double>(shape[axes[i]]);
    if (!(size >= 1 && size <= static_cast<double>(kMostElements)) ||
        std::abs(size - std::round(size)) > 1e-6)
      return fail(fmt::format("a size of {}", size));
    all.sizes[axes[i]] = static_cast<int64_t>(std::round(size));
  }
  return all;
}

bool ExpandResize(Builder& builder, const NodeInfo& node) {
  NodeView view(node);
  const auto shape = InputShape(builder, node);
  const auto axes =
      shape ? AxesOf(builder, node, view.Ints("axes"), view.Has("axes"), shape->size()) : std::nullopt;
  if (!axes) return false;
  const auto operands = ResizeOf(builder, node, *shape, *axes);
  if (!operands) return false;
  std::string region = OperandOf(node, 1);
  if (const graph::TensorPtr given = builder.Constant(region);
      given && view.Has("axes") && given->size() != 0) {
    const auto bounds = host::Reals(*given);
    if (bounds.size() != 2 * axes->size()) return builder.Fail(node, "its region of interest");
    std::vector<float> all(2 * shape->size(), 0);
    std::fill(all.begin() + static_cast<std::ptrdiff_t>(shape->size()), all.end(), 1.0f);
    for (size_t i = 0; i < axes->size(); ++i) {
      all[(*axes)[i]] = static_cast<float>(bounds[i]);
      all[(*axes)[i] + shape->size()] = static_cast<float>(bounds[i + axes->size()]);
    }
    region = builder.AddConstant(node.name + ".region", Tensor({static_cast<int64_t>(all.size())}, all));
  } else if (!region.empty() && view.Has("axes") && !given) {
    return builder.Fail(node, "its region of interest must be a constant");
  }
  std::map<std::string, Attribute> attributes = node.attributes;
  for (const char* name : {"axes", "keep_aspect_ratio_policy"}) attributes.erase(name);
  std::vector<std::string> inputs = {node.inputs[0], region};
  const auto rank = static_cast<int64_t>(shape->size());
  if (operands->sizes.empty()) {
    inputs.push_back(builder.AddConstant(node.name + ".scales", Tensor({rank}, operands->scales)));
  } else {
    inputs.insert(inputs.end(), {"", builder.AddIntegers(node.name + ".sizes", operands->sizes)});
  }
  builder.Emit(node, "Resize", inputs, attributes, node.outputs[0]);
  return true;
}

}  // namespace

void AddCompositions(Expansions& all) {
  all["Shape"] = all["Size"] = ExpandShape;
  all["CenterCropPad"] = ExpandCenterCropPad;
  all["GroupNormalization"] = ExpandGroupNormalization;
  all["SimplifiedLayerNormalization"] = all["RMSNormalization"] = ExpandRmsNormalization;
}

Expansion VariantOf(const Builder& builder, const NodeInfo& node) {
  const auto has = [&](const char* name) { return node.attributes.count(name) > 0; };
  const auto text = [&](const char* name) {
    const auto at = node.attributes.find(name);
    const auto* value = at == node.attributes.end() ? nullptr : std::get_if<std::string>(&at->second);
    return value ? *value : "";
  };
  const auto number = [&](const char* name) {
    const auto at = node.attributes.find(name);
    const auto* value = at == node.attributes.end() ? nullptr : std::get_if<int64_t>(&at->second);
    return value ? *value : 0;
  };
  constexpr int64_t kBfloat16 = 16;
  if (node.op == "Identity" && builder.BundleOf(OperandOf(node, 0))) return ExpandIdentity;
  if (node.op == "Cast" && number("to") == kBfloat16) return ExpandBfloat16;
  if (node.op == "CastLike" && builder.IsBfloat16(OperandOf(node, 1))) return ExpandBfloat16;
  if (node.op == "Pad" && (!OperandOf(node, 3).empty() || text("mode") == "wrap")) return ExpandPad;
  if (node.op == "Resize" && (has("axes") || has("keep_aspect_ratio_policy"))) return ExpandResize;
  return QuantizationVariantOf(builder, node);
}

}  // namespace cosim::import::onnx
