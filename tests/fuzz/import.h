// SPDX-License-Identifier: Apache-2.0
// What both importers' fuzzers want of a result.
#pragma once

#include <algorithm>
#include <optional>

#include "compiler/graph/verify.h"
#include "compiler/import/import.h"
#include "isa/check.h"

namespace cosim::fuzz {

/// Either reasons, or a graph that keeps its invariants and whose values are of a size that can be had.
inline void Check(const std::optional<import::Model>& model, const Diagnostics& diagnostics) {
  COSIM_CHECK(model.has_value() != diagnostics.HasErrors());
  diagnostics.Render();
  if (!model) return;
  const auto faults = graph::Verify(model->graph);
  COSIM_CHECK(faults.empty(), "{}", faults.front());
  for (const graph::Node& node : model->graph.nodes())
    COSIM_CHECK(std::ranges::all_of(node.type.shape, [](int64_t n) { return n >= 0; }) &&
                    graph::NumElements(node.type.shape) <= int64_t{1} << 30,
                "'{}' is {}", node.name, graph::ToString(node.type));
}

}  // namespace cosim::fuzz
