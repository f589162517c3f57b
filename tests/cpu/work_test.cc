// SPDX-License-Identifier: Apache-2.0
// The counts of WorkOf, by hand.
#include "compiler/cpu/work.h"

#include <gtest/gtest.h>

#include "compiler/tir/operators.h"

namespace cosim::cpu {
namespace {

using isa::HostOp;
using tir::DataType;
using tir::Expr;
using tir::LoopKind;
using tir::Stmt;
using tir::Var;

int64_t Scalar(const runtime::HostWork& work, HostOp op) { return work.scalar[static_cast<size_t>(op)]; }
int64_t Vector(const runtime::HostWork& work, HostOp op) { return work.vector[static_cast<size_t>(op)]; }

Stmt Loop(const Var& var, int64_t extent, LoopKind kind, Stmt body) {
  return tir::MakeStmt(tir::For{var, tir::Int(0), tir::Int(extent), kind, std::move(body)});
}

/// to[i] = from[i * stride] + 1 over `extent` int32.
runtime::HostWork AddOne(int64_t extent, int64_t stride) {
  const auto from = tir::MakeBuffer("from", DataType::Int(32), {extent * stride}),
             to = tir::MakeBuffer("to", DataType::Int(32), {extent});
  const Var i = tir::MakeVar("i");
  const Expr value = tir::MakeLoad(from, {tir::Ref(i) * stride}) + 1;
  return WorkOf(
      {"f",
       {from, to},
       Loop(i, extent, LoopKind::kVectorized, tir::MakeStmt(tir::Store{to, {tir::Ref(i)}, value}))});
}

TEST(Work, ALoopOverNeighboursIsVectors) {
  const auto work = AddOne(64, 1);
  EXPECT_EQ(Vector(work, HostOp::kLoad), 64 * 4);
  EXPECT_EQ(Vector(work, HostOp::kSimple), 64 * 4);
  EXPECT_EQ(Vector(work, HostOp::kStore), 64 * 4);
  EXPECT_EQ(work.iterations, 16);
  EXPECT_EQ(work.bytes, 2 * 64 * 4);
  for (int64_t count : work.scalar) EXPECT_EQ(count, 0);
}

TEST(Work, WhatFillsNoVectorIsScalar) {
  const auto work = AddOne(67, 1);
  EXPECT_EQ(Vector(work, HostOp::kStore), 64 * 4);
  EXPECT_EQ(Scalar(work, HostOp::kStore), 3);
  EXPECT_EQ(Scalar(work, HostOp::kSimple), 3);
  EXPECT_EQ(work.iterations, 16 + 3);
}

TEST(Work, EverySecondPlaceIsLoadedWhole) {
  const auto work = AddOne(64, 2);
  EXPECT_EQ(Vector(work, HostOp::kLoad), 2 * 64 * 4);
  EXPECT_EQ(Vector(work, HostOp::kGather), 0);
}

TEST(Work, LoadsFromElsewhereAreGathered) {
  const auto one = AddOne(4, 8), several = AddOne(64, 8);
  EXPECT_EQ(Vector(one, HostOp::kGather), 4);
  EXPECT_EQ(Scalar(one, HostOp::kWide), 0);
  EXPECT_EQ(Vector(several, HostOp::kGather), 64);
  EXPECT_EQ(Vector(several, HostOp::kLoad), 0);
  EXPECT_EQ(Scalar(several, HostOp::kWide), 64);
}

TEST(Work, WhatDoesNotChangeLeavesTheLoop) {
  const auto w = tir::MakeBuffer("w", DataType::Int(32), {8}),
             to = tir::MakeBuffer("to", DataType::Int(32), {8, 64});
  const Var o = tir::MakeVar("o"), x = tir::MakeVar("x");
  const Expr value = tir::MakeLoad(w, {tir::Ref(o)}) * 3;
  const auto work = WorkOf({"f",
                            {w, to},
                            Loop(o, 8, LoopKind::kSerial,
                                 Loop(x, 64, LoopKind::kVectorized,
                                      tir::MakeStmt(tir::Store{to, {tir::Ref(o), tir::Ref(x)}, value})))});
  EXPECT_EQ(Scalar(work, HostOp::kLoad), 8);
  EXPECT_EQ(Scalar(work, HostOp::kMultiply), 8);
  EXPECT_EQ(Vector(work, HostOp::kStore), 8 * 64 * 4);
  EXPECT_EQ(work.iterations, 8 + 8 * 16);
}

TEST(Work, AddressesThatDivideStayScalar) {
  const auto from = tir::MakeBuffer("from", DataType::Int(8), {64}),
             to = tir::MakeBuffer("to", DataType::Int(8), {64});
  const Var i = tir::MakeVar("i");
  const auto work =
      WorkOf({"f",
              {from, to},
              Loop(i, 64, LoopKind::kVectorized,
                   tir::MakeStmt(tir::Store{
                       to, {tir::Ref(i)}, tir::MakeLoad(from, {tir::FloorDiv(tir::Ref(i), 3)})}))});
  EXPECT_EQ(Scalar(work, HostOp::kDivide), 64);
  EXPECT_EQ(Scalar(work, HostOp::kStore), 64);
  for (int64_t count : work.vector) EXPECT_EQ(count, 0);
}

TEST(Work, WhatIsLookedUpStaysScalarAndBranches) {
  const auto from = tir::MakeBuffer("from", DataType::Int(8), {64}),
             table = tir::MakeBuffer("table", DataType::Int(8), {256}),
             to = tir::MakeBuffer("to", DataType::Int(8), {64});
  const Var i = tir::MakeVar("i");
  const Expr at = tir::MakeCast(DataType::Index(), tir::MakeLoad(from, {tir::Ref(i)}));
  const auto work_of = [&](const Expr& value) {
    return WorkOf({"f",
                   {from, table, to},
                   Loop(i, 64, LoopKind::kVectorized, tir::MakeStmt(tir::Store{to, {tir::Ref(i)}, value}))});
  };
  const Expr value = tir::MakeLoad(table, {at});
  const auto always = work_of(value),
             sometimes = work_of(tir::MakeSelect(Lt(tir::Ref(i), 60), value, tir::Int(0, DataType::Int(8))));
  for (const auto& work : {always, sometimes}) {
    EXPECT_EQ(Scalar(work, HostOp::kLoad), 2 * 64);
    EXPECT_EQ(Scalar(work, HostOp::kStore), 64);
    for (int64_t count : work.vector) EXPECT_EQ(count, 0);
  }
  EXPECT_EQ(always.iterations, 64);
  EXPECT_EQ(sometimes.iterations, 64 + 2 * 64 * 5);
}

/// x * 0.5 + x * 0.5 for 64 values x, each half an expression of its own.
runtime::HostWork WorkOfTwoHalves(DataType real) {
  const auto from = tir::MakeBuffer("from", DataType::Int(8), {64}), to = tir::MakeBuffer("to", real, {64});
  const Var i = tir::MakeVar("i");
  const auto half = [&] {
    return tir::MakeCast(real, tir::MakeLoad(from, {tir::Ref(i)})) * tir::Float(0.5, real);
  };
  return WorkOf(
      {"f",
       {from, to},
       Loop(i, 64, LoopKind::kVectorized, tir::MakeStmt(tir::Store{to, {tir::Ref(i)}, half() + half()}))});
}

TEST(Work, ARealNumberIsComputedOnceAndOutsideOfVectorsIfItHas64Bits) {
  const auto wide = WorkOfTwoHalves(DataType::Float(64)), narrow = WorkOfTwoHalves(DataType::Float(32));
  EXPECT_EQ(Scalar(wide, HostOp::kFloat), 3 * 64);
  for (int64_t count : wide.vector) EXPECT_EQ(count, 0);
  EXPECT_EQ(Scalar(narrow, HostOp::kFloat), 0);
  EXPECT_EQ(narrow.vector[static_cast<size_t>(HostOp::kFloat)], 3 * 64 * 4);
}

TEST(Work, TimeIsCyclesBytesAndACall) {
  const isa::HostProcessor host{"cortex-a9", 2, 650};
  const isa::HostCosts& costs = host.Facts().costs;
  runtime::HostWork work;
  EXPECT_DOUBLE_EQ(runtime::EstimateMs(work, host), costs.call / 650e3);
  work.bytes = 650'000;
  EXPECT_DOUBLE_EQ(runtime::EstimateMs(work, host), costs.call / 650e3 + costs.byte);
  work.bytes = 0;
  work.vector[static_cast<size_t>(HostOp::kSimple)] = 16;
  EXPECT_DOUBLE_EQ(runtime::ComputeCycles(work, costs), costs.vector[static_cast<size_t>(HostOp::kSimple)]);
}

}  // namespace
}  // namespace cosim::cpu
