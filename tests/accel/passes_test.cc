// SPDX-License-Identifier: Apache-2.0
// The passes one by one: tensor intrinsics by their index expression, padding bounds, virtual threads,
// storage.
#include "compiler/accel/passes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiler/accel/affine.h"
#include "compiler/accel/instruction_writer.h"
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
    std::string why;
    const auto match = MatchIntrinsic(spec, m.Nest(), m.Store(value), why);
    ASSERT_TRUE(match) << why;
    EXPECT_EQ(spec.formats[match->format].name, "gemm");
    EXPECT_EQ(match->sources[0].buffer, m.inp);
    EXPECT_EQ(match->sources[0].strides, (std::vector<int64_t>{1, 1, 0, 0, 0}));
    EXPECT_EQ(match->sources[1].strides, (std::vector<int64_t>{0, 1, 0, 0, 0}));
  }
}

/// tiny.yaml under isa/cosim.yaml after these replacements, each of which has to apply.
isa::Spec Edited(const std::vector<std::pair<std::string, std::string>>& edits,
                 const std::vector<isa::Override>& overrides = {}) {
  Diagnostics diags;
  auto text = isa::ReadSource(std::string(COSIM_SOURCE_DIR) + "/isa/cosim.yaml", diags)->text;
  for (const auto& [from, to] : edits) {
    const size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    if (at != std::string::npos) text.replace(at, from.size(), to);
  }
  const auto config = isa::ReadSource(std::string(COSIM_SOURCE_DIR) + "/configs/tiny.yaml", diags);
  const auto spec = isa::Elaborate({"edited.yaml", text}, *config, overrides, diags);
  EXPECT_TRUE(spec) << diags.Render();
  return *spec;
}

const std::string kComputes = "acc[dst][b, o] += inp[src][b, k] * wgt[wgt][o, k]";

TEST(MatchIntrinsic, KnowsNoNames) {
  const auto spec =
      Edited({{kComputes, "acc[dst][row, col] += wgt[wgt][col, depth] * inp[src][row, depth]"}});
  const Matmul m(1, 4, 4);
  std::string why;
  const auto match = MatchIntrinsic(spec, m.Nest(), m.Store(m.Old() + m.X() * m.W()), why);
  ASSERT_TRUE(match) << why;
  EXPECT_EQ(match->sources[0].buffer, m.wgt);
}

// Why nothing computes the store; "" if something does.
std::string WhyNot(const isa::Spec& spec, const Matmul& m, const Expr& value) {
  std::string why;
  return MatchIntrinsic(spec, m.Nest(), m.Store(value), why) ? "" : why;
}

TEST(MatchIntrinsic, RefusesWhatTheInstructionDoesNotCompute) {
  const auto spec = Load("tiny.yaml", "cosim", Blocks(1, 8, 4));
  const Matmul m(1, 4, 8), narrow(1, 4, 7);
  EXPECT_EQ(WhyNot(spec, m, m.Old() + m.X() * m.W()), "");
  EXPECT_EQ(WhyNot(spec, narrow, narrow.Old() + narrow.X() * narrow.W()),
            "instruction 'gemm': it walks lanes of 'inp' in another way than " + kComputes);
  EXPECT_EQ(WhyNot(spec, m, m.X() * m.W()), "it does not add to its own element");
  EXPECT_EQ(WhyNot(spec, m, m.Old() - m.X() * m.W()), "it does not add to its own element");
  EXPECT_EQ(WhyNot(spec, m, m.Old() + m.X()),
            "no instruction of isa 'cosim' adds products of 'inp' to 'acc'");
  EXPECT_EQ(WhyNot(spec, m, m.Old() + m.X() * m.X()),
            "no instruction of isa 'cosim' adds products of 'inp' and 'inp' to 'acc'");
  EXPECT_EQ(WhyNot(spec, m, m.Old() + tir::Max(m.X(), m.W())), "what it sums is no product of loads");
  const Expr moved = MakeCast(kInt32, MakeLoad(m.inp, {At(m.i) + At(m.k), At(m.b), At(m.k)}));
  EXPECT_EQ(WhyNot(spec, m, m.Old() + moved * m.W()),
            "instruction 'gemm': a loop over lanes leads to other elements too");
}

// What a product or a cast cuts off in the expression, an instruction that sums exact products keeps.
TEST(MatchIntrinsic, CastsMayOnlyCutWhatTheSumCutsToo) {
  const auto spec = Load("tiny.yaml", "cosim");
  const Matmul m(1, 4, 4);
  const Expr x = MakeLoad(m.inp, {At(m.i) + At(m.r), At(m.b), At(m.k)});
  const Expr w = MakeLoad(m.wgt, {At(m.r), At(m.o), At(m.k)});
  const auto as = [](int bits, const Expr& e) { return MakeCast(DataType::Int(bits), e); };
  EXPECT_EQ(WhyNot(spec, m, m.Old() + as(32, as(16, x) * as(16, w))), "") << "int16 holds every product";
  EXPECT_EQ(WhyNot(spec, m, as(32, as(64, m.Old()) + as(64, x) * as(64, w))), "") << "modulo 2^32 the same";
  EXPECT_EQ(WhyNot(spec, m, m.Old() + as(32, x * w)),
            "a factor or product wraps to 8 bits before it is summed to 32");
  EXPECT_EQ(WhyNot(spec, m, m.Old() + as(32, MakeCast(DataType::UInt(8), x)) * as(32, w)),
            "a factor or product wraps to 8 bits before it is summed to 32");
}

