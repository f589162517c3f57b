// SPDX-License-Identifier: Apache-2.0
// The passes one by one: tensor intrinsics by their index expression, padding bounds, virtual threads,
// storage.
#include "compiler/accel/passes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiler/accel/affine.h"
#include "compiler/accel/match_intrinsic.h"
#include "compiler/accel/pad_bounds.h"
#include "compiler/tir/operators.h"
#include "tests/accel/testing.h"

namespace cosim::accel {
namespace {

using tir::BinaryOp;
using tir::DataType;
using tir::Expr;

NestLoop MakeLoop(const std::string& name, int64_t extent) {
  return {tir::MakeVar(name), tir::Int(0), tir::Int(extent)};
}
Expr At(const NestLoop& loop) { return tir::Ref(loop.var); }

// acc[i, b, o] += inp[i + r, b, k] * wgt[r, o, k], with loops i, r and the three axes.
struct Matmul {
  Matmul(int64_t batch, int64_t block_out, int64_t block_in)
      : i(MakeLoop("i", 5)),
        r(MakeLoop("r", 3)),
        b(MakeLoop("b", batch)),
        o(MakeLoop("o", block_out)),
        k(MakeLoop("k", block_in)) {
    acc = tir::MakeBuffer("sum", kInt32, {5, batch, block_out}, "acc");
    inp = tir::MakeBuffer("x", kInt8, {7, batch, block_in}, "inp");
    wgt = tir::MakeBuffer("w", kInt8, {3, block_out, block_in}, "wgt");
  }
  std::vector<NestLoop> Nest() const { return {i, r, b, o, k}; }
  Expr X() const { return MakeCast(kInt32, MakeLoad(inp, {At(i) + At(r), At(b), At(k)})); }
  Expr W() const { return MakeCast(kInt32, MakeLoad(wgt, {At(r), At(o), At(k)})); }
  Expr Old() const { return MakeLoad(acc, {At(i), At(b), At(o)}); }
  tir::Store Store(const Expr& value) const { return {acc, {At(i), At(b), At(o)}, value}; }

