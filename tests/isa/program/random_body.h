// SPDX-License-Identifier: Apache-2.0
// Bodies of ALU ops drawn at random from all operators of the scalar language.
#pragma once

#include <string>
#include <vector>

#include "tests/isa/program/random_program.h"

namespace cosim::isa::testing {

/// A memory that bodies may look up: 2^`index_bits` elements of at most `bits`.
struct BodyTable {
  std::string name;
  int index_bits = 0, bits = 0;
};

/// Lines of a body that uses every one of `operands` (each at most 32 bits wide) and some of `immediates`,
/// and whose result is wrapped or saturated to the width that `result_bits` names. `amounts` are unsigned
/// values of few bits, to shift by.
std::vector<std::string> RandomBody(Random& random, const std::vector<std::string>& operands,
                                    const std::vector<std::string>& immediates,
                                    const std::vector<std::string>& amounts, const std::string& result_bits,
                                    const std::vector<BodyTable>& tables = {});

}  // namespace cosim::isa::testing
