// SPDX-License-Identifier: Apache-2.0
// A float model file from the disk to its quantized form: reading, calibration, measurement.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "compiler/import/data/samples.h"
#include "compiler/import/import.h"
#include "compiler/quantize/quantize.h"
#include "compiler/quantize/report.h"

namespace cosim::quantize {

/// A .onnx file, or a float32 .tflite file in ONNX's operators, as it is; mistakes are reported.
std::optional<import::onnx::File> ReadNetwork(const std::string& path, Diagnostics& diagnostics);

struct Settings {
  Method method = Method::kMax;
  bool per_channel = false;
  size_t reported = 16;  ///< samples that the report looks at, from the first
  std::function<void(const std::string&)> progress = {};  ///< what is being done now
};

struct Outcome {
  Quantized quantized;
  std::vector<LayerReport> report;
};

/// Simplifies `file` (operator set 13 or later after that), runs it on all samples, which are for its inputs,
/// and quantizes it with the ranges seen. Mistakes are reported: a network that is quantized already, one
/// with nothing to quantize, values that are not finite.
std::optional<Outcome> QuantizeNetwork(import::onnx::File file, const import::Samples& samples,
                                       const Settings& settings, Diagnostics& diagnostics);

}  // namespace cosim::quantize
