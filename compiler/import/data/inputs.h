// SPDX-License-Identifier: Apache-2.0
// Input tensors of a model from files, or from a seed.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/import/import.h"

namespace cosim::import {

struct InputOptions {
  /// "FILE", or "NAME=FILE" where a model has several inputs: .npy, .npz (arrays by the inputs' names), .bin
  /// (the raw elements), or an image. Arrays have the input's type, or are real numbers that are quantized,
  /// or bytes (uint8), which are pixels for an input of another type.
  std::vector<std::string> files;
  /// Of images: real = (byte - mean) * scale, one value, or one a channel. Where none is given, quantized
  /// inputs get the bytes themselves (less 128 as int8) and float ones the bytes as numbers.
  std::vector<float> mean, scale;
  std::string layout;  ///< of images: "nhwc", "nchw", or empty: where the extent 1 or 3 stands
};

/// An input or output as its user sees it: of a model, or of a module that was compiled from one.
struct Port {
  std::string name;
  graph::TensorType type;
  std::optional<graph::Quantization> quantization;  ///< of one scale; absent when values are what they are
  graph::TensorPtr initial = nullptr;               ///< of a state (Model::states), which no file has to give
};
std::vector<Port> InputsOf(const Model& model);

/// In the order of `inputs`. Mistakes are reported.
std::optional<std::vector<graph::Tensor>> LoadInputs(std::vector<Port> inputs, const InputOptions& options,
                                                     Diagnostics& diagnostics);
inline std::optional<std::vector<graph::Tensor>> LoadInputs(const Model& model, const InputOptions& options,
                                                            Diagnostics& diagnostics) {
  return LoadInputs(InputsOf(model), options, diagnostics);
}

/// An array as input number `index`, as one from a file. `source` is for messages.
std::optional<graph::Tensor> FitInput(const Model& model, size_t index, graph::Tensor array,
                                      const InputOptions& options, const std::string& source,
                                      Diagnostics& diagnostics);

/// Seeded and the same everywhere, but states, which have their initial values: any byte for integers of 8
/// bits, [-1, 1) for floats, 0 or 1 else.
std::vector<graph::Tensor> RandomInputs(const Model& model, uint64_t seed);

}  // namespace cosim::import
