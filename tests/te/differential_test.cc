// SPDX-License-Identifier: Apache-2.0
// Schedules never change values: programs lowered under random schedules compute what the plain ones do, in
// the interpreter, which also rejects accesses out of bounds and reads of what was not written.
#include <gtest/gtest.h>

#include <functional>
#include <random>

#include "compiler/te/lower.h"
#include "compiler/tir/simplify.h"
#include "compiler/tir/verify.h"
#include "tests/te/accelerator_programs.h"
#include "tests/te/random_schedule.h"
#include "tests/te/run.h"

namespace cosim::te {
namespace {

using tir::Expr;
using tir::Int;

struct Program {
  std::vector<Tensor> inputs, outputs;

  std::vector<Tensor> args() const {
    std::vector<Tensor> all = inputs;
    all.insert(all.end(), outputs.begin(), outputs.end());
    return all;
  }
};

Program Conv() {
  const BlockedConv conv({.co_blocks = 2,
                          .ci_blocks = 3,
                          .height = 7,
                          .width = 6,
                          .kernel = 3,
                          .stride = 2,
                          .pad = 1,
                          .block = 2});
  return {{conv.data, conv.weight, conv.params, conv.residual}, {conv.res}};
}

// Max pooling with a border, then the sum of each channel.
Program PoolAndSum() {
  const Tensor data = Placeholder("data", {1, 2, 7, 5, 1, 3}, kInt8);
  const Tensor pad = Bordered(data, 1, Int(-128, kInt8));
  const Axis ky = ReduceAxis(3, "ky"), kx = ReduceAxis(3, "kx");
  const Tensor pool = Compute("pool", {1, 2, 4, 3, 1, 3}, [&](const Indices& i) {
    return MaxReduce(pad(i[0], i[1], i[2] * 2 + ky, i[3] * 2 + kx, i[4], i[5]), {ky, kx});
  });
  const Axis y = ReduceAxis(4, "y"), x = ReduceAxis(3, "x");
  const Tensor sum = Compute("sum", {1, 2, 1, 3}, [&](const Indices& i) {
    return Sum(tir::MakeCast(kInt32, pool(i[0], i[1], y, x, i[2], i[3])), {y, x});
  });
  return {{data}, {sum}};
}

// Matrix product and a second output that shares an intermediate with the first.
Program TwoOutputs() {
  const Tensor a = Placeholder("a", {5, 7}, kInt32), b = Placeholder("b", {6, 7}, kInt32);
  const Tensor scaled = Compute("scaled", {5, 7}, [&](const Indices& i) { return a(i) * Int(3, kInt32); });
  const Axis k = ReduceAxis(7, "k");
  const Tensor product =
      Compute("product", {5, 6}, [&](const Indices& i) { return Sum(scaled(i[0], k) * b(i[1], k), {k}); });
  const Tensor out =
      Compute("out", {5, 6}, [&](const Indices& i) { return product(i) + scaled(i[0], i[1]); });
  const Tensor flipped =
      Compute("flipped", {7, 5}, [&](const Indices& i) { return scaled(i[1], Int(6) - i[0]); });
  return {{a, b}, {out, flipped}};
}

// Stencils of stencils with clamped and guarded borders: regions that reach past the tensor.
Program Stencils() {
  const int64_t n = 17;
  const Tensor a = Placeholder("a", {n}, kInt32);
  const Tensor twice = Compute("twice", {n}, [&](const Indices& i) { return a(i) + a(i); });
  const Tensor blur = Compute("blur", {n}, [&](const Indices& i) {
    const Expr left = tir::MakeSelect(tir::Le(1, i[0]), twice(i[0] - 1), Int(5, kInt32));
    const Expr right = twice(tir::Min(i[0] + 2, Int(n - 1)));
    return left + right;
  });
  const Axis k = ReduceAxis(4, "k");
  const Tensor window = Compute("window", {n / 2}, [&](const Indices& i) {
    return Sum(tir::MakeSelect(tir::Lt(i[0] * 2 + k, n), blur(i[0] * 2 + k), Int(0, kInt32)), {k});
  });
  const Tensor out =
      Compute("out", {n / 2}, [&](const Indices& i) { return window(i) - window(Int(n / 2 - 1) - i[0]); });
  return {{a}, {out}};
}

// Blocking and unblocking of channels: division and modulo in indices.
Program Layouts() {
  const Tensor a = Placeholder("a", {10, 6}, kInt32);
  const Tensor blocked = Compute("blocked", {3, 6, 4}, [&](const Indices& i) {
    const Expr c = i[0] * 4 + i[2];
    return tir::MakeSelect(tir::Lt(c, 10), a(c, i[1]), Int(-1, kInt32));
  });
  const Tensor flat = Compute("flat", {60}, [&](const Indices& i) {
    const Expr c = FloorDiv(i[0], 6);
    return blocked(FloorDiv(c, 4), FloorMod(i[0], 6), FloorMod(c, 4)) + Int(1, kInt32);
  });
  const Tensor gathered = Compute("gathered", {12, 5}, [&](const Indices& i) {
    return flat(FloorMod(tir::MakeCast(tir::DataType::Index(), flat(i[0] * 5 + i[1])), 60)) *
           flat(i[1] * 12 + i[0]);
  });
  return {{a}, {gathered}};
}

class RandomScheduleTest : public testing::TestWithParam<int> {};

void Check(const std::function<Program()>& make, int seed, int rounds) {
  std::mt19937 random(seed);
  for (int round = 0; round < rounds; ++round) {
    const Program program = make();
    const std::vector<Tensor> args = program.args();
    Schedule schedule(program.outputs);
    const tir::Function plain = Lower(schedule, args, "plain");
    Randomize(schedule, random);
    const tir::Function scheduled = Lower(schedule, args, "scheduled");
    const tir::Function compact = tir::RemoveUnitLoops(scheduled);
    tir::CheckWellFormed(compact, "removal of unit loops");
    const Arrays arrays = RandomArrays(args, random());
    const Arrays expected = Execute(plain, arrays);
    ASSERT_TRUE(Execute(scheduled, arrays, round % 2 != 0) == expected) << ToString(scheduled);
    ASSERT_TRUE(Execute(compact, arrays) == expected) << ToString(compact);
  }
}

TEST_P(RandomScheduleTest, KeepsConvolution) { Check(Conv, GetParam(), 12); }
TEST_P(RandomScheduleTest, KeepsPoolingAndSum) { Check(PoolAndSum, GetParam(), 25); }
TEST_P(RandomScheduleTest, KeepsTwoOutputs) { Check(TwoOutputs, GetParam(), 60); }
TEST_P(RandomScheduleTest, KeepsStencils) { Check(Stencils, GetParam(), 60); }
TEST_P(RandomScheduleTest, KeepsLayouts) { Check(Layouts, GetParam(), 60); }

INSTANTIATE_TEST_SUITE_P(Seeds, RandomScheduleTest, testing::Range(1, 7));

}  // namespace
}  // namespace cosim::te
