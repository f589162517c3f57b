// SPDX-License-Identifier: Apache-2.0
// Operator fusion. See group.h.
#include <algorithm>
#include <set>

#include "compiler/network/group.h"
#include "compiler/ops/definition.h"
#include "compiler/ops/elementwise.h"
#include "isa/text_escape.h"

namespace cosim::network {
namespace {

using graph::ValueId;

bool Spreads(const graph::Node& node) {
  return (node.As<graph::DepthToSpace>() || node.As<graph::ResizeNearest>()) &&
         graph::IsQuantized(node.type.dtype);
}

class Fuser {
 public:
  Fuser(const graph::Graph& graph, const FuseOptions& options)
      : graph_(graph), options_(options), users_(graph.Users()), taken_(graph.size(), false) {}

  std::vector<Group> Run() {
    std::vector<Group> groups;
    for (ValueId id = 0; id < graph_.size(); ++id) {
      const auto& node = graph_.node(id);
      if (taken_[id] || node.As<graph::Input>() || node.As<graph::Constant>()) continue;
      groups.push_back(Start(id));
    }
    // A group runs when its last operand is there, which is where its result stood in the graph.
    std::stable_sort(groups.begin(), groups.end(),
                     [](const Group& a, const Group& b) { return a.result() < b.result(); });
    return groups;
  }

 private:
  static constexpr int kMostForks = 3;
  static constexpr size_t kMostJoined = 12;

  Group Start(ValueId id) {
    const auto& node = graph_.node(id);
    Group group;
    group.name = isa::OneLine(node.name);
    Take(group, id);
    if (node.type.dtype == graph::DType::kFloat32 && !node.As<graph::Flatten>()) {
      if (ops::HasDefinition(graph_, id)) TakeElementwise(group);
      return group;
    }
    if (node.As<graph::Conv2d>() || node.As<graph::Dense>() || node.As<graph::MatMul>()) {
      group.kind = GroupKind::kConvolution;
      if (TakeRequantization(group)) {
        TakeClip(group);
        TakeOne(group, node.As<graph::Conv2d>() != nullptr);
      }
    } else if (node.As<graph::MaxPool>() || node.As<graph::Pad>()) {
      group.kind = GroupKind::kMaxPool;
      TakeClip(group);
    } else if (node.As<graph::GlobalSumPool>() || node.As<graph::SumPool>()) {
      group.kind = GroupKind::kSumPool;
      if (TakeRequantization(group)) TakeClip(group);
    } else if (KeepsQuantized(node)) {
      group.kind = GroupKind::kElementwise;
      TakeClip(group);
    } else if (node.As<graph::Table>() || Spreads(node)) {
      group.kind = GroupKind::kElementwise;
    } else if (node.As<graph::Concat>()) {
      group.kind = GroupKind::kConcat;
    } else if (node.As<graph::Flatten>()) {
      group.kind = GroupKind::kView;
    }
    return group;
  }

  // Whether an elementwise operation takes and gives quantized values.
  bool KeepsQuantized(const graph::Node& node) const {
    return ops::IsElementwise(node) && graph::IsQuantized(node.type.dtype) &&
           graph::IsQuantized(graph_.node(node.inputs[0]).type.dtype);
  }

  void Take(Group& group, ValueId id) {
    taken_[id] = true;
    group.nodes.push_back(id);
  }

  // The one user of the group's result, if nothing else sees that result.
  ValueId OnlyUser(const Group& group) const {
    const ValueId id = group.result();
    const auto& outputs = graph_.outputs();
    if (users_[id].size() != 1 || std::count(outputs.begin(), outputs.end(), id)) return -1;
    return taken_[users_[id][0]] ? -1 : users_[id][0];
  }

  // Whether there is one, with or without a bias before it.
  bool TakeRequantization(Group& group) {
    ValueId next = OnlyUser(group);
    if (next >= 0 && graph_.node(next).As<graph::BiasAdd>() &&
        graph_.node(graph_.node(next).inputs[1]).As<graph::Constant>()) {
      Take(group, next);
      next = OnlyUser(group);
    }
    if (next < 0 || !graph_.node(next).As<graph::Requantize>()) return false;
    Take(group, next);
    return true;
  }

