// SPDX-License-Identifier: Apache-2.0
// A group of graph nodes as one loop IR function for the CPU, and groups as kernels.
#include "compiler/cpu/lower_group.h"

#include <algorithm>
#include <unordered_map>

#include "compiler/cpu/host_kernel.h"
#include "compiler/cpu/work.h"
#include "compiler/ops/definition.h"
#include "compiler/schedules/cpu/contraction.h"
#include "compiler/schedules/cpu/schedule.h"
#include "compiler/te/lower.h"
#include "compiler/tir/rounding.h"
#include "compiler/tir/simplify.h"
#include "isa/check.h"

namespace cosim::cpu {
namespace {

/// Collects the tensors of a group, node by node.
class GroupBuilder {
 public:
  GroupBuilder(const graph::Graph& graph, const HostGroup& group, const schedules::CpuTarget& target,
               const schedules::ContractionSchedules& schedules, bool finds = false)
      : graph_(graph), group_(group), target_(target), schedules_(schedules), finds_(finds) {}

  void Add(graph::ValueId id) {
    const graph::Node node = InGroups(graph_.node(id), group_.groups);
    std::vector<te::Tensor> operands;
    for (graph::ValueId input : node.inputs) operands.push_back(TensorOf(input));
    auto defined = ops::Define(node, operands, ops::KnownOf(graph_, node));
    COSIM_CHECK(defined, "'{}' has no tensor expression", node.name);
    Block(node, *defined);
    const ops::Definition& definition = *defined;
    for (const ops::Table& table : definition.tables) {
      table_params_.push_back(table.placeholder);
      result_.tables.push_back(table.values);
    }
    tensors_[id] = definition.computations.back().tensor;
    computations_.insert(computations_.end(), definition.computations.begin(), definition.computations.end());
  }

  std::vector<FoundContraction> TakeFound() { return std::move(found_); }

  LoweredGroup Finish(const std::string& name) {
    WriteBlocks(name);
    const te::Tensor output = computations_.back().tensor;
    te::Schedule schedule({output});
    schedules::ScheduleForCpu(schedule, computations_, tiles_);
    std::vector<te::Tensor> params = TakeReadInputs();
    params.insert(params.end(), table_params_.begin(), table_params_.end());
    params.push_back(output);
    result_.function = tir::RemoveUnitLoops(te::Lower(schedule, params, name));
    return std::move(result_);
  }

 private:
  /// Gives convolutions and products the form that suits the target's registers, if they have one. What
  /// follows the sums reads those instead; what was only for the plain form goes.
  void Block(const graph::Node& node, ops::Definition& definition) {
    if (!target_.is_known()) return;
    std::vector<ops::Computation> computations;
    std::vector<std::pair<te::Tensor, te::Tensor>> instead;
    for (ops::Computation computation : definition.computations) {
      if (auto blocked = BlockedOf(node, computation)) {
        auto& added = blocked->definition;
        for (size_t i = 0; i < added.computations.size(); ++i)
          tiles_.push_back({added.computations[i].tensor, blocked->tiles[i]});
        instead.emplace_back(computation.tensor, added.computations.back().tensor);
        computations.insert(computations.end(), added.computations.begin(), added.computations.end());
        definition.tables.insert(definition.tables.end(), added.tables.begin(), added.tables.end());
        continue;
      }
      if (!instead.empty()) {
        te::TensorNode reader = *computation.tensor.get();
        for (const auto& [old, now] : instead)
          reader.body = te::ReadInstead(reader.body, old.buffer(), now.buffer());
        instead.emplace_back(computation.tensor,
                             te::Tensor(std::make_shared<const te::TensorNode>(std::move(reader))));
        computation.tensor = instead.back().second;
      }
      computations.push_back(computation);
    }
    if (!instead.empty()) definition.computations = ReadByTheLast(std::move(computations));
  }

