// SPDX-License-Identifier: Apache-2.0
// The scalar language: types, stages and values, the latter against a second implementation on random
// programs.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <random>

#include "isa/diagnostic_codes.h"
#include "isa/expr/builder.h"
#include "isa/expr/parser.h"
#include "isa/yaml/node.h"

namespace cosim::isa {
namespace {

ExprScope Scope(const std::vector<std::pair<std::string, ScalarType>>& inputs) {
  ExprScope scope;
  for (const auto& [name, type] : inputs) {
    ScalarInput input;
    input.name = name;
    input.type = type;
    scope.inputs.push_back(input);
  }
  scope.constant = [](std::string_view name) {
    return name == "word" ? std::optional<int64_t>(8) : std::nullopt;
  };
  return scope;
}

std::optional<ScalarProgram> Parse(const std::vector<std::string>& lines, const ExprScope& scope,
                                   ScalarType result, Diagnostics& diags) {
  std::string text;
  for (const std::string& line : lines) text += fmt::format("- \"{}\"\n", line);
  const std::optional<YamlNode> body = ParseYaml({"body", text}, diags);
  return body ? ParseBody(*body, scope, result, "result", diags) : std::nullopt;
}

ScalarProgram MustParse(const std::vector<std::string>& lines, const ExprScope& scope) {
  Diagnostics diags;
  std::optional<ScalarProgram> program = Parse(lines, scope, {64, true}, diags);
  EXPECT_TRUE(program) << diags.Render();
  return program ? *program : ScalarProgram{};
}

/// The type of an expression over x: int8, u: uint6, b: uint1.
std::string TypeOf(const std::string& expr) {
  const ScalarProgram program =
      MustParse({expr}, Scope({{"x", {8, true}}, {"u", {6, false}}, {"b", {1, false}}}));
  return program.result < 0 ? "" : TypeText(program.nodes[program.result].type);
}

TEST(ScalarTypes, HoldWhatTheOperandsAllow) {
  EXPECT_EQ(TypeOf("x + x"), "int9");
  EXPECT_EQ(TypeOf("u + u"), "uint7");
  EXPECT_EQ(TypeOf("u - u"), "int7");
  EXPECT_EQ(TypeOf("x * x"), "int16");
  EXPECT_EQ(TypeOf("x * u"), "int14");
  EXPECT_EQ(TypeOf("u * u"), "uint12");
  EXPECT_EQ(TypeOf("-x"), "int9");
  EXPECT_EQ(TypeOf("~u"), "int7");
  EXPECT_EQ(TypeOf("~x"), "int8");
  EXPECT_EQ(TypeOf("abs(x)"), "uint8");
  EXPECT_EQ(TypeOf("min(x, u)"), "int8");
  EXPECT_EQ(TypeOf("max(x, 0)"), "uint7");
  EXPECT_EQ(TypeOf("clamp(x * x, -4, 3)"), "int3");
  EXPECT_EQ(TypeOf("x & u"), "uint6");
  EXPECT_EQ(TypeOf("x | u"), "int8");
  EXPECT_EQ(TypeOf("u ^ b"), "uint6");
  EXPECT_EQ(TypeOf("x < u"), "uint1");
  EXPECT_EQ(TypeOf("b ? x : u"), "int8");
  EXPECT_EQ(TypeOf("x << 3"), "int11");
  EXPECT_EQ(TypeOf("x << uwrap(u, 3)"), "int15");
  EXPECT_EQ(TypeOf("u << b"), "uint7");
  EXPECT_EQ(TypeOf("x >> u"), "int8");
  EXPECT_EQ(TypeOf("round_shift(x, u)"), "int8");
  EXPECT_EQ(TypeOf("wrap(x * x, word)"), "int8");
  EXPECT_EQ(TypeOf("uwrap(x, word - 3)"), "uint5");
  EXPECT_EQ(TypeOf("sat(x * x, 9)"), "int9");
}

TEST(ScalarTypes, HaveConstantsOfTheirOwnWidth) {
  const ScalarProgram program = MustParse({"x + ((1 << (word - 2)) - 1)"}, Scope({{"x", {8, true}}}));
  EXPECT_EQ(TypeText(program.nodes[program.result].type), "int9") << "63 is uint6";
}

TEST(ScalarPrograms, ComputeEachNodeInItsStage) {
  const ScalarProgram program = MustParse({"p = x * u", "stage", "stage", "q = p + x", "stage", "q - 1"},
                                          Scope({{"x", {8, true}}, {"u", {6, false}}}));
  EXPECT_EQ(program.stages, 3);
  std::map<ScalarOp, int> stages;
  for (const ScalarNode& node : program.nodes) stages[node.op] = node.stage;
  EXPECT_EQ(stages[ScalarOp::kInput], 0);
  EXPECT_EQ(stages[ScalarOp::kMul], 0);
  EXPECT_EQ(stages[ScalarOp::kAdd], 2);
  EXPECT_EQ(stages[ScalarOp::kSub], 3);
}

TEST(ScalarPrograms, KeepOnlyWhatTheResultNeeds) {
  const ScalarProgram program =
      MustParse({"x + (2 * 3 - word)"}, Scope({{"u", {6, false}}, {"x", {8, true}}}));
  ASSERT_EQ(program.inputs.size(), 1u);
  EXPECT_EQ(program.inputs[0].name, "x");
  EXPECT_EQ(program.nodes.size(), 3u) << "x, the constant -2, the sum";
  EXPECT_EQ(Evaluate(program, std::vector<int64_t>{5}), 3);
}

TEST(ScalarPrograms, RoundHalfUp) {
  const ScalarProgram program =
      MustParse({"round_shift(x, u)"}, Scope({{"x", {64, true}}, {"u", {63, false}}}));
  const auto round = [&](int64_t x, int64_t by) { return Evaluate(program, std::vector<int64_t>{x, by}); };
  EXPECT_EQ(round(5, 1), 3);
  EXPECT_EQ(round(-5, 1), -2);
  EXPECT_EQ(round(-6, 2), -1);
  EXPECT_EQ(round(7, 0), 7);
  EXPECT_EQ(round(INT64_MAX, 1), int64_t{1} << 62);
  EXPECT_EQ(round(INT64_MAX, 63), 1);
  EXPECT_EQ(round(INT64_MIN, 63), -1);
  EXPECT_EQ(round(INT64_MIN, 64), 0);
  EXPECT_EQ(round(INT64_MIN, INT64_MAX), 0);
}

TEST(ScalarPrograms, ShiftFarLikeInfiniteIntegers) {
  const ScalarProgram program = MustParse({"x >> u"}, Scope({{"x", {64, true}}, {"u", {63, false}}}));
  EXPECT_EQ(Evaluate(program, std::vector<int64_t>{-5, 64}), -1);
  EXPECT_EQ(Evaluate(program, std::vector<int64_t>{5, INT64_MAX}), 0);
}

ExprScope WithTable() {
  ExprScope scope = Scope({{"x", {8, true}}});
  scope.tables = {{"tab", 7, 16, {5, true}}, {"small", 9, 10, {12, false}}};
  return scope;
}

TEST(ScalarPrograms, LookUpElementsOfTables) {
  const ScalarProgram program =
      MustParse({"first = lookup(tab, uwrap(x, 4))", "stage", "first + lookup(tab, 3) + lookup(small, 9)"},
                WithTable());
  ASSERT_EQ(program.tables.size(), 2u);
  EXPECT_EQ(program.tables[0].memory, 7);
  EXPECT_EQ(program.tables[1].memory, 9);
  const auto lookup = [](const ScalarTable& table, int64_t index) {
    return table.memory == 7 ? index - 8 : 1000 + index;
  };
  for (const int64_t x : {-128, -1, 0, 5, 127}) {
    const int64_t inputs[] = {x};
    EXPECT_EQ(Evaluate(program, inputs, lookup), (x & 15) - 8 + (3 - 8) + 1009) << x;
  }
}

std::string LookupComplaint(const std::string& line) {
  Diagnostics diags;
  EXPECT_FALSE(Parse({line}, WithTable(), {32, true}, diags));
  EXPECT_EQ(diags.list().size(), 1u) << diags.Render();
  return diags.list().empty() ? "" : diags.list()[0].message + "; " + diags.list()[0].hint;
}

TEST(ScalarPrograms, RefuseLookUpsThatMayMiss) {
  EXPECT_EQ(
      LookupComplaint("lookup(tab, x)"),
      "an index of 'tab' has to be unsigned and below its 16 elements, this one is int8; uwrap(x, 4) makes "
      "an index of any value");
  EXPECT_EQ(
      LookupComplaint("lookup(small, uwrap(x, 4))"),
      "an index of 'small' has to be unsigned and below its 10 elements, this one is uint4; uwrap(x, 3) "
      "makes an index of any value");
  EXPECT_EQ(LookupComplaint("lookup(tap, uwrap(x, 4))"),
            "'tap' is no memory that can be looked up; did you mean 'tab'?");
  EXPECT_EQ(LookupComplaint("lookup(x, 1)"),
            "'x' is no memory that can be looked up; known here: tab, small");
  EXPECT_EQ(LookupComplaint("lookup(tab)"), "expected ',', found ')'; ");
}

TEST(ScalarPrograms, BindOperatorsAsTheGrammarSays) {
  const ExprScope scope = Scope({{"x", {8, true}}, {"u", {6, false}}});
  const auto value = [&](const std::string& expr, int64_t x, int64_t u) {
    const ScalarProgram program = MustParse({"0 * x + 0 * u + " + expr}, scope);
    return Evaluate(program, std::vector<int64_t>{x, u});
  };
  EXPECT_EQ(value("2 + x * u - 1", 3, 4), 13);
  EXPECT_EQ(value("(x & 6 == 6 ? 1 : 0)", 7, 0), 1) << "& binds tighter than ==";
  EXPECT_EQ(value("(1 | 2 ^ 3 & 6)", 0, 0), 1 | (2 ^ (3 & 6)));
  EXPECT_EQ(value("(x > u ? 1 : x == u ? 2 : 3)", 4, 4), 2);
  EXPECT_EQ(value("-x - -u", 5, 7), 2);
}

#ifdef __SIZEOF_INT128__  // what the second implementation computes in, and 32-bit ARM's compiler has not

__extension__ using Wide = __int128;

/// A random expression: its text, and its meaning computed without the implementation under test.
struct Expr {
  std::string text;
  std::function<Wide(const std::vector<int64_t>&)> value;
};

class ExprGenerator {
 public:
  explicit ExprGenerator(uint64_t seed) : random_(seed) {}

