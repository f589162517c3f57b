// SPDX-License-Identifier: Apache-2.0
#include "compiler/network/rearranged.h"

#include <string>

#include "compiler/graph/passes/channels_by_products.h"
#include "compiler/graph/passes/pool_before_concat.h"
#include "compiler/schedules/accel/array.h"

namespace cosim::network {

graph::Graph Rearranged(const graph::Graph& graph, const isa::Spec& spec) {
  std::string why;
  const kernels::Array array = kernels::FindArray(spec, why);
  graph::Graph result = graph::PoolBeforeConcat(graph);
  if (array.gemm < 0) return result;
  result = graph::PickByProducts(result);
  if (array.layout_in == array.layout_out && array.alu_parts > 0 && array.HasParameters())
    result = graph::JoinByProducts(result, array.layout_out);
  return result;
}

}  // namespace cosim::network
