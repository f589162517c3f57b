// SPDX-License-Identifier: Apache-2.0
// What the graph knows of an operator that only the host computes: its name and how to evaluate it. The
// operators themselves are in compiler/host; why they are no nodes of their own is in
// docs/rationale/import.md.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "compiler/graph/tensor.h"

namespace cosim::graph {

/// What is known of an operand before anything runs.
struct HostOperand {
  TensorType type;
  const Tensor* value = nullptr;  ///< null unless it is a constant
  bool absent = false;            ///< an optional operand that is not given
};

/// Immutable; one object may serve many nodes and threads.
class HostOperator {
 public:
  virtual ~HostOperator() = default;

  /// Its name and attributes, such as "softmax axis=1".
  virtual std::string Describe() const = 0;

  /// Types of the results, or why these operands are not allowed: one sentence that may say that an operand
  /// has to be a constant.
  virtual std::variant<std::vector<TensorType>, std::string> Infer(
      std::span<const HostOperand> operands) const = 0;

  /// Whether each element of the results is one of operand 0's, whatever their type; what other operands say
  /// is where it comes from.
  virtual bool Moves() const { return false; }

  /// Fills `results`, which have the inferred types and hold zeros. `operands` are those that Infer accepted;
  /// null where one is absent.
  virtual void Compute(std::span<const Tensor* const> operands, std::span<Tensor> results) const = 0;
};

/// All results of `op` on operands that it accepts (COSIM_CHECK).
std::vector<Tensor> Evaluate(const HostOperator& op, std::span<const Tensor* const> operands);

using HostOperatorPtr = std::shared_ptr<const HostOperator>;

}  // namespace cosim::graph
