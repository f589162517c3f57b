// SPDX-License-Identifier: Apache-2.0
// What the importers' tests share: the third-party models, if they are there, and how to run one.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "compiler/import/import.h"
#include "compiler/session/session.h"
#include "isa/spec/loader.h"
#include "sim/rtl/rtl_library.h"

namespace cosim::import {

/// The folder of the models and reference outputs that are not part of the project; empty when there is none.
inline std::string DataFolder() {
  const char* given = std::getenv("COSIM_DATA_DIR");
  const std::string folder = given ? given : std::string(COSIM_SOURCE_DIR) + "/../shared/data";
  return std::filesystem::exists(folder + "/goldens.json") ? folder : "";
}

inline std::vector<uint8_t> BytesOf(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

#define COSIM_NEED_DATA()                    \
  if (::cosim::import::DataFolder().empty()) \
  GTEST_SKIP() << "no third-party models: ../shared/data is not there, and COSIM_DATA_DIR is not set"

inline isa::Spec LoadTestSpec(const std::string& config) {
  Diagnostics diagnostics;
  auto spec = isa::LoadSpec(COSIM_SOURCE_DIR "/configs/" + config, "", {}, diagnostics);
  EXPECT_TRUE(spec) << diagnostics.Render();
  return *spec;
}

inline std::shared_ptr<const Model> Import(const std::string& path, const Options& options = {}) {
  Diagnostics diagnostics;
  auto model = ImportFile(path, options, diagnostics);
  EXPECT_TRUE(model) << diagnostics.Render();
  return model ? std::make_shared<const Model>(std::move(*model)) : nullptr;
}

/// Runs on a device, checked layer by layer against the golden model.
inline std::optional<session::Result> RunModel(const isa::Spec& spec,
                                               const std::shared_ptr<const Model>& model,
                                               std::vector<graph::Tensor> inputs, const std::string& device) {
  session::Options options;
  options.network = model->graph.name();
  options.model = model;
  options.inputs = std::move(inputs);
  options.device = device;
  if (device == "rtl") {
    Diagnostics diagnostics;
    const auto library = sim::BuildRtl(spec, {}, diagnostics);
    EXPECT_TRUE(library) << diagnostics.Render();
    if (!library) return std::nullopt;
    options.rtl_library = *library;
  }
  std::string error;
  auto result = session::RunExperiment(spec, options, error);
  EXPECT_TRUE(result) << error;
  if (result) {
    EXPECT_EQ(result->Mismatches(), 0);
  }
  return result;
}

}  // namespace cosim::import
