// SPDX-License-Identifier: Apache-2.0
// The Verilated accelerators that the tests of this folder run, each with its spec. Built at first use, with
// assertions, and kept in the cache.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "isa/spec/spec.h"
#include "sim/rtl/rtl_model.h"

namespace cosim::testing {

/// The models' names: configurations of this folder, and tiny.yaml with either ISA.
const std::vector<std::string>& AllModels();

/// The spec a model is generated from.
const isa::Spec& SpecOf(const std::string& name);

/// Its shared object (sim/rtl/rtl_library.h).
std::filesystem::path LibraryOf(const std::string& name);

/// The seed decides what registers hold before the reset.
std::unique_ptr<sim::RtlModel> MakeModel(const std::string& name, int seed = 1);

}  // namespace cosim::testing
