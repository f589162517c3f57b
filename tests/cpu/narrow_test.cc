// SPDX-License-Identifier: Apache-2.0
// Which index arithmetic may be done in 32 bits. What is computed so, scripts/board-test runs on a 32-bit
// processor.
#include "compiler/cpu/narrow.h"

#include <gtest/gtest.h>

#include "compiler/tir/operators.h"

namespace cosim::cpu {
namespace {

using tir::Expr;
using tir::Int;

class FitsInt32Test : public ::testing::Test {
 protected:
  FitsInt32Test() { ranges_.Bind(var_, 0, 1000); }
  bool Fits(const Expr& expr) { return FitsInt32(expr, ranges_); }

  const tir::Var var_ = tir::MakeVar("i");
  const Expr i_ = tir::Ref(var_);
  tir::Simplifier ranges_;
};

TEST_F(FitsInt32Test, ArithmeticOfWhatIsKnownToBeSmall) {
  EXPECT_TRUE(Fits(i_));
  EXPECT_TRUE(Fits(i_ * 2 - 3));
  EXPECT_TRUE(Fits(FloorDiv(i_ + 7, 3) * 100 + FloorMod(i_, 7)));
  EXPECT_TRUE(Fits(Max(Min(i_, Int(50)), Int(-4))));
}

TEST_F(FitsInt32Test, TheLimitsAreThoseOfInt32) {
  constexpr int64_t kMost = 2147483647;
  EXPECT_TRUE(Fits(i_ + (kMost - 999)));
  EXPECT_FALSE(Fits(i_ + (kMost - 998)));
  EXPECT_TRUE(Fits(i_ + (-kMost - 1)));
  EXPECT_FALSE(Fits(i_ + (-kMost - 2)));
  EXPECT_FALSE(Fits(Int(kMost + 1)));
}

// The whole is small here, what it is made of is not.
TEST_F(FitsInt32Test, PartsCountToo) { EXPECT_FALSE(Fits(FloorDiv(i_ * 3000000, 3000000 * int64_t{7}))); }

TEST_F(FitsInt32Test, NothingOfUnknownRangeOrKind) {
  EXPECT_FALSE(Fits(tir::Ref(tir::MakeVar("free")) + 1));
  const auto buffer = tir::MakeBuffer("table", tir::DataType::Index(), {1000});
  EXPECT_FALSE(Fits(tir::MakeLoad(buffer, {i_})));
  EXPECT_FALSE(Fits(ShiftLeft(i_, Int(2))));
  EXPECT_FALSE(Fits(tir::MakeCast(tir::DataType::Int(32), i_)));
}

}  // namespace
}  // namespace cosim::cpu
