// SPDX-License-Identifier: Apache-2.0
// Finds how an accelerator can carry values from a load to a store without changing them, whatever its ISA:
// over a memory that both know, or by ALU ops in between. driver/copy_program.h makes a program of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "isa/spec/spec.h"

namespace cosim::driver {

/// An ALU op that hands on each value of its one operand, given these immediates.
struct CopyStep {
  int op = -1;                                      ///< index into Spec::alu_ops
  std::vector<std::pair<int, int64_t>> immediates;  ///< (field of the instruction, value)
};

struct CopyPath {
  int load = -1, store = -1;  ///< formats
  std::vector<CopyStep> steps;
  isa::ScalarType values;  ///< those that all steps hand on; a store may still keep only low bits of them
};

/// The first one of the spec's stores that some load reaches; nothing when none does.
std::optional<CopyPath> FindCopyPath(const isa::Spec& spec);

/// "load_inp, alu widen, alu narrow, store_out".
std::string PathText(const isa::Spec& spec, const CopyPath& path);

}  // namespace cosim::driver