  void TakeClip(Group& group) {
    if (options_.keep_every_value) return;
    const ValueId next = OnlyUser(group);
    if (next >= 0 && graph_.node(next).As<graph::Clip>()) Take(group, next);
  }

  // One elementwise operation, or a max pool of a convolution: requantization and clips keep the order of
  // values, so that the largest sum of a window is the largest result, and only that one is requantized. Or
  // what has a convolution's pixels stand elsewhere. Whatever computes another operand sees nothing of this
  // group, so it can always run before it.
  void TakeOne(Group& group, bool has_pixels) {
    if (options_.keep_every_value) return;
    const ValueId next = OnlyUser(group);
    if (next < 0) return;
    const graph::Node& node = graph_.node(next);
    const bool fits = node.As<graph::QAdd>() || node.As<graph::QLeakyRelu>() ||
                      node.As<graph::QHardSwish>() || node.As<graph::Table>() ||
                      (has_pixels && (node.As<graph::MaxPool>() || Spreads(node)));
    if (!fits || std::ranges::count(node.inputs, group.result()) > 1) return;
    Take(group, next);
    TakeClip(group);
  }

  // Of floats, all that is made of the group's result element by element, while one value of it is read
  // outside.
  void TakeElementwise(Group& group) {
    if (options_.keep_every_value) return;
    int forks = 0;  // expressions are written out at each use
    while (true) {
      const ValueId next = OnlyUser(group);
      if (next >= 0 && IsElementwiseBehind(group, next)) {
        Take(group, next);
      } else {
        const std::vector<ValueId> joined =
            ++forks > kMostForks ? std::vector<ValueId>{} : JoinedBehind(group);
        if (joined.empty()) return;
        for (const ValueId id : joined) Take(group, id);
      }
    }
  }

  bool IsElementwiseBehind(const Group& group, ValueId id) const {
    return graph_.node(id).type == graph_.node(group.result()).type && ops::IsDefinedByElements(graph_, id);
  }

  // Where several operations read the group's result: those up to the first that all of them lead to. Nothing
  // when other values of theirs are read elsewhere, or one of their operands may come of the group's result
  // by another way.
  std::vector<ValueId> JoinedBehind(const Group& group) const {
    const ValueId from = group.result();
    std::vector<ValueId> joined;
    std::set<ValueId> open(users_[from].begin(), users_[from].end());
    while (!open.empty() && joined.size() < kMostJoined) {
      if (std::ranges::count(graph_.outputs(), joined.empty() ? from : joined.back())) return {};
      const ValueId next = *open.begin();
      open.erase(open.begin());
      const auto is_ready = [&](ValueId input) {
        return input <= from || graph_.node(input).As<graph::Constant>() || std::ranges::count(joined, input);
      };
      if (taken_[next] || !IsElementwiseBehind(group, next) ||
          !std::ranges::all_of(graph_.node(next).inputs, is_ready))
        return {};
      joined.push_back(next);
      if (open.empty()) return joined;
      open.insert(users_[next].begin(), users_[next].end());
    }
    return {};
  }

