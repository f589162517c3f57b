// SPDX-License-Identifier: Apache-2.0
// A max pool behind a convolution, computed from its sums. See lower_group.h.
#include <fmt/format.h>

#include <cstdlib>
#include <limits>

#include "compiler/network/geometry.h"
#include "compiler/network/lower_group.h"

namespace cosim::network {
namespace {

/// Of one dimension: whether some of every window are sums.
bool EveryWindowHasSums(const kernels::PoolAxis& axis, int64_t sums) {
  return axis.before < axis.taps && (axis.out - 1) * axis.step - axis.before < sums;
}

/// The largest magnitude that a channel's sums of values of so many bits have, with its bias.
int64_t LargestSum(const ConvView& view, int64_t channel, int64_t bias, int bits) {
  const int64_t taps = view.i * view.kh * view.kw;
  int64_t weights = 0;
  for (int64_t t = 0; t < taps; ++t) weights += std::abs(int64_t{view.weights[channel * taps + t]});
  const int64_t zero_point = std::abs(int64_t{view.attributes.input_zero_point});
  return weights * ((int64_t{1} << (bits - 1)) + zero_point) + std::abs(bias);
}

}  // namespace

bool GroupLowering::PlanPoolBehind(const Group& group, const AcceleratorGroup& out, Plan& plan,
                                   std::string& reason) const {
  const graph::MaxPool* pool = PoolBehind(graph_, group);
  if (pool == nullptr) return true;
  const auto y = Shape4(graph_, group.result());
  const kernels::Pooling windows = {{pool->kernel[0], pool->stride[0], pool->pad[0], y[2]},
                                    {pool->kernel[1], pool->stride[1], pool->pad[1], y[3]}};
  if (!EveryWindowHasSums(windows.rows, plan.window.oh) || !EveryWindowHasSums(windows.cols, plan.window.ow))
    return reason = "some of its windows are padding alone", false;

  // Multipliers are positive (graph::InferType): the order of results is that of sums that do not wrap.
  const ConvView view = ViewOf(graph_, group, out.input);
  const auto parameters = ParametersOf(group, out, plan, /*fold=*/false);
  const int bits = 8 * static_cast<int>(graph::SizeOf(graph_.node(out.input).type.dtype));
  // A rounding shift adds half of what it shifts out to the sums of an ISA without multipliers.
  const int32_t shift = array_.HasParameters() ? 0 : plan.epilogue.requantize()->shift[0];
  const int64_t most = std::numeric_limits<int32_t>::max() - (shift > 0 ? int64_t{1} << (shift - 1) : 0);
  for (int64_t o = 0; o < view.o; ++o)
    if (const int64_t sum = LargestSum(view, o, parameters.bias[o], bits); sum > most)
      return reason =
                 fmt::format("sums of channel {} may reach {}: those that wrap have another order", o, sum),
             false;
  plan.window.pool = windows;
  return true;
}

}  // namespace cosim::network
