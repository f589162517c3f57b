// SPDX-License-Identifier: Apache-2.0
// Whether an accelerator fits its board, as far as that is known without mapping it to cells: from the
// multipliers and the bits that it cannot do without. How many LUTs it takes only synthesis.h can say.
#pragma once

#include <optional>
#include <string>

#include "isa/spec/spec.h"
#include "sim/synth/cells.h"

namespace cosim::synth {

/// The least of DSPs and block RAM; `lut` and `ff` are 0. Multipliers of fewer than nine bits, and memories
/// of fewer elements than a block RAM has addresses, may become LUTs, and do not count. The spec must pass
/// isa::CheckSv.
Resources LeastResources(const isa::Spec& spec);

struct Fit {
  std::optional<bool> fits;  ///< nothing: not known
  std::string text;  ///< "does not fit pynq: at least 576 of 220 DSP"; empty where nothing can be said
  /// Where `fits` is false: by how much the least of DSPs and block RAM is above what there is, as shares of
  /// that, added; infinite where it does not fit for another reason.
  double excess = 0;
};
Fit FitOf(const isa::Spec& spec);
/// As that, by somebody who has LeastResources; nothing where isa::CheckSv objects.
Fit FitOf(const isa::Spec& spec, const std::optional<Resources>& least);

}  // namespace cosim::synth