  /// Those that the last one reads, directly or through others, and itself.
  static std::vector<ops::Computation> ReadByTheLast(std::vector<ops::Computation> computations) {
    std::vector<te::Tensor> read = {computations.back().tensor};
    for (size_t i = computations.size(); i-- > 0;) {
      const te::Tensor& tensor = computations[i].tensor;
      if (std::ranges::find(read, tensor) == read.end()) {
        computations.erase(computations.begin() + static_cast<std::ptrdiff_t>(i));
        continue;
      }
      const std::vector<te::Tensor> inputs = te::InputsOf(tensor->body);
      read.insert(read.end(), inputs.begin(), inputs.end());
    }
    return computations;
  }

  std::optional<schedules::Blocked> BlockedOf(const graph::Node& node, const ops::Computation& sums) {
    const auto contraction = ContractionOf(node, sums);
    if (!contraction) return std::nullopt;
    if (finds_) found_.push_back({contraction->Workload(), contraction->Chosen(), contraction->All()});
    if (!schedules_.empty()) {
      const auto given = schedules_.find(contraction->Workload());
      if (given != schedules_.end() && contraction->IsLegal(given->second))
        return contraction->Build(given->second);
    }
    return contraction->Build(contraction->Chosen());
  }

  std::optional<schedules::Contraction> ContractionOf(const graph::Node& node, const ops::Computation& sums) {
    const graph::Tensor* weights = sums.convolved ? ConstantOf(node, sums.convolved->w) : nullptr;
    return schedules::Contraction::Of(sums, weights, target_);
  }

  const graph::Tensor* ConstantOf(const graph::Node& node, const te::Tensor& tensor) {
    for (graph::ValueId input : node.inputs) {
      const auto* constant = graph_.node(input).As<graph::Constant>();
      if (constant && tensors_[input] == tensor) return constant->data.get();
    }
    return nullptr;
  }

  te::Tensor TensorOf(graph::ValueId id) {
    te::Tensor& tensor = tensors_[id];
    if (tensor.get() == nullptr) {
      const graph::Node& node = graph_.node(id);
      const auto blocks = group_.blocks.find(id);
      if (blocks == group_.blocks.end()) {
        tensor = te::Placeholder(node.name, layouts::InGroups(ops::TensorShape(node.type), group_.groups),
                                 ops::TypeOf(node.type.dtype));
        input_params_.push_back(tensor);
      } else {
        tensor = ReadBlocks(node, blocks->second);
      }
      result_.inputs.push_back(id);
    }
    return tensor;
  }

  te::Tensor ReadBlocks(const graph::Node& node, const layouts::Blocking& blocking) {
    const graph::Shape shape = layouts::InGroups(node.type.shape, group_.groups);
    const te::Tensor blocked =
        te::Placeholder(node.name, layouts::BlockedShape(shape, blocking), tir::DataType::Int(blocking.bits));
    input_params_.push_back(blocked);
    computations_.push_back({layouts::PlainView(node.name, blocked, shape, blocking)});
    return computations_.back().tensor;
  }

  /// What writes blocks computes the elements as it goes; what reads them reduces over a block at a time.
  void WriteBlocks(const std::string& name) {
    if (group_.blocks.empty()) return;
    for (ops::Computation& computation : computations_)
      computation.channels_together = group_.blocks.begin()->second.inner;
    const auto blocks = group_.blocks.find(group_.nodes.back());
    if (blocks == group_.blocks.end()) return;
    ops::Computation& last = computations_.back();
    if (last.pattern == ops::Pattern::kColumns) last.pattern = ops::Pattern::kElementwise;
    te::Tensor values = last.tensor;
    if (FillsBlocks(graph_, group_)) {
      std::vector<int64_t> shape = values.shape();
      const int64_t channels = std::exchange(shape[1], tir::RoundUp(shape[1], blocks->second.inner));
      // By a mask, for a choice would be between loads, which lanes do not make together.
      const bool zeros = shape[1] != channels && graph_.node(group_.nodes.back()).As<graph::QSoftmax>();
      values = te::Compute(name + ".all", shape, [=, of = values](const te::Indices& i) -> te::Body {
        if (!zeros) return of(i);
        const tir::Expr mask = tir::Int(0, of.type()) - tir::MakeCast(of.type(), Lt(i[1], channels));
        return tir::MakeBinary(tir::BinaryOp::kAnd, of(i), mask);
      });
      computations_.push_back({values});
    }
    computations_.push_back({layouts::InBlocks(name, values, blocks->second, 0), ops::Pattern::kBlocks});
  }

