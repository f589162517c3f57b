// SPDX-License-Identifier: Apache-2.0
// From a Spec to the part of the RTL that the ISA decides: a package of constants, one decoder a unit, the
// accelerator that connects the hand-written modules of hw/rtl, and the top that a board takes.
// Deterministic; writes no files.
#pragma once

#include <string>
#include <vector>

#include "isa/diagnostics.h"
#include "isa/spec/spec.h"

namespace cosim::isa {

/// `name` is the file's, without a folder; it holds one module or package of that name.
struct SvFile {
  std::string name, text;
};

/// Reports what the RTL cannot be built for: a kind it has no module for, an intrinsic that is not a matrix
/// product of signed numbers, a latency below the depth of a pipeline, a ledger that the registers have no
/// room for, names that the RTL needs for something else.
void CheckSv(const Spec& spec, Diagnostics& diags);

/// All generated files: `cosim_pkg.sv`, `decode_<unit>.sv`, `dispatch.sv`, `accelerator.sv` and
/// `cosim_top.sv`, packages first. The spec must pass CheckSv.
std::vector<SvFile> GenerateSv(const Spec& spec);

}  // namespace cosim::isa
