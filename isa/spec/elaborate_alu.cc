// SPDX-License-Identifier: Apache-2.0
// ALU ops: operands, the program of the body, and whether this configuration can execute it.
#include <fmt/ranges.h>

#include <set>
#include <utility>

#include "isa/expr/parser.h"
#include "isa/spec/elaborate.h"

namespace cosim::isa {
namespace {

class AluOpReader {
 public:
  AluOpReader(Elaboration& e, const YamlEntry& entry)
      : e_(e),
        entry_(entry),
        what_(fmt::format("ALU op '{}'", entry.key.scalar)),
        errors_(e.diags.list().size()),
        reader_(entry.value, entry.key, what_, e.diags,
                {"code", "doc", "where", "instruction", "operands", "result", "body"}) {}

  void Read() {
    if (!reader_.is_map()) return;
    op_.name = entry_.key.scalar;
    op_.loc = entry_.key.Loc();
    op_.doc = reader_.OptionalString("doc", "");
    op_.code = static_cast<int>(reader_.Integer("code", 0, INT32_MAX).value_or(0));
    FindFormat();
    ReadOperands();
    if (reader_.String("result")) ReadOperand(*reader_.Find("result"), "", op_.result);
    const YamlNode* body = reader_.RequireSequence("body");
    if (e_.diags.list().size() > errors_) return;
    ReadProgram(*body);
    if (e_.diags.list().size() > errors_) return;
    CheckWhere();
    CheckLanes();
    e_.spec.alu_ops.push_back(std::move(op_));
  }

 private:
  void FindFormat() {
    if (reader_.Find("instruction")) {
      const YamlNode& node = *reader_.Find("instruction");
      op_.format = FindReference(e_.spec.formats, node, "instruction", e_.diags);
      if (op_.format < 0 || e_.spec.formats[op_.format].kind == Kind::kAlu) return;
      Report(e_.diags, codes::kWrongType, node,
             fmt::format("instruction '{}' is not of kind alu", node.scalar));
      return;
    }
    int count = 0;
    for (size_t i = 0; i < e_.spec.formats.size(); ++i) {
      if (e_.spec.formats[i].kind != Kind::kAlu) continue;
      op_.format = static_cast<int>(i);
      ++count;
    }
    if (count == 1) return;
    Report(e_.diags, codes::kMissingKey, entry_.key,
           count == 0
               ? fmt::format("there is no instruction of kind alu to carry {}", what_)
               : fmt::format("{} has to name its 'instruction': there are {} of kind alu", what_, count));
  }

  void ReadOperands() {
    const YamlNode* operands = reader_.RequireMap("operands");
    if (!operands) return;
    for (const YamlEntry& entry : operands->entries) {
      if (!CheckName(entry.key, "operand", e_.diags)) continue;
      ReadOperand(entry.value, entry.key.scalar, op_.operands.emplace_back());
    }
  }

  void ReadOperand(const YamlNode& node, std::string name, Operand& operand) {
    if (node.kind != YamlNode::Kind::kScalar) {
      Report(e_.diags, codes::kWrongType, node,
             fmt::format("an operand of {} is written memory[index]", what_));
      return;
    }
    TokenStream tokens(node, codes::kScalarSyntax, e_.diags);
    if (std::optional<Operand> read = ParseOperand(tokens, e_.spec)) operand = std::move(*read);
    operand.name = std::move(name);
    tokens.ExpectEnd();
  }

  /// The fields of the alu instruction that are no role of its kind: what bodies can name.
  static bool IsImmediate(const InstructionFormat& format, const Field& field, const Memory& micro_ops) {
    static const std::set<std::string, std::less<>> kRoles = {"op", "uop_begin", "uop_end", "iter_out",
                                                              "iter_in"};
    const auto index = &field - format.fields.data();
    const auto own = static_cast<std::ptrdiff_t>(1 + format.pops.size() + format.pushes.size());
    if (index < own || kRoles.contains(field.name) || field.name.starts_with("lock_")) return false;
    for (const Field& uop : micro_ops.fields) {
      for (std::string_view role : {"_base", "_out", "_in"}) {
        if (field.name == uop.name + std::string(role)) return false;
      }
    }
    return true;
  }

  /// Whether each lane could look up an element of its own: one value, wherever it stands.
  static bool IsTable(const Memory& memory) {
    const ScalarType type = memory.fields[0].type;
    return memory.LaneCount() == 1 && memory.fields.size() == 1 && memory.fields[0].name.empty() &&
           memory.banks == 1 && memory.mirrors < 0 && type.width <= (type.is_signed ? 32 : 31);
  }

