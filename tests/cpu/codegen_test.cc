// SPDX-License-Identifier: Apache-2.0
// Statements and loops as machine code; that vectorized loops are vector instructions; the compiler's cache
// and threads.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <thread>

#include "compiler/cpu/jit.h"
#include "tests/cpu/testing.h"

namespace cosim::cpu {
namespace {

using testing::ContainsRegex;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using tir::BinaryOp;
using tir::DataType;
using tir::Expr;
using tir::LoopKind;
using tir::MakeStmt;
using tir::Stmt;

template <typename... Arrays>
void Execute(const tir::Function& function, Arrays&... arrays) {
  JitCompiler().Compile(function)->Run(std::vector<void*>{arrays.data()...});
}

/// out[i] = in[i] + 1
tir::Function Increment(int64_t count, LoopKind kind, const std::string& prefix = "") {
  const std::vector<int64_t> shape = {std::max<int64_t>(count, 1)};
  const tir::Buffer in = tir::MakeBuffer(prefix + "in", kInt32, shape),
                    out = tir::MakeBuffer(prefix + "out", kInt32, shape);
  return {prefix + "increment", {in, out}, Loop("i", count, kind, [&](const Expr& i) {
            return MakeStmt(tir::Store{out, {i}, tir::MakeLoad(in, {i}) + tir::Int(1, kInt32)});
          })};
}

class LoopKindTest : public testing::TestWithParam<LoopKind> {};

TEST_P(LoopKindTest, VisitsEveryIteration) {
  std::vector<int32_t> in(37), out(37, -1), expected(37);
  std::iota(in.begin(), in.end(), 100);
  std::iota(expected.begin(), expected.end(), 101);
  Execute(Increment(37, GetParam()), in, out);
  EXPECT_EQ(out, expected);
}

TEST_P(LoopKindTest, MayHaveNoIterations) {
  std::vector<int32_t> in(1), out(1, -1);
  Execute(Increment(0, GetParam()), in, out);
  EXPECT_THAT(out, ElementsAre(-1));
}

INSTANTIATE_TEST_SUITE_P(All, LoopKindTest,
                         testing::Values(LoopKind::kSerial, LoopKind::kParallel, LoopKind::kVectorized,
                                         LoopKind::kUnrolled, LoopKind::kVirtualThread));

TEST(Codegen, BoundsOfALoopMayDependOnOuterLoops) {
  // for i in [0, 5): for j in [i, i + 4 - i): out[i, j] = 10 * i + j
  const tir::Buffer out = tir::MakeBuffer("out", kInt64, {5, 4});
  const tir::Var j = tir::MakeVar("j");
  std::vector<int64_t> values(20, -1);
  Execute({"triangle",
           {out},
           Loop("i", 5, LoopKind::kSerial,
                [&](const Expr& i) {
                  const Expr value = i * tir::Int(10) + tir::Ref(j);
                  return MakeStmt(tir::For{j, i, tir::Int(4) - i, LoopKind::kSerial,
                                           MakeStmt(tir::Store{out, {i, tir::Ref(j)}, value})});
                })},
          values);
  EXPECT_THAT(values,
              ElementsAre(0, 1, 2, 3, -1, 11, 12, 13, -1, -1, 22, 23, -1, -1, -1, 33, -1, -1, -1, -1));
}

TEST(Codegen, GuardsStatements) {
  const tir::Buffer out = tir::MakeBuffer("out", kInt32, {6});
  for (const LoopKind kind : {LoopKind::kSerial, LoopKind::kVectorized, LoopKind::kUnrolled}) {
    std::vector<int32_t> values(6, -1);
    Execute({"guard",
             {out},
             Loop("i", 10, kind,
                  [&](const Expr& i) {
                    const Stmt store = MakeStmt(tir::Store{out, {i}, tir::MakeCast(kInt32, i)});
                    return MakeStmt(tir::IfThen{tir::MakeBinary(BinaryOp::kLt, i, tir::Int(6)), store});
                  })},
            values);
    EXPECT_THAT(values, ElementsAre(0, 1, 2, 3, 4, 5));
  }
}

/// out[r] = sum over k of in[r, k], through a temporary of `size` elements allocated within the loop over r.
tir::Function RowSums(int64_t rows, int64_t columns, int64_t size, LoopKind kind) {
  const tir::Buffer in = tir::MakeBuffer("in", kInt32, {rows, columns}),
                    out = tir::MakeBuffer("out", kInt32, {rows});
  const Stmt body = Loop("r", rows, kind, [&](const Expr& r) {
    const tir::Buffer sum = tir::MakeBuffer("sum", kInt32, {size});
    const std::vector<Expr> last = {tir::Int(size - 1)};
    const Stmt update = Loop("k", columns, LoopKind::kSerial, [&](const Expr& k) {
      return MakeStmt(tir::Store{sum, last, tir::MakeLoad(sum, last) + tir::MakeLoad(in, {r, k})});
    });
    return MakeStmt(
        tir::Allocate{sum, MakeStmt(tir::Seq{{MakeStmt(tir::Store{sum, last, tir::Int(0, kInt32)}),
                                              MakeStmt(tir::Stage{"sum", update}),
                                              MakeStmt(tir::Store{out, {r}, tir::MakeLoad(sum, last)})}})});
  });
  return {"row_sums", {in, out}, body};
}

TEST(Codegen, AllocatesOnStackAndHeap) {
  for (const int64_t size : {1, 1000, 100000}) {
    for (const LoopKind kind : {LoopKind::kSerial, LoopKind::kVectorized, LoopKind::kUnrolled}) {
      std::vector<int32_t> in(3 * 50, 1), out(3);
      in[149] = 5;
      Execute(RowSums(3, 50, size, kind), in, out);
      EXPECT_THAT(out, ElementsAre(50, 50, 54)) << size;
    }
  }
}

/// Runs rounds one by one, the last first, and counts how often it was asked.
struct Backwards : runtime::Parallel {
  Backwards()
      : Parallel{
            [](const Parallel* self, void (*body)(void*, int64_t, int64_t), void* captures, int64_t count) {
              static_cast<const Backwards*>(self)->counts.push_back(count);
              while (count-- > 0) body(captures, count, count + 1);
            }} {}
  mutable std::vector<int64_t> counts;
};

TEST(Codegen, ParallelLoopsRunAsRangesWithAllocationsOfTheirOwn) {
  for (const int64_t size : {1, 1000, 100000}) {
    const Backwards backwards;
    std::vector<int32_t> in(3 * 50, 1), out(3);
    in[149] = 5;
    JitCompiler()
        .Compile(RowSums(3, 50, size, LoopKind::kParallel))
        ->RunOn(std::vector<void*>{in.data(), out.data()}, backwards);
    EXPECT_THAT(out, ElementsAre(50, 50, 54)) << size;
    EXPECT_THAT(backwards.counts, ElementsAre(3));
  }
}

/// for o in 2: t[i] = 100 * o, all i; then, in parallel, for y in 3, for x in 4: out[o, y, x] = t[x] + 10 * y
/// + x
TEST(Codegen, ParallelLoopsOneInTheOtherAreOneAndSeeWhatIsAround) {
  const tir::Buffer out = tir::MakeBuffer("out", kInt32, {2, 3, 4}), t = tir::MakeBuffer("t", kInt32, {4});
  const Stmt body = Loop("o", 2, LoopKind::kSerial, [&](const Expr& o) {
    const Stmt fill = Loop("i", 4, LoopKind::kSerial, [&](const Expr& i) {
      return MakeStmt(tir::Store{t, {i}, tir::MakeCast(kInt32, o * tir::Int(100))});
    });
    const Stmt add = Loop("y", 3, LoopKind::kParallel, [&](const Expr& y) {
      return Loop("x", 4, LoopKind::kParallel, [&](const Expr& x) {
        const Expr own = tir::MakeCast(kInt32, y * tir::Int(10) + x);
        return MakeStmt(tir::Store{out, {o, y, x}, tir::MakeLoad(t, {x}) + own});
      });
    });
    return MakeStmt(tir::Allocate{t, MakeStmt(tir::Seq{{fill, add}})});
  });
  const Backwards backwards;
  std::vector<int32_t> values(24, -1);
  JitCompiler().Compile({"nest", {out}, body})->RunOn(std::vector<void*>{values.data()}, backwards);
  EXPECT_THAT(backwards.counts, ElementsAre(12, 12));
  for (int i = 0; i < 24; ++i) EXPECT_EQ(values[i], i / 12 * 100 + i / 4 % 3 * 10 + i % 4);
}

TEST(Codegen, AParallelLoopInsideAnothersRoundIsSerial) {
  const tir::Buffer out = tir::MakeBuffer("out", kInt32, {2, 5});
  const Stmt body = Loop("o", 2, LoopKind::kParallel, [&](const Expr& o) {
    const Stmt fill = Loop("i", 5, LoopKind::kParallel, [&](const Expr& i) {
      return MakeStmt(tir::Store{out, {o, i}, tir::MakeCast(kInt32, o + i)});
    });
    const std::vector<Expr> first = {o, tir::Int(0)};
    return MakeStmt(tir::Seq{{fill, MakeStmt(tir::Store{out, first, tir::Int(7, kInt32)})}});
  });
  const Backwards backwards;
  std::vector<int32_t> values(10, -1);
  JitCompiler().Compile({"inside", {out}, body})->RunOn(std::vector<void*>{values.data()}, backwards);
  EXPECT_THAT(backwards.counts, ElementsAre(2));
  EXPECT_THAT(values, ElementsAre(7, 1, 2, 3, 4, 7, 2, 3, 4, 5));
}

TEST(Codegen, IterationsOfAVectorizedLoopHaveTheirOwnAllocations) {
  // A dynamic index keeps the temporary in memory.
  constexpr int64_t kCount = 64;
  const tir::Buffer in = tir::MakeBuffer("in", kInt32, {kCount}),
                    out = tir::MakeBuffer("out", kInt32, {kCount});
  const tir::Buffer temporary = tir::MakeBuffer("temporary", kInt32, {4});
  const tir::Function function{
      "temporary", {in, out}, Loop("i", kCount, LoopKind::kVectorized, [&](const Expr& i) {
        const Expr where =
            tir::MakeBinary(BinaryOp::kAnd, tir::MakeCast(kInt64, tir::MakeLoad(in, {i})), tir::Int(3));
        return MakeStmt(tir::Allocate{
            temporary,
            MakeStmt(tir::Seq{{MakeStmt(tir::Store{temporary, {where}, tir::MakeLoad(in, {i})}),
                               MakeStmt(tir::Store{out, {i}, tir::MakeLoad(temporary, {where})})}})});
      })};
  std::vector<int32_t> x(kCount), y(kCount);
  for (int64_t i = 0; i < kCount; ++i) x[i] = i * 7 % 11;
  Execute(function, x, y);
  EXPECT_EQ(x, y);
}

TEST(Codegen, StoresBooleansAsBytes) {
  const tir::Buffer out = tir::MakeBuffer("out", DataType::Bool(), {8});
  std::vector<uint8_t> values(9, 0xff);
  Execute({"flags",
           {out},
           Loop("i", 8, LoopKind::kVectorized,
                [&](const Expr& i) {
                  return MakeStmt(tir::Store{out, {i}, tir::MakeBinary(BinaryOp::kLt, i, tir::Int(3))});
                })},
          values);
  EXPECT_THAT(values, ElementsAre(1, 1, 1, 0, 0, 0, 0, 0, 0xff));
}

TEST(Codegen, VectorizesElementwiseLoops) {
  EXPECT_THAT(OptimizedIr(Increment(4096, LoopKind::kVectorized)), ContainsRegex("add <[0-9]+ x i32>"));
}

TEST(Codegen, VectorizesRequantization) {
  constexpr int64_t kCount = 4096;
  const tir::Buffer in = tir::MakeBuffer("in", kInt32, {kCount}),
                    out = tir::MakeBuffer("out", kInt8, {kCount});
  const std::string ir =
      OptimizedIr({"requantize", {in, out}, Loop("i", kCount, LoopKind::kVectorized, [&](const Expr& i) {
                     const Expr product =
                         tir::MakeCast(kInt64, tir::MakeLoad(in, {i})) * tir::Int(1300000001);
                     const Expr shifted = tir::MakeBinary(BinaryOp::kRoundShift, product, tir::Int(37));
                     const Expr clamped = tir::Max(tir::Min(shifted, tir::Int(127)), tir::Int(-128));
                     return MakeStmt(tir::Store{out, {i}, tir::MakeCast(kInt8, clamped)});
                   })});
  EXPECT_THAT(ir, ContainsRegex("mul (nsw )?<[0-9]+ x i64>"));
  EXPECT_THAT(ir, ContainsRegex("store <[0-9]+ x i8>"));
}

TEST(Codegen, VectorizesTheInnermostAxisOfAConvolution) {
  // acc[x] += in[x + k] * weight[k]
  const tir::Buffer in = tir::MakeBuffer("in", kInt8, {66}), weight = tir::MakeBuffer("weight", kInt8, {3}),
                    out = tir::MakeBuffer("out", kInt32, {64});
  const std::string ir =
      OptimizedIr({"convolution", {in, weight, out}, Loop("k", 3, LoopKind::kSerial, [&](const Expr& k) {
                     return Loop("x", 64, LoopKind::kVectorized, [&](const Expr& x) {
                       const Expr product = tir::MakeCast(kInt32, tir::MakeLoad(in, {x + k})) *
                                            tir::MakeCast(kInt32, tir::MakeLoad(weight, {k}));
                       return MakeStmt(tir::Store{out, {x}, tir::MakeLoad(out, {x}) + product});
                     });
                   })});
  EXPECT_THAT(ir, ContainsRegex("load <[0-9]+ x i8>"));
  EXPECT_THAT(ir, ContainsRegex("add <[0-9]+ x i32>"));
}

TEST(Codegen, UnrolledLoopsLeaveNoLoop) {
  // With its blanks: "sapphirerapids", a CPU, has the letters too.
  EXPECT_THAT(OptimizedIr(Increment(8, LoopKind::kUnrolled)), testing::Not(HasSubstr(" phi ")));
}

TEST(JitCompiler, CompilesEqualFunctionsOnce) {
  JitCompiler compiler;
  std::vector<int32_t> in(17, 1), out(17);
  for (const char* prefix : {"a_", "b_", "a_"}) compiler.Compile(Increment(16, LoopKind::kSerial, prefix));
  EXPECT_EQ(compiler.kernel_count(), 1);
  compiler.Compile(Increment(17, LoopKind::kSerial))->Run(std::vector<void*>{in.data(), out.data()});
  EXPECT_THAT(out, Each(2));
  EXPECT_EQ(compiler.kernel_count(), 2);
}

TEST(JitCompiler, CompilesManyFunctionsTogether) {
  std::vector<tir::Function> functions;
  for (int64_t count = 1; count <= 40; ++count)
    functions.push_back(Increment(count % 20, LoopKind::kVectorized));
  JitCompiler compiler;
  const auto kernels = compiler.CompileAll(functions);
  ASSERT_EQ(kernels.size(), 40u);
  EXPECT_EQ(compiler.kernel_count(), 20);
  for (int64_t count = 1; count <= 40; ++count) {
    std::vector<int32_t> in(20, 1), out(20, 0), expected(20, 0);
    std::fill_n(expected.begin(), count % 20, 2);
    kernels[count - 1]->Run(std::vector<void*>{in.data(), out.data()});
    EXPECT_EQ(out, expected);
  }
}

TEST(JitCompiler, ServesSeveralThreads) {
  JitCompiler compiler;
  std::vector<std::thread> threads;
  std::vector<std::vector<int32_t>> results(8, std::vector<int32_t>(64));
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      std::vector<int32_t> in(64, t);
      compiler.Compile(Increment(64 - t % 4, LoopKind::kVectorized))
          ->Run(std::vector<void*>{in.data(), results[t].data()});
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (int t = 0; t < 8; ++t) EXPECT_EQ(std::count(results[t].begin(), results[t].end(), t + 1), 64 - t % 4);
  EXPECT_EQ(compiler.kernel_count(), 4);
}

TEST(JitCompiler, KernelsOutliveIt) {
  runtime::CpuKernelPtr kernel;
  {
    JitCompiler compiler;
    kernel = compiler.Compile(Increment(8, LoopKind::kSerial));
  }
  std::vector<int32_t> in(8, 1), out(8);
  kernel->Run(std::vector<void*>{in.data(), out.data()});
  EXPECT_THAT(out, Each(2));
}

}  // namespace
}  // namespace cosim::cpu
