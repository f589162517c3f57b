// SPDX-License-Identifier: Apache-2.0
// Any bytes as an ONNX file in a folder that holds nothing else.
#include "tests/fuzz/import.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  cosim::Diagnostics diagnostics;
  // The keyword-spotting networks leave their batch open.
  static const cosim::import::Options options{.shapes = {{"unk__68", {1}}}};
  const auto model =
      cosim::import::ImportOnnx({data, size}, "input.onnx", "/nonexistent", options, diagnostics);
  cosim::fuzz::Check(model, diagnostics);
  return 0;
}
