// SPDX-License-Identifier: Apache-2.0
// Makers, printer, substitution and comparison of loop IR.
#include "compiler/tir/ir.h"

#include <gtest/gtest.h>

#include "compiler/tir/operators.h"
#include "compiler/tir/visitor.h"

namespace cosim::tir {
namespace {

const DataType kInt8 = DataType::Int(8), kInt32 = DataType::Int(32), kUInt8 = DataType::UInt(8);

Expr Fold(BinaryOp op, int64_t a, int64_t b, DataType type = DataType::Int(32)) {
  return MakeBinary(op, Int(a, type), Int(b, type));
}

TEST(MakersTest, FoldConstantsAtTheirWidth) {
  EXPECT_EQ(AsInt(Fold(BinaryOp::kAdd, 127, 1, kInt8)), -128);
  EXPECT_EQ(AsInt(Fold(BinaryOp::kSub, 0, 1, kUInt8)), 255);
  EXPECT_EQ(AsInt(Fold(BinaryOp::kMul, 1 << 20, 1 << 20)), 0);
  EXPECT_EQ(AsInt(Fold(BinaryOp::kFloorDiv, -7, 2)), -4);
  EXPECT_EQ(AsInt(Fold(BinaryOp::kFloorMod, -7, 2)), 1);
  EXPECT_EQ(AsInt(Fold(BinaryOp::kShr, -8, 1, kInt8)), -4);
  EXPECT_EQ(AsInt(Fold(BinaryOp::kShr, 200, 1, kUInt8)), 100);
  EXPECT_EQ(AsInt(Fold(BinaryOp::kRoundShift, 127, 1, kInt8)), 64);
  EXPECT_EQ(AsInt(Fold(BinaryOp::kRoundShift, -3, 1)), -1);
  EXPECT_EQ(AsInt(Fold(BinaryOp::kRoundShift, -128, 7, kInt8)), -1);
  EXPECT_EQ(AsInt(Fold(BinaryOp::kLt, 200, 100, kUInt8)), 0);
  EXPECT_EQ(AsInt(MakeCast(kInt8, Int(200, kInt32))), -56);
  EXPECT_EQ(AsInt(Fold(BinaryOp::kFloorDiv, 1, 0)), std::nullopt);
}

TEST(MakersTest, DropNeutralOperands) {
  const Expr x = Ref(MakeVar("x"));
  EXPECT_EQ(x + 0, x);
  EXPECT_EQ(x * 1, x);
  EXPECT_EQ(FloorDiv(x, 1), x);
  EXPECT_EQ(AsInt(x * 0), 0);
  const Expr condition = Lt(x, 3), yes = Int(1, DataType::Bool()), no = Int(0, DataType::Bool());
  EXPECT_EQ(And(condition, yes), condition);
  EXPECT_EQ(And(condition, no), no);
  EXPECT_EQ(Or(no, condition), condition);
  EXPECT_EQ(MakeSelect(yes, x, x + 1), x);
}

TEST(MakersDeathTest, RefuseTypesThatDoNotAgree) {
  EXPECT_DEATH(Int(1, kInt8) + Int(1, kInt32), "operands of '\\+' are int8 and int32");
  EXPECT_DEATH(Int(300, kInt8), "300 does not fit int8");
  EXPECT_DEATH(MakeSelect(Int(1), Int(1), Int(2)), "condition is int64");
  EXPECT_DEATH(MakeBinary(BinaryOp::kShl, Float(1), Float(2)), "takes integers");
  EXPECT_DEATH(MakeLoad(MakeBuffer("b", kInt8, {2, 2}), {Int(0)}), "read with 1 indices");
}

TEST(PrinterTest, ParenthesizesOnlyWhereNeeded) {
  const Expr x = Ref(MakeVar("x")), y = Ref(MakeVar("y"));
  EXPECT_EQ(ToString((x + y) * 2 - (x - y)), "(x + y) * 2 - (x - y)");
  EXPECT_EQ(ToString(FloorDiv(x * 3, 4)), "x * 3 // 4");
  EXPECT_EQ(ToString(x * FloorMod(y, 4)), "x * (y % 4)");
  EXPECT_EQ(ToString(Or(And(Lt(x, 3), Le(0, x)), Eq(x, y))), "x < 3 && 0 <= x || x == y");
  EXPECT_EQ(ToString(Min(x, RoundShift(y, Int(2)))), "min(x, round_shift(y, 2))");
  EXPECT_EQ(ToString(MakeCast(DataType::Float(32), x) * Float(0.5)), "float32(x) * 0.5");
}

TEST(PrinterTest, TellsVariablesOfOneNameApart) {
  const Expr a = Ref(MakeVar("i")), b = Ref(MakeVar("i"));
  EXPECT_EQ(ToString(a + b + a), "i + i_1 + i");
}

TEST(PrinterTest, ShowsLoopsThatDoNotStartAtZero) {
  const Buffer out = MakeBuffer("out", DataType::Index(), {9}, "acc");
  const Var i = MakeVar("i"), n = MakeVar("n");
  const Stmt store = MakeStmt(Store{out, {Ref(i)}, Int(0)});
  const Stmt loop = MakeStmt(For{i, Ref(n), Int(3), LoopKind::kUnrolled, store});
  EXPECT_EQ(ToString(Function{"f", {}, MakeStmt(Allocate{out, MakeStmt(Stage{"s", loop})})}),
            "function f():\n"
            "  allocate out: int64[9] in acc\n"
            "  stage s:\n"
            "    for i in n..(n + 3) unrolled:\n"
            "      out[i] = 0\n");
}

TEST(SubstituteTest, RebuildsOnlyWhatChanges) {
  const Var x = MakeVar("x"), y = MakeVar("y");
  const Expr untouched = Ref(y) * 3, expr = Ref(x) + untouched;
  const Expr result = Substitute(expr, {{x.get(), Int(5)}});
  EXPECT_EQ(ToString(result), "5 + y * 3");
  EXPECT_EQ(As<Binary>(result)->b, untouched);
  EXPECT_EQ(Substitute(untouched, {{x.get(), Int(5)}}), untouched);
}

TEST(EqualTest, ComparesStructureAndIdentity) {
  const Var x = MakeVar("x"), other = MakeVar("x");
  const Buffer a = MakeBuffer("a", kInt8, {4}), b = MakeBuffer("a", kInt8, {4});
  EXPECT_TRUE(Equal(Ref(x) + 1, Ref(x) + 1));
  EXPECT_FALSE(Equal(Ref(x), Ref(other)));
  EXPECT_TRUE(Equal(MakeLoad(a, {Ref(x)}), MakeLoad(a, {Ref(x)})));
  EXPECT_FALSE(Equal(MakeLoad(a, {Ref(x)}), MakeLoad(b, {Ref(x)})));
  EXPECT_FALSE(Equal(Int(1, kInt8), Int(1, kInt32)));
}

}  // namespace
}  // namespace cosim::tir
