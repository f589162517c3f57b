// SPDX-License-Identifier: Apache-2.0
// What small schedules lower to, as text.
#include "compiler/te/lower.h"

#include <gtest/gtest.h>

#include "tests/te/accelerator_programs.h"
#include "tests/te/run.h"

namespace cosim::te {
namespace {

using tir::Int;

// out[i] = a[i] + 1 over 7 elements.
struct Increment {
  Tensor a = Placeholder("a", {7}, kInt32);
  Tensor out = Compute("out", {7}, [&](const Indices& i) { return a(i) + Int(1, kInt32); }, {"i"});
  Schedule schedule{{out}};
  std::string Text() { return ToString(Lower(schedule, {a, out}, "f")); }
};

// c[y, x] = sum over k of a[y, k] * b[x, k].
struct Product {
  Tensor a = Placeholder("a", {4, 6}, kInt32), b = Placeholder("b", {5, 6}, kInt32);
  Axis k = ReduceAxis(6, "k");
  Tensor c =
      Compute("c", {4, 5}, [&](const Indices& i) { return Sum(a(i[0], k) * b(i[1], k), {k}); }, {"y", "x"});
  Schedule schedule{{c}};
  std::string Text() { return ToString(Lower(schedule, {a, b, c}, "f")); }
};

// b = a + a, out[i] = b[i] + b[i + 2].
struct Pair {
  Tensor a = Placeholder("a", {10}, kInt32);
  Tensor b = Compute("b", {10}, [&](const Indices& i) { return a(i) + a(i); }, {"i"});
  Tensor out = Compute("out", {8}, [&](const Indices& i) { return b(i) + b(i[0] + 2); }, {"i"});
  Schedule schedule{{out}};
  std::string Text() { return ToString(Lower(schedule, {a, out}, "f")); }
};

TEST(LowerTest, ShortensTheLastRoundOfASplitThatDoesNotDivide) {
  Increment p;
  p.schedule[p.out].Split(p.schedule[p.out].axis(0), 4);
  EXPECT_EQ(p.Text(),
            "function f(a: int32[7], out: int32[7]):\n"
            "  stage out:\n"
            "    for i.o in 0..2:\n"
            "      for i.i in 0..min(4, 7 - i.o * 4):\n"
            "        out[i.o * 4 + i.i] = a[i.o * 4 + i.i] + 1\n");
}

TEST(LowerTest, GuardsTheLastRoundWhenTheOuterLoopStandsInside) {
  Increment p;
  Stage& out = p.schedule[p.out];
  const auto [outer, inner] = out.Split(out.axis(0), 4);
  out.Reorder({inner, outer});
  EXPECT_EQ(p.Text(),
            "function f(a: int32[7], out: int32[7]):\n"
            "  stage out:\n"
            "    for i.i in 0..4:\n"
            "      for i.o in 0..2:\n"
            "        if i.i + i.o * 4 < 7:\n"
            "          out[i.i + i.o * 4] = a[i.i + i.o * 4] + 1\n");
}

TEST(LowerTest, InitializesBeforeTheOutermostReductionLoop) {
  Product p;
  Stage& c = p.schedule[p.c];
  const auto [ko, ki] = c.Split(c.reduce_axis(0), 4);
  c.Reorder({c.axis(0), ko, c.axis(1), ki});
  EXPECT_EQ(p.Text(),
            "function f(a: int32[4, 6], b: int32[5, 6], c: int32[4, 5]):\n"
            "  for y in 0..4:\n"
            "    stage c.init:\n"
            "      for x in 0..5:\n"
            "        c[y, x] = 0\n"
            "    stage c.update:\n"
            "      for k.o in 0..2:\n"
            "        for x_1 in 0..5:\n"
            "          for k.i in 0..min(4, 6 - k.o * 4):\n"
            "            c[y, x_1] = c[y, x_1] + a[y, k.o * 4 + k.i] * b[x_1, k.o * 4 + k.i]\n");
}

TEST(LowerTest, RecoversTheAxesOfAFusedLoop) {
  Product p;
  Stage& c = p.schedule[p.c];
  c.Parallel(c.Fuse(c.axis(0), c.axis(1)));
  EXPECT_EQ(p.Text(),
            "function f(a: int32[4, 6], b: int32[5, 6], c: int32[4, 5]):\n"
            "  for y.x in 0..20 parallel:\n"
            "    stage c.init:\n"
            "      c[y.x // 5, y.x % 5] = 0\n"
            "    stage c.update:\n"
            "      for k in 0..6:\n"
            "        c[y.x // 5, y.x % 5] = c[y.x // 5, y.x % 5] + a[y.x // 5, k] * b[y.x % 5, k]\n");
}

TEST(LowerTest, ComputesJustTheElementsThatALoopRoundReads) {
  Pair p;
  Stage& out = p.schedule[p.out];
  const auto [outer, inner] = out.Split(out.axis(0), 3);
  p.schedule[p.b].ComputeAt(out, outer);
  EXPECT_EQ(p.Text(),
            "function f(a: int32[10], out: int32[8]):\n"
            "  for i.o in 0..3:\n"
            "    allocate b: int32[5]\n"
            "    stage b:\n"
            "      for i in 0..min(5, 10 - i.o * 3):\n"
            "        b[i] = a[i.o * 3 + i] + a[i.o * 3 + i]\n"
            "    stage out:\n"
            "      for i.i in 0..min(3, 8 - i.o * 3):\n"
            "        out[i.o * 3 + i.i] = b[i.i] + b[i.i + 2]\n");
}

TEST(LowerTest, ClampsRegionsToTheTensor) {
  const Tensor a = Placeholder("a", {9}, kInt32);
  const Tensor b = Compute("b", {9}, [&](const Indices& i) { return a(i) + a(i); }, {"i"});
  const Tensor out =
      Compute("out", {9},
              [&](const Indices& i) {
                return tir::MakeSelect(tir::InRange(i[0] - 1, 0, 9), b(i[0] - 1), Int(0, kInt32)) +
                       tir::MakeSelect(tir::InRange(i[0] + 1, 0, 9), b(i[0] + 1), Int(0, kInt32));
              },
              {"i"});
  Schedule schedule({out});
  const auto [outer, inner] = schedule[out].Split(schedule[out].axis(0), 3);
  schedule[b].ComputeAt(schedule[out], outer);
  EXPECT_EQ(ToString(Lower(schedule, {a, out}, "f")),
            "function f(a: int32[9], out: int32[9]):\n"
            "  for i.o in 0..3:\n"
            "    allocate b: int32[5]\n"
            "    stage b:\n"
            "      for i in 0..(min(9, i.o * 3 + 4) - max(0, i.o * 3 - 1)):\n"
            "        b[i] = a[i + max(0, i.o * 3 - 1)] + a[i + max(0, i.o * 3 - 1)]\n"
            "    stage out:\n"
            "      for i.i in 0..3:\n"
            "        out[i.o * 3 + i.i] = select(1 <= i.o * 3 + i.i, b[i.i - max(0, 1 - i.o * 3)], 0) + "
            "select(i.o * 3 + i.i < 8, b[i.i - max(-2, i.o * -3 - 1)], 0)\n");
}

TEST(LowerTest, AllocatesInsideTheVirtualThread) {
  Pair p;
  Stage& out = p.schedule[p.out];
  const auto [outer, inner] = out.Split(out.axis(0), 2);
  const auto [tile, thread] = out.Split(outer, 2);
  out.VirtualThread(thread);
  p.schedule[p.b].SetScope("acc");
  p.schedule[p.b].ComputeAt(out, thread);
  EXPECT_EQ(p.Text(),
            "function f(a: int32[10], out: int32[8]):\n"
            "  for i.o.o in 0..2:\n"
            "    for i.o.i in 0..2 virtual_thread:\n"
            "      allocate b: int32[4] in acc\n"
            "      stage b:\n"
            "        for i in 0..4:\n"
            "          b[i] = a[i.o.o * 4 + i.o.i * 2 + i] + a[i.o.o * 4 + i.o.i * 2 + i]\n"
            "      stage out:\n"
            "        for i.i in 0..2:\n"
            "          out[i.o.o * 4 + i.o.i * 2 + i.i] = b[i.i] + b[i.i + 2]\n");
}

TEST(LowerTest, CachesReads) {
  Increment p;
  const Tensor cache = p.schedule.CacheRead(p.a, "inp", {p.out});
  Stage& out = p.schedule[p.out];
  p.schedule[cache].ComputeAt(out, out.axis(0));
  EXPECT_EQ(p.Text(),
            "function f(a: int32[7], out: int32[7]):\n"
            "  for i in 0..7:\n"
            "    allocate a.inp: int32[1] in inp\n"
            "    stage a.inp:\n"
            "      for i0 in 0..1:\n"
            "        a.inp[i0] = a[i + i0]\n"
            "    stage out:\n"
            "      out[i] = a.inp[0] + 1\n");
}

TEST(LowerTest, InlinesIntoReaders) {
  Pair p;
  p.schedule[p.b].ComputeInline();
  EXPECT_EQ(p.Text(),
            "function f(a: int32[10], out: int32[8]):\n"
            "  stage out:\n"
            "    for i in 0..8:\n"
            "      out[i] = a[i] + a[i] + (a[i + 2] + a[i + 2])\n");
}

TEST(LowerTest, MarksTheLoopsOfAnIntrinsicInItsInitToo) {
  Product p;
  Stage& c = p.schedule[p.c];
  c.Reorder({c.reduce_axis(0), c.axis(0), c.axis(1)});
  c.Tensorize(c.axis(1));
  EXPECT_EQ(p.Text(),
            "function f(a: int32[4, 6], b: int32[5, 6], c: int32[4, 5]):\n"
            "  stage c.init:\n"
            "    for y in 0..4:\n"
            "      for x in 0..5 tensorized:\n"
            "        c[y, x] = 0\n"
            "  stage c.update:\n"
            "    for k in 0..6:\n"
            "      for y_1 in 0..4:\n"
            "        for x_1 in 0..5 tensorized:\n"
            "          c[y_1, x_1] = c[y_1, x_1] + a[y_1, k] * b[x_1, k]\n");
}

TEST(LowerTest, ComputesAWholeDimensionWhereItIsAskedTo) {
  const Tensor a = Placeholder("a", {8}, kInt32);
  const Tensor b = Compute("b", {2, 8}, [&](const Indices& i) { return a(i[1]) + a(i[1]); });
  const Tensor out = Compute("out", {2, 5}, [&](const Indices& i) { return b(i[0], i[1]); });
  Schedule schedule({out});
  schedule[b].ComputeAt(schedule[out], schedule[out].axis(0));
  schedule[b].ComputeWhole(schedule[b].axis(1));
  const tir::Function function = Lower(schedule, {a, out}, "f");
  EXPECT_NE(ToString(function).find("allocate b: int32[1, 8]"), std::string::npos) << ToString(function);
}

// b = a + a; out[i] is the largest of b[2i - 1] (if there is one), b[2i] and b[2i + 1].
struct Maxima {
  Tensor a = Placeholder("a", {9}, kInt32);
  Tensor b = Compute("b", {9}, [&](const Indices& i) { return a(i) + a(i); }, {"i"});
  Tensor two =
      Compute("two", {4}, [&](const Indices& i) { return tir::Max(b(i[0] * 2), b(i[0] * 2 + 1)); }, {"i"});
  Tensor three = Compute("three", {4},
                         [&](const Indices& i) {
                           return MakeSelect(tir::Le(1, i[0] * 2), tir::Max(two(i), b(i[0] * 2 - 1)), two(i));
                         },
                         {"i"});
  Tensor out = Compute("out", {4}, [&](const Indices& i) { return three(i) + Int(0, kInt32); }, {"i"});
  Schedule schedule{{out}};

