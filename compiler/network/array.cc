// SPDX-License-Identifier: Apache-2.0
#include "compiler/network/array.h"

#include <algorithm>
#include <numeric>

namespace cosim::network {
namespace {

// acc[b, o] += inp[b, k] * wgt[o, k]: one source shares the result's first axis, the other its second, both
// share the third.
bool ReadIntrinsic(const isa::Intrinsic& intrinsic, Array& array) {
  if (intrinsic.dst.axes.size() != 2 || intrinsic.sources.size() != 2) return false;
  const int b = intrinsic.dst.axes[0], o = intrinsic.dst.axes[1];
  array.accumulators = intrinsic.dst.memory;
  for (const auto& source : intrinsic.sources) {
    if (source.axes.size() != 2) return false;
    if (source.axes[0] == b) array.activations = source.memory;
    if (source.axes[0] == o) array.weights = source.memory;
    array.block_in = intrinsic.axes[source.axes[1]].extent;
  }
  array.batch = intrinsic.axes[b].extent;
  array.block_out = intrinsic.axes[o].extent;
  return array.activations >= 0 && array.weights >= 0;
}

bool HasGap(const isa::Memory& memory) { return memory.stored_bytes * 8 != memory.element_bits; }

void FindParameters(const isa::Spec& spec, Array& array) {
  for (size_t m = 0; m < spec.memories.size(); ++m) {
    const auto& fields = spec.memories[m].fields;
    const auto find = [&](const char* name) {
      const auto at =
          std::find_if(fields.begin(), fields.end(), [&](const isa::Field& f) { return f.name == name; });
      return at == fields.end() ? -1 : static_cast<int>(at - fields.begin());
    };
    if (find("bias") < 0 || find("mult") < 0 || find("shift") < 0) continue;
    array.parameters = static_cast<int>(m);
    array.bias_field = find("bias");
    array.mult_field = find("mult");
    array.shift_field = find("shift");
  }
}

}  // namespace

Array FindArray(const isa::Spec& spec, std::string& why) {
  Array array;
  for (size_t f = 0; f < spec.formats.size(); ++f) {
    const auto& format = spec.formats[f];
    if (format.intrinsic && ReadIntrinsic(*format.intrinsic, array)) array.gemm = static_cast<int>(f);
    if (format.kind == isa::Kind::kStore) array.results = format.memory;
  }
  if (array.gemm < 0) {
    why = "the ISA has no instruction acc[b, o] += inp[b, k] * wgt[o, k]";
    return {};
  }
  if (array.results < 0) {
    why = "the ISA has no store instruction";
    return {};
  }
  const isa::Memory& activations = spec.memories[array.activations];
  const isa::Memory& weights = spec.memories[array.weights];
  const isa::Memory& results = spec.memories[array.results];
  array.activation_bits = activations.fields[0].type.width;
  array.activation_bytes = activations.stored_bytes;
  array.weight_bits = weights.fields[0].type.width;
  array.weight_bytes = weights.stored_bytes;
  array.result_bytes = results.stored_bytes;
  // With several rows in a tile, or with gaps, values of one element do not follow those of another: no
  // common block.
  const bool joined = array.batch == 1 && !HasGap(activations) && !HasGap(results);
  const bool common = joined || array.block_in == array.block_out;
  array.layout_in = common ? std::lcm(array.block_in, array.block_out) : array.block_in;
  array.layout_out = common ? array.layout_in : array.block_out;
  array.results_are_mirrored = spec.memories[array.results].mirrors == array.accumulators;
  FindParameters(spec, array);
  return array;
}

}  // namespace cosim::network
