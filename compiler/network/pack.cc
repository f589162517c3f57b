// SPDX-License-Identifier: Apache-2.0
#include "compiler/network/pack.h"

#include <algorithm>

#include "compiler/accel/rounding.h"
#include "isa/program/microops.h"

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
                                 int64_t unrolled, int64_t parts) {
  const int64_t bo = array.block_out, bi = array.block_in, taps = view.kh * view.kw;
  const Grouping grouping = GroupingOf(view, array);
  const int64_t outputs = view.o / view.attributes.groups;  // of one group of the graph
  const int64_t inner = unrolled > 0 ? taps * view.i : grouping.together * view.i,
                outer_taps = unrolled > 0 ? 1 : taps;
  // Elements of one group of the kernel; with several, channels fill whole blocks.
  const int64_t out_elements = accel::RoundUp(grouping.together * outputs, array.layout_out) / bo;
  const int64_t in_elements = accel::RoundUp(inner, unrolled > 0 ? unrolled : array.layout_in) / bi,
                tile = bo * bi;
  // From one input of a tile to the next, and from one output.
  const int64_t lane = array.weights_by_input ? bo : 1, row_of_tile = array.weights_by_input ? 1 : bi;
  // Where the weights of an output go from the output's place, for each of the groups taken together.
  std::vector<int64_t> places;
  for (int64_t channel = 0; channel < grouping.together * view.i; ++channel)
    for (int64_t t = 0; t < taps; ++t) {
      const int64_t at = unrolled > 0 ? t * view.i + channel : channel, tap = unrolled > 0 ? 0 : t;
      places.push_back((at / bi * parts * outer_taps + tap) * tile + at % bi * lane);
    }
  const isa::Memory& memory = spec.memories[array.weights];
  const isa::ScalarType type = memory.fields[0].type;
  const int64_t part = outer_taps * tile, row = in_elements * parts * outer_taps,
                weights = view.i * taps;  // of a block of outputs; of an output
  std::vector<uint8_t> bytes(grouping.count * out_elements * row * memory.stored_bytes);
  std::vector<int64_t> values(row * tile);
  for (int64_t block = 0; block < grouping.count * out_elements; ++block) {
    std::ranges::fill(values, 0);
    for (int64_t oc = block * bo; oc < std::min((block + 1) * bo, view.o); ++oc) {
      int64_t* output = values.data() + oc % bo * row_of_tile;
      const int64_t* place = places.data() + oc / outputs % grouping.together * weights;
      for (int64_t i = 0; i < weights; ++i) {
        int64_t rest = view.weights[oc * weights + i];
        int64_t* to = output + place[i];
        for (int64_t p = 1; p < parts; ++p, to += part) {
          *to = std::clamp(rest, type.Min(), type.Max());
          rest -= *to;
        }
        *to = rest;
      }
    }
    const int64_t size = row * memory.stored_bytes;
    isa::PackElements(memory, values, std::span(bytes).subspan(block * size, size));
  }
  return bytes;
}

std::vector<uint8_t> PackLaneWeights(const isa::Spec& spec, const Array& array, const ConvView& view) {
  const int64_t taps = view.kh * view.kw, bo = array.block_out;
  std::vector<int64_t> values(accel::RoundUp(view.o, array.layout_out) * taps, 0);
  for (int64_t c = 0; c < view.o; ++c)
    for (int64_t t = 0; t < taps; ++t)
      values[(c / bo * taps + t) * bo + c % bo] = int64_t{view.weights[c * taps + t]};
  return Pack(spec.memories[array.lanes.weights], values);
}

std::vector<uint8_t> PackParameters(const isa::Spec& spec, const Array& array,
                                    const ChannelParameters& parameters, int64_t channels) {
  const isa::Memory& memory = spec.memories[array.parameters.memory];
  const int64_t fields = static_cast<int64_t>(memory.fields.size());
  std::vector<int64_t> values(accel::RoundUp(channels, array.layout_out) * fields, 0);
  const auto at = [](const std::vector<int32_t>& list, int64_t c) {
    return list.empty() ? 0 : list.size() == 1 ? list[0] : list[c];
  };
  for (int64_t c = 0; c < channels; ++c) {
    values[c * fields + array.parameters.bias] = at(parameters.bias, c);
    values[c * fields + array.parameters.multiplier] = at(parameters.multiplier, c);
    values[c * fields + array.parameters.shift] = at(parameters.shift, c);
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
