// SPDX-License-Identifier: Apache-2.0
#include "sim/synth/clock_evidence.h"

#include <fmt/format.h>

namespace cosim::synth {
namespace {

/// A block routed once may have been lucky.
constexpr size_t kSeedsToCount = 2;

}  // namespace

ClockEvidence EvidenceOf(const Placement& placement, const isa::Spec& spec) {
  ClockEvidence evidence{.clock_mhz = spec.clock_mhz, .blocks = static_cast<int>(placement.all.size())};
  for (const RoutedBlock& block : placement.blocks) {
    if (block.routes.size() < kSeedsToCount) continue;
    const double mhz = block.Slowest().mhz;
    if (evidence.routed++ > 0 && mhz >= evidence.blocks_mhz) continue;
    evidence.blocks_mhz = mhz;
    evidence.slowest = block.name;
  }
  if (placement.design) {
    evidence.design_mhz = placement.design->Slowest().mhz;
    evidence.design_seeds = static_cast<int>(placement.design->routes.size());
  }
  return evidence;
}

std::string EvidenceText(const ClockEvidence& evidence) {
  std::string text;
  if (evidence.routed > 0)
    text = fmt::format("routed at {:.1f} MHz ({})", evidence.blocks_mhz,
                       evidence.routed == evidence.blocks
                           ? "blocks"
                           : fmt::format("{} of {} blocks", evidence.routed, evidence.blocks));
  if (evidence.design_seeds > 0)
    text += fmt::format("{}whole design routed at {:.1f} MHz{}", text.empty() ? "" : ", ",
                        evidence.design_mhz, evidence.design_seeds == 1 ? " (one seed)" : "");
  if (text.empty()) return "unproven";
  return text + fmt::format("; for {} by nextpnr, not by Vivado, DSP untimed", kPlaceDevice);
}

std::string EvidenceWarning(const ClockEvidence& evidence) {
  std::string slow;
  if (evidence.routed > 0 && evidence.blocks_mhz < evidence.clock_mhz)
    slow = fmt::format("{} is routed at {:.1f} MHz", evidence.slowest, evidence.blocks_mhz);
  if (evidence.design_seeds > 0 && evidence.design_mhz < evidence.clock_mhz)
    slow += fmt::format("{}the whole design is routed at {:.1f} MHz", slow.empty() ? "" : ", ",
                        evidence.design_mhz);
  return slow.empty()
             ? ""
             : fmt::format("{}, below the configuration's clock of {:g} MHz", slow, evidence.clock_mhz);
}

}  // namespace cosim::synth
