// SPDX-License-Identifier: Apache-2.0
#include "compiler/ops/phases.h"

#include "compiler/tir/operators.h"

namespace cosim::ops {
namespace {

using te::Indices;
using te::Tensor;
using tir::Expr;
using tir::Int;

/// Of one dimension, the results at phase, phase + stride, …
struct Phase {
  int64_t extent = 0;
  int64_t taps = 0;    ///< that meet elements of x
  int64_t first = 0;   ///< the first of these in the kernel, which goes on backwards by strides
  int64_t before = 0;  ///< elements that the first window meets before x; negative: that it leaves out
};

Phase PhaseOf(const Sliding& window, size_t d, int64_t phase, int64_t out) {
  const int64_t stride = window.stride[d], last = window.kernel[d] - 1;
  const int64_t lead = last - window.before[d];  // of the window at 0 over x with zeros between its elements
  const int64_t skipped = ((lead - phase) % stride + stride) % stride;
  return {.extent = (out - phase + stride - 1) / stride,
          .taps = (last - skipped + stride) / stride,
          .first = last - skipped,
          .before = (lead - phase - skipped) / stride};
}

/// The results of two phases, with all that they read.
Definition ConvolvePhase(const std::string& name, const std::vector<int64_t>& shape, const Tensor& x,
                         const Tensor& w, const Sliding& window, const Phase& rows, const Phase& columns,
                         bool outputs_first) {
  const std::vector<int64_t>& kernel = window.kernel;
  const int64_t outputs = shape[1], inputs = x.shape()[1], all = kernel[0] * kernel[1];
  const auto weight = [&](const Indices& i) -> te::Body {
    const Expr row = Int(rows.first) - i[2] * window.stride[0],
               column = Int(columns.first) - i[3] * window.stride[1];
    return outputs_first ? w(i[0], i[1], row, column) : w(i[1], i[0], row, column);
  };
  const Tensor taken = te::Compute(name + ".weights", {outputs, inputs, rows.taps, columns.taps}, weight);
  Convolution convolution;
  convolution.window = {{rows.taps, columns.taps}, {1, 1}, {1, 1}, {rows.before, columns.before}};
  Definition result = Convolve(name, {shape[0], outputs, rows.extent, columns.extent}, x, taken, convolution);
  Convolved& convolved = *result.computations.back().convolved;
  convolved.w = w;
  convolved.part = WeightPlaces{.outputs = outputs,
                                .inputs = inputs,
                                .kernel = {rows.taps, columns.taps},
                                .first = rows.first * kernel[1] + columns.first,
                                .output = outputs_first ? inputs * all : all,
                                .input = outputs_first ? all : outputs * all,
                                .row = -window.stride[0] * kernel[1],
                                .column = -window.stride[1]};
  result.computations.insert(result.computations.begin(), {taken, Pattern::kColumns});
  return result;
}

}  // namespace

std::optional<Definition> ConvolveByPhases(const std::string& name, const std::vector<int64_t>& shape,
                                           const Tensor& x, const Tensor& w, const Sliding& window,
                                           int64_t groups, bool outputs_first) {
  if (window.kernel.size() != 2 || groups != 1) return std::nullopt;
  for (size_t d = 0; d < 2; ++d) {
    const int64_t stride = window.stride[d];
    if (window.dilation[d] != 1 || window.kernel[d] < stride || shape[d + 2] < stride) return std::nullopt;
  }
  Definition result;
  std::vector<Tensor> phases;
  for (int64_t y = 0; y < window.stride[0]; ++y)
    for (int64_t column = 0; column < window.stride[1]; ++column) {
      const Definition part =
          ConvolvePhase(name + ".phase" + std::to_string(phases.size()), shape, x, w, window,
                        PhaseOf(window, 0, y, shape[2]), PhaseOf(window, 1, column, shape[3]), outputs_first);
      result.computations.insert(result.computations.end(), part.computations.begin(),
                                 part.computations.end());
      phases.push_back(part.computations.back().tensor);
    }
  const auto element = [&](const Indices& i) -> te::Body {
    const Expr y = FloorMod(i[2], window.stride[0]), column = FloorMod(i[3], window.stride[1]);
    const Indices at = {i[0], i[1], FloorDiv(i[2], window.stride[0]), FloorDiv(i[3], window.stride[1])};
    Expr value;
    for (size_t p = phases.size(); p-- > 0;) {
      const auto number = static_cast<int64_t>(p);
      const Expr here =
          And(Eq(y, Int(number / window.stride[1])), Eq(column, Int(number % window.stride[1])));
      value = value ? tir::MakeSelect(here, phases[p](at), value) : phases[p](at);
    }
    return value;
  };
  Computation join{te::Compute(name, shape, element), Pattern::kInterleave};
  join.apart = {window.stride[0], window.stride[1]};
  result.computations.push_back(join);
  return result;
}

}  // namespace cosim::ops
