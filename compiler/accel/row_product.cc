// SPDX-License-Identifier: Apache-2.0
// Instructions that multiply along rows. See capabilities.h.
#include "isa/spec/row_product.h"

#include "compiler/accel/capabilities.h"

namespace cosim::accel {

RowProduct FindRowProduct(const isa::Spec& spec, const Contraction& contraction) {
  for (size_t f = 0; f < spec.formats.size(); ++f) {
    const isa::InstructionFormat& format = spec.formats[f];
    if (!format.intrinsic || !Misfit(spec, format).empty()) continue;
    const auto found = isa::MatchRowProduct(*format.intrinsic);
    if (!found || format.intrinsic->dst.memory != contraction.accumulators ||
        format.intrinsic->sources[found->src].memory != contraction.activations ||
        format.intrinsic->sources[found->side].memory != contraction.weights ||
        found->channels != contraction.block_in || found->channels != contraction.block_out)
      continue;
    return {static_cast<int>(f), found->lines, found->taps, found->group};
  }
  return {};
}

}  // namespace cosim::accel
