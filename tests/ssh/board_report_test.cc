// SPDX-License-Identifier: Apache-2.0
// What is said of several runs on a board.
#include "cli/board_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace cosim::cli {
namespace {

using session::BoardMeasurement;
using ::testing::HasSubstr;

/// Three runs in which no part's median is of the same run.
session::BoardResult ThreeRuns() {
  session::BoardResult board;
  board.runs = {{.cycles = 7, .total_s = 10e-3, .accelerator_s = 2e-3, .host_s = 7e-3, .copies_s = 0.5e-3},
                {.cycles = 7,
                 .total_s = 12.0004e-3,
                 .accelerator_s = 9.0003e-3,
                 .host_s = 1.0004e-3,
                 .copies_s = 0.6004e-3},
                {.cycles = 7, .total_s = 20e-3, .accelerator_s = 5e-3, .host_s = 5e-3, .copies_s = 4e-3}};
  board.result.run.cycles = 7;
  return board;
}

isa::Spec SpecOf100Mhz() {
  isa::Spec spec;
  spec.clock_mhz = 100;
  return spec;
}

TEST(BoardReport, ShowsTheRunOfTheMedianFrameWhosePartsAddUp) {
  EXPECT_THAT(
      BoardLines(ThreeRuns(), SpecOf100Mhz(), {}),
      HasSubstr("measured there (the median run): frame 12.000 ms = accelerator 9.000 ms + host layers "
                "1.000 ms + copies 0.600 ms + the rest 1.400 ms"));
}

TEST(BoardReport, HasStatisticsOfEachPartInJson) {
  const auto json = nlohmann::json::parse(WithBoard("{}", ThreeRuns(), SpecOf100Mhz(), {}));
  const auto& measured = json["board"]["measured_ms"];
  EXPECT_NEAR(measured["frame"]["median"], 12.0004, 1e-9);
  EXPECT_NEAR(measured["accelerator"]["median"], 5, 1e-9);
  EXPECT_NEAR(measured["host_layers"]["median"], 5, 1e-9);
  EXPECT_NEAR(measured["copies"]["median"], 0.6004, 1e-9);
  // Of 0.5, 1.3993 and 6: the median and the least frame less the others' would be 1.4 and 6.4996.
  EXPECT_NEAR(measured["rest"]["median"], 1.3993, 1e-9);
  EXPECT_NEAR(measured["rest"]["min"], 0.5, 1e-9);
}

TEST(BoardReport, TakesTheLargerOfTwoMiddleRuns) {
  session::BoardResult board = ThreeRuns();
  board.runs.pop_back();
  EXPECT_EQ(board.MedianRun().total_s, 12.0004e-3);
}

}  // namespace
}  // namespace cosim::cli
