// SPDX-License-Identifier: Apache-2.0
// How an operator that only the host computes says what it computes as tensor expressions. Operators that do
// not implement this, or give nothing, run as the routines that graph::HostOperator has.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compiler/graph/host_operator.h"
#include "compiler/ops/definition.h"

namespace cosim::ops {

/// A node to be defined. Tensors of scalars have the shape [1]; no extent is 0 and no type float16.
struct HostSite {
  std::string name;
  int32_t result = 0;                        ///< which result of the operator
  graph::TensorType type;                    ///< of that result
  std::vector<te::Tensor> in;                ///< null where an operand is absent
  std::vector<graph::HostOperand> operands;  ///< those that Infer accepted

  /// The shape of the tensor to be computed.
  std::vector<int64_t> shape() const { return TensorShape(type); }
};

class Definable {
 public:
  virtual ~Definable() = default;
  /// Nothing when this result of these operands has no tensor expression.
  virtual std::optional<Definition> Define(const HostSite& site) const = 0;
};

}  // namespace cosim::ops
