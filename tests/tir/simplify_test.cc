// SPDX-License-Identifier: Apache-2.0
// The simplifier: canonical index arithmetic, bounds and proofs under variable ranges, and a differential
// test of all three against plain evaluation.
#include "compiler/tir/simplify.h"

#include <gtest/gtest.h>

#include <random>

#include "compiler/tir/arithmetic.h"
#include "compiler/tir/operators.h"
#include "compiler/tir/visitor.h"

namespace cosim::tir {
namespace {

class SimplifyTest : public testing::Test {
 protected:
  // o in [0, 2), i in [0, min(4, 7 - o * 4)): a loop of 7 split by 4. x in [0, 20), y in [0, 5). n is
  // unknown.
  SimplifyTest() {
    simplifier.Bind(o_var, 0, 2);
    simplifier.Bind(i_var, Int(0), Min(Int(4), Int(7) - o * 4));
    simplifier.Bind(x_var, 0, 20);
    simplifier.Bind(y_var, 0, 5);
  }

  std::string Text(const Expr& expr) { return ToString(simplifier.Simplify(expr)); }

  Var o_var = MakeVar("o"), i_var = MakeVar("i"), x_var = MakeVar("x"), y_var = MakeVar("y"),
      n_var = MakeVar("n");
  Expr o = Ref(o_var), i = Ref(i_var), x = Ref(x_var), y = Ref(y_var), n = Ref(n_var);
  Simplifier simplifier;
};

TEST_F(SimplifyTest, CollectsTermsInLoopOrder) {
  EXPECT_EQ(Text(y + x * 3 + y - (x + 2) * 2 + 7), "x + y * 2 + 3");
  EXPECT_EQ(Text((x + y) - x), "y");
  EXPECT_EQ(Text(Int(7) - o * 4), "7 - o * 4");
  EXPECT_EQ(Text(x - x), "0");
}

TEST_F(SimplifyTest, DividesWhatTheDivisorDivides) {
  EXPECT_EQ(Text(FloorDiv(x * 8 + y, 8)), "x");
  EXPECT_EQ(Text(FloorMod(x * 8 + y, 8)), "y");
  EXPECT_EQ(Text(FloorDiv(x * 8 + y * 4 + 13, 8)), "x + (y + 1) // 2 + 1");
  EXPECT_EQ(Text(FloorDiv(FloorDiv(x, 4), 3)), "x // 12");
  EXPECT_EQ(Text(FloorMod(FloorMod(x, 12), 4)), "x % 4");
  EXPECT_EQ(Text(FloorDiv(FloorMod(x, 12), 4)), "x // 4 % 3");
  EXPECT_EQ(Text(FloorDiv(n - 1, 1)), "n - 1");
}

TEST_F(SimplifyTest, JoinsDivisionAndModulo) {
  EXPECT_EQ(Text(FloorDiv(x, 4) * 4 + FloorMod(x, 4)), "x");
  EXPECT_EQ(Text(FloorMod(x + n, 3) * 2 + FloorDiv(x + n, 3) * 6 + 1), "n * 2 + x * 2 + 1");
}

TEST_F(SimplifyTest, PullsCommonPartsOutOfMinAndMax) {
  EXPECT_EQ(Text(Min(x + y, x + n)), "x + min(n, y)");
  EXPECT_EQ(Text(Min(n + 3, y + 5) - 3), "min(n, y + 2)");
  EXPECT_EQ(Text(Min(Min(n, x), n)), "min(n, x)");
  EXPECT_EQ(Text(Max(x, Int(0))), "x");
  EXPECT_EQ(Text(Min(x, y + 20)), "x");
}

TEST_F(SimplifyTest, MovesIntoMinAndMaxWhatCancelsThere) {
  EXPECT_EQ(Text(Int(1) - o * 4 + Min(Int(5), o * 4 + 2)), "min(3, 6 - o * 4)");
  EXPECT_EQ(Text(Min(n, Int(4)) - 1), "min(3, n - 1)");
  EXPECT_EQ(Text(Min(n, Int(4)) * 2 + 1), "min(4, n) * 2 + 1");
  EXPECT_EQ(Text(Max(n, x) - n + y), "y + max(0, x - n)");
}

TEST_F(SimplifyTest, KnowsRangesThatDependOnOuterLoops) {
  EXPECT_EQ(simplifier.Bounds(o * 4 + i), (Interval{0, 6}));
  EXPECT_EQ(Text(Lt(o * 4 + i, 7)), "true");
  EXPECT_EQ(Text(Lt(o * 4 + i, 6)), "o * 4 + i < 6");
  EXPECT_EQ(simplifier.Bounds(Min(Int(4), Int(7) - o * 4)), (Interval{3, 4}));
  EXPECT_EQ(simplifier.Bounds(n), (Interval{}));
  EXPECT_EQ(simplifier.Bounds(Max(n, x)), (Interval{0, std::nullopt}));
}

TEST_F(SimplifyTest, BoundsAClampedWindowByItsWidth) {
  // Rows [max(o * 4 - 1, 0), min(o * 4 + 5, 7)) of a window with one row of border on either side.
  const Expr extent = Min(o * 4 + 5, Int(7)) - Max(o * 4 - 1, Int(0));
  EXPECT_EQ(simplifier.Bounds(extent), (Interval{4, 6}));
}

TEST_F(SimplifyTest, DividesThroughMin) {
  EXPECT_EQ(Text(FloorDiv(Min(Int(4), Int(7) - o * 4) + 1, 2)), "2");
  EXPECT_EQ(Text(FloorDiv(Min(Int(8), Int(11) - o * 8) + 1, 2)), "min(4, 6 - o * 4)");
}

TEST_F(SimplifyTest, DecidesComparisons) {
  EXPECT_EQ(Text(Le(Int(0), x)), "true");
  EXPECT_EQ(Text(Eq(x, Int(20))), "false");
  EXPECT_EQ(Text(Ne(x + 1, x)), "true");
  EXPECT_EQ(Text(InRange(x - 1, 0, 30)), "1 <= x");
  EXPECT_EQ(Text(Lt(x - y, n + 3)), "x < n + y + 3");
}

TEST_F(SimplifyTest, LeavesDataArithmeticAlone) {
  const Buffer data = MakeBuffer("data", DataType::Int(8), {40});
  const Expr value = MakeLoad(data, {x + y - x});
  EXPECT_EQ(Text(value + value), "data[y] + data[y]");
  EXPECT_EQ(Text(MakeSelect(Lt(x, 20), value, Int(0, DataType::Int(8)))), "data[y]");
}

TEST_F(SimplifyTest, DropsLoopsThatNeverRunAndConditionsThatHold) {
  const Buffer out = MakeBuffer("out", DataType::Index(), {10});
  const Stmt store = MakeStmt(Store{out, {i}, FloorDiv(i, 4)});
  const Stmt guarded = MakeStmt(IfThen{Lt(i, 9), store});
  const Stmt loop = MakeStmt(For{i_var, Int(0), Int(4), LoopKind::kSerial, guarded});
  const Stmt never = MakeStmt(For{x_var, Int(0), o - 1, LoopKind::kSerial, MakeStmt(Store{out, {x}, x})});
  const Stmt outer = MakeStmt(For{o_var, Int(0), Int(2), LoopKind::kSerial, MakeStmt(Seq{{never, loop}})});
  EXPECT_EQ(ToString(Simplify(outer)),
            "for o in 0..2:\n"
            "  for i in 0..4:\n"
            "    out[i] = 0\n");
}

TEST_F(SimplifyTest, RemovesUnitLoopsExceptTensorizedOnes) {
  const Buffer out = MakeBuffer("out", DataType::Index(), {10, 10});
  const Stmt store = MakeStmt(Store{out, {x, y}, x + y});
  const Stmt inner = MakeStmt(For{y_var, Int(0), Int(1), LoopKind::kTensorized, store});
  const Stmt outer = MakeStmt(For{x_var, Int(3), Int(1), LoopKind::kSerial, inner});
  EXPECT_EQ(ToString(RemoveUnitLoops(outer)),
            "for y in 0..1 tensorized:\n"
            "  out[3, y] = y + 3\n");
}

// A random index expression of the given depth over `vars`.
Expr RandomExpr(std::mt19937& random, const std::vector<Expr>& vars, int depth) {
  auto pick = [&](int n) { return static_cast<int>(random() % n); };
  if (depth == 0) return pick(3) ? vars[pick(vars.size())] : Int(pick(21) - 10);
  const Expr a = RandomExpr(random, vars, depth - 1);
  switch (pick(8)) {
    case 0:
      return a * (pick(9) - 4);
    case 1:
      return FloorDiv(a, 1 + pick(8));
    case 2:
      return FloorMod(a, 1 + pick(8));
    case 3:
      return Min(a, RandomExpr(random, vars, depth - 1));
    case 4:
      return Max(a, RandomExpr(random, vars, depth - 1));
    case 5:
      return MakeSelect(Lt(a, RandomExpr(random, vars, depth - 1)), RandomExpr(random, vars, depth - 1), a);
    case 6:
      return a - RandomExpr(random, vars, depth - 1);
    default:
      return a + RandomExpr(random, vars, depth - 1);
  }
}

int64_t Evaluate(const Expr& expr, const VarMap& values) {
  const Expr known = Substitute(expr, values);
  EXPECT_TRUE(AsInt(known).has_value()) << ToString(known);
  return AsInt(known).value_or(0);
}

TEST(SimplifierDifferentialTest, KeepsValuesAndBoundsThem) {
  std::mt19937 random(7);
  for (int round = 0; round < 4000; ++round) {
    const Var a = MakeVar("a"), b = MakeVar("b"), c = MakeVar("c");
    const Expr extent_b = Min(Int(4), Int(10) - Ref(a) * 4);
    Simplifier simplifier;
    simplifier.Bind(a, 0, 3);
    simplifier.Bind(b, Int(0), extent_b);
    simplifier.Bind(c, Ref(b) - 2, Int(5));
    const Expr expr = RandomExpr(random, {Ref(a), Ref(b), Ref(c)}, 1 + round % 4);
    const Expr simplified = simplifier.Simplify(expr);
    const Interval bounds = simplifier.Bounds(expr);
    ASSERT_TRUE(Equal(simplifier.Simplify(simplified), simplified))
        << ToString(expr) << "\n"
        << ToString(simplified) << "\n"
        << ToString(simplifier.Simplify(simplified));
    for (int va = 0; va < 3; ++va) {
      for (int vb = 0; vb < std::min(4, 10 - va * 4); ++vb) {
        for (int vc = vb - 2; vc < vb + 3; ++vc) {
          const VarMap values = {{a.get(), Int(va)}, {b.get(), Int(vb)}, {c.get(), Int(vc)}};
          const int64_t expected = Evaluate(expr, values);
          ASSERT_EQ(Evaluate(simplified, values), expected)
              << ToString(expr) << " -> " << ToString(simplified);
          ASSERT_LE(bounds.min.value_or(expected), expected)
              << ToString(expr) << " -> " << ToString(simplified);
          ASSERT_GE(bounds.max.value_or(expected), expected)
              << ToString(expr) << " -> " << ToString(simplified);
        }
      }
    }
  }
}

}  // namespace
}  // namespace cosim::tir
