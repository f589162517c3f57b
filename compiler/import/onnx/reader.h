// SPDX-License-Identifier: Apache-2.0
// An ONNX file as plain structures, checked: names are defined once and before they are read, constants have
// the size of their shape, external data lies in the model's folder. The only unit that sees protobuf; what
// operators mean is in operators*.cc.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "compiler/graph/tensor.h"
#include "isa/diagnostics.h"

namespace cosim::import::onnx {

using Attribute = std::variant<int64_t, float, std::string, std::vector<int64_t>, std::vector<float>,
                               std::vector<std::string>, graph::TensorPtr>;

struct NodeInfo {
  std::string op;                            ///< "Conv"; with its domain when that is not ONNX's own
  std::string name;                          ///< of the node, or of its first result
  int64_t opset = 0;                         ///< version of the operator set it belongs to
  std::vector<std::string> inputs, outputs;  ///< an empty name is an absent operand or unused result
  std::map<std::string, Attribute> attributes;
  std::string unsupported;  ///< an attribute that has no form here, such as a graph
};

struct ValueInfo {
  std::string name;
  graph::DType dtype = graph::DType::kFloat32;
  std::vector<std::variant<int64_t, std::string>>
      dimensions;           ///< a number, or a name (may be empty) to be bound
  bool has_shape = true;    ///< false: an output of any number of dimensions
  std::string unsupported;  ///< a type that is no tensor of numbers
};

struct File {
  std::string name;
  int64_t opset = 0;                       ///< version of ONNX's own operator set
  std::map<std::string, int64_t> opsets;   ///< versions by domain; "" is ONNX's own
  std::vector<ValueInfo> inputs, outputs;  ///< without the initializers among the inputs
  std::map<std::string, graph::TensorPtr> initializers;
  std::vector<NodeInfo> nodes;  ///< in an order in which they can run
};

/// Largest number of elements of one tensor.
inline constexpr int64_t kMostElements = int64_t{1} << 30;

/// `folder`: of the file, for external data; empty when there is none.
std::optional<File> Read(std::span<const uint8_t> bytes, const std::string& name, const std::string& folder,
                         Diagnostics& diagnostics);

/// The same model with its external data inside; the bytes as they are when there is none. Nothing, and
/// `error` set, when that data cannot be had or protobuf takes no file so large.
std::optional<std::vector<uint8_t>> WithDataInside(std::span<const uint8_t> bytes, const std::string& folder,
                                                   std::string& error);

/// A serialized TensorProto, as the conformance suite stores inputs and outputs.
std::optional<graph::Tensor> ReadTensor(std::span<const uint8_t> bytes, std::string& error);

}  // namespace cosim::import::onnx
