// SPDX-License-Identifier: Apache-2.0
#include "compiler/session/evaluator.h"

#include <algorithm>

#include "compiler/session/execute.h"
#include "isa/check.h"

namespace cosim::session {

using graph::Tensor;

std::unique_ptr<Evaluator> Evaluator::Make(const isa::Spec& spec, const Options& options,
                                           std::string& error) {
  COSIM_CHECK(options.model);
  std::unique_ptr<Evaluator> evaluator(new Evaluator(spec, options));
  Result& result = evaluator->result_;
  const graph::Graph& graph = options.model->graph;
  result.network = CompileFor(
      spec, graph, {.virtual_threads = options.virtual_threads, .keep_every_value = false, .after_pass = {}});
  DescribePlaces(graph, options.model.get(), result.network);
  if (!VerifyInto(spec, options, result, error)) return nullptr;
  evaluator->options_.progress = {};
  return evaluator;
}

std::optional<std::vector<std::vector<Tensor>>> Evaluator::Run(const std::vector<std::vector<Tensor>>& inputs,
                                                               std::string& error) {
  const graph::Graph& graph = options_.model->graph;
  // There is one platform in a process, and frames in flight take two.
  const size_t most = options_.device.starts_with("tlm") ? 1 : inputs.size();
  std::vector<std::vector<Tensor>> results;
  for (size_t begin = 0; begin < inputs.size(); begin += most) {
    const size_t count = std::min(most, inputs.size() - begin);
    std::vector<runtime::FrameInputs> frames(count);
    for (size_t i = 0; i < count; ++i)
      for (const Tensor& input : inputs[begin + i]) frames[i].push_back(BytesOf(input));
    options_.frames = static_cast<int>(count);
    const auto outputs = RunFrames(spec_, options_, frames, result_, error);
    if (!outputs) return std::nullopt;
    cycles_ += result_.frames ? result_.frames->cycles : result_.run.cycles;
    result_.frames.reset();
    for (const auto& frame : *outputs) {
      results.emplace_back();
      for (size_t k = 0; k < frame.size(); ++k) {
        Tensor tensor(graph.node(graph.outputs()[k]).type);
        std::copy(frame[k].begin(), frame[k].end(), tensor.mutable_bytes().begin());
        results.back().push_back(std::move(tensor));
      }
    }
  }
  return results;
}

}  // namespace cosim::session
