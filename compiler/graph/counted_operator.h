// SPDX-License-Identifier: Apache-2.0
// What the graph may know more of a host operator: its multiply-accumulates.
#pragma once

#include "compiler/graph/host_operator.h"

namespace cosim::graph {

class CountedOperator : public HostOperator {
 public:
  /// Those of the convolutions, dense layers and matrix products among what it computes from operands that
  /// Infer accepts.
  virtual int64_t Macs(std::span<const HostOperand> operands) const = 0;
};

/// 0 of an operator that does not say.
int64_t MacsOf(const HostOperator& op, std::span<const HostOperand> operands);

}  // namespace cosim::graph
