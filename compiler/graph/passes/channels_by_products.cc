// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/passes/channels_by_products.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compiler/graph/passes/remove_dead_values.h"
#include "compiler/graph/passes/rewriter.h"

namespace cosim::graph {
namespace {

/// Channel i is channel channels[i] of the value `from`.
struct Pick {
  ValueId from = -1;
  std::vector<int64_t> channels;
  bool IsIdentityOf(int64_t count) const {
    std::vector<int64_t> all(static_cast<size_t>(count));
    std::iota(all.begin(), all.end(), int64_t{0});
    return channels == all;
  }
};

bool HasDifferentChannels(Pick pick) {
  std::ranges::sort(pick.channels);
  return std::ranges::adjacent_find(pick.channels) == pick.channels.end();
}

bool IsPlane(const TensorType& type) { return type.shape.size() == 4 && IsQuantized(type.dtype); }

/// Which channel of x each channel of y is whose elements `places` names in x; nothing where they are none.
std::optional<std::vector<int64_t>> ChannelsOf(const Shape& x, const Tensor& places) {
  const Shape& y = places.shape();
  if (y.size() != 4 || y[0] != x[0] || y[2] != x[2] || y[3] != x[3]) return std::nullopt;
  const int64_t pixels = x[2] * x[3];
  std::vector<int64_t> channels;
  const auto at = places.data<int32_t>();
  for (int64_t c = 0; c < y[1]; ++c) channels.push_back(at[static_cast<size_t>(c * pixels)] / pixels);
  size_t next = 0;
  for (int64_t n = 0; n < y[0]; ++n)
    for (const int64_t channel : channels)
      for (int64_t p = 0; p < pixels; ++p)
        if (at[next++] != (n * x[1] + channel) * pixels + p) return std::nullopt;
  return channels;
}

/// Whether anything but the host reads `id`.
bool IsReadOutsideOfTheHost(const Graph& graph, const std::vector<std::vector<ValueId>>& users, ValueId id) {
  return std::ranges::any_of(users[id], [&](ValueId user) { return !graph.node(user).As<HostOp>(); });
}

bool IsComputed(const Node& node) { return !node.As<Input>() && !node.As<Constant>() && !node.As<HostOp>(); }

/// `x` of `result` as `channels` others, each that channel of x of which `from` has the number; none: -1.
ValueId Multiply(Graph& result, const std::string& name, ValueId x, const std::vector<int64_t>& from,
                 const std::optional<Quantization>& quantization) {
  const TensorType type = result.node(x).type;
  const int64_t inputs = type.shape[1], outputs = std::ssize(from);
  std::vector<int8_t> ones(static_cast<size_t>(outputs * inputs), 0);
  for (int64_t o = 0; o < outputs; ++o)
    if (const int64_t i = from[static_cast<size_t>(o)]; i >= 0) ones[static_cast<size_t>(o * inputs + i)] = 1;
  const ValueId weights =
      result.AddConstant(name + ".ones", Tensor({outputs, inputs, 1, 1}, std::move(ones)));
  const ValueId sums = result.Add(name + ".products", Conv2d{}, {x, weights});
  return result.Add(name, Requantize{.bits = type.dtype == DType::kInt16 ? 16 : 8}, {sums}, quantization);
}

class Picker {
 public:
  explicit Picker(const Graph& graph) : graph_(graph), users_(graph.Users()), rewriter_(graph) {}

  Graph Run() {
    for (ValueId id = 0; id < graph_.size(); ++id)
      if (auto pick = PickOf(id)) picks_.emplace(id, std::move(*pick));
    if (picks_.empty()) return graph_;
    for (ValueId id = 0; id < graph_.size(); ++id) {
      if (const auto pick = picks_.find(id); pick != picks_.end()) {
        rewriter_.Replace(id, Multiplied(id, pick->second));
      } else if (const Pick* read = TakenIn(id)) {
        Widen(id, *read);
      } else {
        rewriter_.Copy(id);
      }
    }
    return RemoveDeadValues(rewriter_.Finish());
  }

 private:
  /// Whether all that a node does is to move elements of its first operand.
  bool Moves(const Node& node) const {
    const auto* host = node.As<HostOp>();
    const auto is_constant = [&](ValueId id) { return graph_.node(id).As<Constant>() != nullptr; };
    return host != nullptr && host->op->Moves() && !node.inputs.empty() && !is_constant(node.inputs[0]) &&
           std::all_of(node.inputs.begin() + 1, node.inputs.end(), is_constant);
  }

