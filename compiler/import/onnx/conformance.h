// SPDX-License-Identifier: Apache-2.0
// The ONNX backend suite: models with inputs and outputs, one folder a case. A case whose import asks for
// operands that have to be constants is imported again with its inputs as constants.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace cosim::import {

enum class CaseStatus { kPass, kFail, kUnsupported };

struct CaseResult {
  std::string name;                    ///< "node/test_add"
  std::vector<std::string> operators;  ///< of its model, each once; empty when it could not be read
  CaseStatus status = CaseStatus::kFail;
  std::string detail;  ///< the first mismatch, or what is unsupported
};

/// The folders of cases under `root` (as Debian installs them: node, simple, pytorch-converted,
/// pytorch-operator), in order; without model zoo downloads.
std::vector<std::string> ConformanceCases(const std::string& root);

/// Runs `root`/`name`.
CaseResult RunConformanceCase(const std::string& root, const std::string& name);

/// A table of all operators met: cases passed, failed, unsupported; as Markdown.
std::string ConformanceTable(const std::vector<CaseResult>& results);

}  // namespace cosim::import
