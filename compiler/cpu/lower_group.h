// SPDX-License-Identifier: Apache-2.0
// A group of graph nodes as one loop IR function for the CPU, and groups as kernels.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "compiler/cpu/compiler.h"
#include "compiler/cpu/host_group.h"
#include "compiler/graph/graph.h"
#include "compiler/schedules/cpu/contraction.h"
#include "compiler/tir/ir.h"
#include "runtime/host_work.h"

namespace cosim::cpu {

/// The parameters of `function` are the arrays of `inputs`, of `tables` and of the group's output, in this
/// order, dense and row-major in the shapes of the graph, or in blocks where the group says so.
struct LoweredGroup {
  tir::Function function;
  std::vector<graph::ValueId>
      inputs;  ///< Values of other nodes, each once; constants of the graph are among them.
  std::vector<graph::TensorPtr>
      tables;  ///< Arrays that belong to operations: per-channel parameters, packed weights.
};

/// For `target`, whose loops may want constants in an order of their own: those are tables then.
/// `group`: of operations that Define (definition.h) takes.
/// `schedules`: of contractions that are not to have the model's choice.
LoweredGroup LowerForCpu(const graph::Graph& graph, const HostGroup& group,
                         const schedules::CpuTarget& target = {},
                         const schedules::ContractionSchedules& schedules = {});
LoweredGroup LowerForCpu(const graph::Graph& graph, graph::ValueId node,
                         const schedules::CpuTarget& target = {});

/// A contraction of a group that has schedules to choose from.
struct FoundContraction {
  std::string workload;
  schedules::ContractionSchedule chosen;            ///< by the model
  std::vector<schedules::ContractionSchedule> all;  ///< that are legal
};
std::vector<FoundContraction> ContractionsOf(const graph::Graph& graph, std::span<const graph::ValueId> group,
                                             const schedules::CpuTarget& target);

/// A kernel whose arguments are the arrays of `inputs`, of `tables`, then of the output.
struct GroupKernel {
  runtime::CpuKernelPtr kernel;
  std::vector<graph::ValueId> inputs;
  std::vector<graph::TensorPtr> tables;
  graph::ValueId output = 0;
  /// Of the portable loops, whatever this machine runs instead: it is about other processors.
  runtime::HostWork work{};
};

/// Lowers all groups and compiles them together.
std::vector<GroupKernel> CompileGroups(CpuCompiler& compiler, const graph::Graph& graph,
                                       std::span<const HostGroup> groups);

}  // namespace cosim::cpu
