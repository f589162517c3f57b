// SPDX-License-Identifier: Apache-2.0
// Instructions that multiply lane by lane. See capabilities.h.
#include <fmt/format.h>

#include "compiler/accel/capabilities.h"

namespace cosim::accel {
namespace {

// What keeps the instruction from acc[b, c] += inp[b, c] * wgt[c], if anything does.
std::string Read(const isa::Spec& spec, const isa::Intrinsic& intrinsic, LaneProduct& out) {
  const std::string other = fmt::format("computes {}, not acc[b, c] += inp[b, c] * wgt[c]", intrinsic.text);
  const std::vector<int>& lanes = intrinsic.dst.axes;
  if (lanes.size() != 2 || intrinsic.sources.size() != 2 || intrinsic.axes.size() != 2) return other;
  for (const size_t w : {1, 0}) {
    const isa::Operand &weights = intrinsic.sources[w], &inputs = intrinsic.sources[1 - w];
    if (inputs.axes != lanes || weights.axes != std::vector<int>{lanes[1]}) continue;
    out.accumulators = intrinsic.dst.memory;
    out.activations = inputs.memory;
    out.weights = weights.memory;
    for (const int memory : {out.activations, out.weights})
      if (FindTransfer(spec, memory, false) < 0)
        return fmt::format("no instruction loads '{}'", spec.memories[memory].name);
    return {};
  }
  return other;
}

}  // namespace

LaneProduct FindLaneProduct(const isa::Spec& spec, int accumulators, int activations, std::string& why) {
  why = "the ISA has no instruction acc[b, c] += inp[b, c] * wgt[c]";
  bool near = false;
  for (size_t f = 0; f < spec.formats.size(); ++f) {
    const isa::InstructionFormat& format = spec.formats[f];
    if (!format.intrinsic) continue;
    LaneProduct found;
    std::string misfit = Read(spec, *format.intrinsic, found);
    if (misfit.empty()) misfit = Misfit(spec, format);
    if (misfit.empty() &&
        (found.accumulators != accumulators || !HoldAlike(spec, found.activations, activations)))
      misfit = fmt::format("it multiplies '{}' into '{}', and values stand in '{}' and sums in '{}'",
                           spec.memories[found.activations].name, spec.memories[found.accumulators].name,
                           spec.memories[activations].name, spec.memories[accumulators].name);
    found.format = static_cast<int>(f);
    if (misfit.empty()) return found;
    if (!near && format.intrinsic->axes.size() == 2) {
      why = fmt::format("instruction '{}': {}", format.name, misfit);
      near = true;
    }
  }
  return {};
}

}  // namespace cosim::accel
