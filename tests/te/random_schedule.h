// SPDX-License-Identifier: Apache-2.0
// Random legal schedules: whatever they do, results must not change.
#pragma once

#include <random>

#include "compiler/te/schedule.h"

namespace cosim::te {

/// Applies random caches, inlining, splits, fuses, reorders, marks and attachments to every stage.
void Randomize(Schedule& schedule, std::mt19937& random);

}  // namespace cosim::te
