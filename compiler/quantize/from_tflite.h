// SPDX-License-Identifier: Apache-2.0
// A float32 TensorFlow Lite network in ONNX's operators.
#pragma once

#include <optional>

#include "compiler/import/onnx/reader.h"
#include "compiler/import/tflite/reader.h"

namespace cosim::quantize {

/// Inputs and outputs stay as they are, channels last; convolutions and pools between them have channels
/// second. Operators without a counterpart, and values that are not float32, are reported all at once.
std::optional<import::onnx::File> FromTflite(const import::tflite::File& file, Diagnostics& diagnostics);

}  // namespace cosim::quantize
