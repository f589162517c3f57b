// SPDX-License-Identifier: Apache-2.0
#include "compiler/host/make.h"

#include <algorithm>

#include "compiler/graph/counted_operator.h"
#include "isa/check.h"

namespace cosim::host {
namespace {

class FunctionOperator : public graph::CountedOperator, public ops::Definable {
 public:
  FunctionOperator(std::string description, size_t least, size_t most, InferFunction infer,
                   ComputeFunction compute, MacsFunction macs, DefineFunction define, bool moves = false)
      : description_(std::move(description)),
        least_(least),
        most_(most),
        infer_(std::move(infer)),
        compute_(std::move(compute)),
        macs_(std::move(macs)),
        define_(std::move(define)),
        moves_(moves) {}

  std::string Describe() const override { return description_; }
  bool Moves() const override { return moves_; }

  Types Infer(Operands operands) const override {
    if (operands.size() < least_ || operands.size() > most_)
      return least_ == most_ ? Refuse("takes {} operands, not {}", least_, operands.size())
                             : Refuse("takes {} to {} operands, not {}", least_, most_, operands.size());
    for (size_t i = 0; i < least_; ++i)
      if (operands[i].absent) return Refuse("operand {} is missing", i);
    return infer_(Filled(operands));
  }

  int64_t Macs(Operands operands) const override {
    const auto types = Infer(operands);
    COSIM_CHECK(std::holds_alternative<std::vector<TensorType>>(types), "{}", description_);
    return macs_ ? macs_(Filled(operands), std::get<0>(types).front()) : 0;
  }

  void Compute(Values operands, Results results) const override {
    std::vector<const Tensor*> all(operands.begin(), operands.end());
    if (most_ != kAny) all.resize(most_, nullptr);
    compute_(all, results);
  }

  std::optional<ops::Definition> Define(const ops::HostSite& site) const override {
    if (!define_) return std::nullopt;
    ops::HostSite all = site;
    all.operands = Filled(site.operands);
    all.in.resize(all.operands.size());
    return define_(all);
  }

 private:
  std::vector<HostOperand> Filled(Operands operands) const {
    std::vector<HostOperand> all(operands.begin(), operands.end());
    all.resize(std::max(all.size(), most_ == kAny ? all.size() : most_), HostOperand{.absent = true});
    return all;
  }

  std::string description_;
  size_t least_, most_;
  InferFunction infer_;
  ComputeFunction compute_;
  MacsFunction macs_;
  DefineFunction define_;
  bool moves_;
};

class Selecting : public graph::CountedOperator, public ops::Definable {
 public:
  Selecting(HostOperatorPtr op, std::vector<bool> present)
      : op_(std::move(op)), present_(std::move(present)) {}

  std::string Describe() const override { return op_->Describe(); }
  bool Moves() const override { return op_->Moves(); }

  Types Infer(Operands operands) const override {
    const auto given = static_cast<size_t>(std::ranges::count(present_, true));
    if (operands.size() != given) return Refuse("takes {} operands, not {}", given, operands.size());
    return op_->Infer(All(operands));
  }
  int64_t Macs(Operands operands) const override { return graph::MacsOf(*op_, All(operands)); }

  void Compute(Values operands, Results results) const override {
    std::vector<const Tensor*> all;
    size_t next = 0;
    for (bool given : present_) all.push_back(given ? operands[next++] : nullptr);
    op_->Compute(all, results);
  }

  std::optional<ops::Definition> Define(const ops::HostSite& site) const override {
    const auto* definable = dynamic_cast<const ops::Definable*>(op_.get());
    if (!definable) return std::nullopt;
    ops::HostSite all = site;
    all.operands = All(site.operands);
    all.in.clear();
    size_t next = 0;
    for (bool given : present_) all.in.push_back(given ? site.in[next++] : te::Tensor());
    return definable->Define(all);
  }

 private:
  std::vector<HostOperand> All(Operands operands) const {
    std::vector<HostOperand> all;
    size_t next = 0;
    for (bool given : present_) all.push_back(given ? operands[next++] : HostOperand{.absent = true});
    return all;
  }

  HostOperatorPtr op_;
  std::vector<bool> present_;
};

}  // namespace

HostOperatorPtr Make(std::string description, size_t least, size_t most, InferFunction infer,
                     ComputeFunction compute, MacsFunction macs, DefineFunction define) {
  return std::make_shared<FunctionOperator>(std::move(description), least, most, std::move(infer),
                                            std::move(compute), std::move(macs), std::move(define));
}

HostOperatorPtr MakeMove(std::string description, size_t least, size_t most, InferFunction infer,
                         ComputeFunction compute, DefineFunction define) {
  return std::make_shared<FunctionOperator>(std::move(description), least, most, std::move(infer),
                                            std::move(compute), MacsFunction(), std::move(define),
                                            /*moves=*/true);
}

DefineFunction DefineMap(ops::MapFn element) {
  return [element = std::move(element)](const ops::HostSite& site) {
    return ops::Map(site.name, site.shape(), site.in, element);
  };
}

MacsFunction MacsOfWeights(size_t weights) {
  return [weights](Operands in, const TensorType& result) {
    const Shape& shape = in[weights].type.shape;
    return graph::NumElements(result.shape) * (graph::NumElements(shape) / std::max<int64_t>(shape[0], 1));
  };
}

MacsFunction MacsOfRows(bool transposed) {
  return [transposed](Operands in, const TensorType& result) {
    const Shape& shape = in[0].type.shape;
    return graph::NumElements(result.shape) * (transposed ? shape[shape.size() - 2] : shape.back());
  };
}

HostOperatorPtr WithoutAbsent(HostOperatorPtr op, std::vector<bool> present) {
  for (bool given : present)
    if (!given) return std::make_shared<Selecting>(std::move(op), std::move(present));
  return op;
}

}  // namespace cosim::host
