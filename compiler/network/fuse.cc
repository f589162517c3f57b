// SPDX-License-Identifier: Apache-2.0
// Operator fusion. See group.h.
#include <algorithm>

#include "compiler/network/group.h"
#include "isa/text_escape.h"

namespace cosim::network {
namespace {

using graph::ValueId;

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
  Group Start(ValueId id) {
    const auto& node = graph_.node(id);
    Group group;
    group.name = isa::OneLine(node.name);
    Take(group, id);
    if (node.type.dtype == graph::DType::kFloat32 && !node.As<graph::Flatten>()) return group;
    NoClip(group);
    if (node.As<graph::Conv2d>() || node.As<graph::Dense>() || node.As<graph::MatMul>()) {
      group.kind = GroupKind::kConvolution;
      TakeRequantization(group);
      if (group.epilogue.requantize) {
        TakeClip(group, group.epilogue.first_low, group.epilogue.first_high);
        TakeAdd(group);
        if (!group.epilogue.add) {
          group.epilogue.low = group.epilogue.first_low;
          group.epilogue.high = group.epilogue.first_high;
        }
      }
    } else if (node.As<graph::MaxPool>() || node.As<graph::Pad>()) {
      group.kind = GroupKind::kMaxPool;
      TakeClip(group, group.epilogue.low, group.epilogue.high);
    } else if (node.As<graph::GlobalSumPool>() || node.As<graph::SumPool>()) {
      group.kind = GroupKind::kSumPool;
      TakeRequantization(group);
      if (group.epilogue.requantize) TakeClip(group, group.epilogue.low, group.epilogue.high);
    } else if (const auto* add = node.As<graph::QAdd>()) {
      group.kind = GroupKind::kElementwise;
      group.epilogue.add = add;
      TakeClip(group, group.epilogue.low, group.epilogue.high);
    } else if (node.As<graph::ScaledAdd>()) {
      group.kind = GroupKind::kElementwise;
      TakeClip(group, group.epilogue.low, group.epilogue.high);
    } else if (const auto* mul = node.As<graph::QMul>()) {
      group.kind = GroupKind::kElementwise;
      group.epilogue.mul = mul;
      TakeClip(group, group.epilogue.low, group.epilogue.high);
    } else if (const auto* rescale = node.As<graph::Rescale>()) {
      group.kind = GroupKind::kElementwise;
      group.epilogue.rescale = rescale;
      TakeClip(group, group.epilogue.low, group.epilogue.high);
    } else if (node.As<graph::Concat>()) {
      group.kind = GroupKind::kConcat;
    } else if (const auto* clip = node.As<graph::Clip>()) {
      group.kind = GroupKind::kElementwise;
      group.epilogue.low = clip->lo;
      group.epilogue.high = clip->hi;
    } else if (node.As<graph::Flatten>()) {
      group.kind = GroupKind::kView;
    }
    return group;
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

  void TakeRequantization(Group& group) {
    ValueId next = OnlyUser(group);
    if (next >= 0 && graph_.node(next).As<graph::BiasAdd>() &&
        graph_.node(graph_.node(next).inputs[1]).As<graph::Constant>()) {
      group.epilogue.bias = graph_.node(next).inputs[1];
      Take(group, next);
      next = OnlyUser(group);
    }
    if (next >= 0 && graph_.node(next).As<graph::Requantize>()) {
      group.epilogue.requantize = graph_.node(next).As<graph::Requantize>();
      Take(group, next);
      NoClip(group);
    }
  }

  // Nothing is clipped but to the type of the result so far.
  void NoClip(Group& group) const {
    const graph::DType dtype = graph_.node(group.result()).type.dtype;
    if (!graph::IsQuantized(dtype)) return;
    group.epilogue.low = group.epilogue.first_low = graph::LeastOf(dtype);
    group.epilogue.high = group.epilogue.first_high = graph::LargestOf(dtype);
  }

  void TakeClip(Group& group, int32_t& low, int32_t& high) {
    if (options_.keep_every_value) return;
    const ValueId next = OnlyUser(group);
    if (next < 0) return;
    if (const auto* clip = graph_.node(next).As<graph::Clip>()) {
      low = clip->lo;
      high = clip->hi;
      Take(group, next);
    }
  }

  void TakeAdd(Group& group) {
    if (options_.keep_every_value) return;
    const ValueId next = OnlyUser(group), mine = group.result();
    if (next < 0) return;
    const auto& node = graph_.node(next);
    const auto* add = node.As<graph::QAdd>();
    if (!add || node.inputs[0] == node.inputs[1]) return;
    const ValueId other = node.inputs[0] == mine ? node.inputs[1] : node.inputs[0];
    // Whatever computes the other operand sees nothing of this group, so it can always run before it.
    group.epilogue.add = add;
    group.epilogue.residual = other;
    group.epilogue.residual_is_a = node.inputs[0] == other;
    Take(group, next);
    TakeClip(group, group.epilogue.low, group.epilogue.high);
  }

  const graph::Graph& graph_;
  const FuseOptions& options_;
  std::vector<std::vector<ValueId>> users_;
  std::vector<bool> taken_;
};

}  // namespace

std::vector<Group> SplitAtAdd(const graph::Graph& graph, const Group& group) {
  if (group.kind != GroupKind::kConvolution || !group.epilogue.add) return {};
  const auto add = std::find_if(group.nodes.begin(), group.nodes.end(),
                                [&](ValueId id) { return graph.node(id).As<graph::QAdd>() != nullptr; });
  Group before = group, after;
  before.nodes.assign(group.nodes.begin(), add);
  before.epilogue.add = nullptr;
  before.epilogue.residual = -1;
  before.epilogue.low = group.epilogue.first_low;
  before.epilogue.high = group.epilogue.first_high;
  after.kind = GroupKind::kElementwise;
  after.name = graph.node(*add).name;
  after.nodes.assign(add, group.nodes.end());
  after.epilogue.add = group.epilogue.add;
  after.epilogue.low = group.epilogue.low;
  after.epilogue.high = group.epilogue.high;
  return {before, after};
}

std::vector<Group> Fuse(const graph::Graph& graph, const FuseOptions& options) {
  return Fuser(graph, options).Run();
}

}  // namespace cosim::network
