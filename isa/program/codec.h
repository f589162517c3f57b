// SPDX-License-Identifier: Apache-2.0
// Instructions to words and back. A word is word_bits long, its bytes stored lowest first; fields stand where
// the spec put them, all other bits are 0. Nothing is ever truncated: what does not fit is an error.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "isa/program/program.h"
#include "isa/spec/spec.h"

namespace cosim::isa {

struct CodecError {
  int64_t instruction = 0;  ///< position in the program; 0 for a lone word
  int field = -1;           ///< of the instruction's format; -1: the word as a whole
  std::string message;      ///< names format and field
};

/// An instruction of `format` with its opcode and other fixed fields set, everything else 0.
Instruction BlankInstruction(const Spec& spec, int format);

/// Every field that does not fit or differs from what its format fixes, an unknown format, or a wrong number
/// of values.
std::vector<CodecError> CheckEncodable(const Spec& spec, const Instruction& instruction);

/// Writes word_bytes() bytes. On an error nothing is written.
std::optional<CodecError> EncodeWord(const Spec& spec, const Instruction& instruction,
                                     std::span<uint8_t> word);

/// Reads word_bytes() bytes: finds the format by opcode and fixed fields. Words that no format claims, and
/// words with bits set outside their format's fields, are errors.
std::optional<CodecError> DecodeWord(const Spec& spec, std::span<const uint8_t> word,
                                     Instruction& instruction);

/// The program's words as a segment at its code_address. Errors go to `errors`, all of them; then there is no
/// segment.
std::optional<Segment> EncodeProgram(const Spec& spec, const Program& program,
                                     std::vector<CodecError>& errors);

/// The instructions of a segment's bytes. Errors go to `errors`, all of them.
std::optional<std::vector<Instruction>> DecodeProgram(const Spec& spec, std::span<const uint8_t> bytes,
                                                      std::vector<CodecError>& errors);

}  // namespace cosim::isa
