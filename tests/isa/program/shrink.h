// SPDX-License-Identifier: Apache-2.0
// Makes a program that fails small: drops instructions with their tokens, then tokens, values and data, as
// long as the program stays legal and goes on failing.
#pragma once

#include <functional>
#include <vector>

#include "isa/program/program.h"
#include "isa/spec/spec.h"

namespace cosim::isa::testing {

using Fails = std::function<bool(const Program&)>;

struct ShrinkOptions {
  int max_runs = 3000;  ///< of the predicate
};

/// `program` verifies and fails; so does what comes back, and it is never longer. The predicate sees only
/// programs that verify, with their words encoded.
Program Shrink(const Spec& spec, Program program, const Fails& fails, const ShrinkOptions& options = {});

/// `program` without the instructions that `keep` is false for, and without the tokens they give or take.
/// Its words are encoded anew; whether it is legal is not looked at.
Program Without(const Spec& spec, const Program& program, const std::vector<bool>& keep);

/// Replaces the program's encoded words by those of its instructions as they stand now.
void Reencode(const Spec& spec, Program& program);

}  // namespace cosim::isa::testing