  /// The inputs that a computation reads: others only shaped it. result_.inputs keeps theirs.
  std::vector<te::Tensor> TakeReadInputs() {
    std::vector<te::Tensor> params;
    std::vector<graph::ValueId> inputs;
    for (size_t i = 0; i < input_params_.size(); ++i) {
      const auto reads = [&](const ops::Computation& computation) {
        const auto read = te::InputsOf(computation.tensor->body);
        return std::find(read.begin(), read.end(), input_params_[i]) != read.end();
      };
      if (std::none_of(computations_.begin(), computations_.end(), reads)) continue;
      params.push_back(input_params_[i]);
      inputs.push_back(result_.inputs[i]);
    }
    result_.inputs = std::move(inputs);
    return params;
  }

  const graph::Graph& graph_;
  const HostGroup& group_;
  const schedules::CpuTarget target_;
  const schedules::ContractionSchedules& schedules_;
  const bool finds_;
  std::vector<FoundContraction> found_;
  std::vector<schedules::TensorTile> tiles_;
  std::unordered_map<graph::ValueId, te::Tensor> tensors_;
  std::vector<te::Tensor> input_params_, table_params_;
  std::vector<ops::Computation> computations_;
  LoweredGroup result_;
};

}  // namespace

LoweredGroup LowerForCpu(const graph::Graph& graph, const HostGroup& group,
                         const schedules::CpuTarget& target,
                         const schedules::ContractionSchedules& schedules) {
  COSIM_CHECK(!group.nodes.empty());
  GroupBuilder builder(graph, group, target, schedules);
  for (graph::ValueId id : group.nodes) builder.Add(id);
  return builder.Finish(graph.node(group.nodes.back()).name);
}

LoweredGroup LowerForCpu(const graph::Graph& graph, graph::ValueId node, const schedules::CpuTarget& target) {
  return LowerForCpu(graph, HostGroup{{node}}, target);
}

std::vector<FoundContraction> ContractionsOf(const graph::Graph& graph, std::span<const graph::ValueId> group,
                                             const schedules::CpuTarget& target) {
  const schedules::ContractionSchedules none;
  const HostGroup plain{{group.begin(), group.end()}};
  GroupBuilder builder(graph, plain, target, none, true);
  for (graph::ValueId id : group)
    if (ops::HasDefinition(graph, id)) builder.Add(id);
  return builder.TakeFound();
}

std::vector<GroupKernel> CompileGroups(CpuCompiler& compiler, const graph::Graph& graph,
                                       std::span<const HostGroup> groups) {
  const schedules::CpuTarget target = compiler.target();
  std::vector<GroupKernel> result(groups.size());
  std::vector<LoweredGroup> lowered;
  std::vector<tir::Function> functions;
  std::vector<size_t> position;  // of each function among the groups
  for (size_t i = 0; i < groups.size(); ++i) {
    const std::vector<graph::ValueId>& nodes = groups[i].nodes;
    result[i].output = nodes.back();
    if (nodes.size() == 1 && !ops::HasDefinition(graph, nodes[0])) {
      result[i].kernel = MakeHostKernel(graph, nodes[0], result[i].inputs);
      result[i].work = RoutineWork(graph, nodes[0]);
      continue;
    }
    result[i].work = WorkOf(LowerForCpu(graph, groups[i]).function);
    lowered.push_back(LowerForCpu(graph, groups[i], target, compiler.schedules()));
    functions.push_back(lowered.back().function);
    position.push_back(i);
  }
  std::vector<runtime::CpuKernelPtr> kernels = compiler.CompileAll(functions);
  for (size_t k = 0; k < kernels.size(); ++k) {
    GroupKernel& group = result[position[k]];
    group.kernel = std::move(kernels[k]);
    group.inputs = std::move(lowered[k].inputs);
    group.tables = std::move(lowered[k].tables);
  }
  return result;
}

}  // namespace cosim::cpu
