// SPDX-License-Identifier: Apache-2.0
// Any bytes as a TensorFlow Lite file.
#include "tests/fuzz/import.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  cosim::Diagnostics diagnostics;
  const auto model = cosim::import::ImportTflite({data, size}, "input.tflite", diagnostics);
  cosim::fuzz::Check(model, diagnostics);
  return 0;
}
