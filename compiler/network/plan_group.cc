// SPDX-License-Identifier: Apache-2.0
// What a group is as a window and an epilogue, or why it is none. See lower_group.h.
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "compiler/network/convert.h"
#include "compiler/network/geometry.h"
#include "compiler/network/lower_group.h"
#include "compiler/tir/rounding.h"

namespace cosim::network {

using graph::ValueId;
using tir::CeilDiv;

namespace {

void SetPadding(const std::array<int64_t, 4>& pad, Window& window) {
  window.top = pad[0];
  window.left = pad[1];
  window.bottom = pad[2];
  window.right = pad[3];
}

/// Of a max or sum pool.
template <typename Pool>
void SetPooling(const Pool& pool, Window& window) {
  window.kh = pool.kernel[0];
  window.kw = pool.kernel[1];
  window.sh = pool.stride[0];
  window.sw = pool.stride[1];
  SetPadding(pool.pad, window);
}

// Parts of a weight cost a step of the array each.
constexpr int64_t kMostParts = 2;

/// Of how many values that the memory holds the widest weight is the sum.
int64_t PartsOf(const WeightValues& weights, const isa::Memory& memory) {
  const int64_t least = memory.fields[0].type.Min(), most = memory.fields[0].type.Max();
  if (!weights.is_wide() && least <= -128 && most >= 127) return 1;
  const auto [low, high] = weights.Range();
  if ((high > 0 && most <= 0) || (low < 0 && least >= 0)) return kMostParts + 1;  // no sum reaches those
  const int64_t up = high > 0 ? CeilDiv(high, most) : 1, down = low < 0 ? CeilDiv(-low, -least) : 1;
  return std::max(up, down);
}

}  // namespace

bool GroupLowering::PlanConvolution(const Group& group, AcceleratorGroup& out, Plan& plan,
                                    std::string& reason) const {
  const auto& node = graph_.node(group.anchor());
  if (!graph_.node(node.inputs[1]).As<graph::Constant>())
    return reason = "its weights are not constant", false;
  out.input = LookThroughViews(node.inputs[0]);
  ConvView view = ViewOf(graph_, group, out.input);
  if (node.As<graph::Dense>() && UsePatches(view, array_)) {  // the flattened value is the patch
    out.input = node.inputs[0];
    view = ViewOf(graph_, group, out.input);
  }
  const auto& conv = view.attributes;
  const isa::Memory& weights = spec_.memories[array_.weights];
  const int64_t parts = PartsOf(view.weights, weights);
  if (parts > kMostParts) {
    const auto [least, most] = view.weights.Range();
    return reason = fmt::format("weights from {} to {}: '{}' holds {} bits, and no sum of {} such", least,
                                most, weights.name, weights.fields[0].type.width, kMostParts),
           false;
  }
  const auto [n, c, h, w] = view.x;
  const auto y = Shape4(graph_, group.anchor());
  plan.kind = &kernels::Contraction();
  Window& window = plan.window;
  window.n = CeilDiv(n, array_.batch);
  window.si = array_.InElements();
  window.so = array_.OutElements();
  const Grouping grouping = GroupingOf(view, array_);
  window.g = grouping.count;
  window.co = CeilDiv(view.o / window.g, array_.layout_out);
  window.oh = y[2];
  window.ow = y[3];
  window.parts = parts;
  if (UsePatches(view, array_)) {
    if (PlanImage(group, view, out, plan)) return true;
    out.input_layout = {Layout::Kind::kPatches, array_.layout_in, group.anchor()};
    window.ci = CeilDiv(c * view.kh * view.kw, array_.layout_in);
    window.h = y[2];
    window.w = y[3];
    return true;
  }
  out.input_layout = ReadLayout();
  window.ci = CeilDiv(c / window.g, array_.layout_in);
  window.h = h;
  window.w = w;
  window.kh = view.kh;
  window.kw = view.kw;
  window.sh = conv.stride[0];
  window.sw = conv.stride[1];
  window.dh = conv.dilation[0];
  window.dw = conv.dilation[1];
  SetPadding(conv.pad, window);
  window.pad_value = conv.input_zero_point;
  if (const graph::Node* edge = EdgeBefore(graph_, node)) {  // loads repeat it
    out.input = LookThroughViews(edge->inputs[0]);
    const auto within = Shape4(graph_, out.input);
    window.h = within[2];
    window.w = within[3];
    SetPadding(edge->As<graph::Pad>()->pad, window);
    window.edge = true;
  }
  StandInTiles(group, out, window);
  if (window.pad_value != 0 && window.Padded() && !window.edge) {
    bool can_pad = false;
    for (const auto& format : spec_.formats)
      can_pad |= format.kind == isa::Kind::kLoad && format.memory == array_.activations &&
                 format.FieldIndex("pad_value") >= 0;
    if (!can_pad)
      return reason = fmt::format("padding with zero point {}: loads pad with 0 only", window.pad_value),
             false;
  }
  return true;
}

bool GroupLowering::PlanImage(const Group& group, const ConvView& view, AcceleratorGroup& out,
                              Plan& plan) const {
  const int format = accel::FindGather(spec_, array_.activations);
  const isa::Memory& memory = spec_.memories[array_.activations];
  const int64_t value_bytes = graph::SizeOf(graph_.node(out.input).type.dtype);
  if (format < 0 || !graph_.node(group.anchor()).As<graph::Conv2d>() || array_.batch != 1 ||
      memory.element_bits != memory.stored_bytes * 8 || array_.activation_bits != 8 * value_bytes)
    return false;
  Window& window = plan.window;
  const accel::ImageWindow image = ImageWindowOf(view, window.oh, window.ow, value_bytes);
  accel::Gathered gathered = GatherOf(image, memory.stored_bytes, LongestPiece(spec_, memory));
  const isa::InstructionFormat& load = spec_.formats[format];
  if (gathered.col_bytes > load.fields[load.FieldIndex("piece_step")].type.Max()) return false;
  out.input_layout = {Layout::Kind::kImage, array_.block_in, group.anchor()};
  window.ci = std::ssize(gathered.blocks);
  window.si = 1;
  window.h = window.oh;
  window.w = window.ow;
  window.gather = CyclesOfElement(gathered, spec_.dram.beat_bytes());
  plan.gathered = std::move(gathered);
  return true;
}

// Whether all that reads a value are convolutions that take their windows from patches or rows of pixels,
// which the host makes.
bool GroupLowering::FeedsWindows(ValueId value) const {
  return !users_[value].empty() && !std::ranges::count(graph_.outputs(), value) &&
         std::ranges::all_of(users_[value], [&](ValueId user) {
           const graph::Node& node = graph_.node(user);
           if (SourceOf(graph_, {user, {Layout::Kind::kImage}}).value == value) return FeedsWindows(user);
           return node.As<graph::Conv2d>() && graph_.node(node.inputs[1]).As<graph::Constant>() &&
                  node.inputs[0] == value &&
                  UsePatches(ViewOf(graph_, Group{.nodes = {user}}, value), array_);
         });
}

bool GroupLowering::PlanElementwise(const Group& group, AcceleratorGroup& out, Plan& plan,
                                    std::string& reason) const {
  const auto& node = graph_.node(group.anchor());
  if (FeedsWindows(group.result()))
    return reason =
               "few channels: the host makes rows of pixels of them, which the accelerator gathers windows "
               "from",
           false;
  out.input = LookThroughViews(node.inputs[0]);
  if (node.As<graph::ScaledAdd>() && !array_.HasParameters()) return reason = NoMultiplier(), false;
  out.input_layout = ReadLayout();
  const auto [n, c, h, w] = Shape4(graph_, out.input);
  plan.window.n = CeilDiv(n, array_.batch);
  plan.window.co = CeilDiv(c, array_.layout_out);
  plan.window.so = array_.OutElements();
  plan.window.h = plan.window.oh = h;
  plan.window.w = plan.window.ow = w;
  return true;
}

bool GroupLowering::PlanPool(const Group& group, AcceleratorGroup& out, Plan& plan, std::string&) const {
  const auto& node = graph_.node(group.anchor());
  out.input = LookThroughViews(node.inputs[0]);
  out.input_layout = ReadLayout();
  const auto [n, c, h, w] = Shape4(graph_, out.input);
  const auto y = Shape4(graph_, group.anchor());
  Window& window = plan.window;
  window.n = CeilDiv(n, array_.batch);
  window.co = CeilDiv(c, array_.layout_out);
  window.so = array_.OutElements();
  window.h = h;
  window.w = w;
  window.oh = y[2];
  window.ow = y[3];
  if (const auto* pool = node.As<graph::MaxPool>()) {
    plan.kind = &kernels::MaxPooling();
    SetPooling(*pool, window);
    window.pad_value = graph::LeastOf(node.type.dtype);
    return true;
  }
  if (const auto* pad = node.As<graph::Pad>()) {
    plan.kind = &kernels::MaxPooling();
    SetPadding(pad->pad, window);
    window.pad_value = pad->value;
    window.edge = pad->edge;
    return true;
  }
  plan.kind = &kernels::SumPooling();
  window.kh = h;
  window.kw = w;
  if (const auto* pool = node.As<graph::SumPool>()) {
    SetPooling(*pool, window);
    window.pad_value = pool->pad_value;
  }
  return true;
}

bool GroupLowering::PlanEpilogue(const Group& group, AcceleratorGroup& out, Plan& plan,
                                 std::string& reason) const {
  plan.epilogue = EpilogueOf(graph_, group);
  if (const auto residual = ResidualOf(graph_, group)) out.residual = LookThroughViews(*residual);
  if (const auto* table = plan.epilogue.Find<graph::Table>(); table && !CanLookUp(*table, reason))
    return false;
  const graph::Requantize* requantize = plan.epilogue.requantize();
  const bool sums = group.kind == GroupKind::kConvolution || group.kind == GroupKind::kSumPool;
  if (sums && !requantize) return reason = "its int32 result is not requantized", false;
  if (!requantize || array_.HasParameters()) return true;
  if (!IsPureShift(*requantize)) return reason = NoMultiplier() + ": quantize by powers of two", false;
  if (requantize->shift[0] > 31)
    return reason = fmt::format("a shift by {} bits", requantize->shift[0]), false;
  return true;
}

bool GroupLowering::CanLookUp(const graph::Table& op, std::string& reason) const {
  const int bits = std::bit_width(op.table.size()) - 1;
  if (array_.table.memory >= 0 && array_.table.bits == bits) return true;
  reason = fmt::format("no ALU op of isa '{}' looks values of {} bits up in a table", spec_.isa, bits);
  return false;
}

std::string GroupLowering::NoMultiplier() const {
  return fmt::format("isa '{}' has no per-channel multiplier{}", spec_.isa,
                     array_.no_parameters.empty() ? "" : fmt::format(" ({})", array_.no_parameters));
}

std::string GroupLowering::WhyNoKernel(const graph::Node& node) const {
  if (node.As<graph::QSoftmax>())
    return fmt::format(
        "a softmax sums over lanes and looks exponentials up: no ALU op of isa '{}' does either", spec_.isa);
  if (node.As<graph::QLayerNorm>())
    return fmt::format("a layer norm sums over lanes and takes roots: no ALU op of isa '{}' does either",
                       spec_.isa);
  if (node.As<graph::Concat>())
    return fmt::format(
        "operands are written in place where their channels fill blocks of {}, once and for one "
        "tile of images: these do not",
        array_.layout_out);
  return fmt::format("no accelerator kernel computes {}", graph::Mnemonic(node.op));
}

std::string GroupLowering::ArrayMisfit() const {
  if (!no_array_.empty()) return no_array_;
  for (const int memory : {array_.activations, array_.results}) {
    const isa::Memory& m = spec_.memories[memory];
    const int width = m.fields[0].type.width;
    if (!m.fields[0].type.is_signed)
      return fmt::format("values are int8 or int16, '{}' has lanes of uint{}", m.name, width);
    if (width != array_.activation_bits || (width != 8 && width != 16 && width != 32))
      return fmt::format("values are int8 or int16, '{}' has lanes of {} bits: 8 or 16 would do", m.name,
                         width);
  }
  const isa::ScalarType sums = spec_.memories[array_.accumulators].fields[0].type;
  if (sums.width != 32) return fmt::format("sums are int32, accumulators have {} bits", sums.width);
  if (!sums.is_signed) return "sums are int32, accumulators are unsigned";
  const isa::Memory& weights = spec_.memories[array_.weights];
  if (!weights.fields[0].type.is_signed)
    return fmt::format("weights are signed, '{}' has lanes of uint{}", weights.name,
                       weights.fields[0].type.width);
  return {};
}

std::string GroupLowering::AluReadsMisfit() const {
  if (array_.alu_parts == 0)
    return fmt::format(
        "the alu reads activations of {} channels beside accumulators of {}: equal block_in and block_out "
        "lift that{}",
        array_.block_in, array_.block_out,
        array_.block_out % array_.block_in == 0 && array_.batch > 1 ? ", or batch 1" : "");
  for (const isa::AluOp& op : spec_.alu_ops)
    if (array_.alu_parts > 1 && !op.available &&
        std::ranges::count(op.operands, array_.alu_activations, &isa::Operand::memory) > 0)
      return op.unavailable;
  return {};
}

bool GroupLowering::MakePlan(const Group& group, AcceleratorGroup& out, Plan& plan,
                             std::string& reason) const {
  if (const auto* host = graph_.node(group.anchor()).As<graph::HostOp>()) return reason = host->reason, false;
  if (reason = ArrayMisfit(); !reason.empty()) return false;
  const graph::DType dtype = graph_.node(group.result()).type.dtype;
  if (!graph::IsQuantized(dtype))
    return reason = "its result is neither int8 nor int16: nothing else leaves the accelerator", false;
  if (const auto bits = 8 * graph::SizeOf(dtype); bits > array_.activation_bits)
    return reason = fmt::format("its values are {}, lanes of '{}' have {} bits", graph::Name(dtype),
                                spec_.memories[array_.activations].name, array_.activation_bits),
           false;
  for (graph::ValueId id : {graph_.node(group.anchor()).inputs[0], group.anchor()})
    if (const auto& shape = graph_.node(LookThroughViews(id)).type.shape;
        shape.size() != 2 && shape.size() != 4)
      return reason = fmt::format("values of {} dimensions have no blocked layout", shape.size()), false;
  const bool alu_reads =
      group.kind != GroupKind::kOther && (group.kind != GroupKind::kConvolution || ResidualOf(graph_, group));
  if (alu_reads) reason = AluReadsMisfit();
  if (!reason.empty()) return false;
  bool planned = false;
  switch (group.kind) {
    case GroupKind::kConvolution:
      planned = graph_.node(group.anchor()).As<graph::MatMul>() ? PlanMatMul(group, out, plan, reason)
                                                                : PlanConvolution(group, out, plan, reason);
      break;
    case GroupKind::kMaxPool:
    case GroupKind::kSumPool:
      planned = PlanPool(group, out, plan, reason);
      break;
    case GroupKind::kElementwise:
      planned = PlanElementwise(group, out, plan, reason);
      break;
    default:
      reason = WhyNoKernel(graph_.node(group.anchor()));
  }
  if (!planned || !PlanEpilogue(group, out, plan, reason) || !PlanPoolBehind(group, out, plan, reason) ||
      !PlanSpread(group, plan, reason) || !PlanFeeder(group, plan, reason))
    return false;
  for (const graph::ValueId read : {out.input, out.residual, out.weights})
    if (read >= 0 && graph_.node(read).As<graph::Constant>())
      return reason =
                 "a value that it reads is a constant: what a run computes is brought to the accelerator",
             false;
  if (group.kind == GroupKind::kConvolution && !plan.feeder) {
    TryRows(group, out, plan);
    TryLanes(group, out, plan);
  }
  reason = ParametersMisfit(group, out, plan);
  return reason.empty();
}

}  // namespace cosim::network
