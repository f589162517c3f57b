// SPDX-License-Identifier: Apache-2.0
// Runs an ONNX network as code for this machine and keeps the values that are asked for: what calibration
// looks at, run after run. interpreter.h needs no compilation, and knows every value.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "compiler/quantize/interpreter.h"
#include "runtime/host_executor.h"
#include "runtime/network.h"

namespace cosim::quantize {

/// Operands of a run, which outlive it.
using Operands = std::vector<const graph::Tensor*>;
Operands PointersTo(const std::vector<graph::Tensor>& tensors);

class CompiledFile {
 public:
  /// `wanted`: names of values, of inputs too. `example`: inputs in the file's order, whose types all runs
  /// have. Nothing, and `error` set, when the importer refuses the network.
  static std::optional<CompiledFile> Make(const import::onnx::File& file, const std::set<std::string>& wanted,
                                          const Operands& example, std::string& error);

  /// Whether `inputs` are of the types that it was compiled for.
  bool Takes(const Operands& inputs) const;

  /// Those wanted. It Takes the inputs. Values that nobody holds by then are overwritten by the next run.
  Values Run(const Operands& inputs);

 private:
  struct Wanted {
    std::string name;
    graph::TensorType type;
  };
  std::vector<std::string> inputs_;  ///< names of all
  std::vector<graph::TensorType> input_types_;
  std::set<std::string> wanted_inputs_;
  std::vector<Wanted> outputs_;  ///< as those of the network
  std::unique_ptr<runtime::Network> network_;
  std::unique_ptr<runtime::HostExecutor> executor_;
  std::vector<std::shared_ptr<graph::Tensor>> last_;  ///< outputs of the last run
};

}  // namespace cosim::quantize