  const graph::Graph& graph_;
  const FuseOptions& options_;
  std::vector<std::vector<ValueId>> users_;
  std::vector<bool> taken_;
};

}  // namespace

const graph::MaxPool* PoolBehind(const graph::Graph& graph, const Group& group) {
  if (group.kind != GroupKind::kConvolution) return nullptr;
  for (const ValueId id : group.nodes)
    if (const auto* pool = graph.node(id).As<graph::MaxPool>()) return pool;
  return nullptr;
}

const graph::Node* SpreadIn(const graph::Graph& graph, const Group& group) {
  for (const ValueId id : group.nodes)
    if (Spreads(graph.node(id))) return &graph.node(id);
  return nullptr;
}

const graph::Node* EdgeBefore(const graph::Graph& graph, const graph::Node& convolution) {
  const auto* conv = convolution.As<graph::Conv2d>();
  if (conv == nullptr || conv->pad != decltype(conv->pad){}) return nullptr;
  const graph::Node& before = graph.node(convolution.inputs[0]);
  const auto* pad = before.As<graph::Pad>();
  return pad != nullptr && pad->edge && graph::IsQuantized(before.type.dtype) ? &before : nullptr;
}

std::vector<Group> SplitBehindRequantization(const graph::Graph& graph, const Group& group) {
  const auto requantizes = [&](ValueId id) { return graph.node(id).As<graph::Requantize>() != nullptr; };
  auto at = std::ranges::find_if(group.nodes, requantizes);
  if (group.kind != GroupKind::kConvolution || at == group.nodes.end()) return {};
  ++at;
  if (at != group.nodes.end() && graph.node(*at).As<graph::Clip>()) ++at;
  if (at == group.nodes.end()) return {};
  Group before = group, after;
  before.nodes.assign(group.nodes.begin(), at);
  after.kind = graph.node(*at).As<graph::MaxPool>() ? GroupKind::kMaxPool : GroupKind::kElementwise;
  after.name = graph.node(*at).name;
  after.nodes.assign(at, group.nodes.end());
  return {before, after};
}

std::optional<Group> Feed(const graph::Graph& graph, const Group& first, const Group& second) {
  const auto convolution = [&](const Group& group) {
    const bool is_one = group.kind == GroupKind::kConvolution && group.feeder.empty();
    return is_one ? graph.node(group.anchor()).As<graph::Conv2d>() : nullptr;
  };
  const graph::Conv2d *keeps = convolution(first), *mixes = convolution(second);
  if (keeps == nullptr || mixes == nullptr || graph.node(second.anchor()).inputs[0] != first.result())
    return {};
  const bool keeps_channels = keeps->groups > 1 && keeps->groups == graph.node(first.anchor()).type.shape[1];
  const bool ends_requantized = first.nodes.size() > 1 && SplitBehindRequantization(graph, first).empty();
  const std::vector<int64_t>& weights = graph.node(graph.node(second.anchor()).inputs[1]).type.shape;
  const bool only_mixes = mixes->groups == 1 && weights[2] * weights[3] == 1 &&
                          mixes->stride == decltype(mixes->stride){1, 1} &&
                          std::ranges::all_of(mixes->pad, [](int64_t pad) { return pad == 0; });
  const bool read_elsewhere =
      graph.Users()[first.result()].size() != 1 || std::ranges::count(graph.outputs(), first.result()) > 0;
  if (!keeps_channels || !ends_requantized || !only_mixes || read_elsewhere) return {};
  Group fed = second;
  fed.name = first.name + "+" + second.name;
  fed.feeder = first.nodes;
  return fed;
}

std::vector<Group> Fuse(const graph::Graph& graph, const FuseOptions& options) {
  return Fuser(graph, options).Run();
}

const Group* NextKernel(std::span<const Group> groups, size_t i) {
  const auto next = std::ranges::find_if(groups.subspan(i + 1),
                                         [](const Group& group) { return group.kind != GroupKind::kView; });
  return next == groups.end() ? nullptr : &*next;
}

std::vector<std::vector<graph::ValueId>> HostGroups(const graph::Graph& graph) {
  std::vector<std::vector<graph::ValueId>> nodes;
  std::vector<Group> groups = Fuse(graph, {});
  for (size_t i = 0; i < groups.size(); ++i) {
    const std::vector<Group> parts = SplitBehindRequantization(graph, groups[i]);
    if (!parts.empty()) {
      groups.insert(groups.begin() + static_cast<std::ptrdiff_t>(i) + 1, parts.begin(), parts.end());
    } else if (groups[i].kind != GroupKind::kView) {
      nodes.push_back(groups[i].nodes);
    }
  }
  return nodes;
}

}  // namespace cosim::network
