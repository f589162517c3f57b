// SPDX-License-Identifier: Apache-2.0
// The codes of everything the spec loader can reject. Stable: a code is never given another meaning.
// docs/reference/diagnostics.md is the same list; a test holds them equal.
#pragma once

namespace cosim::isa {

/// One line a code: constant, code, meaning.
#define COSIM_SPEC_DIAGNOSTICS(X)                                                                  \
  X(kNoFile, "E0001", "a file does not exist or cannot be read")                                   \
  X(kYamlSyntax, "E0002", "the text is not well-formed YAML")                                      \
  X(kYamlUnsupported, "E0003",                                                                     \
    "a YAML feature that specs do not use: anchors, several documents, structured keys")           \
  X(kTooLarge, "E0004", "a file is too large")                                                     \
  X(kUnknownKey, "E0005", "a key that means nothing where it stands")                              \
  X(kDuplicateKey, "E0006", "a key given twice")                                                   \
  X(kMissingKey, "E0007", "a required key is missing")                                             \
  X(kWrongType, "E0008", "a value of the wrong type")                                              \
  X(kUnknownReference, "E0009", "a memory, unit, queue, field or instruction that does not exist") \
  X(kOutOfRange, "E0010", "a value out of its range")                                              \
  X(kBadName, "E0011", "a name that is not an identifier, or is taken by the language")            \
  X(kBadOverride, "E0012", "a --set that is not of the form key=value or cannot apply")            \
  X(kUnknownBoard, "E0013", "a board that is not known")                                           \
  X(kBadAddress, "E0014", "an address of a board that is not ssh://[USER@]HOST[:PORT]")            \
  X(kOverlap, "E0101", "two instructions that no match field tells apart")                         \
  X(kWordOverflow, "E0102", "an instruction has more bits than a word")                            \
  X(kNarrowField, "E0103", "a field too narrow for the memory it indexes")                         \
  X(kOpcodeWidth, "E0104", "an opcode or match value that its field cannot hold")                  \
  X(kDuplicateOp, "E0105", "two ALU ops with the same code")                                       \
  X(kOpCodeWidth, "E0106", "an ALU op code that the field 'op' cannot hold")                       \
  X(kMissingField, "E0107", "an instruction lacks a field that its kind needs")                    \
  X(kFieldWithoutRole, "E0108", "a field that the instruction's kind gives no meaning")            \
  X(kSignedField, "E0109", "a field that has to be unsigned")                                      \
  X(kMissingLock, "E0110", "an instruction touches a shared memory but has no lock field")         \
  X(kNarrowLock, "E0111", "a lock field has not one bit for each bank")                            \
  X(kExprSyntax, "E0201", "an expression over parameters is malformed")                            \
  X(kExprName, "E0202", "an expression over parameters uses an unknown name")                      \
  X(kCycle, "E0203", "definitions that depend on themselves")                                      \
  X(kInexact, "E0204", "a division with a remainder")                                              \
  X(kOverflow, "E0205", "a number beyond 64 bits, or a division by zero")                          \
  X(kParameterRange, "E0206", "a parameter out of its range")                                      \
  X(kWidth, "E0207", "a width that no integer type has")                                           \
  X(kScalarSyntax, "E0301", "the body of an ALU op or an intrinsic is malformed")                  \
  X(kScalarName, "E0302", "the body of an ALU op uses an unknown name")                            \
  X(kScalarType, "E0303", "an operand of a type that the operator does not take")                  \
  X(kScalarWidth, "E0304", "a value that needs more than 64 bits")                                 \
  X(kResultType, "E0305", "a result that does not fit its memory")                                 \
  X(kUnused, "E0306", "an operand or value that nothing reads")                                    \
  X(kRedefined, "E0307", "a name with two meanings")                                               \
  X(kIntrinsic, "E0308", "axes of an intrinsic that do not match")                                 \
  X(kUnreachableUnit, "E0401", "a unit that no instruction runs on")                               \
  X(kQueueEnds, "E0402", "a queue from a unit to itself, or two queues with the same ends")        \
  X(kBanks, "E0403", "banks that do not divide the depth")                                         \
  X(kMirror, "E0404", "a mirror that is used as a memory of its own")                              \
  X(kUnitKey, "E0405", "a unit's key that its instructions need, or do not use")                   \
  X(kUnusedMemory, "E0406", "a memory that is never used, or read but never written")              \
  X(kIdlePort, "E0407", "a memory port that nothing uses")                                         \
  X(kUnknownParameter, "E0501", "a configuration sets a parameter that the ISA does not have")     \
  X(kBufferTooSmall, "E0502", "a buffer that cannot hold one burst")

#define COSIM_DECLARE_CODE(name, code, meaning) inline constexpr char name[] = code;
namespace codes {
COSIM_SPEC_DIAGNOSTICS(COSIM_DECLARE_CODE)
}  // namespace codes
#undef COSIM_DECLARE_CODE

}  // namespace cosim::isa
