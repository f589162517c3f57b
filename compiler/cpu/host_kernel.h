// SPDX-License-Identifier: Apache-2.0
// Nodes that have no loop IR, as kernels: HostOps and float operations, evaluated by their reference
// implementation.
#pragma once

#include <optional>
#include <vector>

#include "compiler/graph/graph.h"
#include "runtime/cpu_kernel.h"
#include "runtime/host_work.h"

namespace cosim::cpu {

/// Whether loop IR computes this node (definition.h); if not, MakeHostKernel does.
bool HasLoopIr(const graph::Graph& graph, graph::ValueId node);

/// Arguments of the kernel: the arrays of the node's inputs that are no constants, each once, in order; then
/// of its output. `inputs` gets those values.
runtime::CpuKernelPtr MakeHostKernel(const graph::Graph& graph, graph::ValueId node,
                                     std::vector<graph::ValueId>& inputs);

/// What such a kernel does: values of all its arrays, and multiply-accumulates.
runtime::HostWork RoutineWork(const graph::Graph& graph, graph::ValueId node);

/// The node of such a kernel; nothing of any other kernel.
std::optional<graph::ValueId> NodeOf(const runtime::CpuKernel& kernel);

}  // namespace cosim::cpu
