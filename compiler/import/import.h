// SPDX-License-Identifier: Apache-2.0
// Model files as graphs. What can run on an accelerator becomes core operations of the graph, everything else
// HostOps that say why (docs/rationale/import.md).
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "compiler/graph/graph.h"
#include "isa/diagnostics.h"

namespace cosim::import {

/// A value that a network keeps from one run to the next: what output number `output` was is what input
/// number `input` is in the next run. Both stand behind the inputs and outputs of the file.
struct State {
  size_t input = 0, output = 0;
  graph::TensorPtr initial;  ///< in the first run
};

/// A graph whose inputs and outputs are those of the file: its element types and layouts, in its order.
struct Model {
  graph::Graph graph{""};
  std::vector<std::string> output_names;  ///< as the file calls them, in the order of graph.outputs()
  /// What the file says of the real numbers behind an input or output; absent for floats.
  std::vector<std::optional<graph::Quantization>> input_quantization, output_quantization;
  std::vector<State> states;
  /// Of Options::shapes, those that name neither an input nor an open dimension of the file.
  std::vector<std::string> unused_shapes;
  /// What the importer decided that the file leaves open, a sentence each.
  std::vector<std::string> notes;
};

/// The tensors of a sequence, in order, or the one of a tensor. `present` is false of an optional without a
/// value.
struct Elements {
  bool present = true;
  std::vector<graph::TensorPtr> tensors;
};

struct Options {
  /// Shapes of inputs, for files that leave dimensions open; by name.
  /// An extent of one element may also bind a named dimension.
  std::map<std::string, graph::Shape> shapes;
  /// ONNX inputs that are known already; they are no inputs of the graph then.
  std::map<std::string, graph::TensorPtr> constants;
  /// The same of inputs that are sequences or optionals, which have to be known.
  std::map<std::string, Elements> elements;
  /// ONNX: every node as the file has it and on the host, to compare with.
  bool host_only = false;
};

/// Whether `path` looks like a model file: .tflite or .onnx.
bool IsModelFile(const std::string& path);

/// The whole file; failures are reported.
std::optional<std::vector<uint8_t>> ReadFile(const std::string& path, Diagnostics& diagnostics);

/// Reads and imports. Everything that is wrong or unsupported is reported at once; then there is no model.
std::optional<Model> ImportFile(const std::string& path, const Options& options, Diagnostics& diagnostics);

/// The bytes of a model file as a copy that needs no other file: external data is moved inside. Failures are
/// reported.
std::optional<std::vector<uint8_t>> ReadWhole(const std::string& path, Diagnostics& diagnostics);

/// As ImportFile, of a file whose bytes are at hand already; `name` says its format. `folder`: where external
/// data may lie; empty: nowhere.
std::optional<Model> ImportBytes(std::span<const uint8_t> bytes, const std::string& name,
                                 const std::string& folder, const Options& options, Diagnostics& diagnostics);

/// `bytes` of a file called `name` in messages.
std::optional<Model> ImportTflite(std::span<const uint8_t> bytes, const std::string& name,
                                  Diagnostics& diagnostics);

/// `folder`: where external data may lie.
std::optional<Model> ImportOnnx(std::span<const uint8_t> bytes, const std::string& name,
                                const std::string& folder, const Options& options, Diagnostics& diagnostics);

}  // namespace cosim::import
