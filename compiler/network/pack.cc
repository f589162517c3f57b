// SPDX-License-Identifier: Apache-2.0
#include "compiler/network/pack.h"

#include "compiler/accel/rounding.h"
#include "isa/microops.h"

namespace cosim::network {
namespace {

using accel::CeilDiv;

std::vector<uint8_t> Pack(const isa::Memory& memory, const std::vector<int64_t>& values) {
  const int64_t elements = static_cast<int64_t>(values.size()) / isa::ValuesPerElement(memory);
  std::vector<uint8_t> bytes(elements * memory.stored_bytes);
  isa::PackElements(memory, values, bytes);
  return bytes;
}

}  // namespace

std::vector<uint8_t> PackWeights(const isa::Spec& spec, const Array& array, std::span<const int8_t> weights,
                                 int64_t o, int64_t i, int64_t kh, int64_t kw, bool patches) {
  const int64_t bo = array.block_out, bi = array.block_in, taps = kh * kw;
  const int64_t inner = patches ? taps * i : i, outer_taps = patches ? 1 : taps;
  const int64_t tile = bo * bi, in_blocks = CeilDiv(inner, bi);
  std::vector<int64_t> values(CeilDiv(o, bo) * in_blocks * outer_taps * tile, 0);
  for (int64_t oc = 0; oc < o; ++oc)
    for (int64_t ic = 0; ic < i; ++ic)
      for (int64_t t = 0; t < taps; ++t) {
        const int64_t channel = patches ? t * i + ic : ic, tap = patches ? 0 : t;
        const int64_t block = ((oc / bo) * in_blocks + channel / bi) * outer_taps + tap;
        values[block * tile + (oc % bo) * bi + channel % bi] = weights[(oc * i + ic) * taps + t];
      }
  return Pack(spec.memories[array.weights], values);
}

std::vector<uint8_t> PackParameters(const isa::Spec& spec, const Array& array,
                                    const ChannelParameters& parameters, int64_t channels) {
  const isa::Memory& memory = spec.memories[array.parameters];
  const int64_t fields = static_cast<int64_t>(memory.fields.size());
  std::vector<int64_t> values(CeilDiv(channels, array.block_out) * array.block_out * fields, 0);
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
  const int64_t bo = array.block_out, blocks = CeilDiv(static_cast<int64_t>(bias.size()), bo);
  std::vector<int64_t> values(blocks * array.batch * bo, 0);
  for (size_t c = 0; c < bias.size(); ++c)
    for (int64_t b = 0; b < array.batch; ++b)
      values[(static_cast<int64_t>(c) / bo * array.batch + b) * bo + static_cast<int64_t>(c) % bo] = bias[c];
  return Pack(spec.memories[array.accumulators], values);
}

}  // namespace cosim::network
