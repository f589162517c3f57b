// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/counted_operator.h"

namespace cosim::graph {

int64_t MacsOf(const HostOperator& op, std::span<const HostOperand> operands) {
  const auto* counted = dynamic_cast<const CountedOperator*>(&op);
  return counted ? counted->Macs(operands) : 0;
}

}  // namespace cosim::graph
