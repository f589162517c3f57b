// SPDX-License-Identifier: Apache-2.0
#include "compiler/host/loss.h"

#include <algorithm>
#include <cmath>

#include "compiler/host/numeric.h"
#include "compiler/host/reduce.h"

namespace cosim::host {
namespace {

Types InferLoss(bool log_softmax, LossReduction reduction, Operands in) {
  const TensorType &x = in[0].type, &target = in[1].type;
  if (!IsFloat(x.dtype) || x.shape.size() < 2) return Refuse("input {}", ToString(x));
  Shape rest = x.shape;
  rest.erase(rest.begin() + 1);
  if (target.shape != rest || (target.dtype != DType::kInt32 && target.dtype != DType::kInt64))
    return Refuse("target {} for {}", ToString(target), ToString(x));
  if (!in[2].absent && in[2].type != TensorType{x.dtype, {x.shape[1]}})
    return Refuse("weight {}", ToString(in[2].type));
  std::vector<TensorType> types = {{x.dtype, reduction == LossReduction::kNone ? rest : Shape{}}};
  if (log_softmax) types.push_back(x);
  return types;
}

void ComputeLoss(LossReduction reduction, std::optional<int64_t> ignored, const Tensor& log, Values in,
                 Tensor& out) {
  const AroundAxis view(log.shape(), 1);
  const auto x = Reals(log), weight = in[2] ? Reals(*in[2]) : std::vector<double>(view.extent, 1.0);
  const auto target = Integers(*in[1]);
  double sum = 0, weights = 0;
  Dispatch(out.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const auto to = out.mutable_data<T>();
    for (int64_t i = 0; i < view.outer * view.inner; ++i) {
      const bool counts = !ignored || target[i] != *ignored;
      const int64_t c = std::clamp<int64_t>(target[i], 0, view.extent - 1);
      const double w = counts ? weight[c] : 0;
      const double loss =
          counts ? -w * x[(i / view.inner * view.extent + c) * view.inner + i % view.inner] : 0;
      sum += loss;
      weights += w;
      if (reduction == LossReduction::kNone) to[i] = static_cast<T>(loss);
    }
    if (reduction == LossReduction::kSum) to[0] = static_cast<T>(sum);
    if (reduction == LossReduction::kMean) to[0] = static_cast<T>(sum / weights);
  });
}

}  // namespace

HostOperatorPtr NegativeLogLikelihood(bool log_softmax, LossReduction reduction,
                                      std::optional<int64_t> ignored) {
  const auto normalize = Normalize("log_softmax", Normalization::kLogSoftmax, 1, false);
  return Make(
      log_softmax ? "softmax_cross_entropy_loss" : "negative_log_likelihood_loss", 2, 3,
      [=](Operands in) { return InferLoss(log_softmax, reduction, in); },
      ThroughFloat([=](Values in, Results out) {
        if (!log_softmax) return ComputeLoss(reduction, ignored, *in[0], in, out[0]);
        normalize->Compute(in.first(1), out.subspan(1, 1));
        ComputeLoss(reduction, ignored, out[1], in, out[0]);
      }));
}

HostOperatorPtr Dropout() {
  return Make(
      "dropout", 1, 3,
      [](Operands in) {
        const auto is_zero = [](const HostOperand& operand) {
          return operand.value && operand.value->size() == 1 && Reals(*operand.value)[0] == 0;
        };
        if (!in[2].absent && !is_zero(in[2]) && !is_zero(in[1])) return Refuse("it is in training mode");
        return Types{std::vector<TensorType>{in[0].type, {DType::kBool, in[0].type.shape}}};
      },
      [](Values in, Results out) {
        out[0] = *in[0];
        for (uint8_t& v : out[1].mutable_data<uint8_t>()) v = 1;
      });
}

}  // namespace cosim::host
