// SPDX-License-Identifier: Apache-2.0
// Measures quantized values against float ones.
#include "compiler/quantize/graph/compare.h"

#include <algorithm>
#include <cmath>

#include "compiler/quantize/graph/tensors.h"

namespace cosim::graph {
namespace {

double SqnrDb(std::span<const float> exact, std::span<const float> approximate) {
  double signal = 0, noise = 0;
  for (size_t i = 0; i < exact.size(); ++i) {
    const double error = double{exact[i]} - approximate[i];
    signal += double{exact[i]} * exact[i];
    noise += error * error;
  }
  if (noise == 0) return 200;
  return std::clamp(10 * std::log10(signal / noise), -200.0, 200.0);
}

QuantizationRow Compare(const std::string& name, ValueId value, const Tensor& exact, const Tensor& quantized,
                        const Quantization& quantization) {
  QuantizationRow row{.name = name, .value = value};
  row.sqnr_db = SqnrDb(exact.data<float>(), ToReal(quantized, quantization).data<float>());
  int64_t zeros = 0, saturated = 0;
  const auto count = [&](auto elements) {
    for (const auto q : elements) {
      if (q == quantization.zero_point) {
        ++zeros;
      } else if (q == LeastOf(quantized.dtype()) || q == LargestOf(quantized.dtype())) {
        ++saturated;
      }
    }
  };
  quantized.dtype() == DType::kInt8 ? count(quantized.data<int8_t>()) : count(quantized.data<int16_t>());
  row.zeros = static_cast<double>(zeros) / static_cast<double>(quantized.size());
  row.saturated = static_cast<double>(saturated) / static_cast<double>(quantized.size());
  return row;
}

}  // namespace

std::vector<QuantizationRow> ReportQuantization(const QuantizedGraph& quantized,
                                                const std::vector<TensorPtr>& float_values,
                                                const std::vector<TensorPtr>& integer_values) {
  std::vector<QuantizationRow> rows;
  for (ValueId id = 0; id < quantized.reference.size(); ++id) {
    const ValueId value = quantized.counterpart[id];
    if (value < 0) continue;
    rows.push_back(Compare(quantized.reference.node(id).name, value, *float_values[id],
                           *integer_values[value], *quantized.graph.node(value).quantization));
  }
  return rows;
}

}  // namespace cosim::graph
