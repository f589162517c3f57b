// SPDX-License-Identifier: Apache-2.0
// The Verilated accelerators of this folder (CMakeLists.txt builds them), each with its spec.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "isa/spec.h"
#include "tests/hw/rtl_model.h"

namespace cosim::testing {

std::unique_ptr<RtlModel> MakeRtl_narrow(int seed);
std::unique_ptr<RtlModel> MakeRtl_wide(int seed);
std::unique_ptr<RtlModel> MakeRtl_odd(int seed);
std::unique_ptr<RtlModel> MakeRtl_grouped(int seed);
std::unique_ptr<RtlModel> MakeRtl_every(int seed);
std::unique_ptr<RtlModel> MakeRtl_tiny_cosim(int seed);
std::unique_ptr<RtlModel> MakeRtl_tiny_vta(int seed);

struct ModelUnderTest {
  std::string name;
  std::unique_ptr<RtlModel> (*make)(int seed);  ///< the seed decides what registers hold before the reset
};
const std::vector<ModelUnderTest>& AllModels();

/// The spec a model was generated from.
const isa::Spec& SpecOf(const std::string& name);

}  // namespace cosim::testing