  Axis TileBy(int64_t factor) {
    Stage& stage = schedule[out];
    const auto [outer, inner] = stage.Split(stage.axis(0), factor);
    for (const Tensor& t : {b, two, three}) schedule[t].ComputeAt(stage, outer);
    return outer;
  }
  void InPlace() {
    schedule[two].ComputeInPlace(b, {tir::Expr(schedule[two].axis(0)) * 2});
    schedule[three].ComputeInPlace(two, {schedule[three].axis(0)});
  }
  tir::Function Lowered() { return Lower(schedule, {a, out}, "f"); }
  std::vector<int32_t> Results() {
    const Arrays results = Execute(Lowered(), RandomArrays({a, out}, 3));
    std::vector<int32_t> values;
    for (int64_t i = 0; i < 4; ++i) values.push_back(At<int32_t>(results[1], i));
    return values;
  }
};

TEST(LowerTest, ComputesInPlaceOfElementsThatNothingElseReads) {
  Maxima p, apart;
  p.TileBy(4);
  p.InPlace();
  EXPECT_EQ(ToString(p.Lowered()),
            "function f(a: int32[9], out: int32[4]):\n"
            "  for i.o in 0..1:\n"
            "    allocate b: int32[8]\n"
            "    stage b:\n"
            "      for i in 0..(i.o * 8 + 8):\n"
            "        b[i] = a[i] + a[i]\n"
            "    stage two:\n"
            "      for i_1 in 0..4:\n"
            "        b[i.o * 8 + i_1 * 2] = max(b[i.o * 8 + i_1 * 2], b[i.o * 8 + i_1 * 2 + 1])\n"
            "    stage three:\n"
            "      for i_2 in 0..4:\n"
            "        b[i.o * 8 + i_2 * 2] = select(1 <= i.o * 8 + i_2 * 2, max(b[i.o * 8 + i_2 * 2], "
            "b[i.o * 8 + i_2 * 2 - 1]), b[i.o * 8 + i_2 * 2])\n"
            "    stage out:\n"
            "      for i.i in 0..4:\n"
            "        out[i.o * 4 + i.i] = b[i.o * 8 + i.i * 2]\n");
  EXPECT_EQ(p.Results(), apart.Results());
}

TEST(LowerTest, LeavesForTheNextRoundWhatThatNeedsToo) {
  Maxima plain;
  for (const int64_t factor : {1, 2, 3, 4})
    for (const bool in_place : {false, true}) {
      Maxima p;
      p.TileBy(factor);
      if (in_place) p.InPlace();
      p.schedule[p.b].Slide(p.schedule[p.b].axis(0));
      EXPECT_EQ(p.Results(), plain.Results()) << factor;
      const std::string text = ToString(p.Lowered());
      const size_t allocated = text.find("allocate b"), loop = text.find("for i.o");
      EXPECT_LT(allocated, loop) << "what is left outlives a round\n" << text;
      EXPECT_NE(text.find("stage b.leave"), std::string::npos) << text;
    }
}

TEST(LowerDeathTest, RefusesAPlaceInWhatIsComputedElsewhere) {
  Maxima p;
  p.TileBy(2);
  p.InPlace();
  p.schedule[p.b].ComputeRoot();
  EXPECT_DEATH(p.Lowered(), "'two' and 'b', whose place it takes, are not computed at the same loop");
}

TEST(LowerDeathTest, RefusesAReaderOutsideTheLoop) {
  const Tensor a = Placeholder("a", {4}, kInt32);
  const Tensor b = Compute("b", {4}, [&](const Indices& i) { return a(i) + a(i); });
  const Tensor c = Compute("c", {4}, [&](const Indices& i) { return b(i) + a(i); });
  const Tensor d = Compute("d", {4}, [&](const Indices& i) { return b(i) + c(i); });
  Schedule schedule({d});
  schedule[b].ComputeAt(schedule[d], schedule[d].axis(0));
  EXPECT_DEATH(Lower(schedule, {a, d}, "f"),
               "computed at loop 'i0' of 'd', but its reader 'c' is not inside");
}

TEST(LowerDeathTest, RefusesAMissingArgument) {
  Increment p;
  EXPECT_DEATH(Lower(p.schedule, {p.out}, "f"), "'out' reads 'a', which is no argument");
  EXPECT_DEATH(Lower(p.schedule, {p.a}, "f"), "output 'out' is no argument");
}

TEST(LowerDeathTest, RefusesALoopThatWasSplitAfterAttachment) {
  Pair p;
  Stage& out = p.schedule[p.out];
  p.schedule[p.b].ComputeAt(out, out.axis(0));
  out.Split(out.axis(0), 2);
  EXPECT_DEATH(Lower(p.schedule, {p.a, p.out}, "f"), "'i' is not a loop of 'out'");
}

TEST(ScheduleDeathTest, RefusesIllegalTransformations) {
  Product p;
  Stage& c = p.schedule[p.c];
  EXPECT_DEATH(c.Fuse(c.axis(1), c.reduce_axis(0)), "not both spatial or both reduced");
  EXPECT_DEATH(c.Fuse(c.axis(1), c.axis(0)), "not the loop just inside");
  EXPECT_DEATH(c.Vectorize(c.reduce_axis(0)), "is a reduction loop");
  EXPECT_DEATH(c.Split(c.axis(0), 0), "split of 'y' by 0");
  EXPECT_DEATH(c.Reorder({c.axis(0), c.axis(0)}), "names a loop twice");
  EXPECT_DEATH(c.SetScope("acc"), "output 'c' cannot live in 'acc'");
  EXPECT_DEATH(c.ComputeInline(), "output 'c' cannot be inlined");
  EXPECT_DEATH(c.ComputeAt(c, c.axis(0)), "output 'c' cannot be computed at a loop");
  c.Split(c.axis(0), 2);
  EXPECT_DEATH(c.Unroll(c.axis(0)), "'y' is not a loop of 'c'");
}

TEST(TensorDeathTest, RefusesForeignAxesAndWrongRanks) {
  const Tensor a = Placeholder("a", {4, 4}, kInt32);
  const Axis k = ReduceAxis(4, "k");
  EXPECT_DEATH(Compute("b", {4}, [&](const Indices& i) { return a(i[0], k); }),
               "'k', which is none of its axes");
  EXPECT_DEATH(Compute("b", {4}, [&](const Indices& i) { return a(i); }), "read with 1 indices");
}

}  // namespace
}  // namespace cosim::te
