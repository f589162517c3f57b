// SPDX-License-Identifier: Apache-2.0
// The steps that make a Spec of the two texts, one a file. Each reports what it finds wrong and leaves out
// what it could not read; isa/spec/elaborate.cc lists them in order. Inside isa/ only: the way in is
// isa/spec/loader.h.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "isa/diagnostic_codes.h"
#include "isa/diagnostics.h"
#include "isa/expr/lexer.h"
#include "isa/spec/config.h"
#include "isa/spec/definitions.h"
#include "isa/spec/spec.h"
#include "isa/yaml/node.h"
#include "isa/yaml/reader.h"

namespace cosim::isa {

/// What the steps share. The texts outlive it.
struct Elaboration {
  const YamlNode& isa;
  const Config& config;
  Diagnostics& diags;
  Definitions definitions;
  Spec spec;
  /// The entries that spec.units, queues, formats and alu_ops came from, index for index.
  std::vector<const YamlEntry*> units, queues, formats, alu_ops;
  /// Units that the ISA declares and this configuration lacks: their `where` is 0.
  std::vector<std::string> absent_units;
};

/// Bits that an instruction takes, of its word.
inline int BitsOf(const InstructionFormat& format) {
  return format.fields.back().offset + format.fields.back().type.width;
}

/// Whether this configuration has `entry`, called `what`: it has no `where`, or one that is not 0.
bool IsThere(Elaboration& e, const YamlEntry& entry, std::string_view what);

/// A reference to a unit.
struct UnitReference {
  int unit = -1;           ///< -1: there is none, or what was wrong has been reported
  bool is_absent = false;  ///< the unit is one of those that this configuration lacks
};
UnitReference FindUnit(Elaboration& e, const YamlNode& node);
/// Fills spec.units, e.units and e.absent_units; `owner` is the map that declares them.
void ReadUnits(Elaboration& e, const std::vector<const YamlEntry*>& declared, const YamlNode& owner);
/// Of an instruction's `unit`, a name or a list of names: the first that this configuration has.
UnitReference FindFirstUnit(Elaboration& e, const YamlNode& node, std::string_view what);

/// Names, docs and clock; parameters and memories; names of the units that there are.
void ElaborateHeader(Elaboration& e);
void ElaborateQueues(Elaboration& e);
/// Instruction formats with their fields, without the tensors they touch.
void ElaborateFormats(Elaboration& e);
/// The word, which may go with the longest format.
void ElaborateWord(Elaboration& e);
/// The intrinsics of gemm formats.
void ElaborateIntrinsics(Elaboration& e);
/// ALU ops with their programs, whose immediates are fields of alu formats.
void ElaborateAluOps(Elaboration& e);
/// Numbers of the units, which depend on the ALU ops, and the ALU ops' timing, which depends on the units.
void ElaborateTiming(Elaboration& e);
/// Who reads and writes which memory; index fields and lock fields of formats.
void ElaborateAccess(Elaboration& e);

/// Fields that a format's kind needs are there, of the right type, and wide enough for what they index.
void CheckRoles(Elaboration& e);
/// No two formats look alike, every word fits, every ALU op code fits.
void CheckEncodings(Elaboration& e);
/// Every unit runs something, every memory is of use, every buffer holds a burst.
void CheckStructure(Elaboration& e);

/// Hash of a canonical text of everything that programs and RTL depend on.
uint64_t Fingerprint(const Spec& spec);

/// All steps. Nothing after reporting.
std::optional<Spec> ElaborateTree(const YamlNode& isa, const Config& config, Diagnostics& diags);

/// What an instruction format's unit does with a memory while executing.
struct Access {
  int memory = -1;
  bool reads = false, writes = false;
};
std::vector<Access> AccessesOf(const Spec& spec, int format);

/// The operands of a gemm's intrinsic or of all ALU ops of a format, results included.
std::vector<const Operand*> OperandsOf(const Spec& spec, int format);

/// The type of a format's or a record's field in the text, and the entry of the field itself; null if it is
/// derived.
const YamlEntry* FieldEntry(const YamlEntry& owner, std::string_view field);

/// Index of the thing that `node` names; -1 after reporting that there is no such `what`.
template <typename T>
int FindReference(const std::vector<T>& list, const YamlNode& node, std::string_view what,
                  Diagnostics& diags) {
  std::vector<std::string> names;
  for (const T& item : list) names.push_back(item.name);
  const auto found = std::ranges::find(names, node.scalar);
  if (found != names.end()) return static_cast<int>(found - names.begin());
  Report(diags, codes::kUnknownReference, node, fmt::format("there is no {} '{}'", what, node.scalar)).hint =
      NameHint(node.scalar, names);
  return -1;
}

/// What may follow an index: `+ axis`, and behind that `+ pitch * lines`.
struct RowTokens {
  std::optional<Token> axis, pitch, lines;
};

/// `memory[index]` from the tokens of a text; nothing after reporting. Lane axes are not read. With `row`,
/// the index may be of several elements, whose names it gets.
std::optional<Operand> ParseOperand(TokenStream& tokens, const Spec& spec, RowTokens* row = nullptr);

}  // namespace cosim::isa
