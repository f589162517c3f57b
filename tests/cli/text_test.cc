// SPDX-License-Identifier: Apache-2.0
// Numbers as people read them.
#include "cli/text.h"

#include <gmock/gmock.h>

namespace cosim::cli {
namespace {

TEST(Text, GroupsDigitsByThousandsBehindASign) {
  EXPECT_EQ(Grouped(0), "0");
  EXPECT_EQ(Grouped(999), "999");
  EXPECT_EQ(Grouped(1234567), "1,234,567");
  EXPECT_EQ(Grouped(-304655), "-304,655");
  EXPECT_EQ(Grouped(-1000), "-1,000");
}

}  // namespace
}  // namespace cosim::cli
