// SPDX-License-Identifier: Apache-2.0
// Loads the specs of the Verilated accelerators.
#include "tests/hw/models.h"

#include <map>
#include <optional>

#include "isa/check.h"
#include "isa/loader.h"

namespace cosim::testing {

const std::vector<ModelUnderTest>& AllModels() {
  static const std::vector<ModelUnderTest> models = {
      {"narrow", MakeRtl_narrow},    {"wide", MakeRtl_wide},   {"odd", MakeRtl_odd},
      {"grouped", MakeRtl_grouped},  {"every", MakeRtl_every}, {"tiny_cosim", MakeRtl_tiny_cosim},
      {"tiny_vta", MakeRtl_tiny_vta}};
  return models;
}

const isa::Spec& SpecOf(const std::string& name) {
  static std::map<std::string, isa::Spec> specs;
  const auto found = specs.find(name);
  if (found != specs.end()) return found->second;
  const std::string folder = COSIM_SOURCE_DIR "/tests/hw/";
  const std::string isas = COSIM_SOURCE_DIR "/isa/";
  std::string isa = folder + "load_gemm.yaml", config = folder + name + ".yaml";
  if (name == "every") isa = folder + "every_op.yaml";
  if (name == "grouped") isa = isas + "cosim.yaml";
  if (name.starts_with("tiny_")) {
    isa = isas + name.substr(5) + ".yaml";
    config = COSIM_SOURCE_DIR "/configs/tiny.yaml";
  }
  Diagnostics diags;
  std::optional<isa::Spec> spec = isa::LoadSpec(config, isa, {}, diags);
  COSIM_CHECK(spec.has_value(), "{}", diags.Render());
  return specs.emplace(name, std::move(*spec)).first->second;
}

}  // namespace cosim::testing
