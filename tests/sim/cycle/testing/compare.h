// SPDX-License-Identifier: Apache-2.0
// Engine against reference, and how a difference is made small enough to read.
#pragma once

#include <string>

#include "tests/sim/cycle/testing/random_case.h"

namespace cosim::sim::testing {

/// What differs first between engine and reference on the case, empty when nothing does: completion, each
/// instruction's issue and retirement, cycles, every ledger row, DRAM bytes, step counts.
std::string FirstDifference(const Case& c);

/// The case with as few instructions, tokens, locks and numbers as still show a difference.
Case Shrink(Case c);

/// Empty when engine and reference agree; else the smallest case found, described, with its difference.
std::string Compare(const Case& c);

}  // namespace cosim::sim::testing
