// SPDX-License-Identifier: Apache-2.0
// Loads the specs of the Verilated accelerators and builds them.
#include "tests/hw/models.h"

#include <filesystem>
#include <map>
#include <optional>

#include "isa/check.h"
#include "isa/spec/loader.h"
#include "sim/rtl/rtl_library.h"

namespace cosim::testing {

const std::vector<std::string>& AllModels() {
  static const std::vector<std::string> models = {"narrow", "wide",       "odd",     "grouped",
                                                  "parts",  "window",     "every",   "ports",
                                                  "feeds",  "tiny_cosim", "tiny_vta"};
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
  if (name == "grouped" || name == "parts" || name == "window") isa = isas + "cosim.yaml";
  if (name == "ports") isa = isas + "test/split_loads.yaml";
  if (name == "feeds") isa = isas + "test/feeds.yaml";
  if (name.starts_with("tiny_")) {
    isa = isas + name.substr(5) + ".yaml";
    config = COSIM_SOURCE_DIR "/configs/tiny.yaml";
  }
  Diagnostics diags;
  std::optional<isa::Spec> spec = isa::LoadSpec(config, isa, {}, diags);
  COSIM_CHECK(spec.has_value(), "{}", diags.Render());
  return specs.emplace(name, std::move(*spec)).first->second;
}

std::filesystem::path LibraryOf(const std::string& name) {
  static std::map<std::string, std::filesystem::path> libraries;
  auto& library = libraries[name];
  if (library.empty()) {
    Diagnostics diags;
    const auto built = sim::BuildRtl(SpecOf(name), {.assertions = true}, diags);
    COSIM_CHECK(built.has_value(), "{}", diags.Render());
    library = *built;
  }
  return library;
}

std::unique_ptr<sim::RtlModel> MakeModel(const std::string& name, int seed) {
  return sim::MakeRtlModel(LibraryOf(name), seed);
}

}  // namespace cosim::testing
