// SPDX-License-Identifier: Apache-2.0
// Operators that move, pick and make elements.
#include <limits>
#include <optional>

#include "compiler/host/index.h"
#include "compiler/host/movement.h"
#include "compiler/import/onnx/node_view.h"

namespace cosim::import::onnx {
namespace {

using graph::HostOperatorPtr;
using graph::Tensor;

HostOperatorPtr MakeConstant(NodeView& n) {
  graph::TensorPtr value = n.Value("value");
  if (n.Has("value_int"))
    value = std::make_shared<const Tensor>(graph::Shape{}, std::vector<int64_t>{n.Int("value_int", 0)});
  if (n.Has("value_float"))
    value = std::make_shared<const Tensor>(graph::Shape{}, std::vector<float>{n.Float("value_float", 0)});
  if (n.Has("value_ints")) {
    auto list = n.Ints("value_ints");
    value = std::make_shared<const Tensor>(graph::Shape{static_cast<int64_t>(list.size())}, std::move(list));
  }
  if (!value) return n.Fail("a constant that is no tensor of numbers");
  n.Append(*value);
  return host::Identity();
}

HostOperatorPtr MakePad(NodeView& n) {
  const std::string mode = n.Text("mode", "constant");
  if (mode != "constant" && mode != "reflect" && mode != "edge") return n.Fail("mode " + mode);
  if (n.opset() < 11) {
    n.AppendInts(n.Ints("pads"));
    n.Append(Tensor({}, std::vector<float>{n.Float("value", 0)}));
  }
  return host::Pad(mode == "constant"  ? host::PadMode::kConstant
                   : mode == "reflect" ? host::PadMode::kReflect
                                       : host::PadMode::kEdge);
}

HostOperatorPtr MakeSlice(NodeView& n) {
  if (n.opset() < 10) {
    n.AppendInts(n.Ints("starts"));
    n.AppendInts(n.Ints("ends"));
    if (n.Has("axes")) n.AppendInts(n.Ints("axes"));
  }
  return host::Slice();
}

HostOperatorPtr MakeScatter(NodeView& n, bool nd) {
  const std::string reduction = n.Text("reduction", "none");
  host::ScatterMode mode = host::ScatterMode::kReplace;
  if (reduction == "add") {
    mode = host::ScatterMode::kAdd;
  } else if (reduction == "mul") {
    mode = host::ScatterMode::kMultiply;
  } else if (reduction == "max") {
    mode = host::ScatterMode::kMaximum;
  } else if (reduction == "min") {
    mode = host::ScatterMode::kMinimum;
  } else if (reduction != "none") {
    return n.Fail("reduction " + reduction);
  }
  return nd ? host::ScatterNd(mode) : host::ScatterElements(n.Int("axis", 0), mode);
}

}  // namespace

void AddStructural(Factories& all) {
  all["Constant"] = MakeConstant;
  all["Transpose"] = [](NodeView& n) { return host::Transpose(n.Ints("perm")); };
  all["Reshape"] = [](NodeView& n) {
    if (!n.HasInput(1)) n.AppendInts(n.Ints("shape"));  // before operator set 5
    return host::Reshape(n.Int("allowzero", 0) != 0);
  };
  all["Flatten"] = [](NodeView& n) { return host::FlattenAt(n.Int("axis", 1)); };
  all["Squeeze"] = [](NodeView& n) { return host::Squeeze(n.Ints("axes")); };
  all["Unsqueeze"] = [](NodeView& n) { return host::Unsqueeze(n.Ints("axes")); };
  all["Concat"] = [](NodeView& n) { return host::Concat(n.Int("axis", 1)); };
  all["Split"] = [](NodeView& n) -> HostOperatorPtr {
    const auto count = static_cast<int64_t>(n.outputs());
    if (n.Int("num_outputs", count) != count)
      return n.Fail(fmt::format("{} results, not {}", count, n.Int("num_outputs", 0)));
    return host::Split(n.Int("axis", 0), n.Ints("split"), n.outputs());
  };
  all["Slice"] = MakeSlice;
  all["Expand"] = [](NodeView&) { return host::Expand(); };
  all["Tile"] = [](NodeView&) { return host::Tile(); };
  all["Pad"] = MakePad;
  all["DepthToSpace"] = [](NodeView& n) {
    return host::DepthToSpace(n.Int("blocksize", 0), n.Text("mode", "DCR") == "DCR");
  };
  all["SpaceToDepth"] = [](NodeView& n) { return host::SpaceToDepth(n.Int("blocksize", 0)); };
  all["Trilu"] = [](NodeView& n) { return host::Triangle(n.Int("upper", 1) != 0); };
  all["ReverseSequence"] = [](NodeView& n) {
    return host::ReverseSequence(n.Int("batch_axis", 1), n.Int("time_axis", 0));
  };
  all["Gather"] = [](NodeView& n) { return host::Gather(n.Int("axis", 0)); };
  all["GatherElements"] = [](NodeView& n) { return host::GatherElements(n.Int("axis", 0)); };
  all["GatherND"] = [](NodeView& n) { return host::GatherNd(n.Int("batch_dims", 0)); };
  all["Scatter"] = all["ScatterElements"] = [](NodeView& n) { return MakeScatter(n, false); };
  all["ScatterND"] = [](NodeView& n) { return MakeScatter(n, true); };
  all["OneHot"] = [](NodeView& n) { return host::OneHot(n.Int("axis", -1)); };
  all["Compress"] = [](NodeView& n) { return host::Compress(n.Int("axis", 0), !n.Has("axis")); };
  all["NonZero"] = [](NodeView&) { return host::NonZero(); };
  all["Range"] = [](NodeView&) { return host::Range(); };
  all["ConstantOfShape"] = [](NodeView& n) {
    auto value = n.Value("value");
    if (!value) value = std::make_shared<const Tensor>(graph::Shape{1}, std::vector<float>{0});
    return host::ConstantOfShape(std::move(value));
  };
  all["EyeLike"] = [](NodeView& n) {
    std::optional<graph::DType> dtype;
    if (n.Has("dtype")) dtype = ElementType(n, n.Int("dtype", 0));
    return host::EyeLike(dtype, n.Int("k", 0));
  };
  all["Shape"] = [](NodeView& n) {
    return host::ShapeOf(n.Int("start", 0), n.Int("end", std::numeric_limits<int32_t>::max()));
  };
  all["Size"] = [](NodeView&) { return host::SizeOf(); };
}

}  // namespace cosim::import::onnx
