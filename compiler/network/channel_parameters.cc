// SPDX-License-Identifier: Apache-2.0
// What a group's results are scaled by, channel by channel, and whether the ISA's records hold it. See
// lower_group.h.
#include <fmt/format.h>

#include <limits>

#include "compiler/network/geometry.h"
#include "compiler/network/lower_group.h"

namespace cosim::network {
namespace {

// sum (x - z) * w = sum x * w - z * sum w, padding included: it holds z.
void FoldZeroPoint(const ConvView& view, std::vector<int32_t>& bias) {
  const int64_t taps = view.i * view.kh * view.kw;
  for (int64_t o = 0; o < view.o && view.attributes.input_zero_point != 0; ++o) {
    int64_t sum = 0;
    for (int64_t t = 0; t < taps; ++t) sum += view.weights[o * taps + t];
    bias[o] = static_cast<int32_t>(static_cast<uint32_t>(bias[o]) -
                                   static_cast<uint32_t>(sum * view.attributes.input_zero_point));
  }
}

}  // namespace

ChannelParameters GroupLowering::ParametersOf(const Group& group, const AcceleratorGroup& out,
                                              const Plan& plan, bool fold) const {
  ChannelParameters parameters;
  if (const auto* add = graph_.node(group.anchor()).As<graph::ScaledAdd>()) {
    for (const auto& [zero_point, multiplier, shift] :
         {add->a, add->b, graph::QAdd::Operand{0, add->multiplier, add->shift}}) {
      parameters.bias.insert(parameters.bias.end(), array_.block_out, -zero_point);
      parameters.multiplier.insert(parameters.multiplier.end(), array_.block_out, multiplier);
      parameters.shift.insert(parameters.shift.end(), array_.block_out, shift);
    }
    return parameters;
  }
  for (const EpilogueStep& step : plan.epilogue.steps) {
    if (!step.node->As<graph::BiasAdd>()) continue;
    const auto bias = graph_.node(step.node->inputs[1]).As<graph::Constant>()->data->data<int32_t>();
    parameters.bias.assign(bias.begin(), bias.end());
  }
  int64_t channels = graph_.node(group.anchor()).type.shape[1];
  if (out.weights >= 0) channels = plan.window.g * plan.window.co * array_.layout_out;  // all alike, gaps too
  parameters.bias.resize(channels, 0);
  if (fold && group.kind == GroupKind::kConvolution && out.weights < 0)
    FoldZeroPoint(ViewOf(graph_, group, out.input), parameters.bias);
  if (const graph::Requantize* requantize = plan.epilogue.requantize()) {
    parameters.multiplier = requantize->multiplier;
    parameters.shift = requantize->shift;
  }
  return parameters;
}

std::string GroupLowering::ParametersMisfit(const Group& group, const AcceleratorGroup& out,
                                            const Plan& plan) const {
  if (!array_.HasParameters() || !plan.epilogue.HasParameters()) return {};
  const isa::Memory& memory = spec_.memories[array_.parameters.memory];
  const isa::ScalarType bias = memory.fields[array_.parameters.bias].type;
  const bool all_fit = bias.Min() <= std::numeric_limits<int32_t>::min() &&
                       bias.Max() >= std::numeric_limits<int32_t>::max();  // whatever is folded in
  const ChannelParameters parameters = ParametersOf(group, out, plan, !all_fit);
  struct Part {
    const char* name;
    int field;
    const std::vector<int32_t>& values;
  };
  for (const Part& part : {Part{"bias", array_.parameters.bias, parameters.bias},
                           Part{"multiplier", array_.parameters.multiplier, parameters.multiplier},
                           Part{"shift", array_.parameters.shift, parameters.shift}}) {
    const isa::Field& field = memory.fields[part.field];
    for (const int64_t value : part.values)
      if (value < field.type.Min() || value > field.type.Max())
        return fmt::format("a {} of {}: field '{}' of '{}' holds {} to {}", part.name, value, field.name,
                           memory.name, field.type.Min(), field.type.Max());
  }
  return {};
}

}  // namespace cosim::network
