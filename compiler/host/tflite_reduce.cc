// SPDX-License-Identifier: Apache-2.0
#include "compiler/host/tflite_reduce.h"

#include <algorithm>

#include "compiler/host/broadcast.h"

namespace cosim::host {
namespace {

template <typename T>
void Multiply(const TfliteReduceProduct& a, const Tensor& x, Tensor& to) {
  Shape kept = x.shape();
  for (size_t d = 0; d < kept.size(); ++d)
    if (a.over[d]) kept[d] = 1;
  const auto steps = BroadcastStrides(kept, x.shape());
  std::vector<int32_t> products(to.size());
  std::vector<bool> begun(to.size(), false);
  const auto values = x.data<T>();
  Walk(x.shape(), steps, steps, [&](int64_t i, int64_t at, int64_t) {
    const int32_t factor = values[i] - a.from_zero_point;
    products[at] = begun[at] ? a.multiplier.ApplyWide(int64_t{products[at]} * factor) : factor;
    begun[at] = true;
  });
  const auto results = to.mutable_data<T>();
  for (size_t i = 0; i < results.size(); ++i)
    results[i] = static_cast<T>(
        std::clamp<int64_t>(int64_t{a.multiplier.ApplyWide(products[i])} + a.to_zero_point, a.low, a.high));
}

}  // namespace

HostOperatorPtr ReduceProduct(const TfliteReduceProduct& a) {
  return Make(
      "tflite_reduce_prod", 1, 1,
      [=](Operands in) {
        const TensorType& x = in[0].type;
        if (!graph::IsQuantized(x.dtype) || x.shape.size() != a.over.size())
          return Refuse("input {}", ToString(x));
        if (graph::NumElements(x.shape) == 0) return Refuse("products of nothing, {}", ToString(x));
        Shape shape;
        for (size_t d = 0; d < x.shape.size(); ++d) {
          if (!a.over[d]) shape.push_back(x.shape[d]);
          if (a.over[d] && a.keep) shape.push_back(1);
        }
        return One(x.dtype, std::move(shape));
      },
      [=](Values in, Results out) {
        in[0]->dtype() == DType::kInt8 ? Multiply<int8_t>(a, *in[0], out[0])
                                       : Multiply<int16_t>(a, *in[0], out[0]);
      });
}

}  // namespace cosim::host