TEST(MatchIntrinsic, LanesHaveTheTypesOfTheirBuffers) {
  const auto why = [](const isa::Spec& spec, DataType acc, DataType inp, DataType wgt) {
    Matmul m(1, 4, 4);
    m.acc = tir::MakeBuffer("sum", acc, m.acc->shape, "acc");
    m.inp = tir::MakeBuffer("x", inp, m.inp->shape, "inp");
    m.wgt = tir::MakeBuffer("w", wgt, m.wgt->shape, "wgt");
    return WhyNot(spec, m,
                  m.Old() + MakeCast(acc, MakeLoad(m.inp, {At(m.i) + At(m.r), At(m.b), At(m.k)})) *
                                MakeCast(acc, MakeLoad(m.wgt, {At(m.r), At(m.o), At(m.k)})));
  };
  const auto plain = Load("tiny.yaml", "cosim");
  EXPECT_EQ(why(plain, kInt32, kInt8, kInt8), "");
  EXPECT_EQ(why(plain, kInt32, DataType::UInt(8), kInt8),
            "instruction 'gemm': 'inp' has lanes of int8, and x is uint8");
  EXPECT_EQ(why(plain, DataType::Int(16), kInt8, kInt8),
            "instruction 'gemm': 'acc' has lanes of int32, and sum is int16");
  const auto unsigned_weights = Edited({{"type: int(wgt_bits)", "type: uint(wgt_bits)"}});
  EXPECT_EQ(why(unsigned_weights, kInt32, kInt8, kInt8),
            "instruction 'gemm': 'wgt' has lanes of uint8, and w is int8");
  EXPECT_EQ(why(unsigned_weights, kInt32, kInt8, DataType::UInt(8)), "");
  const auto narrow = Load("tiny.yaml", "cosim", {{"parameters.acc_bits", "16"}});
  EXPECT_EQ(why(narrow, kInt32, kInt8, kInt8),
            "instruction 'gemm': 'acc' has lanes of int16, and sum is int32");
  EXPECT_EQ(why(narrow, DataType::Int(16), kInt8, kInt8), "");
}

// A third factor of its own memory; and two factors of one memory, of which each source gets one.
TEST(MatchIntrinsic, TakesAsManyFactorsAsTheInstruction) {
  const std::vector<std::pair<std::string, std::string>> edits = {
      {"  acc:\n", "  scale: {lanes: [block_out], type: int(8), depth: 16}\n  acc:\n"},
      {"wgt: uint(index_bits(wgt.depth))}", "wgt: uint(index_bits(wgt.depth)), s: uint(4)}"},
      {"  load_par:\n",
       "  load_scale:\n    opcode: 20\n    unit: load\n    kind: load\n    memory: scale\n"
       "    fields: {sram: uint(4), dram: uint(32), rows: uint(6), cols: uint(6), stride: uint(6)}\n"
       "  load_par:\n"},
      {kComputes, kComputes + " * scale[s][o]"},
      {"      wgt_base:",
       "      s_base: uint(4)\n      s_out: uint(4)\n      s_in: uint(4)\n      wgt_base:"}};
  const auto spec = Edited(edits);
  const Matmul m(1, 4, 4);
  const auto scale = tir::MakeBuffer("f", kInt8, {3, 4}, "scale");
  const Expr f = MakeCast(kInt32, MakeLoad(scale, {At(m.r), At(m.o)}));
  EXPECT_EQ(WhyNot(spec, m, m.Old() + m.X() * m.W() * f), "");
  EXPECT_EQ(WhyNot(spec, m, m.Old() + m.X() * (f * m.W())), "");
  EXPECT_EQ(WhyNot(spec, m, m.Old() + m.X() * m.W()),
            "no instruction of isa 'cosim (edited)' adds products of 'inp' and 'wgt' to 'acc'");
  EXPECT_EQ(WhyNot(Load("tiny.yaml", "cosim"), m, m.Old() + m.X() * m.W() * f),
            "no instruction of isa 'cosim' adds products of 'inp' and 'scale' and 'wgt' to 'acc'");
}

