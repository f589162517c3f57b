// SPDX-License-Identifier: Apache-2.0
#include "compiler/network/pack.h"

#include "compiler/accel/rounding.h"
#include "isa/microops.h"

namespace cosim::network {
namespace {

std::vector<uint8_t> Pack(const isa::Memory& memory, const std::vector<int64_t>& values) {
  const int64_t elements = static_cast<int64_t>(values.size()) / isa::ValuesPerElement(memory);
  std::vector<uint8_t> bytes(elements * memory.stored_bytes);
  isa::PackElements(memory, values, bytes);
  return bytes;
}

}  // namespace

std::vector<uint8_t> PackWeights(const isa::Spec& spec, const Array& array, const ConvView& view,
                                 bool patches) {
  const int64_t bo = array.block_out, bi = array.block_in, taps = view.kh * view.kw;
  const Grouping grouping = GroupingOf(view, array);
  const int64_t outputs = view.o / view.attributes.groups;  // of one group of the graph
  const int64_t inner = patches ? taps * view.i : grouping.together * view.i, outer_taps = patches ? 1 : taps;
  // Elements of one group of the kernel; with several, channels fill whole blocks.
  const int64_t out_elements = accel::RoundUp(grouping.together * outputs, array.layout_out) / bo;
  const int64_t in_elements = accel::RoundUp(inner, array.layout_in) / bi, tile = bo * bi;
  std::vector<int64_t> values(grouping.count * out_elements * in_elements * outer_taps * tile, 0);
  for (int64_t oc = 0; oc < view.o; ++oc) {
    const int64_t first = oc / outputs % grouping.together * view.i;
    for (int64_t ic = 0; ic < view.i; ++ic)
      for (int64_t t = 0; t < taps; ++t) {
        const int64_t channel = patches ? t * view.i + ic : first + ic, tap = patches ? 0 : t;
        const int64_t block = ((oc / bo) * in_elements + channel / bi) * outer_taps + tap;
        values[block * tile + (oc % bo) * bi + channel % bi] = view.weights[(oc * view.i + ic) * taps + t];
      }
  }
  return Pack(spec.memories[array.weights], values);
}

std::vector<uint8_t> PackParameters(const isa::Spec& spec, const Array& array,
                                    const ChannelParameters& parameters, int64_t channels) {
  const isa::Memory& memory = spec.memories[array.parameters];
  const int64_t fields = static_cast<int64_t>(memory.fields.size());
  std::vector<int64_t> values(accel::RoundUp(channels, array.layout_out) * fields, 0);
  const auto at = [](const std::vector<int32_t>& list, int64_t c) {
    return list.empty() ? 0 : list.size() == 1 ? list[0] : list[c];
  };
  for (int64_t c = 0; c < channels; ++c) {
    values[c * fields + array.bias_field] = at(parameters.bias, c);
    values[c * fields + array.mult_field] = at(parameters.multiplier, c);
    values[c * fields + array.shift_field] = at(parameters.shift, c);
  }
  return Pack(memory, values);
}

std::vector<uint8_t> PackBias(const isa::Spec& spec, const Array& array, std::span<const int32_t> bias) {
  const int64_t bo = array.block_out;
  std::vector<int64_t> values(
      accel::RoundUp(static_cast<int64_t>(bias.size()), array.layout_out) * array.batch, 0);
  for (size_t c = 0; c < bias.size(); ++c)
    for (int64_t b = 0; b < array.batch; ++b)
      values[(static_cast<int64_t>(c) / bo * array.batch + b) * bo + static_cast<int64_t>(c) % bo] = bias[c];
  return Pack(spec.memories[array.accumulators], values);
}

}  // namespace cosim::network
