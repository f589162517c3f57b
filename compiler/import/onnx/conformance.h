// SPDX-License-Identifier: Apache-2.0
// The ONNX backend suite: models with inputs and outputs, one folder a case. A case whose import asks for
// operands that have to be constants is imported again with its inputs as constants.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "compiler/import/import.h"

namespace cosim::import {

enum class CaseStatus { kPass, kFail, kUnsupported };

struct CaseResult {
  std::string name;                    ///< "node/test_add"
  std::vector<std::string> operators;  ///< of its model, each once; empty when it could not be read
  CaseStatus status = CaseStatus::kFail;
  std::string detail;    ///< the first mismatch, or what is unsupported
  std::string left_out;  ///< "strings", "training", "maps" or "random" when it is not to be supported
};

/// The folders of cases under `root` (as Debian installs them: node, simple, pytorch-converted,
/// pytorch-operator), in order; without model zoo downloads.
std::vector<std::string> ConformanceCases(const std::string& root);

/// Runs an imported model; nothing, and `error` set, when it cannot.
using ModelRunner = std::function<std::optional<std::vector<graph::Tensor>>(
    const Model& model, const std::vector<graph::Tensor>& inputs, std::string& error)>;

/// Runs `root`/`name`: by `run` if there is one, with what the accelerator can compute as core operations,
/// else by the host's operators alone.
CaseResult RunConformanceCase(const std::string& root, const std::string& name, const ModelRunner& run = {});

/// Cases of nothing but the operators of convolutional networks, perceptrons and transformer encoders, float
/// and quantized.
struct Share {
  int passed = 0, cases = 0;
};
Share NetworkOperators(const std::vector<CaseResult>& results);

/// A table of all operators met: cases passed, failed, unsupported; as Markdown.
std::string ConformanceTable(const std::vector<CaseResult>& results);

}  // namespace cosim::import
