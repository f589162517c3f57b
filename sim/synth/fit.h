// SPDX-License-Identifier: Apache-2.0
// Whether an accelerator fits its board, as far as that is known without mapping it to cells: from the
// multipliers and memories that Yosys would make, and an estimate of the LUTs (area_model.h).
#pragma once

#include <optional>
#include <string>

#include "isa/spec/spec.h"
#include "sim/synth/cells.h"

namespace cosim::synth {

/// DSPs and block RAM, as many as Yosys takes; `lut` and `ff` are 0. The spec must pass isa::CheckSv.
Resources LeastResources(const isa::Spec& spec);

struct Fit {
  std::optional<bool> fits;  ///< nothing: not known
  std::string text;          ///< "does not fit pynq: 576 of 220 DSP"; empty where nothing can be said
  /// Where `fits` is false: by how much DSPs, block RAM and LUTs are above what there is, as shares of that,
  /// added; infinite where it does not fit for another reason.
  double excess = 0;
};
Fit FitOf(const isa::Spec& spec);
/// As that, by somebody who has EstimateArea; nothing where isa::CheckSv objects.
Fit FitOf(const isa::Spec& spec, const std::optional<Resources>& least);

}  // namespace cosim::synth
