// SPDX-License-Identifier: Apache-2.0
// Each rule of the loop IR's verifier, broken once. Nodes are built without the makers, which would refuse.
#include "compiler/tir/verify.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiler/tir/operators.h"

namespace cosim::tir {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const DataType kI8 = DataType::Int(8), kI32 = DataType::Int(32);

Expr Raw(DataType type, decltype(ExprNode::node) node) {
  return std::make_shared<const ExprNode>(ExprNode{type, std::move(node)});
}

class VerifyTest : public testing::Test {
 protected:
  Var i = MakeVar("i"), j = MakeVar("j");
  Buffer a = MakeBuffer("a", kI8, {4}), out = MakeBuffer("out", kI8, {4});

  Stmt StoreOf(Expr value) { return MakeStmt(Store{out, {Ref(i)}, std::move(value)}); }
  Stmt LoopOf(const Var& var, Stmt body) {
    return MakeStmt(For{var, Int(0), Int(4), LoopKind::kSerial, std::move(body)});
  }
  std::vector<std::string> Problems(Stmt body) { return Verify(Function{"f", {a, out}, std::move(body)}); }
};

TEST_F(VerifyTest, AcceptsAWellFormedFunction) {
  EXPECT_THAT(Problems(LoopOf(i, StoreOf(MakeLoad(a, {Ref(i)})))), IsEmpty());
}

TEST_F(VerifyTest, RejectsVariablesOutsideTheirLoop) {
  EXPECT_THAT(Problems(LoopOf(i, StoreOf(MakeLoad(a, {Ref(j)})))),
              ElementsAre("variable 'j' is used outside its loop"));
}

TEST_F(VerifyTest, RejectsVariablesBoundTwice) {
  EXPECT_THAT(Problems(LoopOf(i, LoopOf(i, MakeStmt(Seq{})))),
              ElementsAre("variable 'i' is bound by two loops"));
}

TEST_F(VerifyTest, RejectsBuffersOutsideTheirAllocation) {
  const Buffer local = MakeBuffer("local", kI8, {1});
  const Stmt allocate = MakeStmt(Allocate{local, MakeStmt(Seq{})});
  const Stmt use = MakeStmt(Store{local, {Int(0)}, Int(1, kI8)});
  EXPECT_THAT(Problems(MakeStmt(Seq{{allocate, use}})),
              ElementsAre("buffer 'local' is written outside its allocation"));
}

TEST_F(VerifyTest, RejectsBuffersDefinedTwice) {
  EXPECT_THAT(Problems(MakeStmt(Allocate{a, MakeStmt(Seq{})})), ElementsAre("buffer 'a' is defined twice"));
}

TEST_F(VerifyTest, RejectsOperandsOfDifferentTypes) {
  const Expr sum = Raw(kI8, Binary{BinaryOp::kAdd, Int(1, kI8), Int(1, kI32)});
  EXPECT_THAT(Problems(LoopOf(i, StoreOf(sum))), ElementsAre("operands of '+' are int8 and int32"));
}

TEST_F(VerifyTest, RejectsResultsOfTheWrongType) {
  const Expr less = Raw(kI8, Binary{BinaryOp::kLt, Int(1, kI8), Int(1, kI8)});
  EXPECT_THAT(Problems(LoopOf(i, StoreOf(less))), ElementsAre("'<' is int8, not bool"));
}

TEST_F(VerifyTest, RejectsStoredValuesOfTheWrongType) {
  EXPECT_THAT(Problems(LoopOf(i, StoreOf(Int(1, kI32)))),
              ElementsAre("the value stored to 'out' is int32, not int8"));
}

TEST_F(VerifyTest, RejectsAccessesOfTheWrongRank) {
  const Expr load = Raw(kI8, Load{a, {Int(0), Int(0)}});
  EXPECT_THAT(Problems(LoopOf(i, StoreOf(load))),
              ElementsAre("buffer 'a' has 1 dimensions and is read with 2 indices"));
}

TEST_F(VerifyTest, RejectsIndicesOfTheWrongType) {
  const Expr load = Raw(kI8, Load{a, {Int(0, kI32)}});
  EXPECT_THAT(Problems(LoopOf(i, StoreOf(load))), ElementsAre("an index of 'a' is int32, not int64"));
}

TEST_F(VerifyTest, RejectsConditionsThatAreNotBool) {
  EXPECT_THAT(Problems(MakeStmt(IfThen{Int(1), MakeStmt(Seq{})})),
              ElementsAre("an if's condition is int64, not bool"));
  const Expr select = Raw(kI8, Select{Int(1), Int(1, kI8), Int(2, kI8)});
  EXPECT_THAT(Problems(LoopOf(i, StoreOf(select))), ElementsAre("a select's condition is int64, not bool"));
}

TEST_F(VerifyTest, RejectsBoundsOfTheWrongType) {
  const Stmt loop = MakeStmt(For{i, Int(0), Int(4, kI32), LoopKind::kSerial, MakeStmt(Seq{})});
  EXPECT_THAT(Problems(loop), ElementsAre("the extent of 'i' is int32, not int64"));
}

TEST_F(VerifyTest, RejectsMissingPieces) {
  EXPECT_THAT(Problems(LoopOf(i, nullptr)), ElementsAre("a statement is missing"));
  EXPECT_THAT(Problems(MakeStmt(Stage{"", MakeStmt(Seq{})})), ElementsAre("a stage has no name"));
}

}  // namespace
}  // namespace cosim::tir
