// SPDX-License-Identifier: Apache-2.0
#include "compiler/schedules/accel/epilogue.h"

#include <algorithm>

namespace cosim::kernels {

bool TakesTwoValues(const graph::Node& node) { return node.inputs.size() == 2 && !node.As<graph::BiasAdd>(); }

bool Epilogue::HasResidual() const {
  return std::ranges::any_of(steps, [](const EpilogueStep& step) { return TakesTwoValues(*step.node); });
}

bool Epilogue::HasOtherWork() const {
  return std::ranges::any_of(steps, [](const EpilogueStep& step) {
    const graph::Node& node = *step.node;
    return !node.As<graph::BiasAdd>() && !node.As<graph::Requantize>() && !node.As<graph::Clip>();
  });
}

std::vector<std::string_view> Epilogue::Rhythm() const {
  std::vector<std::string_view> rhythm;
  for (const EpilogueStep& step : steps) {
    if (step.node->As<graph::BiasAdd>() || step.node->As<graph::Clip>()) continue;
    rhythm.push_back(graph::Mnemonic(step.node->op));
    const auto* requantize = step.node->As<graph::Requantize>();
    if (requantize && requantize->twice) rhythm.push_back("twice");
    if (requantize && IsPureShift(*requantize)) rhythm.push_back("shift");
  }
  return rhythm;
}

bool IsPureShift(const graph::Requantize& op) {
  return op.multiplier == std::vector<int32_t>{1} && op.shift.size() == 1;
}

}  // namespace cosim::kernels
