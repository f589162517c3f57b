// SPDX-License-Identifier: Apache-2.0
// Programs from text that a platform can run: their words stand in memory.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "isa/program/codec.h"
#include "isa/program/program.h"
#include "tests/isa/program/testing.h"

namespace cosim::sim::testing {

/// For TinySpec; a mistake fails the test.
inline isa::Program WithWords(const std::string& text) {
  isa::Program program = isa::testing::FromText(isa::testing::TinySpec(), text);
  std::vector<isa::CodecError> errors;
  auto words = isa::EncodeProgram(isa::testing::TinySpec(), program, errors);
  EXPECT_TRUE(words.has_value());
  if (words) program.segments.push_back(std::move(*words));
  return program;
}

}  // namespace cosim::sim::testing
