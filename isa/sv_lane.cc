// SPDX-License-Identifier: Apache-2.0
// Scalar programs as SystemVerilog: one sized signal a value, registers where a value crosses a stage.
#include "isa/sv_lane.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>

#include "isa/check.h"
#include "isa/sv_package.h"

namespace cosim::isa {
namespace {

/// A signal. Static ones (constants, immediates) hold in every stage.
struct Value {
  std::string name;
  ScalarType type;
  int stage = 0;
  bool is_static = false;
};

/// The low `width` bits of `name`, which has type `type`, extended by its sign if it is wider.
std::string Extended(const std::string& name, ScalarType type, int width) {
  if (width == type.width) return name;
  if (width < type.width) return fmt::format("{}[{}:0]", name, width - 1);
  if (!type.is_signed) return fmt::format("{{{}'d0, {}}}", width - type.width, name);
  return fmt::format("{{{{{}{{{}[{}]}}}}, {}}}", width - type.width, name, type.width - 1, name);
}

/// `value` in the bits of `type`, as a literal.
std::string Literal(int64_t value, int width) {
  if (value >= 0) return fmt::format("{}'d{}", width, value);
  return fmt::format("(-{}'d{})", width, static_cast<uint64_t>(-(value + 1)) + 1);
}

class LanePrinter {
 public:
  LanePrinter(const Spec& spec, const SvUnit& unit) : spec_(spec), unit_(unit), alu_(unit.alu) {}

  std::string Print();

 private:
  /// A multiplier in one stage, and what each op that uses it multiplies.
  struct Multiplier {
    int stage = 0;
    struct Use {
      std::vector<int> ops;
      int a, b;  ///< values
    };
    std::vector<Use> uses;
  };

  /// A shifter in one stage, and by what each op that uses it shifts.
  struct Shifter {
    int value, stage;
    struct Use {
      std::vector<int> ops;
      int amount;  ///< value
    };
    std::vector<Use> uses;
  };

  void PrintOp(int slot);
  int Node(const AluOp& op, const ScalarNode& node, const std::vector<int>& values, int delay, int slot);
  int Input(const AluOp& op, const ScalarInput& input);
  int Multiply(int slot, int a, int b, ScalarType type, int stage);
  /// Append them; return the declarations of their results, which come before all else.
  std::string PrintMultipliers();
  std::string PrintShifters();
  /// Says how many stages the multipliers of each stage may take: as many as every product there has.
  void PlanMultipliers();
  void PrintResults();

  /// A new signal with this expression, or the one that has it already.
  int Define(const std::string& expression, ScalarType type, int stage, bool is_static = false);
  /// The value's name in `stage`, through as many registers as that takes.
  std::string At(int value, int stage);
  std::string At(int value, int stage, int width) {
    return Extended(At(value, stage), values_[value].type, width);
  }
  std::string SignedAt(int value, int stage, int width) {
    return fmt::format("$signed({})", At(value, stage, width));
  }
  std::string Expression(const ScalarNode& node, int a, int b, int c, int stage, int slot);
  std::string RoundShift(const ScalarNode& node, int a, int b, int stage, int slot);
  int ShifterOf(int slot, int value, int amount, int stage);
  std::string Smaller(int a, int b, int width, int stage);
  /// A wire of `width` bits for part of an expression.
  std::string Wire(int width, const std::string& expression);
  int CyclesLate(const AluOp& op) const;

