// SPDX-License-Identifier: Apache-2.0
// The reference manual of an ISA under one configuration, generated from the Spec alone. Writes no files.
#pragma once

#include <string>

#include "isa/spec.h"

namespace cosim::isa {

/// Markdown: parameters, memories, units, queues, every instruction with its fields' bits, every ALU op with
/// its expression. The same Spec gives the same text.
std::string DescribeMarkdown(const Spec& spec);

}  // namespace cosim::isa
