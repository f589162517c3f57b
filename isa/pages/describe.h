// SPDX-License-Identifier: Apache-2.0
// The reference manuals: of an ISA under one configuration, generated from the Spec alone, and of the
// registers that every accelerator has. Writes no files.
#pragma once

#include <string>

#include "isa/spec/spec.h"

namespace cosim::isa {

/// Markdown: parameters, memories, units, queues, every instruction with its fields' bits, every ALU op with
/// its expression. The same Spec gives the same text.
std::string DescribeMarkdown(const Spec& spec);

/// Markdown: isa/spec/registers.h as tables of registers, bits and error codes, and how a driver uses them.
std::string DescribeRegisters();

}  // namespace cosim::isa
