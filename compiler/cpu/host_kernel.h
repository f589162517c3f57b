// SPDX-License-Identifier: Apache-2.0
// Nodes that ops::Define gives no tensor expressions for, as kernels: evaluated by their reference
// implementation.
#pragma once

#include <optional>
#include <vector>

#include "compiler/graph/graph.h"
#include "runtime/cpu_kernel.h"
#include "runtime/host_work.h"

namespace cosim::cpu {

/// Arguments of the kernel: the arrays of the node's inputs that are no constants, each once, in order; then
/// of its output. `inputs` gets those values.
runtime::CpuKernelPtr MakeHostKernel(const graph::Graph& graph, graph::ValueId node,
                                     std::vector<graph::ValueId>& inputs);

/// What such a kernel does: values of all its arrays, and multiply-accumulates.
runtime::HostWork RoutineWork(const graph::Graph& graph, graph::ValueId node);

/// The node of such a kernel; nothing of any other kernel.
std::optional<graph::ValueId> NodeOf(const runtime::CpuKernel& kernel);

}  // namespace cosim::cpu