  const Spec& spec_;
  const SvUnit& unit_;
  const SvAlu& alu_;
  std::vector<Value> values_;
  std::map<std::string, int> known_;          // by expression, type and stage
  std::map<std::string, std::string> wires_;  // by expression and width
  std::map<std::pair<int, int>, std::string> delayed_;
  std::vector<Multiplier> multipliers_;
  std::map<int, int> product_stages_;  // by the stage of the multiplication
  std::vector<Shifter> shifters_;
  std::vector<int> results_;  // by slot: value
  int shared_stage_ = 0;      // of multiplications
  std::string body_, registers_;
};

bool IsProduct(const AluOp& op, const ScalarNode& node) {
  return node.op == ScalarOp::kMul && op.program.nodes[node.a].op != ScalarOp::kConst &&
         op.program.nodes[node.b].op != ScalarOp::kConst;
}

/// The stage of an op's first product, if it has one.
std::optional<int> ProductStage(const AluOp& op) {
  for (const ScalarNode& node : op.program.nodes) {
    if (IsProduct(op, node)) return node.stage;
  }
  return std::nullopt;
}

int LanePrinter::CyclesLate(const AluOp& op) const {
  const int slack = alu_.stages - op.program.stages;
  const std::optional<int> product = ProductStage(op);
  return product ? std::clamp(shared_stage_ - *product, 0, slack) : slack;
}

int LanePrinter::Define(const std::string& expression, ScalarType type, int stage, bool is_static) {
  const std::string key =
      fmt::format("{} {} {} {}", expression, type.width, type.is_signed, is_static ? 0 : stage);
  const auto found = known_.find(key);
  if (found != known_.end()) return found->second;
  const int id = static_cast<int>(values_.size());
  const std::string name = fmt::format("v{}", id);
  fmt::format_to(std::back_inserter(body_), "  logic [{}:0] {};\n  assign {} = {};\n", type.width - 1, name,
                 name, expression);
  values_.push_back({name, type, stage, is_static});
  known_[key] = id;
  return id;
}

std::string LanePrinter::Wire(int width, const std::string& expression) {
  std::string& name = wires_[fmt::format("{} {}", expression, width)];
  if (name.empty()) {
    name = fmt::format("w{}", wires_.size());
    fmt::format_to(std::back_inserter(body_), "  logic [{}:0] {};\n  assign {} = {};\n", width - 1, name,
                   name, expression);
  }
  return name;
}

std::string LanePrinter::At(int value, int stage) {
  const Value from = values_[value];
  if (from.is_static || stage == from.stage) return from.name;
  COSIM_CHECK(stage > from.stage, "a value of stage {} is used in stage {}", from.stage, stage);
  const auto found = delayed_.find({value, stage});
  if (found != delayed_.end()) return found->second;
  const std::string before = At(value, stage - 1);
  const std::string name = fmt::format("{}_s{}_q", from.name, stage);
  fmt::format_to(std::back_inserter(body_), "  logic [{}:0] {};\n", from.type.width - 1, name);
  fmt::format_to(std::back_inserter(registers_), "    {} <= {};\n", name, before);
  delayed_[{value, stage}] = name;
  return name;
}

std::string LanePrinter::Smaller(int a, int b, int width, int stage) {
  return fmt::format("({} < {})", SignedAt(a, stage, width), SignedAt(b, stage, width));
}

/// The shifter of that value in that stage; ops that shift by different amounts take turns.
int LanePrinter::ShifterOf(int slot, int value, int amount, int stage) {
  for (size_t s = 0; s < shifters_.size(); ++s) {
    Shifter& shifter = shifters_[s];
    if (shifter.value != value || shifter.stage != stage) continue;
    const auto same = std::ranges::find(shifter.uses, amount, &Shifter::Use::amount);
    const bool taken = std::ranges::any_of(shifter.uses, [&](auto& use) {
      return use.amount != amount && std::ranges::count(use.ops, slot) > 0;
    });
    if (taken) continue;
    if (same == shifter.uses.end()) {
      shifter.uses.push_back({{slot}, amount});
    } else if (std::ranges::count(same->ops, slot) == 0) {
      same->ops.push_back(slot);
    }
    return static_cast<int>(s);
  }
  shifters_.push_back({value, stage, {{{slot}, amount}}});
  return static_cast<int>(shifters_.size()) - 1;
}

/// (x + half) >> s, as the shifted value with one more bit below, rounded by that bit.
std::string LanePrinter::RoundShift(const ScalarNode& node, int a, int b, int stage, int slot) {
  const int width = values_[a].type.width + 1;  // with a sign in any case
  const std::string shifted = fmt::format("shifted{}", ShifterOf(slot, a, b, stage));
  const std::string whole = fmt::format("{}[{}:1]", shifted, width);
  const std::string kept = Wire(width, whole);
  return fmt::format("{} + {}'({}[0])", Extended(kept, {width, true}, node.type.width), node.type.width,
                     shifted);
}

std::string LanePrinter::Expression(const ScalarNode& node, int a, int b, int c, int stage, int slot) {
  const int width = node.type.width;
  // One bit more than any operand: signed whatever their signs are.
  int wide = 1;
  for (int value : {a, b, c}) {
    if (value >= 0) wide = std::max(wide, values_[value].type.width + 1);
  }
  switch (node.op) {
    case ScalarOp::kAdd:
      return fmt::format("{} + {}", At(a, stage, width), At(b, stage, width));
    case ScalarOp::kSub:
      return fmt::format("{} - {}", At(a, stage, width), At(b, stage, width));
    case ScalarOp::kMul:  // by a constant
      return fmt::format("{} * {}", At(a, stage, width), At(b, stage, width));
    case ScalarOp::kMin:
      return fmt::format("{} ? {} : {}", Smaller(a, b, wide, stage), At(a, stage, width),
                         At(b, stage, width));
    case ScalarOp::kMax:
      return fmt::format("{} ? {} : {}", Smaller(a, b, wide, stage), At(b, stage, width),
                         At(a, stage, width));
    case ScalarOp::kShr: {
      const ScalarType type = values_[a].type;
      const std::string text = type.is_signed ? fmt::format("$signed({}) >>> {}", At(a, stage), At(b, stage))
                                              : fmt::format("{} >> {}", At(a, stage), At(b, stage));
      const std::string shifted = Wire(type.width, text);
      return Extended(shifted, type, width);
    }
    case ScalarOp::kShl:
      return fmt::format("{} << {}", At(a, stage, width), At(b, stage));
    case ScalarOp::kRoundShift:
      return RoundShift(node, a, b, stage, slot);
    case ScalarOp::kAnd:
      return fmt::format("{} & {}", At(a, stage, width), At(b, stage, width));
    case ScalarOp::kOr:
      return fmt::format("{} | {}", At(a, stage, width), At(b, stage, width));
    case ScalarOp::kXor:
      return fmt::format("{} ^ {}", At(a, stage, width), At(b, stage, width));
    case ScalarOp::kNot:
      return fmt::format("~{}", At(a, stage, width));
    case ScalarOp::kLt:
      return Smaller(a, b, wide, stage);
    case ScalarOp::kLe:
      return fmt::format("~{}", Smaller(b, a, wide, stage));
    case ScalarOp::kEq:
      return fmt::format("{} == {}", At(a, stage, wide), At(b, stage, wide));
    case ScalarOp::kNe:
      return fmt::format("{} != {}", At(a, stage, wide), At(b, stage, wide));
    case ScalarOp::kSelect:
      return fmt::format("({} != '0) ? {} : {}", At(a, stage), At(b, stage, width), At(c, stage, width));
    case ScalarOp::kWrap:
      return At(a, stage, width);
    case ScalarOp::kSat: {
      const int both = std::max(wide, width + 1);
      return fmt::format("({0} > $signed({1})) ? {2} : (({0} < $signed({3})) ? {4} : {5})",
                         SignedAt(a, stage, both), Literal(node.type.Max(), both),
                         Literal(node.type.Max(), width), Literal(node.type.Min(), both),
                         Literal(node.type.Min(), width), At(a, stage, width));
    }
    case ScalarOp::kClamp: {
      const std::string upper = Wire(wide, fmt::format("{} ? {} : {}", Smaller(a, c, wide, stage),
                                                       At(a, stage, wide), At(c, stage, wide)));
      const std::string both = Wire(wide, fmt::format("($signed({0}) < {1}) ? {2} : {0}", upper,
                                                      SignedAt(b, stage, wide), At(b, stage, wide)));
      return Extended(both, {wide, true}, width);
    }
    case ScalarOp::kConst:
    case ScalarOp::kInput:
      break;
  }
  COSIM_CHECK(false, "a node without an expression");
}

int LanePrinter::Input(const AluOp& op, const ScalarInput& input) {
  if (input.kind == ScalarInput::Kind::kImmediate) {
    const std::string& field = spec_.formats[alu_.format].fields[input.instruction_field].name;
    return Define(field + "_i", input.type, 0, true);
  }
  const Memory& memory = spec_.memories[op.operands[input.operand].memory];
  const std::vector<int> reads =
      alu_.Operands(spec_, static_cast<int>(&op - spec_.alu_ops.data()), op.operands[input.operand].memory);
  const bool first_of_two = reads.size() == 2 && input.operand == reads[0];
  const int offset = input.field < 0 ? 0 : memory.fields[input.field].offset;
  return Define(fmt::format("{}{}_i[{}:{}]", memory.name, first_of_two ? "_before" : "",
                            offset + input.type.width - 1, offset),
                input.type, 0);
}

int LanePrinter::Multiply(int slot, int a, int b, ScalarType type, int stage) {
  size_t m = 0;
  for (; m < multipliers_.size(); ++m) {
    Multiplier& candidate = multipliers_[m];
    if (candidate.stage != stage) continue;
    const auto same =
        std::ranges::find_if(candidate.uses, [&](auto& use) { return use.a == a && use.b == b; });
    const bool taken =
        std::ranges::any_of(candidate.uses, [&](auto& use) { return std::ranges::count(use.ops, slot) > 0; });
    if (same != candidate.uses.end()) {
      if (std::ranges::count(same->ops, slot) == 0 && taken) continue;
      if (!taken) same->ops.push_back(slot);
      break;
    }
    if (!taken) {
      candidate.uses.push_back({{slot}, a, b});
      break;
    }
  }
  if (m == multipliers_.size()) multipliers_.push_back({stage, {{{slot}, a, b}}});
  return Define(fmt::format("product{}[{}:0]", m, type.width - 1), type, stage + product_stages_[stage]);
}

int LanePrinter::Node(const AluOp& op, const ScalarNode& node, const std::vector<int>& values, int delay,
                      int slot) {
  if (node.op == ScalarOp::kInput) return Input(op, op.program.inputs[node.input]);
  if (node.op == ScalarOp::kConst) return Define(Literal(node.value, node.type.width), node.type, 0, true);
  const auto operand = [&](int of) { return of < 0 ? -1 : values[of]; };
  const int a = operand(node.a), b = operand(node.b), c = operand(node.c);
  const int stage = node.stage + delay;
  bool is_static = true;
  for (int value : {a, b, c}) is_static &= value < 0 || values_[value].is_static;
  if (IsProduct(op, node)) return Multiply(slot, a, b, node.type, stage);
  return Define(Expression(node, a, b, c, stage, slot), node.type, stage, is_static);
}

void LanePrinter::PrintOp(int slot) {
  const AluOp& op = spec_.alu_ops[alu_.ops[slot]];
  const int delay = CyclesLate(op);
  fmt::format_to(std::back_inserter(body_), "\n  // {}: {}\n", op.name, op.doc);
  std::vector<int> values;
  for (const ScalarNode& node : op.program.nodes) values.push_back(Node(op, node, values, delay, slot));
  results_.push_back(values[op.program.result]);
}

/// One bit for each of `slots` set: any of them runs.
std::string AnyOp(const std::vector<int>& slots) {
  std::string text;
  for (int slot : slots) text += fmt::format("{}op_i[{}]", text.empty() ? "" : " | ", slot);
  return text;
}

std::string LanePrinter::PrintMultipliers() {
  std::string text, products;
  for (size_t m = 0; m < multipliers_.size(); ++m) {
    const Multiplier& multiplier = multipliers_[m];
    int a_bits = 1, b_bits = 1;
    for (const Multiplier::Use& use : multiplier.uses) {
      a_bits = std::max(a_bits, values_[use.a].type.width + (values_[use.a].type.is_signed ? 0 : 1));
      b_bits = std::max(b_bits, values_[use.b].type.width + (values_[use.b].type.is_signed ? 0 : 1));
    }
    std::string a, b;
    for (const Multiplier::Use& use : multiplier.uses) {
      const char* between = a.empty() ? "" : "\n    | ";
      a += fmt::format("{}(({}) ? {} : '0)", between, AnyOp(use.ops), At(use.a, multiplier.stage, a_bits));
      b += fmt::format("{}(({}) ? {} : '0)", between, AnyOp(use.ops), At(use.b, multiplier.stage, b_bits));
    }
    products += fmt::format("  logic signed [{}:0] product{};\n", a_bits + b_bits - 1, m);
    fmt::format_to(std::back_inserter(text),
                   "  logic signed [{0}:0] factor_a{2};\n  logic signed [{1}:0] factor_b{2};\n"
                   "  assign factor_a{2} = {3};\n  assign factor_b{2} = {4};\n"
                   "  pipelined_multiplier #(.ABits({5}), .BBits({6}), .Stages({7})) i_multiplier{2} (\n"
                   "    .clk_i, .a_i(factor_a{2}), .b_i(factor_b{2}), .product_o(product{2})\n  );\n",
                   a_bits - 1, b_bits - 1, m, a, b, a_bits, b_bits, product_stages_[multiplier.stage]);
  }
  if (!text.empty())
    body_ += "\n  // Multipliers, shared by all ops that multiply in the same stage.\n" + text;
  return products;
}

std::string LanePrinter::PrintShifters() {
  std::string text, declarations;
  for (size_t s = 0; s < shifters_.size(); ++s) {
    const Shifter& shifter = shifters_[s];
    const int width = values_[shifter.value].type.width + 1;  // with a sign in any case
    int bits = 1;
    for (const Shifter::Use& use : shifter.uses) bits = std::max(bits, values_[use.amount].type.width);
    std::string amount;
    for (const Shifter::Use& use : shifter.uses) {
      const std::string own = At(use.amount, shifter.stage, bits);
      amount += shifter.uses.size() == 1 ? own
                                         : fmt::format("{}(({}) ? {} : '0)", amount.empty() ? "" : "\n    | ",
                                                       AnyOp(use.ops), own);
    }
    declarations += fmt::format("  logic [{}:0] shifted{};\n", width, s);
    fmt::format_to(std::back_inserter(text),
                   "  logic [{0}:0] amount{1};\n  assign amount{1} = {2};\n"
                   "  assign shifted{1} = $signed({{{3}, 1'b0}}) >>> amount{1};\n",
                   bits - 1, s, amount, At(shifter.value, shifter.stage, width));
  }
  if (!text.empty())
    body_ += "\n  // Shifters, shared by all ops that shift one value in the same stage.\n" + text;
  return declarations;
}

void LanePrinter::PlanMultipliers() {
  for (int number : alu_.ops) {
    const AluOp& op = spec_.alu_ops[number];
    const std::vector<ScalarNode>& nodes = op.program.nodes;
    for (size_t n = 0; n < nodes.size(); ++n) {
      if (!IsProduct(op, nodes[n])) continue;
      const int node = static_cast<int>(n);
      int stages = op.program.stages - nodes[n].stage;
      for (const ScalarNode& reader : nodes) {
        if (reader.a == node || reader.b == node || reader.c == node)
          stages = std::min(stages, reader.stage - nodes[n].stage);
      }
      const auto [planned, is_first] = product_stages_.try_emplace(nodes[n].stage + CyclesLate(op), stages);
      if (!is_first) planned->second = std::min(planned->second, stages);
    }
  }
}

void LanePrinter::PrintResults() {
  body_ += "\n  // Results.\n";
  for (int memory : alu_.writes) {
    const Memory& described = spec_.memories[memory];
    std::string text;
    for (size_t slot = 0; slot < alu_.ops.size(); ++slot) {
      if (spec_.alu_ops[alu_.ops[slot]].result.memory != memory) continue;
      fmt::format_to(std::back_inserter(text), "{}(op_i[{}] ? {} : '0)", text.empty() ? "" : "\n    | ", slot,
                     At(results_[slot], alu_.stages, described.record_bits));
    }
    fmt::format_to(std::back_inserter(body_), "  assign {}_o = {};\n", described.name, text);
  }
}

std::string LanePrinter::Print() {
  for (int op : alu_.ops)
    shared_stage_ = std::max(shared_stage_, ProductStage(spec_.alu_ops[op]).value_or(0));
  PlanMultipliers();
  for (size_t slot = 0; slot < alu_.ops.size(); ++slot) PrintOp(static_cast<int>(slot));
  const std::string shared = PrintMultipliers() + PrintShifters();
  PrintResults();
  std::string ports = fmt::format("  input  logic clk_i,\n  input  logic [{}:0] op_i", alu_.ops.size() - 1);
  std::string inputs = "clk_i, op_i";
  auto input = [&](const std::string& name, int bits) {
    fmt::format_to(std::back_inserter(ports), ",\n  input  logic [{}:0] {}", bits - 1, name);
    inputs += ", " + name;
  };
  for (int field : alu_.immediates) {
    const Field& described = spec_.formats[alu_.format].fields[field];
    input(described.name + "_i", described.type.width);
  }
  for (int memory : alu_.reads) {
    const Memory& described = spec_.memories[memory];
    input(described.name + "_i", described.record_bits);
    const bool twice =
        std::ranges::any_of(alu_.ops, [&](int op) { return alu_.Operands(spec_, op, memory).size() == 2; });
    if (twice) input(described.name + "_before_i", described.record_bits);
  }
  for (int memory : alu_.writes) {
    fmt::format_to(std::back_inserter(ports), ",\n  output logic [{}:0] {}_o",
                   spec_.memories[memory].record_bits - 1, spec_.memories[memory].name);
  }
  if (!registers_.empty()) registers_ = "\n  always_ff @(posedge clk_i) begin\n" + registers_ + "  end\n";
  // Values are kept in their full width; what no op needs of them is trimmed by synthesis.
  return fmt::format(
      "{}// verilator lint_off UNUSEDSIGNAL\n// Reason: wrapped values and exact products keep bits that "
      "nothing reads.\n"
      "module alu_lane_{} (\n{}\n);\n\n{}{}{}\n  logic unused_inputs;\n  assign unused_inputs = "
      "^{{{}}};\n\nendmodule\n"
      "// verilator lint_on UNUSEDSIGNAL\n",
      SvBanner(spec_, fmt::format("One lane of the {} unit's ALU.", unit_.name)), unit_.name, ports, shared,
      body_, registers_, inputs);
}

}  // namespace

std::string SvAluLane(const Spec& spec, const SvUnit& unit) { return LanePrinter(spec, unit).Print(); }

}  // namespace cosim::isa
