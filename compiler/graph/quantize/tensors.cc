// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/quantize/tensors.h"

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

Tensor QuantizeWeight(const Tensor& weight, const std::vector<float>& scales, int levels) {
  const auto most = static_cast<float>(levels);
  const auto w = weight.data<float>();
  const int64_t channels = weight.shape()[0], taps = weight.size() / channels;
  std::vector<int8_t> q(w.size());
  for (int64_t c = 0; c < channels; ++c) {
    const float per_step = 1 / scales[scales.size() == 1 ? 0 : c];
    for (int64_t i = c * taps; i < (c + 1) * taps; ++i) {
      const float steps = w[i] * per_step + (w[i] < 0 ? -0.5f : 0.5f);
      q[i] = static_cast<int8_t>(static_cast<int32_t>(std::min(most, std::max(-most, steps))));
    }
  }
  return Tensor(weight.shape(), std::move(q));
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
