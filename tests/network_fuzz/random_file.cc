// SPDX-License-Identifier: Apache-2.0
#include "tests/network_fuzz/random_file.h"

#include "compiler/import/tflite/builder.h"
#include "tests/network_fuzz/file_maker.h"

namespace cosim::testing {

tflite::File MakeFile(uint64_t seed, const std::vector<uint64_t>& steps, graph::DType type) {
  FileMaker maker(seed, type);
  for (uint64_t step : steps) maker.Step(step);
  return maker.Finish();
}

std::optional<import::Model> ImportMade(const tflite::File& file, std::string& error) {
  Diagnostics diagnostics;
  auto model = tflite::Builder(file, diagnostics).Run();
  if (!diagnostics.HasErrors()) return model;
  error = diagnostics.Render();
  return std::nullopt;
}

std::map<std::string, int64_t> OperatorsOf(const tflite::File& file) {
  std::map<std::string, int64_t> counts;
  for (const auto& op : file.operators) ++counts[op.name];
  for (const tflite::File& other : file.others)
    for (const auto& op : other.operators) ++counts[op.name];
  return counts;
}

std::vector<std::string> KnownOperators() {
  const auto names = tflite::Builder::Supported();
  return {names.begin(), names.end()};
}

}  // namespace cosim::testing
