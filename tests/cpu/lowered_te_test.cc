// SPDX-License-Identifier: Apache-2.0
// Random tensor expressions under random schedules: machine code against the interpreter of the loop IR.
#include <gtest/gtest.h>

#include <algorithm>

#include "compiler/cpu/jit.h"
#include "compiler/te/lower.h"
#include "compiler/te/schedule.h"
#include "compiler/te/te.h"
#include "compiler/tir/interpreter.h"
#include "tests/cpu/testing.h"

namespace cosim::cpu {
namespace {

using te::Axis;
using te::Indices;
using te::Tensor;
using tir::DataType;
using tir::Expr;

/// border -> reduced -> scaled: a padded input, a reduction over its windows, and element-wise code around
/// it.
class RandomProgram {
 public:
  explicit RandomProgram(uint64_t seed) : random_(seed) {
    rows_ = Between(1, 9), columns_ = Between(1, 40), window_ = Between(1, 4);
    input_ = te::Placeholder("input", {rows_, columns_}, kInt8);
    factor_ = te::Placeholder("factor", {rows_}, kInt32);
    border_ = te::Compute("border", {rows_, columns_ + window_}, [&](const Indices& i) -> te::Body {
      const Expr column = i[1] - Between(0, window_);
      const Expr value = tir::MakeCast(kInt32, input_(i[0], column)) + Between(-300, 300);
      return tir::MakeSelect(tir::InRange(column, 0, columns_), value, tir::Int(Between(-9, 9), kInt32));
    });
    const Axis k = te::ReduceAxis(window_, "k");
    reduced_ = te::Compute("reduced", {rows_, columns_}, [&](const Indices& i) -> te::Body {
      const Expr value = border_(i[0], i[1] + k) * factor_(i[0]);
      return Between(0, 1) ? te::Sum(value, {k}) : te::MaxReduce(value, {k});
    });
    output_ = te::Compute("output", {rows_, columns_}, [&](const Indices& i) -> te::Body {
      const Expr wide = tir::MakeCast(kInt64, reduced_(i)) * Between(1, int64_t{1} << 31);
      const Expr scaled =
          tir::RoundShift(wide, tir::Int(Between(0, 62))) + tir::FloorDiv(wide, Between(1, 99));
      return tir::MakeCast(kInt8, Min(Max(scaled, tir::Int(-128)), tir::Int(127)));
    });
  }

  tir::Function Lower() {
    te::Schedule schedule({output_});
    te::Stage& output = schedule[output_];
    MixLoops(output);
    // The loops that may hold the others: those outside the first that is not plain.
    if (Between(0, 1)) schedule[reduced_].ComputeAt(output, output.leaf_axes()[0]);
    MixLoops(schedule[reduced_]);
    switch (Between(0, 2)) {
      case 0:
        schedule[border_].ComputeInline();
        break;
      case 1:
        schedule[border_].ComputeAt(schedule[reduced_], schedule[reduced_].leaf_axes()[0]);
        [[fallthrough]];
      default:
        MixLoops(schedule[border_]);
    }
    return te::Lower(schedule, {input_, factor_, output_}, "random");
  }

  void Check() {
    const tir::Function function = Lower();
    IntArray input = EdgyArray(random_, kInt8, rows_ * columns_), factor = EdgyArray(random_, kInt32, rows_);
    IntArray expected(kInt8, rows_ * columns_), actual = expected;
    tir::Interpret(function, std::vector<void*>{input.data(), factor.data(), expected.data()});
    JitCompiler().Compile(function)->Run(std::vector<void*>{input.data(), factor.data(), actual.data()});
    for (size_t i = 0; i < expected.size(); ++i) {
      ASSERT_EQ(static_cast<int>(actual.at(i)), static_cast<int>(expected.at(i))) << tir::ToString(function);
    }
  }

 private:
  int64_t Between(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(random_() % static_cast<uint64_t>(high - low + 1));
  }

  /// Splits, reorders and marks the loops of a stage at random.
  void MixLoops(te::Stage& stage) {
    for (int split = Between(0, 2); split > 0; --split) {
      stage.Split(stage.leaf_axes()[Between(0, stage.leaf_axes().size() - 1)], Between(1, 7));
    }
    std::vector<Axis> order = stage.leaf_axes();
    std::shuffle(order.begin(), order.end(), random_);
    stage.Reorder(order);
    const Axis& last = order.back();
    if (last->kind == te::AxisKind::kReduce) return;
    Between(0, 1) ? stage.Vectorize(last) : stage.Unroll(last);
  }

  std::mt19937_64 random_;
  int64_t rows_, columns_, window_;
  Tensor input_, factor_, border_, reduced_, output_;
};

TEST(LoweredPrograms, RunAsTheInterpreterSays) {
  for (uint64_t seed = 0; seed < 60; ++seed) {
    RandomProgram(seed).Check();
    if (HasFatalFailure()) FAIL() << "seed " << seed;
  }
}

}  // namespace
}  // namespace cosim::cpu
