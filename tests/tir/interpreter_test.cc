// SPDX-License-Identifier: Apache-2.0
// The interpreter: values of each type, loop order, and the mistakes it must catch.
#include "compiler/tir/interpreter.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <vector>

#include "compiler/tir/operators.h"

namespace cosim::tir {
namespace {

const Var kI = MakeVar("i");

Stmt Loop(int64_t extent, Stmt body, LoopKind kind = LoopKind::kSerial) {
  return MakeStmt(For{kI, Int(0), Int(extent), kind, std::move(body)});
}

// out[i] = value for i < 4, with `in` as the first parameter.
template <typename Out, typename In>
std::vector<Out> Map(DataType out_type, DataType in_type, std::vector<In> in,
                     const std::function<Expr(Expr)>& value) {
  const int64_t n = static_cast<int64_t>(in.size());
  const Buffer source = MakeBuffer("in", in_type, {n}), out = MakeBuffer("out", out_type, {n});
  const Stmt body = Loop(n, MakeStmt(Store{out, {Ref(kI)}, value(MakeLoad(source, {Ref(kI)}))}));
  std::vector<Out> result(in.size());
  void* args[] = {in.data(), result.data()};
  Interpret(Function{"f", {source, out}, body}, args);
  return result;
}

TEST(InterpreterTest, WrapsIntegersAndExtendsBySign) {
  const DataType i8 = DataType::Int(8), u8 = DataType::UInt(8), i32 = DataType::Int(32);
  EXPECT_EQ((Map<int8_t, int8_t>(i8, i8, {127, -128}, [](Expr x) { return x + x; })),
            (std::vector<int8_t>{-2, 0}));
  EXPECT_EQ((Map<int32_t, int8_t>(i32, i8, {127, -128}, [&](Expr x) { return MakeCast(i32, x) * 2; })),
            (std::vector<int32_t>{254, -256}));
  EXPECT_EQ((Map<int32_t, uint8_t>(i32, u8, {200}, [&](Expr x) { return MakeCast(i32, x); })),
            (std::vector<int32_t>{200}));
  EXPECT_EQ((Map<uint8_t, int32_t>(u8, i32, {-1}, [&](Expr x) { return MakeCast(u8, x); })),
            (std::vector<uint8_t>{255}));
}

TEST(InterpreterTest, ComputesFloatsAtTheirWidth) {
  const DataType f32 = DataType::Float(32), i32 = DataType::Int(32);
  EXPECT_EQ((Map<float, float>(f32, f32, {1e8f}, [](Expr x) { return x + Float(1) - x; })),
            (std::vector<float>{0.0f}));
  EXPECT_EQ(
      (Map<float, float>(f32, f32, {2.5f, 3.5f, -0.5f}, [](Expr x) { return MakeMath(MathFn::kRound, x); })),
      (std::vector<float>{2.0f, 4.0f, -0.0f}));
  EXPECT_EQ((Map<float, float>(f32, f32, {0.3f}, [](Expr x) { return MakeMath(MathFn::kExp, x); })),
            (std::vector<float>{std::exp(0.3f)}));
  EXPECT_EQ((Map<int32_t, float>(i32, f32, {-2.7f, 2.7f}, [&](Expr x) { return MakeCast(i32, x); })),
            (std::vector<int32_t>{-2, 2}));
  EXPECT_EQ(
      (Map<int32_t, float>(
          i32, f32, {1, 3},
          [&](Expr x) { return MakeSelect(Lt(Divide(x, Float(2)), Float(1)), Int(10, i32), Int(20, i32)); })),
      (std::vector<int32_t>{10, 20}));
}

TEST(InterpreterTest, EvaluatesOnlyTheSideThatASelectTakes) {
  const DataType i32 = DataType::Int(32);
  const Buffer in = MakeBuffer("in", i32, {2}), out = MakeBuffer("out", i32, {4});
  const Expr guarded = MakeSelect(Lt(Ref(kI), 2), MakeLoad(in, {Ref(kI)}), Int(-1, i32));
  std::vector<int32_t> input = {5, 6}, output(4);
  void* args[] = {input.data(), output.data()};
  Interpret(Function{"f", {in, out}, Loop(4, MakeStmt(Store{out, {Ref(kI)}, guarded}))}, args);
  EXPECT_EQ(output, (std::vector<int32_t>{5, 6, -1, -1}));
}

TEST(InterpreterTest, CanRunIndependentLoopsBackwards) {
  const Buffer out = MakeBuffer("out", DataType::Index(), {1});
  for (LoopKind kind :
       {LoopKind::kSerial, LoopKind::kParallel, LoopKind::kVirtualThread, LoopKind::kUnrolled}) {
    int64_t last = 0;
    void* args[] = {&last};
    const Function function{"f", {out}, Loop(3, MakeStmt(Store{out, {Int(0)}, Ref(kI)}), kind)};
    Interpret(function, args, {.reverse_independent_loops = true});
    EXPECT_EQ(last, kind == LoopKind::kSerial ? 2 : 0);
    Interpret(function, args);
    EXPECT_EQ(last, 2);
  }
}

TEST(InterpreterDeathTest, CatchesAccessesOutOfBounds) {
  const Buffer out = MakeBuffer("out", DataType::Index(), {2});
  int64_t data[2] = {};
  void* args[] = {data};
  EXPECT_DEATH(Interpret(Function{"f", {out}, Loop(3, MakeStmt(Store{out, {Ref(kI)}, Ref(kI)}))}, args),
               "index 0 of 'out' is 2, out of \\[0, 2\\)");
}

TEST(InterpreterDeathTest, CatchesReadsOfWhatIsNotWritten) {
  const Buffer out = MakeBuffer("out", DataType::Index(), {1}),
               local = MakeBuffer("local", DataType::Index(), {2});
  int64_t data = 0;
  void* args[] = {&data};
  const Stmt copy = MakeStmt(Store{out, {Int(0)}, MakeLoad(local, {Int(1)})});
  const Stmt write = MakeStmt(Store{local, {Int(0)}, Int(7)});
  EXPECT_DEATH(Interpret(Function{"f", {out}, MakeStmt(Allocate{local, MakeStmt(Seq{{write, copy}})})}, args),
               "'local' is read at element 1 before it is written");
}

TEST(InterpreterDeathTest, CatchesUndefinedArithmetic) {
  const Buffer out = MakeBuffer("out", DataType::Index(), {3});
  int64_t data[3] = {};
  void* args[] = {data};
  const Stmt divide = MakeStmt(Store{out, {Ref(kI)}, FloorDiv(Int(1), Ref(kI))});
  EXPECT_DEATH(Interpret(Function{"f", {out}, Loop(3, divide)}, args), "1 // 0 is undefined");
}

}  // namespace
}  // namespace cosim::tir