  int64_t Int(int64_t min, int64_t max) { return std::uniform_int_distribution<int64_t>(min, max)(random_); }

  Expr Make(int depth) {
    if (depth == 0) return Leaf();
    switch (Int(0, 15)) {
      case 0:
        return Binary("+", depth, [](Wide a, Wide b) { return a + b; });
      case 1:
        return Binary("-", depth, [](Wide a, Wide b) { return a - b; });
      case 2:
        return Binary("*", depth, [](Wide a, Wide b) { return a * b; });
      case 3:
        return Binary("&", depth, [](Wide a, Wide b) { return a & b; });
      case 4:
        return Binary("|", depth, [](Wide a, Wide b) { return a | b; });
      case 5:
        return Binary("^", depth, [](Wide a, Wide b) { return a ^ b; });
      case 6:
        return Function("min", depth, [](Wide a, Wide b) { return a < b ? a : b; });
      case 7:
        return Function("max", depth, [](Wide a, Wide b) { return a > b ? a : b; });
      case 8:
        return Shift(depth);
      case 9:
        return RoundShift(depth);
      case 10:
        return Convert(depth);
      case 11:
        return Select(depth);
      case 12:
        return Clamp(depth);
      case 13:
        return Unary("~", depth, [](Wide a) { return -1 - a; });
      case 14:
        return Unary("-", depth, [](Wide a) { return -a; });
      default:
        return Unary("abs", depth, [](Wide a) { return a < 0 ? -a : a; });
    }
  }

