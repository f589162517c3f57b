// SPDX-License-Identifier: Apache-2.0
// Program to program text, in the language of isa/program/assembler.h and in one canonical form:
// Assemble(Disassemble(p)) is p for every program whose instructions can be encoded.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "isa/program/program.h"
#include "isa/spec/spec.h"

namespace cosim::isa {

struct DisassembleOptions {
  /// The layer an instruction belongs to; a comment line stands where it changes. May be empty.
  std::function<std::string(int64_t instruction)> layer;
  /// False: segments are named, but their contents are left out, and the text cannot be assembled.
  bool contents = true;
};

std::string Disassemble(const Spec& spec, const Program& program, const DisassembleOptions& options = {});

/// One instruction, as a line without its newline.
std::string DisassembleInstruction(const Spec& spec, const Instruction& instruction);

}  // namespace cosim::isa
