// SPDX-License-Identifier: Apache-2.0
#include "compiler/quantize/correct.h"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <map>

#include "compiler/quantize/parameters.h"

namespace cosim::quantize {

using graph::Tensor;
using import::onnx::NodeInfo;

BiasCorrection::BiasCorrection(const Quantized& quantized) {
  std::map<std::string, const NodeInfo*> producer;
  for (const NodeInfo& node : quantized.file.nodes)
    for (const std::string& name : node.outputs) producer[name] = &node;
  for (const Layer& layer : quantized.layers) {
    const bool ends = layer.product == layer.value;
    const std::string computed = ends ? layer.computed : layer.product;
    const NodeInfo& node = *producer.at(computed);
    if ((node.op != "Conv" && node.op != "Gemm") || node.inputs.size() < 3) continue;
    const NodeInfo& bias = *producer.at(node.inputs[2]);
    products_.push_back({layer.product, computed, bias.inputs[0], bias.inputs[1], {}, 0});
  }
}

std::set<std::string> BiasCorrection::Computed() const {
  std::set<std::string> names;
  for (const Product& product : products_) names.insert(product.computed);
  return names;
}

void BiasCorrection::AddRun(const Values& reference, const Values& alone) {
  for (Product& product : products_) {
    const Tensor& exact = *reference.at(product.value);
    const auto a = exact.data<float>(), b = alone.at(product.computed)->data<float>();
    // [N,C,...]: of a convolution or a matrix of results.
    const int64_t channels = exact.shape()[1], rows = exact.shape()[0] * channels;
    const int64_t pixels = rows == 0 ? 0 : exact.size() / rows;
    product.error.resize(channels);
    product.count += exact.shape()[0] * pixels;
    for (int64_t row = 0; row < rows; ++row) {
      const Eigen::Map<const Eigen::ArrayXf> of_a(a.data() + row * pixels, pixels);
      const Eigen::Map<const Eigen::ArrayXf> of_b(b.data() + row * pixels, pixels);
      product.error[row % channels] += (of_a.cast<double>() - of_b.cast<double>()).sum();
    }
  }
}

void BiasCorrection::Apply(Quantized& quantized) const {
  for (const Product& product : products_) {
    if (product.count == 0) continue;
    graph::TensorPtr& at = quantized.file.initializers.at(product.bias);
    const auto scales = quantized.file.initializers.at(product.scale)->data<float>();
    Tensor bias = *at;
    const auto q = bias.mutable_data<int32_t>();
    for (size_t c = 0; c < q.size(); ++c) {
      const double mean = product.error[c] / static_cast<double>(product.count);
      const double moved = q[c] + std::nearbyint(mean / scales[c % scales.size()]);
      q[c] = static_cast<int32_t>(std::clamp(moved, -kMostBias, kMostBias));
    }
    at = std::make_shared<const Tensor>(std::move(bias));
  }
}

}  // namespace cosim::quantize
