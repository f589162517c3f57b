// SPDX-License-Identifier: Apache-2.0
#include "compiler/host/numeric.h"

namespace cosim::host {
namespace {

template <typename To, typename From>
To Convert(From v) {
  if constexpr (std::is_same_v<From, graph::Half>) {
    return Convert<To>(static_cast<float>(v));
  } else if constexpr (std::is_same_v<To, graph::Half>) {
    return graph::Half(static_cast<float>(v));
  } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
    return ConvertNumber<To>(static_cast<double>(v));
  } else {
    return static_cast<To>(v);
  }
}

template <typename To>
std::vector<To> ListOf(const Tensor& tensor) {
  std::vector<To> list;
  list.reserve(tensor.size());
  graph::WithElementType(tensor.dtype(), [&](auto zero) {
    for (auto v : tensor.data<decltype(zero)>()) list.push_back(Convert<To>(v));
  });
  return list;
}

}  // namespace

Tensor ConvertTo(const Tensor& tensor, DType dtype) {
  Tensor result({dtype, tensor.shape()});
  graph::WithElementType(tensor.dtype(), [&](auto from_zero) {
    const auto from = tensor.data<decltype(from_zero)>();
    if (dtype == DType::kBool) {
      const auto to = result.mutable_data<uint8_t>();
      for (size_t i = 0; i < to.size(); ++i) to[i] = Convert<double>(from[i]) != 0;
      return;
    }
    graph::WithElementType(dtype, [&](auto to_zero) {
      const auto to = result.mutable_data<decltype(to_zero)>();
      for (size_t i = 0; i < to.size(); ++i) to[i] = Convert<decltype(to_zero)>(from[i]);
    });
  });
  return result;
}

ComputeFunction ThroughFloat(ComputeFunction compute) {
  return [compute = std::move(compute)](Values in, Results out) {
    bool half = false;
    for (const Tensor* operand : in) half |= operand && operand->dtype() == DType::kFloat16;
    for (const Tensor& result : out) half |= result.dtype() == DType::kFloat16;
    if (!half) return compute(in, out);
    std::vector<Tensor> operands(in.size()), results;
    std::vector<const Tensor*> pointers;
    for (size_t i = 0; i < in.size(); ++i) {
      const bool convert = in[i] && in[i]->dtype() == DType::kFloat16;
      if (convert) operands[i] = ConvertTo(*in[i], DType::kFloat32);
      pointers.push_back(convert ? &operands[i] : in[i]);
    }
    for (const Tensor& result : out)
      results.emplace_back(
          TensorType{result.dtype() == DType::kFloat16 ? DType::kFloat32 : result.dtype(), result.shape()});
    compute(pointers, results);
    for (size_t i = 0; i < out.size(); ++i)
      out[i] =
          out[i].dtype() == DType::kFloat16 ? ConvertTo(results[i], DType::kFloat16) : std::move(results[i]);
  };
}

std::vector<int64_t> Integers(const Tensor& tensor) { return ListOf<int64_t>(tensor); }
std::vector<double> Reals(const Tensor& tensor) { return ListOf<double>(tensor); }

bool IsReasonable(const Shape& shape) {
  int64_t elements = 1;
  for (int64_t extent : shape)
    if (extent < 0 || __builtin_mul_overflow(elements, extent, &elements) || elements > int64_t{1} << 30)
      return false;
  return true;
}

}  // namespace cosim::host