  /// What the movements up to `id` pick, if they do, for something that is not the host's.
  std::optional<Pick> PickOf(ValueId id) const {
    const Node& node = graph_.node(id);
    if (!Moves(node) || !IsPlane(node.type) || !IsReadOutsideOfTheHost(graph_, users_, id))
      return std::nullopt;
    std::vector<ValueId> moves = {id};
    ValueId from = node.inputs[0];
    for (; Moves(graph_.node(from)); from = graph_.node(from).inputs[0]) moves.push_back(from);
    const Node& begin = graph_.node(from);
    if (!IsPlane(begin.type) || !IsComputed(begin) || begin.type.dtype != node.type.dtype)
      return std::nullopt;

    std::vector<int32_t> all(static_cast<size_t>(NumElements(begin.type.shape)));
    std::iota(all.begin(), all.end(), 0);
    Tensor places(begin.type.shape, std::move(all));
    for (size_t m = moves.size(); m-- > 0;) {
      const Node& move = graph_.node(moves[m]);
      std::vector<const Tensor*> operands = {&places};
      for (size_t i = 1; i < move.inputs.size(); ++i)
        operands.push_back(graph_.node(move.inputs[i]).As<Constant>()->data.get());
      const auto* host = move.As<HostOp>();
      places = std::move(Evaluate(*host->op, operands).at(static_cast<size_t>(host->result)));
    }
    auto channels = ChannelsOf(begin.type.shape, places);
    if (!channels) return std::nullopt;
    Pick pick{from, std::move(*channels)};
    // An output keeps its name.
    if (pick.IsIdentityOf(begin.type.shape[1]) && std::ranges::count(graph_.outputs(), id))
      return std::nullopt;
    return pick;
  }

  ValueId Multiplied(ValueId id, const Pick& pick) {
    const Node& node = graph_.node(id);
    if (pick.IsIdentityOf(graph_.node(pick.from).type.shape[1])) return rewriter_.Map(pick.from);
    return Multiply(rewriter_.result(), node.name, rewriter_.Map(pick.from), pick.channels,
                    node.quantization);
  }

  /// What the convolution `id` reads, where it can pick for itself with no more products than by ones.
  const Pick* TakenIn(ValueId id) const {
    const Node& node = graph_.node(id);
    const auto* conv = node.As<Conv2d>();
    if (conv == nullptr || conv->groups != 1) return nullptr;
    const auto at = picks_.find(node.inputs[0]);
    const Node& weights = graph_.node(node.inputs[1]);
    if (at == picks_.end() || !weights.As<Constant>() || !HasDifferentChannels(at->second)) return nullptr;
    const Shape& w = weights.type.shape;
    const int64_t inputs = graph_.node(at->second.from).type.shape[1];
    const bool is_pointwise = w[2] * w[3] == 1 && conv->stride == std::array<int64_t, 2>{1, 1};
    return is_pointwise && (inputs - w[1]) * w[0] <= inputs * w[1] ? &at->second : nullptr;
  }

  void Widen(ValueId id, const Pick& pick) {
    Node node = graph_.node(id);
    const Node& old = graph_.node(node.inputs[1]);
    const Tensor& narrow = *old.As<Constant>()->data;
    const int64_t outputs = narrow.shape()[0], read = narrow.shape()[1],
                  inputs = graph_.node(pick.from).type.shape[1];
    Tensor wide(TensorType{narrow.dtype(), {outputs, inputs, 1, 1}});
    WithElementType(narrow.dtype(), [&](auto zero) {
      using T = decltype(zero);
      const auto from = narrow.data<T>();
      const auto to = wide.mutable_data<T>();
      for (int64_t o = 0; o < outputs; ++o)
        for (int64_t i = 0; i < read; ++i)
          to[static_cast<size_t>(o * inputs + pick.channels[static_cast<size_t>(i)])] =
              from[static_cast<size_t>(o * read + i)];
    });
    const ValueId weights =
        rewriter_.result().AddConstant(old.name + ".of." + node.name, std::move(wide), old.quantization);
    node.inputs = {rewriter_.Map(pick.from), weights};
    rewriter_.Replace(id, rewriter_.result().Append(std::move(node)));
  }

  const Graph& graph_;
  std::vector<std::vector<ValueId>> users_;
  std::map<ValueId, Pick> picks_;
  Rewriter rewriter_;
};

}  // namespace

Graph PickByProducts(const Graph& graph) { return Picker(graph).Run(); }

Graph JoinByProducts(const Graph& graph, int64_t block) {
  const auto users = graph.Users();
  Rewriter rewriter(graph);
  for (ValueId id = 0; id < graph.size(); ++id) {
    const Node& node = graph.node(id);
    const auto fills = [&](ValueId part) { return graph.node(part).type.shape[1] % block == 0; };
    const auto computed = [&](ValueId part) { return IsComputed(graph.node(part)); };
    if (!node.As<Concat>() || !IsPlane(node.type) || std::ranges::all_of(node.inputs, fills) ||
        !std::ranges::all_of(node.inputs, computed) || !IsReadOutsideOfTheHost(graph, users, id)) {
      rewriter.Copy(id);
      continue;
    }
    ValueId sum = -1;
    int64_t first = 0;
    for (size_t part = 0; part < node.inputs.size(); ++part) {
      const int64_t channels = graph.node(node.inputs[part]).type.shape[1];
      std::vector<int64_t> from(static_cast<size_t>(node.type.shape[1]), -1);
      std::iota(from.begin() + first, from.begin() + first + channels, int64_t{0});
      first += channels;
      const bool is_last = part + 1 == node.inputs.size();
      const std::string name = fmt::format("{}.{}", node.name, part);
      const ValueId placed =
          Multiply(rewriter.result(), name, rewriter.Map(node.inputs[part]), from, node.quantization);
      sum = sum < 0 ? placed
                    : rewriter.result().Add(is_last ? node.name : name + ".beside", QAdd{}, {placed, sum},
                                            node.quantization);
    }
    rewriter.Replace(id, sum);
  }
  return rewriter.Finish();
}

}  // namespace cosim::graph
