// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "driver/diagnostic_codes.h"

namespace cosim::driver {
namespace {

TEST(BoardDiagnostics, AreAllListedInTheReference) {
  std::ifstream file(COSIM_SOURCE_DIR "/docs/reference/diagnostics.md");
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
#define COSIM_EXPECT_ROW(name, code, meaning) \
  EXPECT_THAT(text, ::testing::HasSubstr(fmt::format("| {} | {} |\n", code, meaning)));
  COSIM_BOARD_DIAGNOSTICS(COSIM_EXPECT_ROW)
#undef COSIM_EXPECT_ROW
}

}  // namespace
}  // namespace cosim::driver