 private:
  using Two = Wide (*)(Wide, Wide);
  using One = Wide (*)(Wide);

  Expr Leaf() {
    if (Int(0, 3) == 0) {
      const int64_t constant = Int(0, 1000);
      return {fmt::format("{}", constant), [constant](const auto&) { return Wide{constant}; }};
    }
    const int input = static_cast<int>(Int(0, 3));
    return {std::string(1, "abcd"[input]), [input](const auto& inputs) { return Wide{inputs[input]}; }};
  }

  Expr Binary(const std::string& op, int depth, Two meaning) {
    const Expr a = Make(depth - 1), b = Make(depth - 1);
    return {fmt::format("({} {} {})", a.text, op, b.text),
            [=](const auto& in) { return meaning(a.value(in), b.value(in)); }};
  }

  Expr Function(const std::string& name, int depth, Two meaning) {
    const Expr a = Make(depth - 1), b = Make(depth - 1);
    return {fmt::format("{}({}, {})", name, a.text, b.text),
            [=](const auto& in) { return meaning(a.value(in), b.value(in)); }};
  }

  Expr Unary(const std::string& name, int depth, One meaning) {
    const Expr a = Make(depth - 1);
    return {fmt::format("{}({})", name, a.text), [=](const auto& in) { return meaning(a.value(in)); }};
  }