// A mark is an order: an intrinsic, or the reason why there is none.
TEST(Tensorize, WhatIsMarkedIsAnIntrinsicOrRefused) {
  const auto spec = Load("tiny.yaml", "cosim");
  const Matmul m(1, 4, 4);
  const auto tensorize = [&](const Expr& value, bool marked) {
    tir::Stmt body = tir::MakeStmt(m.Store(value));
    for (const NestLoop& l : {m.k, m.o, m.b, m.r, m.i})
      body =
          tir::MakeStmt(tir::For{l.var, l.min, l.extent,
                                 marked && l.var != m.i.var && l.var != m.r.var ? tir::LoopKind::kTensorized
                                                                                : tir::LoopKind::kSerial,
                                 body});
    for (const auto& buffer : {m.acc, m.inp, m.wgt}) body = tir::MakeStmt(tir::Allocate{buffer, body});
    Kernel kernel;
    const auto refusal = Tensorize({"f", {}, body}, spec, kernel);
    const bool gemm = kernel.body.size() == 1 && std::holds_alternative<GemmLeaf>(kernel.body[0].node);
    EXPECT_EQ(gemm, !refusal);
    return refusal.reason;
  };
  EXPECT_EQ(tensorize(m.Old() + m.X() * m.W(), true), "");
  EXPECT_EQ(tensorize(m.Old() + m.X() * m.X(), true),
            "sum: no instruction of isa 'cosim' adds products of 'inp' and 'inp' to 'acc'");
  EXPECT_EQ(tensorize(m.Old() + m.X() * m.W(), false), "sum reads x across lanes");
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
  EXPECT_FALSE(CollectBounds(MakeBinary(BinaryOp::kLogicalOr, MakeBinary(BinaryOp::kLt, At(y), tir::Int(5)),
                                        MakeBinary(BinaryOp::kLt, At(x), tir::Int(5))),
                             {y, x}, bounds));
}

TEST(PadBounds, KeepsTheRoundsOfALoopInWhichAConditionHolds) {
  const tir::Var base = tir::MakeVar("base");
  const auto kept = [&](int64_t step, int64_t at) {  // rounds of 0 <= y * step + base < 7
    std::vector<NestLoop> nest = {MakeLoop("y", 5)};
    const Expr value = At(nest[0]) * tir::Int(step) + tir::Ref(base);
    EXPECT_TRUE(KeepWhere(MakeBinary(BinaryOp::kLogicalAnd, MakeBinary(BinaryOp::kLe, tir::Int(0), value),
                                     MakeBinary(BinaryOp::kLt, value, tir::Int(7))),
                          nest));
    Environment env;
    env.Push(base, at);
    return std::pair{Evaluate(nest[0].min, env), Evaluate(nest[0].extent, env)};
  };
  for (int64_t step : {-3, -2, -1, 1, 2, 3})
    for (int64_t at = -9; at <= 12; ++at) {
      std::vector<int64_t> rounds;
      for (int64_t y = 0; y < 5; ++y)
        if (y * step + at >= 0 && y * step + at < 7) rounds.push_back(y);
      const auto [first, count] = kept(step, at);
      EXPECT_EQ(count, std::ssize(rounds)) << step << " " << at;
      if (!rounds.empty()) {
        EXPECT_EQ(first, rounds.front()) << step << " " << at;
      }
    }
}

TEST(PadBounds, KeepsAllRoundsOrNoneWhereNoLoopDecides) {
  const tir::Var outside = tir::MakeVar("outside");
  std::vector<NestLoop> nest = {MakeLoop("y", 5), MakeLoop("x", 3)};
  ASSERT_TRUE(KeepWhere(MakeBinary(BinaryOp::kLe, tir::Int(2), tir::Ref(outside)), nest));
  for (const auto& [value, rounds] : {std::pair<int64_t, int64_t>{1, 0}, {2, 5}}) {
    Environment env;
    env.Push(outside, value);
    EXPECT_EQ(Evaluate(nest[0].extent, env), rounds);
    EXPECT_EQ(Evaluate(nest[1].extent, env), 3);
  }
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

TEST(Storage, OfTwoKernelsWhatTheThreadsOfOneUseStandsCrosswiseToThoseOfTheOther) {
  const auto spec = Load("tiny.yaml", "cosim");  // inp: 512 elements in 4 banks of 128
  Kernel first = WithBuffers(spec, "inp", {{150, 2}}), second = WithBuffers(spec, "inp", {{40, 2}, {20, 2}});
  ASSERT_FALSE(AssignStorageOfBoth(first, second, spec));
  const auto places = [](const OnChipBuffer& buffer) {
    return std::pair{buffer.address, buffer.address + buffer.copy_stride};
  };
  EXPECT_EQ(places(first.buffers[0]), (std::pair<int64_t, int64_t>{0, 256}));
  EXPECT_EQ(places(second.buffers[0]), (std::pair<int64_t, int64_t>{256 + 150, 150}));
  EXPECT_EQ(places(second.buffers[1]), (std::pair<int64_t, int64_t>{256 + 190, 190}));
  EXPECT_TRUE(AreApart(first, second, spec));
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
