// SPDX-License-Identifier: Apache-2.0
// What networks choose on many samples, run as code.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>

#include "compiler/import/data/samples.h"
#include "compiler/quantize/compiled.h"

namespace cosim::quantize {

/// Where the largest value of the first output stands, sample by sample.
inline std::vector<size_t> Choices(const import::onnx::File& file, const import::Samples& samples) {
  Diagnostics diagnostics;
  std::string error;
  const std::string output = file.outputs[0].name;
  auto code = CompiledFile::Make(file, {output}, PointersTo(*samples.Get(0, diagnostics)), error);
  EXPECT_TRUE(code) << error;
  std::vector<size_t> choices;
  for (size_t i = 0; code && i < samples.size(); ++i) {
    const auto inputs = samples.Get(i, diagnostics);
    const auto values = code->Run(PointersTo(*inputs));
    const auto y = values.at(output)->data<float>();
    choices.push_back(std::max_element(y.begin(), y.end()) - y.begin());
  }
  return choices;
}

inline int Agreeing(const std::vector<size_t>& a, const std::vector<size_t>& b) {
  int agreeing = 0;
  for (size_t i = 0; i < a.size() && i < b.size(); ++i) agreeing += a[i] == b[i];
  return agreeing;
}

}  // namespace cosim::quantize
