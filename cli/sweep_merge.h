// SPDX-License-Identifier: Apache-2.0
// What `cosim sweep merge` does with the words behind it.
#pragma once

#include "cli/verbs.h"

namespace cosim::cli {

int SweepMerge(const Arguments& arguments);

}  // namespace cosim::cli
