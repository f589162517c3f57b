// SPDX-License-Identifier: Apache-2.0
// What `cosim explain --partition` prints.
#pragma once

#include <string>

#include "compiler/session/origin.h"
#include "compiler/session/partition.h"

namespace cosim::cli {

std::string PartitionText(const session::Partition& partition);
std::string PartitionJson(const session::Partition& partition, const session::Origin& origin);

}  // namespace cosim::cli