  ExprScope Scope() const {
    ExprScope scope;
    for (size_t i = 0; i < op_.operands.size(); ++i) {
      const Operand& operand = op_.operands[i];
      const Memory& memory = e_.spec.memories[operand.memory];
      for (size_t f = 0; f < memory.fields.size(); ++f) {
        const bool plain = memory.fields[f].name.empty();
        scope.inputs.push_back(
            {ScalarInput::Kind::kOperand, plain ? operand.name : operand.name + "." + memory.fields[f].name,
             static_cast<int>(i), plain ? -1 : static_cast<int>(f), -1, memory.fields[f].type});
      }
    }
    const InstructionFormat& format = e_.spec.formats[op_.format];
    for (size_t f = 0; f < format.fields.size(); ++f) {
      if (!IsImmediate(format, format.fields[f], e_.spec.memories[format.micro_ops])) continue;
      scope.inputs.push_back({ScalarInput::Kind::kImmediate, format.fields[f].name, -1, -1,
                              static_cast<int>(f), format.fields[f].type});
    }
    for (size_t m = 0; m < e_.spec.memories.size(); ++m) {
      const Memory& memory = e_.spec.memories[m];
      if (IsTable(memory))
        scope.tables.push_back({memory.name, static_cast<int>(m), memory.depth, memory.fields[0].type});
    }
    for (const ScalarInput& input : scope.inputs) scope.names.push_back(input.name);
    for (const Parameter& parameter : e_.spec.parameters) scope.names.push_back(parameter.name);
    scope.constant = [this](std::string_view name) -> std::optional<int64_t> {
      const auto found = std::ranges::find(e_.spec.parameters, name, &Parameter::name);
      return found == e_.spec.parameters.end() ? std::nullopt : std::optional(found->value);
    };
    return scope;
  }

  void ReadProgram(const YamlNode& body) {
    const ExprScope scope = Scope();
    for (size_t i = 0; i < op_.operands.size(); ++i) {
      const std::string& name = op_.operands[i].name;
      const bool clash =
          scope.constant(name) || std::ranges::any_of(scope.inputs, [&](const ScalarInput& input) {
            return input.kind == ScalarInput::Kind::kImmediate && input.name == name;
          });
      if (!clash) continue;
      Report(e_.diags, codes::kRedefined, reader_.Find("operands")->entries[i].key,
             fmt::format("'{}' is a field of the instruction or a parameter already", name));
      return;
    }
    const Memory& memory = e_.spec.memories[op_.result.memory];
    if (!memory.fields[0].name.empty()) {
      Report(e_.diags, codes::kResultType, *reader_.Find("result"),
             fmt::format("memory '{}' holds records, which no ALU op can write", memory.name));
      return;
    }
    std::optional<ScalarProgram> program =
        ParseBody(body, scope, memory.fields[0].type, memory.name, e_.diags);
    if (!program) return;
    op_.program = std::move(*program);
    for (const YamlNode& line : body.items) op_.body.push_back(line.scalar);
    for (size_t i = 0; i < op_.operands.size(); ++i) {
      const auto reads = [&](const ScalarInput& input) { return input.operand == static_cast<int>(i); };
      if (std::ranges::any_of(op_.program.inputs, reads)) continue;
      Report(e_.diags, codes::kUnused, reader_.Find("operands")->entries[i].key,
             fmt::format("{} never reads its operand '{}'", what_, op_.operands[i].name));
    }
  }

  /// How many elements of `lanes` stand side by side, in the last dimension, for one of `result`; 0: they do
  /// not go together. One with the last dimensions of `result` is the same for all of the others.
  static int PartsOf(const std::vector<int>& lanes, const std::vector<int>& result) {
    if (lanes.empty()) return 1;
    if (lanes.size() > result.size() || result.back() % lanes.back() != 0) return 0;
    const bool rows = std::equal(lanes.rbegin() + 1, lanes.rend(), result.rbegin() + 1);
    return rows ? result.back() / lanes.back() : 0;
  }

  /// An op whose `where` is 0 keeps its code: programs that have it are refused, and say why.
  void CheckWhere() {
    if (IsThere(e_, entry_, what_)) return;
    op_.available = false;
    op_.unavailable = fmt::format("it is there where {}", reader_.Find("where")->scalar);
  }

  void CheckLanes() {
    const std::vector<int>& result = e_.spec.memories[op_.result.memory].lanes;
    for (Operand& operand : op_.operands) {
      const Memory& memory = e_.spec.memories[operand.memory];
      operand.parts = PartsOf(memory.lanes, result);
      if (operand.parts > 0 || !op_.available) continue;
      op_.available = false;
      op_.unavailable = fmt::format("an element of '{}' has {} lanes, but one of '{}' has {}", memory.name,
                                    fmt::join(memory.lanes, "x"), e_.spec.memories[op_.result.memory].name,
                                    fmt::join(result, "x"));
      return;
    }
  }

  Elaboration& e_;
  const YamlEntry& entry_;
  const std::string what_;
  const size_t errors_;  ///< reported before this op was looked at
  const MapReader reader_;
  AluOp op_;
};

}  // namespace

void ElaborateAluOps(Elaboration& e) {
  for (const YamlEntry* entry : e.alu_ops) AluOpReader(e, *entry).Read();
}

}  // namespace cosim::isa
