// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/passes/expand_transposed.h"

#include <algorithm>
#include <map>
#include <optional>

#include "compiler/graph/passes/rewriter.h"
#include "compiler/graph/transposed_axis.h"

namespace cosim::graph {
namespace {

std::optional<TransposedAxis> ExpandAxis(int64_t stride, int64_t pad, int64_t kernel, int64_t input,
                                         int64_t output) {
  const auto axis = TransposedAxis::Of(stride, pad, kernel);
  if (output % stride != 0 || axis.PadAfter(input, output / stride) < 0) return std::nullopt;
  return axis;
}

class Expander {
 public:
  explicit Expander(const Graph& graph) : graph_(graph), rewriter_(graph), users_(graph.Users()) {}

  Graph Run() {
    for (ValueId id = 0; id < graph_.size(); ++id) {
      if (!Expand(id) && !MoveBefore(id)) rewriter_.Copy(id);
      if (waiting_.count(id) && !CanWait(id)) Spread(id);
    }
    return rewriter_.Finish();
  }

 private:
  struct Waiting {
    ValueId value;  ///< of the result: the pixels of a square as channels
    std::array<int64_t, 2> block;
  };

  TensorPtr ConstantData(ValueId id) const {
    const auto* constant = graph_.node(id).As<Constant>();
    return constant ? constant->data : nullptr;
  }

  bool Expand(ValueId id) {
    const Node& node = graph_.node(id);
    const auto* op = node.As<ConvTranspose2d>();
    const TensorPtr weight = op ? ConstantData(node.inputs[1]) : nullptr;
    if (!weight) return false;
    const Shape &x = graph_.node(node.inputs[0]).type.shape, &w = weight->shape(), &y = node.type.shape;
    const auto rows = ExpandAxis(op->stride[0], op->pad[0], w[2], x[2], y[2]);
    const auto columns = ExpandAxis(op->stride[1], op->pad[1], w[3], x[3], y[3]);
    if (!rows || !columns) return false;
    Graph& result = rewriter_.result();
    const ValueId taps = result.AddConstant(node.name + ".phases", Phases(*weight, *rows, *columns));
    const Conv2d conv{.pad = {rows->pad_before(), columns->pad_before(),
                              rows->PadAfter(x[2], y[2] / op->stride[0]),
                              columns->PadAfter(x[3], y[3] / op->stride[1])}};
    waiting_[id] = {result.Add(node.name + ".conv", conv, {rewriter_.Map(node.inputs[0]), taps}), op->stride};
    return true;
  }

  /// [O,C,KH,KW] to [SY*SX*O,C,taps,taps].
  static Tensor Phases(const Tensor& weight, const TransposedAxis& rows, const TransposedAxis& columns) {
    const Shape& w = weight.shape();
    const Shape shape = {rows.stride * columns.stride * w[0], w[1], rows.taps(), columns.taps()};
    std::vector<float> taps;
    taps.reserve(NumElements(shape));
    for (int64_t phase = 0; phase < rows.stride * columns.stride; ++phase)
      for (int64_t oc = 0; oc < w[0] * w[1]; ++oc)
        for (int64_t u = 0; u < rows.taps(); ++u)
          for (int64_t v = 0; v < columns.taps(); ++v) {
            const int64_t ky = rows.Tap(phase / columns.stride, u),
                          kx = columns.Tap(phase % columns.stride, v);
            taps.push_back(ky < 0 || kx < 0 ? 0 : weight.data<float>()[(oc * w[2] + ky) * w[3] + kx]);
          }
    return Tensor(shape, std::move(taps));
  }

  bool CanWait(ValueId id) const {
    const auto& outputs = graph_.outputs();
    if (users_[id].size() != 1 || std::count(outputs.begin(), outputs.end(), id)) return false;
    const Node& user = graph_.node(users_[id][0]);
    if (user.inputs[0] != id || !(user.As<BiasAdd>() || user.As<BatchNorm>() || user.As<Relu>()))
      return false;
    return std::all_of(user.inputs.begin() + 1, user.inputs.end(),
                       [&](ValueId vector) { return ConstantData(vector) != nullptr; });
  }

  /// An operation on a value that waits: done on its channels as they are.
  bool MoveBefore(ValueId id) {
    const Node& node = graph_.node(id);
    const auto found = node.inputs.empty() ? waiting_.end() : waiting_.find(node.inputs[0]);
    if (found == waiting_.end() || !CanWait(node.inputs[0])) return false;
    const Waiting waiting = found->second;
    std::vector<ValueId> inputs = {waiting.value};
    for (size_t i = 1; i < node.inputs.size(); ++i) {
      const auto vector = ConstantData(node.inputs[i])->data<float>();
      std::vector<float> repeated;
      for (int64_t phase = 0; phase < waiting.block[0] * waiting.block[1]; ++phase)
        repeated.insert(repeated.end(), vector.begin(), vector.end());
      const Shape shape = {static_cast<int64_t>(repeated.size())};
      inputs.push_back(rewriter_.result().AddConstant(graph_.node(node.inputs[i]).name + ".phases",
                                                      Tensor(shape, std::move(repeated))));
    }
    waiting_[id] = {rewriter_.result().Add(node.name + ".phases", node.op, inputs), waiting.block};
    return true;
  }

  void Spread(ValueId id) {
    const Waiting& waiting = waiting_.at(id);
    rewriter_.Replace(
        id, rewriter_.result().Add(graph_.node(id).name, DepthToSpace{waiting.block}, {waiting.value}));
  }

  const Graph& graph_;
  Rewriter rewriter_;
  std::vector<std::vector<ValueId>> users_;
  std::map<ValueId, Waiting> waiting_;  // values of the source that have no counterpart of their own yet
};

}  // namespace

Graph ExpandTransposed(const Graph& graph) { return Expander(graph).Run(); }

}  // namespace cosim::graph
