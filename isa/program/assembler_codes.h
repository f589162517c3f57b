// SPDX-License-Identifier: Apache-2.0
// The codes of everything the assembler can reject. Stable, as those of isa/diagnostic_codes.h.
#pragma once

namespace cosim::isa {

/// One line a code: constant, code, meaning.
#define COSIM_ASSEMBLER_DIAGNOSTICS(X)                                            \
  X(kAsmSyntax, "E0601", "a line of program text is malformed")                   \
  X(kAsmDirective, "E0602", "a directive that does not exist")                    \
  X(kAsmMnemonic, "E0603", "an instruction that the ISA does not have")           \
  X(kAsmField, "E0604", "a field that the instruction or micro-op does not have") \
  X(kAsmRepeated, "E0605", "a field, flag or directive given twice")              \
  X(kAsmRange, "E0606", "a value that its field cannot hold")                     \
  X(kAsmQueue, "E0607", "a queue that the instruction's unit cannot pop or push") \
  X(kAsmOp, "E0608", "an ALU op that the instruction does not have")              \
  X(kAsmBlock, "E0609", "a block that is not closed")                             \
  X(kAsmMissing, "E0610", "a program text lacks a directive that it needs")       \
  X(kAsmIsa, "E0611", "a program text written for another ISA")                   \
  X(kAsmBytes, "E0612", "bytes that are not pairs of hexadecimal digits")         \
  X(kAsmLeftOut, "E0613", "a segment whose contents were left out of the text")   \
  X(kAsmMemory, "E0614", "a memory that does not exist or holds no micro-ops")

#define COSIM_DECLARE_CODE(name, code, meaning) inline constexpr char name[] = code;
namespace codes {
COSIM_ASSEMBLER_DIAGNOSTICS(COSIM_DECLARE_CODE)
}  // namespace codes
#undef COSIM_DECLARE_CODE

}  // namespace cosim::isa