  /// Floor division by powers of two, written with division: nothing of the implementation's shifts.
  static Wide FloorShift(Wide a, int64_t by) {
    const Wide power = Wide{1} << (by > 100 ? 100 : by);
    return a >= 0 ? a / power : -((-a + power - 1) / power);
  }

  Expr Shift(int depth) {
    const Expr a = Make(depth - 1);
    if (Int(0, 3) == 0) {
      return {fmt::format("({} << uwrap(d, 4))", a.text),
              [=](const auto& in) { return a.value(in) * (Wide{1} << (in[3] % 16)); }};
    }
    if (Int(0, 2) == 0) {
      const int64_t by = Int(0, 20);
      return {fmt::format("({} << {})", a.text, by),
              [=](const auto& in) { return a.value(in) * (Wide{1} << by); }};
    }
    return {fmt::format("({} >> d)", a.text), [=](const auto& in) { return FloorShift(a.value(in), in[3]); }};
  }

  Expr RoundShift(int depth) {
    const Expr a = Make(depth - 1);
    return {fmt::format("round_shift({}, d)", a.text), [=](const auto& in) {
              const Wide half = in[3] > 0 ? Wide{1} << (in[3] - 1) : 0;
              return FloorShift(a.value(in) + half, in[3]);
            }};
  }

  Expr Convert(int depth) {
    const Expr a = Make(depth - 1);
    const int64_t width = Int(1, 40);
    const Wide half = Wide{1} << (width - 1), whole = half * 2;
    switch (Int(0, 2)) {
      case 0:
        return {fmt::format("wrap({}, {})", a.text, width), [=](const auto& in) {
                  const Wide low = ((a.value(in) % whole) + whole) % whole;
                  return low >= half ? low - whole : low;
                }};
      case 1:
        return {fmt::format("uwrap({}, {})", a.text, width),
                [=](const auto& in) { return ((a.value(in) % whole) + whole) % whole; }};
      default:
        return {fmt::format("sat({}, {})", a.text, width), [=](const auto& in) {
                  const Wide value = a.value(in);
                  return value < -half ? -half : value > half - 1 ? half - 1 : value;
                }};
    }
  }

  Expr Select(int depth) {
    static const std::vector<std::pair<std::string, bool (*)(Wide, Wide)>> comparisons = {
        {"<", [](Wide a, Wide b) { return a < b; }},   {"<=", [](Wide a, Wide b) { return a <= b; }},
        {">", [](Wide a, Wide b) { return a > b; }},   {">=", [](Wide a, Wide b) { return a >= b; }},
        {"==", [](Wide a, Wide b) { return a == b; }}, {"!=", [](Wide a, Wide b) { return a != b; }}};
    const auto [symbol, holds] = comparisons[Int(0, 5)];
    const Expr a = Make(depth - 1), b = Make(depth - 1), c = Make(depth - 1), d = Make(depth - 1);
    return {fmt::format("({} {} {} ? {} : {})", a.text, symbol, b.text, c.text, d.text),
            [=, holds = holds](const auto& in) {
              return holds(a.value(in), b.value(in)) ? c.value(in) : d.value(in);
            }};
  }

