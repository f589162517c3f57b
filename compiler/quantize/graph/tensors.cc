// SPDX-License-Identifier: Apache-2.0
#include "compiler/quantize/graph/tensors.h"

#include <algorithm>
#include <cmath>

#include "compiler/graph/quantized.h"
#include "isa/check.h"

namespace cosim::graph {

std::vector<Tensor> QuantizeInputs(const Graph& graph, const std::vector<Tensor>& inputs) {
  COSIM_CHECK(inputs.size() == graph.inputs().size(), "{} inputs for {}", inputs.size(), graph.name());
  std::vector<Tensor> result;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Node& node = graph.node(graph.inputs()[i]);
    COSIM_CHECK(node.quantization && node.type.shape == inputs[i].shape(), "input '{}'", node.name);
    const double least = LeastOf(node.type.dtype), largest = LargestOf(node.type.dtype);
    Tensor q(node.type);
    WithQuantized(node.type.dtype, [&](auto zero) {
      using T = decltype(zero);
      std::ranges::transform(inputs[i].data<float>(), q.mutable_data<T>().begin(), [&](float x) {
        const double steps = std::floor(double{x} / node.quantization->scales[0] + 0.5);
        return static_cast<T>(std::clamp(steps + node.quantization->zero_point, least, largest));
      });
    });
    result.push_back(std::move(q));
  }
  return result;
}

Tensor ToReal(const Tensor& tensor, const Quantization& quantization) {
  const Shape& shape = tensor.shape();
  const int64_t channels = quantization.scales.size() == 1 ? 1 : shape.at(quantization.axis);
  const int64_t inner = quantization.scales.size() == 1
                            ? tensor.size()
                            : NumElements(Shape(shape.begin() + quantization.axis + 1, shape.end()));
  std::vector<float> real(tensor.size());
  const auto convert = [&](auto zero) {
    const auto elements = tensor.data<decltype(zero)>();
    for (int64_t i = 0; i < tensor.size(); ++i)
      real[i] = static_cast<float>(int64_t{elements[i]} - quantization.zero_point) *
                quantization.scales[i / inner % channels];
  };
  tensor.dtype() == DType::kInt32 ? convert(int32_t{}) : WithQuantized(tensor.dtype(), convert);
  return Tensor(shape, std::move(real));
}

}  // namespace cosim::graph
