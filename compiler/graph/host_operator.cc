// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/host_operator.h"

#include "compiler/graph/ops.h"
#include "isa/check.h"

namespace cosim::graph {

std::vector<Tensor> Evaluate(const HostOperator& op, std::span<const Tensor* const> operands) {
  std::vector<HostOperand> known;
  for (const Tensor* operand : operands)
    known.push_back(operand ? HostOperand{operand->type(), operand} : HostOperand{.absent = true});
  const auto types = op.Infer(known);
  if (const auto* error = std::get_if<std::string>(&types))
    COSIM_CHECK(false, "{}: {}", op.Describe(), *error);
  std::vector<Tensor> results;
  for (const TensorType& type : std::get<std::vector<TensorType>>(types)) results.emplace_back(type);
  op.Compute(operands, results);
  return results;
}

std::string DisplayName(const Op& op) {
  const auto* host = std::get_if<HostOp>(&op);
  if (!host) return std::string(Mnemonic(op));
  const std::string text = host->op->Describe();
  return text.substr(0, text.find(' '));
}

}  // namespace cosim::graph
