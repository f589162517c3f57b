// SPDX-License-Identifier: Apache-2.0
// Products of two activations, one of which becomes weights: without a step of the host, where a convolution
// can leave its pixels as tiles of weights, an output each. Where the channels are the outputs, a product by
// the identity turns such tiles. See lower_group.h.
#include <fmt/format.h>

#include <algorithm>

#include "compiler/network/geometry.h"
#include "compiler/network/lower_group.h"
#include "compiler/tir/rounding.h"
#include "isa/text_escape.h"

namespace cosim::network {

using graph::ValueId;
using tir::CeilDiv;

bool GroupLowering::PlanMatMul(const Group& group, AcceleratorGroup& out, Plan& plan,
                               std::string& reason) const {
  const auto& node = graph_.node(group.anchor());
  const auto& op = *node.As<graph::MatMul>();
  if (array_.batch != 1)
    return reason = fmt::format(
               "the {} rows of a tile share their weights, images do not: batch 1 lifts that", array_.batch),
           false;
  const isa::Memory& weights = spec_.memories[array_.weights];
  if (array_.weight_bits != 8 && array_.weight_bits != 16)
    return reason = fmt::format("the host packs its weights as whole bytes: lanes of '{}' have {} bits",
                                weights.name, array_.weight_bits),
           false;
  if (const auto dtype = graph_.node(node.inputs[1]).type.dtype;
      8 * graph::SizeOf(dtype) > array_.weight_bits)
    return reason = fmt::format("activations are its weights, {}: lanes of '{}' have {} bits",
                                graph::Name(dtype), weights.name, array_.weight_bits),
           false;
  const Epilogue epilogue = EpilogueOf(graph_, group);
  if (epilogue.Find<graph::BiasAdd>() ||
      (epilogue.requantize() && epilogue.requantize()->multiplier.size() != 1))
    return reason = "bias or scales of a channel behind a product of activations", false;
  out.input = LookThroughViews(node.inputs[0]);
  out.weights = LookThroughViews(node.inputs[1]);
  const auto [n, c, h, w] = Shape4(graph_, out.input);
  const MatrixShape m = MatrixShapeOf(Shape4(graph_, out.weights), op.groups, op.transpose_b);
  plan.kind = &kernels::Contraction();
  Window& window = plan.window;
  window.g = m.count;
  window.ci = CeilDiv(m.i, array_.layout_in);
  window.co = CeilDiv(m.o, array_.layout_out);
  window.si = array_.InElements();
  window.so = array_.OutElements();
  window.h = window.oh = h;
  window.w = window.ow = w;
  // Groups that fill their blocks stand as they would without groups.
  out.input_layout = ReadLayout();
  if (m.i % array_.layout_in != 0) out.input_layout.groups = op.groups;
  if (m.o % array_.layout_out != 0) out.output_layout.groups = op.groups;
  out.weights_layout = {Layout::Kind::kMatrices, 0, -1, op.groups, op.transpose_b};
  window.weights_in_blocks = !op.transpose_b && in_tiles_.count(out.weights) > 0;
  if (window.weights_in_blocks) out.weights_layout = TilesLayout(out.weights);
  return true;
}

Layout GroupLowering::TilesLayout(ValueId value) const {
  const auto [n, c, h, w] = Shape4(graph_, value);
  Layout layout = WrittenLayout();
  layout.pixels = tir::RoundUp(h * w, array_.block_out);
  return layout;
}

bool GroupLowering::MayStandInTiles(ValueId value) const {
  const std::vector<ValueId>& users = users_[value];
  if (!PixelsAreTiles(array_) || users.size() != 1 || std::ranges::count(graph_.outputs(), value))
    return false;
  const graph::Node& user = graph_.node(users[0]);
  const auto* op = user.As<graph::MatMul>();
  if (op == nullptr || user.inputs[0] == value) return false;
  const auto [n, c, h, w] = Shape4(graph_, value);
  if (n != 1 || c % (op->groups * array_.block_in) != 0 || h * w == 1) return false;
  // What is behind the last pixel means nothing, so that what it is multiplied by must be 0: as the host
  // fills blocks up.
  const bool host_made = graph_.node(user.inputs[0]).As<graph::QSoftmax>() != nullptr;
  return !op->transpose_b || h * w % array_.block_in == 0 || host_made;
}

void GroupLowering::StandInTiles(const Group& group, AcceleratorGroup& out, Window& window) const {
  const bool is_pointwise = window.kh * window.kw == 1 && window.h == window.oh && window.w == window.ow &&
                            !window.Padded() && window.g == 1;
  if (!is_pointwise || !group.feeder.empty() || PoolBehind(graph_, group) || SpreadIn(graph_, group) ||
      !MayStandInTiles(group.result()))
    return;
  window.h = window.oh = window.h * window.w;
  window.w = window.ow = window.sh = window.sw = 1;
  out.output_layout = TilesLayout(group.result());
  window.rows_stored = out.output_layout.pixels;
}

std::optional<AcceleratorGroup> GroupLowering::LowerTransposition(const Group& matmul) {
  const graph::Node& node = graph_.node(matmul.anchor());
  const auto* op = node.As<graph::MatMul>();
  if (op == nullptr || !op->transpose_b || !in_tiles_.count(LookThroughViews(node.inputs[1])))
    return std::nullopt;
  AcceleratorGroup out;
  Plan plan;
  std::string reason;
  if (!MakePlan(matmul, out, plan, reason)) return std::nullopt;

  const Layout turned = out.weights_layout;
  const ValueId value = out.weights;
  const Group group{GroupKind::kOther, isa::OneLine(graph_.node(value).name) + ".transposed", {value}, {}};
  out = {};
  out.weights = value;
  out.weights_layout = TilesLayout(value);
  plan = {};
  plan.kind = &kernels::Contraction();
  plan.epilogue.type = tir::DataType::Int(array_.activation_bits);
  Window& window = plan.window;
  window.co = Shape4(graph_, value)[1] / array_.block_in * out.weights_layout.pixels / array_.block_out;
  window.h = window.oh = array_.block_in;
  if (!LowerPlan(group, plan, out, reason)) return std::nullopt;
  out.output_layout = turned;
  return out;
}

}  // namespace cosim::network
