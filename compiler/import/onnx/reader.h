// SPDX-License-Identifier: Apache-2.0
// An ONNX file as plain structures, checked: names are defined once and before they are read, constants have
// the size of their shape, external data lies in the model's folder. This unit and tensor_proto.h alone see
// protobuf; what operators mean is in operators.h and expand.h.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "compiler/graph/tensor.h"
#include "compiler/import/import.h"
#include "isa/diagnostics.h"

namespace cosim::import::onnx {

using Attribute = std::variant<int64_t, float, std::string, std::vector<int64_t>, std::vector<float>,
                               std::vector<std::string>, graph::TensorPtr>;

struct Subgraph;

/// What names of a subgraph are once it stands in the graph around it; others are those of `outer`.
struct Scope {
  std::map<std::string, std::string> names;
  std::shared_ptr<const std::map<std::string, Attribute>> attributes;  ///< of the call, in a function
  std::shared_ptr<const Scope> outer;
};

struct NodeInfo {
  std::string op;                            ///< "Conv"; with its domain when that is not ONNX's own
  std::string name;                          ///< of the node, or of its first result
  int64_t opset = 0;                         ///< version of the operator set it belongs to
  std::vector<std::string> inputs, outputs;  ///< an empty name is an absent operand or unused result
  std::map<std::string, Attribute> attributes;
  std::string unsupported;  ///< an attribute that has no form here, such as a graph
  std::map<std::string, std::shared_ptr<const Subgraph>> graphs = {};  ///< attributes that are graphs
  std::vector<std::string> captured = {};              ///< names of the graph around it that its graphs read
  std::map<std::string, std::string> references = {};  ///< attributes that the call of a function gives
  std::shared_ptr<const Scope> scope = nullptr;        ///< where it stands, once it stands in the graph
};

/// What a value is; its elements are numbers.
enum class Form { kTensor, kSequence, kOptionalTensor, kOptionalSequence };

struct ValueInfo {
  std::string name;
  graph::DType dtype = graph::DType::kFloat32;
  std::vector<std::variant<int64_t, std::string>>
      dimensions;           ///< a number, or a name (may be empty) to be bound
  bool has_shape = true;    ///< false: an output of any number of dimensions
  std::string unsupported;  ///< a type that has no form here
  Form form = Form::kTensor;
};

/// A graph within a node, or the body of a function: its inputs are given by position.
struct Subgraph {
  std::vector<std::string> inputs, outputs;
  std::vector<ValueInfo> output_types;  ///< of a graph
  std::map<std::string, graph::TensorPtr> initializers;
  std::vector<NodeInfo> nodes;  ///< in an order in which they can run
};

struct File {
  std::string name;
  int64_t opset = 0;                       ///< version of ONNX's own operator set
  std::map<std::string, int64_t> opsets;   ///< versions by domain; "" is ONNX's own
  std::vector<ValueInfo> inputs, outputs;  ///< without the initializers among the inputs
  std::map<std::string, graph::TensorPtr> initializers;
  std::vector<NodeInfo> nodes;  ///< in an order in which they can run
  std::map<std::string, std::shared_ptr<const Subgraph>> functions = {};  ///< by the operator they define
  std::set<std::string> bfloat16 = {};    ///< values that are float32 here alone
  std::set<std::string> half_bytes = {};  ///< initializers of four bits
  std::set<std::string> unreadable = {};  ///< initializers whose data is not to be had
};

/// Largest number of elements of one tensor.
inline constexpr int64_t kMostElements = int64_t{1} << 30;

/// What Read does with graphs within nodes, functions, sequences and optionals.
enum class Structure { kRefused, kKept };

/// `folder`: of the file, for external data; empty when there is none. What is refused makes its node or
/// value `unsupported`.
std::optional<File> Read(std::span<const uint8_t> bytes, const std::string& name, const std::string& folder,
                         Diagnostics& diagnostics, Structure structure = Structure::kRefused);

/// The same model with its external data inside; the bytes as they are when there is none. Nothing, and
/// `error` set, when that data cannot be had or protobuf takes no file so large.
std::optional<std::vector<uint8_t>> WithDataInside(std::span<const uint8_t> bytes, const std::string& folder,
                                                   std::string& error);

/// A serialized value of that form, as the conformance suite stores inputs and outputs; nothing, and `error`
/// set, when it cannot be read.
std::optional<Elements> ReadValue(std::span<const uint8_t> bytes, Form form, std::string& error);

}  // namespace cosim::import::onnx
