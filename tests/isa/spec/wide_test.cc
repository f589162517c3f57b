// SPDX-License-Identifier: Apache-2.0
// Int128 against the compiler's own type, where there is one.
#include "isa/wide.h"

#include <gtest/gtest.h>

#include <random>

namespace cosim {
namespace {

#ifdef __SIZEOF_INT128__

__extension__ using Unsigned = unsigned __int128;

Int128 Same(Wide value) {
  return (Int128{static_cast<int64_t>(value >> 64)} << 64) +
         Int128{static_cast<int64_t>(value >> 32 & 0xFFFFFFFF)} * (int64_t{1} << 32) +
         static_cast<int64_t>(value & 0xFFFFFFFF);
}

void ExpectSame(Int128 is, Wide want) {
  EXPECT_TRUE(is == Same(want));
  EXPECT_EQ(static_cast<int64_t>(is), static_cast<int64_t>(want));
}

TEST(Int128, ComputesAsTheCompilersOwn) {
  std::mt19937_64 random(1);
  const auto draw = [&] { return static_cast<int64_t>(random()) >> (random() % 64); };
  for (int i = 0; i < 100'000; ++i) {
    const int64_t a = draw(), b = draw();
    const Wide wide = static_cast<Wide>(static_cast<Unsigned>(Wide{draw()}) << (random() % 60));
    const Int128 same = Same(wide);
    const auto by = static_cast<int64_t>(random() % 128);
    ExpectSame(Int128{a} + b, Wide{a} + b);
    ExpectSame(Int128{a} - b, Wide{a} - b);
    ExpectSame(Int128{a} * b, Wide{a} * b);
    ExpectSame(same >> by, wide >> by);
    ExpectSame(Int128{a} << by, static_cast<Wide>(static_cast<Unsigned>(Wide{a}) << by));
    EXPECT_EQ(same < Int128{b}, wide < b);
    EXPECT_EQ(Int128{a} <= same, a <= wide);
    EXPECT_EQ(Int128{a} == Int128{b}, a == b);
  }
}

#endif

TEST(Int128, KeepsSigns) {
  EXPECT_TRUE(Int128{-1} < 0);
  EXPECT_TRUE(Int128{INT64_MIN} - 1 < Int128{INT64_MIN});
  EXPECT_TRUE(Int128{INT64_MAX} * INT64_MAX > Int128{INT64_MAX});
  EXPECT_EQ(static_cast<int64_t>((Int128{INT64_MIN} * INT64_MIN) >> 64), int64_t{1} << 62);
}

}  // namespace
}  // namespace cosim