  NestLoop i, r, b, o, k;
  tir::Buffer acc, inp, wgt;
};

std::vector<isa::Override> Blocks(int batch, int in, int out) {
  return {{"parameters.batch", std::to_string(batch)},
          {"parameters.block_in", std::to_string(in)},
          {"parameters.block_out", std::to_string(out)}};
}

TEST(MatchIntrinsic, FindsTheProductInEitherOrder) {
  const auto spec = Load("tiny.yaml", "cosim", Blocks(2, 8, 4));
  const Matmul m(2, 4, 8);
  for (const Expr& value : {m.Old() + m.X() * m.W(), m.Old() + m.W() * m.X(), m.X() * m.W() + m.Old()}) {
    const auto match = MatchIntrinsic(spec, m.Nest(), m.Store(value));
    ASSERT_TRUE(match);
    EXPECT_EQ(spec.formats[match->format].name, "gemm");
    EXPECT_EQ(match->sources[0].buffer, m.inp);
    EXPECT_EQ(match->sources[0].strides, (std::vector<int64_t>{1, 1, 0, 0, 0}));
    EXPECT_EQ(match->sources[1].strides, (std::vector<int64_t>{0, 1, 0, 0, 0}));
  }
}

TEST(MatchIntrinsic, KnowsNoNames) {
  Diagnostics diags;
  auto text = isa::ReadSource(std::string(COSIM_SOURCE_DIR) + "/isa/cosim.yaml", diags)->text;
  const std::string from = "acc[dst][b, o] += inp[src][b, k] * wgt[wgt][o, k]";
  text.replace(text.find(from), from.size(),
               "acc[dst][row, col] += wgt[wgt][col, depth] * inp[src][row, depth]");
  const auto config = isa::ReadSource(std::string(COSIM_SOURCE_DIR) + "/configs/tiny.yaml", diags);
  const auto spec = isa::Elaborate({"edited.yaml", text}, *config, {}, diags);
  ASSERT_TRUE(spec) << diags.Render();
  const Matmul m(1, 4, 4);
  const auto match = MatchIntrinsic(*spec, m.Nest(), m.Store(m.Old() + m.X() * m.W()));
  ASSERT_TRUE(match);
  EXPECT_EQ(match->sources[0].buffer, m.wgt);
}

TEST(MatchIntrinsic, RefusesWhatTheInstructionDoesNotCompute) {
  const auto spec = Load("tiny.yaml", "cosim", Blocks(1, 8, 4));
  const Matmul m(1, 4, 8), narrow(1, 4, 7);
  EXPECT_FALSE(MatchIntrinsic(spec, narrow.Nest(), narrow.Store(narrow.Old() + narrow.X() * narrow.W())))
      << "axis too short";
  EXPECT_FALSE(MatchIntrinsic(spec, m.Nest(), m.Store(m.X() * m.W()))) << "nothing is accumulated";
  EXPECT_FALSE(MatchIntrinsic(spec, m.Nest(), m.Store(m.Old() - m.X() * m.W()))) << "a difference";
  EXPECT_FALSE(MatchIntrinsic(spec, m.Nest(), m.Store(m.Old() + m.X()))) << "one factor";
  EXPECT_FALSE(MatchIntrinsic(spec, m.Nest(), m.Store(m.Old() + m.X() * m.X()))) << "no weights";
  const Expr moved = MakeCast(kInt32, MakeLoad(m.inp, {At(m.i) + At(m.k), At(m.b), At(m.k)}));
  EXPECT_FALSE(MatchIntrinsic(spec, m.Nest(), m.Store(m.Old() + moved * m.W())))
      << "an axis moves the element";
}

TEST(Tensorize, CopiesOnlyWholeElements) {
  const auto spec = Load("tiny.yaml", "cosim");
  for (int64_t lanes : {4, 3}) {
    const NestLoop i = MakeLoop("i", 6), b = MakeLoop("b", 1), k = MakeLoop("k", lanes);
    const auto from = tir::MakeBuffer("data", kInt8, {6, 1, 4}),
               to = tir::MakeBuffer("x", kInt8, {6, 1, 4}, "inp");
    tir::Stmt body =
        tir::MakeStmt(tir::Store{to, {At(i), At(b), At(k)}, MakeLoad(from, {At(i), At(b), At(k)})});
    for (const NestLoop& l : {k, b, i})
      body = tir::MakeStmt(tir::For{l.var, l.min, l.extent, tir::LoopKind::kSerial, body});
    Kernel kernel;
    const auto refusal = Tensorize({"copy", {from}, tir::MakeStmt(tir::Allocate{to, body})}, spec, kernel);
    if (lanes == 4) {
      EXPECT_FALSE(refusal) << refusal.reason;
      ASSERT_EQ(kernel.body.size(), 1u);
      EXPECT_TRUE(std::holds_alternative<TransferLeaf>(kernel.body[0].node));
    } else {
      EXPECT_EQ(refusal.reason, "x is not written element by element");
    }
  }
}

TEST(Tensorize, NamesTheMemoryThatTheIsaLacks) {
  const auto spec = Load("tiny.yaml", "vta");
  Kernel kernel;
  const auto buffer = tir::MakeBuffer("p", kInt32, {4, 4, 3}, "par");
  const auto body =
      tir::MakeStmt(tir::Store{buffer, {tir::Int(0), tir::Int(0), tir::Int(0)}, tir::Int(0, kInt32)});
  EXPECT_EQ(Tensorize({"f", {}, tir::MakeStmt(tir::Allocate{buffer, body})}, spec, kernel).reason,
            "isa 'vta' has no memory 'par' for p");
}

TEST(PadBounds, TurnsComparisonsIntoRangesOfLoops) {
  const NestLoop y = MakeLoop("y", 9), x = MakeLoop("x", 9);
  const tir::Var base = tir::MakeVar("base");
  const Expr at = At(y) + tir::Ref(base) - tir::Int(2);
  const Expr inside = MakeBinary(BinaryOp::kLogicalAnd, MakeBinary(BinaryOp::kLe, tir::Int(0), at),
                                 MakeBinary(BinaryOp::kLt, at, tir::Int(5)));
  std::vector<Bound> bounds;
  ASSERT_TRUE(CollectBounds(inside, {y, x}, bounds));
  ASSERT_EQ(bounds.size(), 2u);
  Environment env;
  env.Push(base, 1);
  EXPECT_EQ(bounds[0].dim, 0);
  EXPECT_EQ(Evaluate(bounds[0].low, env), 1);
  EXPECT_EQ(Evaluate(bounds[1].high, env), 6);
}

TEST(PadBounds, RefusesConditionsOnTwoLoops) {
  const NestLoop y = MakeLoop("y", 9), x = MakeLoop("x", 9);
  std::vector<Bound> bounds;
  EXPECT_FALSE(CollectBounds(MakeBinary(BinaryOp::kLt, At(y) + At(x), tir::Int(5)), {y, x}, bounds));
  EXPECT_FALSE(CollectBounds(MakeBinary(BinaryOp::kLt, At(y) * tir::Int(2), tir::Int(5)), {y, x}, bounds));
  EXPECT_FALSE(CollectBounds(MakeBinary(BinaryOp::kLogicalOr, MakeBinary(BinaryOp::kLt, At(y), tir::Int(5)),
                                        MakeBinary(BinaryOp::kLt, At(x), tir::Int(5))),
                             {y, x}, bounds));
}

// for t in threads: { load, load, gemm } with one buffer of its own.
Kernel ThreadedKernel(const Expr& threads) {
  const tir::Var t = tir::MakeVar("t");
  const auto own = tir::MakeBuffer("own", kInt8, {4, 1, 4}, "inp"),
             shared = tir::MakeBuffer("shared", kInt8, {4, 1, 4}, "inp");
  TransferLeaf load;
  load.sram.buffer = own;
  load.sram.offset = tir::Int(0);
  load.dram.offset = tir::Ref(t) * tir::Int(10);
  TransferLeaf other = load;
  other.sram.buffer = shared;
  GemmLeaf gemm;
  gemm.dst = {own, tir::Ref(t), {}, 0};
  Loop loop{t, tir::Int(0), threads, true, {own}, {}};
  loop.body = {Node{load}, Node{other}, Node{gemm}};
  Kernel kernel;
  kernel.body = {Node{loop}};
  for (const auto& buffer : {own, shared}) kernel.buffers.push_back({buffer, 0, 4, 1, 4, -1});
  return kernel;
}

TEST(VirtualThreads, RunsOfOneKindStayTogetherThreadAfterThread) {
  Kernel kernel = ThreadedKernel(tir::Int(2));
  InterleaveVirtualThreads(kernel);
  ASSERT_EQ(kernel.body.size(), 6u);  // load load | load load | gemm | gemm
  Environment none;
  for (int n : {0, 1, 2, 3}) {
    const auto& load = std::get<TransferLeaf>(kernel.body[n].node);
    EXPECT_EQ(Evaluate(load.dram.offset, none), n / 2 * 10);
    EXPECT_EQ(load.sram.copy, n % 2 == 0 ? n / 2 : 0) << "only what the loop allocates has copies";
  }
  EXPECT_EQ(std::get<GemmLeaf>(kernel.body[5].node).dst.copy, 1);
  EXPECT_EQ(kernel.buffers[0].copies, 2);
  EXPECT_EQ(kernel.buffers[1].copies, 1);
}

TEST(VirtualThreads, ThreadsWithoutAnIterationAreGuarded) {
  const tir::Var left = tir::MakeVar("left");
  Kernel kernel = ThreadedKernel(tir::Min(tir::Int(2), tir::Ref(left)));
  InterleaveVirtualThreads(kernel);
  ASSERT_EQ(kernel.body.size(), 4u);
  Environment env;
  env.Push(left, 1);
  for (int n : {0, 1, 2, 3})
    EXPECT_EQ(Evaluate(std::get<Guard>(kernel.body[n].node).condition, env), n % 2 == 0);
}

Kernel WithBuffers(const isa::Spec& spec, const std::string& memory,
                   const std::vector<std::pair<int64_t, int>>& sizes) {
  Kernel kernel;
  kernel.name = "k";
  for (const auto& [elements, copies] : sizes)
    kernel.buffers.push_back({tir::MakeBuffer("b", kInt8, {elements}, memory), spec.MemoryIndex(memory),
                              elements, copies, elements, -1});
  return kernel;
}

TEST(Storage, CopiesStandInBanksOfTheirOwnWhereTheyFit) {
  const auto spec = Load("tiny.yaml", "cosim");  // inp: 512 elements in 4 banks of 128
  StorageCursor cursor;
  Kernel roomy = WithBuffers(spec, "inp", {{100, 2}, {50, 2}});
  ASSERT_FALSE(AssignStorage(roomy, spec, cursor));
  EXPECT_EQ(roomy.buffers[0].copy_stride, 128);
  EXPECT_EQ(roomy.buffers[1].address, 256);
  StorageCursor fresh;
  Kernel tight = WithBuffers(spec, "inp", {{200, 2}, {56, 2}});
  ASSERT_FALSE(AssignStorage(tight, spec, fresh));
  EXPECT_EQ(tight.buffers[0].copy_stride, 200);
  EXPECT_EQ(tight.buffers[1].address, 400);
}

TEST(Storage, TheNextKernelContinuesWhereTheLastEndedAndWraps) {
  const auto spec = Load("tiny.yaml", "cosim");
  StorageCursor cursor;
  Kernel one = WithBuffers(spec, "inp", {{128, 1}}), two = one,
         big = WithBuffers(spec, "inp", {{200, 1}, {200, 1}});
  ASSERT_FALSE(AssignStorage(one, spec, cursor));
  ASSERT_FALSE(AssignStorage(two, spec, cursor));
  EXPECT_EQ(two.buffers[0].address, 128);
  ASSERT_FALSE(AssignStorage(big, spec, cursor));
  EXPECT_EQ(big.buffers[0].address, 256);
  EXPECT_EQ(big.buffers[1].address, 0) << "beyond the end it goes on from 0, up to where it began";
}

TEST(Storage, SaysWhatIsNeededAndWhatThereIs) {
  const auto spec = Load("tiny.yaml", "cosim");
  StorageCursor cursor;
  Kernel kernel = WithBuffers(spec, "inp", {{300, 2}});
  EXPECT_EQ(AssignStorage(kernel, spec, cursor).reason, "k needs 600 elements of 'inp', which has 512");
}

}  // namespace
}  // namespace cosim::accel
