// SPDX-License-Identifier: Apache-2.0
// Instructions that multiply lane by lane. See capabilities.h.
#include <optional>
#include <vector>

#include "compiler/accel/capabilities.h"

namespace cosim::accel {
namespace {

/// The instruction as that form; nothing when it is not.
std::optional<LaneProduct> Read(const isa::Spec& spec, const isa::Intrinsic& intrinsic) {
  const std::vector<int>& lanes = intrinsic.dst.axes;
  if (lanes.size() != 2 || intrinsic.sources.size() != 2 || intrinsic.axes.size() != 2) return std::nullopt;
  for (const size_t w : {1, 0}) {
    const isa::Operand &weights = intrinsic.sources[w], &inputs = intrinsic.sources[1 - w];
    if (inputs.axes != lanes || weights.axes != std::vector<int>{lanes[1]}) continue;
    if (FindTransfer(spec, inputs.memory, false) < 0 || FindTransfer(spec, weights.memory, false) < 0)
      return std::nullopt;
    return LaneProduct{-1, intrinsic.dst.memory, inputs.memory, weights.memory};
  }
  return std::nullopt;
}

}  // namespace

LaneProduct FindLaneProduct(const isa::Spec& spec, int accumulators, int activations) {
  for (size_t f = 0; f < spec.formats.size(); ++f) {
    const isa::InstructionFormat& format = spec.formats[f];
    if (!format.intrinsic || !Misfit(spec, format).empty()) continue;
    std::optional<LaneProduct> found = Read(spec, *format.intrinsic);
    if (!found || found->accumulators != accumulators || !HoldAlike(spec, found->activations, activations))
      continue;
    found->format = static_cast<int>(f);
    return *found;
  }
  return {};
}

}  // namespace cosim::accel