  Expr Clamp(int depth) {
    const Expr x = Make(depth - 1), lo = Make(depth - 1), hi = Make(depth - 1);
    return {fmt::format("clamp({}, {}, {})", x.text, lo.text, hi.text), [=](const auto& in) {
              const Wide value = x.value(in), low = lo.value(in), high = hi.value(in);
              const Wide upper = value < high ? value : high;
              return low > upper ? low : upper;
            }};
  }

  std::mt19937_64 random_;
};

TEST(ScalarPrograms, AgreeWithASecondImplementation) {
  const std::vector<ScalarType> types = {{8, true}, {32, true}, {12, false}, {6, false}};
  const ExprScope scope = Scope({{"a", types[0]}, {"b", types[1]}, {"c", types[2]}, {"d", types[3]}});
  ExprGenerator generator(7);
  int accepted = 0, too_wide = 0;
  for (int i = 0; i < 4000; ++i) {
    const Expr expr = generator.Make(1 + i % 4);
    Diagnostics diags;
    const std::optional<ScalarProgram> program = Parse({expr.text}, scope, {64, true}, diags);
    if (!program) {
      ASSERT_EQ(diags.list()[0].code, codes::kScalarWidth) << expr.text << "\n" << diags.Render();
      ++too_wide;
      continue;
    }
    ++accepted;
    const ScalarType type = program->nodes[program->result].type;
    for (int sample = 0; sample < 24; ++sample) {
      std::vector<int64_t> values;
      for (const ScalarType& it : types) {
        const int64_t pick = generator.Int(0, 5);
        values.push_back(pick == 0 ? it.Min() : pick == 1 ? it.Max() : generator.Int(it.Min(), it.Max()));
      }
      std::vector<int64_t> inputs;
      for (const ScalarInput& input : program->inputs) inputs.push_back(values[input.name[0] - 'a']);
      const Wide expected = expr.value(values);
      ASSERT_TRUE(expected == Evaluate(*program, inputs)) << expr.text;
      ASSERT_TRUE(expected >= type.Min() && expected <= type.Max())
          << expr.text << " exceeds " << TypeText(type);
    }
  }
  EXPECT_GT(accepted, 2000);
  EXPECT_GT(too_wide, 20);
}

#endif  // __SIZEOF_INT128__

/// Small types, so that all values can be tried: the type must hold them all, and for one operator be no
/// wider.
TEST(ScalarTypes, AreTightForSingleOperators) {
  const ScalarType x{4, true}, y{3, false};
  const ExprScope scope = Scope({{"x", x}, {"y", y}});
  for (const char* expr : {"x + y", "x - y", "x * y", "y - x", "y * y", "min(x, y)", "max(x, y)", "x & y",
                           "x | y", "x ^ y", "~x", "~y", "-x", "abs(x)", "x >> y", "round_shift(x, y)",

                           "x < y", "x > 0 ? x : y", "x << 2"}) {
    const ScalarProgram program = MustParse({expr}, scope);
    int64_t min = INT64_MAX, max = INT64_MIN;
    for (int64_t a = x.Min(); a <= x.Max(); ++a) {
      for (int64_t b = y.Min(); b <= y.Max(); ++b) {
        std::vector<int64_t> inputs;
        for (const ScalarInput& input : program.inputs) inputs.push_back(input.name == "x" ? a : b);
        const int64_t value = Evaluate(program, inputs);
        min = std::min(min, value);
        max = std::max(max, value);
      }
    }
    const ScalarType type = program.nodes[program.result].type;
    EXPECT_TRUE(type.Min() <= min && max <= type.Max()) << expr;
    const ScalarType narrower{type.width - 1, type.is_signed};
    EXPECT_TRUE(type.width == 1 || min < narrower.Min() || max > narrower.Max())
        << expr << ": " << TypeText(type);
  }
}

}  // namespace
}  // namespace cosim::isa
