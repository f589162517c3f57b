// SPDX-License-Identifier: Apache-2.0
#include "compiler/network/pack.h"

#include <algorithm>

#include "compiler/tir/rounding.h"
#include "isa/program/microops.h"

namespace cosim::network {
namespace {

int64_t BytesOf(const isa::Memory& memory, int64_t values) {
  return values / isa::ValuesPerElement(memory) * memory.stored_bytes;
}

int64_t ParameterValues(const isa::Memory& memory, const Array& array, int64_t channels) {
  return tir::RoundUp(channels, array.layout_out) * std::ssize(memory.fields);
}

int64_t BiasValues(const Array& array, int64_t channels) {
  return tir::RoundUp(channels, array.layout_out) * array.batch;
}

std::vector<uint8_t> Pack(const isa::Memory& memory, const std::vector<int64_t>& values) {
  std::vector<uint8_t> bytes(BytesOf(memory, std::ssize(values)));
  isa::PackElements(memory, values, bytes);
  return bytes;
}

/// Values along dimension `dim` in one element.
int64_t LanesOf(const layouts::Layout& layout, size_t dim) {
  const auto last = std::find_if(layout.rbegin(), layout.rend(), [&](const auto& p) { return p.dim == dim; });
  return last == layout.rend() ? 1 : last->extent;
}

}  // namespace

int64_t WeightBytes(const isa::Memory& memory, const layouts::Layout& layout) {
  return BytesOf(memory, graph::NumElements(layouts::ShapeOf(layout)));
}

int64_t ParameterBytes(const isa::Spec& spec, const Array& array, int64_t channels) {
  const isa::Memory& memory = spec.memories[array.parameters.memory];
  return BytesOf(memory, ParameterValues(memory, array, channels));
}

int64_t BiasBytes(const isa::Spec& spec, const Array& array, int64_t channels) {
  return BytesOf(spec.memories[array.accumulators], BiasValues(array, channels));
}

std::vector<uint8_t> PackWeights(const isa::Memory& memory, const layouts::Layout& layout,
                                 const ConvView& view, const WeightOrder& order) {
  const std::vector<int64_t> outputs = layouts::PlacesAlong(layout, 0),
                             inputs = layouts::PlacesAlong(layout, 1), rows = layouts::PlacesAlong(layout, 2),
                             cols = layouts::PlacesAlong(layout, 3);
  const int64_t out_lanes = LanesOf(layout, 0), in_lanes = LanesOf(layout, 1);
  const int64_t taps = view.kh * view.kw, weights = view.i * taps, group = view.o / view.attributes.groups;
  // Where the weights of an output go from the output's place, for each of the groups taken together.
  std::vector<int64_t> places;
  for (int64_t channel = 0; channel < order.together * view.i; ++channel)
    for (int64_t t = 0; t < taps; ++t) {
      const int64_t at = order.unrolled ? t * view.i + channel : channel, tap = order.unrolled ? 0 : t;
      places.push_back(inputs[at / in_lanes * order.parts * in_lanes + at % in_lanes] + rows[tap / view.kw] +
                       cols[tap % view.kw]);
    }
  const int64_t part = order.parts > 1 ? inputs[in_lanes] : 0;  // from one to the next
  const isa::ScalarType type = memory.fields[0].type;
  // All of a block of outputs stands together, and is packed while it is in the cache.
  const int64_t blocks = std::ssize(outputs) / out_lanes,
                size = graph::NumElements(layouts::ShapeOf(layout)) / blocks,
                block_bytes = BytesOf(memory, size);
  std::vector<uint8_t> bytes(blocks * block_bytes);
  std::vector<int64_t> values(size);
  for (int64_t first = 0; first < view.o; first += out_lanes) {
    std::ranges::fill(values, 0);
    for (int64_t oc = first; oc < std::min(first + out_lanes, view.o); ++oc) {
      const int64_t* place = places.data() + oc / group % order.together * weights;
      for (int64_t i = 0; i < weights; ++i) {
        int64_t rest = view.weights[oc * weights + i];
        int64_t* to = values.data() + outputs[oc - first] + place[i];
        for (int64_t p = 1; p < order.parts; ++p, to += part) {
          *to = std::clamp(rest, type.Min(), type.Max());
          rest -= *to;
        }
        *to = rest;
      }
    }
    isa::PackElements(memory, values, std::span(bytes).subspan(first / out_lanes * block_bytes, block_bytes));
  }
  return bytes;
}

std::vector<uint8_t> PackIdentity(const isa::Memory& memory, int64_t size) {
  std::vector<int64_t> values(size * size, 0);
  for (int64_t i = 0; i < size; ++i) values[i * size + i] = 1;
  return Pack(memory, values);
}

std::vector<uint8_t> PackParameters(const isa::Spec& spec, const Array& array,
                                    const ChannelParameters& parameters, int64_t channels) {
  const isa::Memory& memory = spec.memories[array.parameters.memory];
  const int64_t fields = static_cast<int64_t>(memory.fields.size());
  std::vector<int64_t> values(ParameterValues(memory, array, channels), 0);
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

std::vector<uint8_t> PackTable(const isa::Spec& spec, const Array& array, std::span<const int32_t> values) {
  std::vector<int64_t> ordered(values.begin(), values.end());
  std::ranges::rotate(ordered,
                      ordered.begin() + std::ssize(ordered) / 2);  // from 0 on, then the negative ones
  return Pack(spec.memories[array.table.memory], ordered);
}

std::vector<uint8_t> PackBias(const isa::Spec& spec, const Array& array, std::span<const int32_t> bias) {
  const int64_t bo = array.block_out;
  std::vector<int64_t> values(BiasValues(array, std::ssize(bias)), 0);
  for (size_t c = 0; c < bias.size(); ++c)
    for (int64_t b = 0; b < array.batch; ++b)
      values[(static_cast<int64_t>(c) / bo * array.batch + b) * bo + static_cast<int64_t>(c) % bo] = bias[c];
  return Pack(spec.memories[array.accumulators], values);
}

}  // namespace cosim::network
