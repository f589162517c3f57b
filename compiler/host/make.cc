// SPDX-License-Identifier: Apache-2.0
#include "compiler/host/make.h"

#include "isa/check.h"

namespace cosim::host {
namespace {

class FunctionOperator : public graph::HostOperator {
 public:
  FunctionOperator(std::string description, size_t least, size_t most, InferFunction infer,
                   ComputeFunction compute)
      : description_(std::move(description)),
        least_(least),
        most_(most),
        infer_(std::move(infer)),
        compute_(std::move(compute)) {}

  std::string Describe() const override { return description_; }

  Types Infer(Operands operands) const override {
    if (operands.size() < least_ || operands.size() > most_)
      return least_ == most_ ? Refuse("takes {} operands, not {}", least_, operands.size())
                             : Refuse("takes {} to {} operands, not {}", least_, most_, operands.size());
    for (size_t i = 0; i < least_; ++i)
      if (operands[i].absent) return Refuse("operand {} is missing", i);
    std::vector<HostOperand> all(operands.begin(), operands.end());
    all.resize(std::max(all.size(), most_ == kAny ? all.size() : most_), HostOperand{.absent = true});
    return infer_(all);
  }

  void Compute(Values operands, Results results) const override {
    std::vector<const Tensor*> all(operands.begin(), operands.end());
    if (most_ != kAny) all.resize(most_, nullptr);
    compute_(all, results);
  }

 private:
  std::string description_;
  size_t least_, most_;
  InferFunction infer_;
  ComputeFunction compute_;
};

class Selecting : public graph::HostOperator {
 public:
  Selecting(HostOperatorPtr op, std::vector<bool> present)
      : op_(std::move(op)), present_(std::move(present)) {}

  std::string Describe() const override { return op_->Describe(); }

  Types Infer(Operands operands) const override {
    std::vector<HostOperand> all;
    size_t next = 0;
    for (bool given : present_) all.push_back(given ? operands[next++] : HostOperand{.absent = true});
    return op_->Infer(all);
  }

  void Compute(Values operands, Results results) const override {
    std::vector<const Tensor*> all;
    size_t next = 0;
    for (bool given : present_) all.push_back(given ? operands[next++] : nullptr);
    op_->Compute(all, results);
  }

 private:
  HostOperatorPtr op_;
  std::vector<bool> present_;
};

}  // namespace

HostOperatorPtr Make(std::string description, size_t least, size_t most, InferFunction infer,
                     ComputeFunction compute) {
  return std::make_shared<FunctionOperator>(std::move(description), least, most, std::move(infer),
                                            std::move(compute));
}

HostOperatorPtr WithoutAbsent(HostOperatorPtr op, std::vector<bool> present) {
  for (bool given : present)
    if (!given) return std::make_shared<Selecting>(std::move(op), std::move(present));
  return op;
}

}  // namespace cosim::host
