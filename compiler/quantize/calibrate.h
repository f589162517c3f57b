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
#include "compiler/quantize/sensitivity.h"

namespace cosim::quantize {

/// A .onnx file, or a float32 .tflite file in ONNX's operators, as it is; mistakes are reported.
std::optional<import::onnx::File> ReadNetwork(const std::string& path, Diagnostics& diagnostics);

/// Inputs and outputs of `file` get the extents that `model`, of the same file, has: those that the file
/// leaves open, and those of outputs that it says nothing of.
void FixShapes(import::onnx::File& file, const import::Model& model);

/// Reports what keeps a network from being quantized, as far as that shows without running it.
void CheckNetwork(const import::onnx::File& file, Diagnostics& diagnostics);

/// Reports all samples that cannot be read; of very many those found in about a second.
void CheckSamples(const import::Samples& samples, Diagnostics& diagnostics);

enum class Rounding {
  kNearest,  ///< each weight by itself
  kLearned,  ///< learn.h
};

/// What is being done now, how much of that, and what part of the whole is done, by estimate.
struct Progress {
  std::string doing;
  size_t done = 0, total = 0;
  double part = 0;
  double seconds = 0;  ///< since the start
};

struct Settings {
  Method method = Method::kAuto;
  bool per_channel = false;
  bool equalize = true;  ///< equalize.h
  Widening bits16 = {};  ///< activations of int16: none
  Rounding rounding = Rounding::kLearned;
  uint32_t seed = 1;     ///< of learned rounding
  size_t reported = 16;  ///< samples that the report and the choice of `bits16` look at, from the first
  std::function<void(const Progress&)> progress = {};
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
