// SPDX-License-Identifier: Apache-2.0
// Specs for the tests of the accelerator back end.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "compiler/tir/ir.h"
#include "isa/spec/loader.h"

namespace cosim::accel {

inline const tir::DataType kInt8 = tir::DataType::Int(8), kInt32 = tir::DataType::Int(32),
                           kInt64 = tir::DataType::Int(64);

inline isa::Spec Load(const std::string& config, const std::string& isa,
                      std::vector<isa::Override> overrides = {}) {
  Diagnostics diags;
  auto spec = isa::LoadSpec(config, isa, overrides, diags);
  EXPECT_TRUE(spec) << diags.Render();
  return *spec;
}

}  // namespace cosim::accel
