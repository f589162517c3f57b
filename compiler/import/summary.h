// SPDX-License-Identifier: Apache-2.0
// What a model file says of itself, whether or not it can be imported.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "compiler/graph/tensor.h"
#include "isa/diagnostics.h"

namespace cosim::import {

struct OperatorUse {
  std::string name;   ///< with its domain, or a custom operator's own
  std::string types;  ///< of its first operand, weights and result where the file says: "int8 x int8 -> int8"
  int count = 0;
};

struct ValueSummary {
  std::string name;
  std::string type;  ///< "int8[1,224,224,3]"; open dimensions by their names: "float32[batch,3,224,224]"
  std::string quantization;  ///< "0.0078125 * (q + 128)"; empty: values are what they are
};

struct FileSummary {
  std::string format;  ///< "TensorFlow Lite", "ONNX, operator set 13"
  uint64_t bytes = 0;  ///< of the file
  std::vector<ValueSummary> inputs, outputs;
  std::vector<OperatorUse> operators;         ///< most used first
  std::map<graph::DType, int64_t> constants;  ///< elements by type
  std::string quantization;                   ///< "int8, weights by channel"; "none"

  int64_t Operators() const;
  int64_t Parameters() const;      ///< elements of constants
  int64_t ParameterBytes() const;  ///< as if each were stored by itself
};

/// Nothing after reporting that the file is damaged; what only the importer objects to is no obstacle.
std::optional<FileSummary> Summarize(std::span<const uint8_t> bytes, const std::string& name,
                                     const std::string& folder, Diagnostics& diagnostics);

}  // namespace cosim::import
