// SPDX-License-Identifier: Apache-2.0
// Runs a model on samples and counts what `cosim accuracy` says of them.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/accuracy_tally.h"
#include "compiler/import/data/samples.h"
#include "compiler/import/onnx/reader.h"
#include "compiler/quantize/compiled.h"
#include "compiler/quantize/loss.h"
#include "compiler/session/evaluator.h"

namespace cosim::cli {

/// The float model that the other is held against, and its inputs.
struct Reference {
  std::shared_ptr<const import::Model> model;
  import::onnx::File network;
  std::unique_ptr<import::Samples> samples;
};

class Measurement {
 public:
  /// `network`: of an ONNX model whose layers are to be compared; `model` is that of the evaluator. `normal`:
  /// the model repeats its input, and how well its error tells this class from the others is measured.
  Measurement(session::Evaluator& evaluator, const import::Samples& samples, const Reference* reference,
              const std::optional<import::onnx::File>& network, const import::Model& model,
              std::optional<int64_t> normal);

  /// On the first `limit` samples. False after reporting or setting `error`.
  bool Run(size_t limit, Diagnostics& diagnostics, std::string& error);

  Tally tally;

 private:
  /// Samples of a group, and the sum of their errors.
  struct Recording {
    int64_t label = 0;
    double error = 0;
    size_t samples = 0;
  };

  bool Count(size_t i, const std::vector<graph::Tensor>& inputs, const graph::Tensor& scores,
             Diagnostics& diagnostics, std::string& error);
  bool CountClass(int64_t label, size_t i, const graph::Tensor& scores, std::string& error);
  bool CompareWithReference(size_t i, const std::vector<graph::Tensor>& inputs, const graph::Tensor& scores,
                            Diagnostics& diagnostics, std::string& error);
  /// The network measured, with those of its values that the reference has too.
  bool CompileOwn(const quantize::Values& exact, const quantize::Operands& inputs, std::string& error);
  bool AddError(int64_t group, int64_t label, const graph::Tensor& input, const graph::Tensor& output,
                std::string& error);
  bool TellAnomalies(std::string& error);

  session::Evaluator& evaluator_;
  const import::Samples& samples_;
  const Reference* reference_;
  const std::optional<import::onnx::File>& network_;
  const import::Model& model_;
  std::optional<int64_t> normal_;
  std::map<int64_t, Recording> recordings_;  // by group
  quantize::LossFinder finder_;
  std::optional<quantize::CompiledFile> own_;
};

}  // namespace cosim::cli
