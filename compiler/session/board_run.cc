// SPDX-License-Identifier: Apache-2.0
#include "compiler/session/board_run.h"

#include <algorithm>
#include <utility>

#include "compiler/session/execute.h"
#include "compiler/session/module.h"

namespace cosim::session {
namespace {

using Arrays = std::vector<std::vector<uint8_t>>;

std::vector<double> Sorted(const std::vector<BoardMeasurement>& runs, double BoardMeasurement::* seconds) {
  std::vector<double> values;
  for (const BoardMeasurement& run : runs) values.push_back(run.*seconds);
  std::ranges::sort(values);
  return values;
}

bool HaveSizesOf(const Arrays& outputs, const std::vector<runtime::Place>& places) {
  bool same = outputs.size() == places.size();
  for (size_t i = 0; same && i < outputs.size(); ++i) same = outputs[i].size() == places[i].plain_bytes;
  return same;
}

}  // namespace

double BoardResult::Median(double BoardMeasurement::* seconds) const {
  return Sorted(runs, seconds)[runs.size() / 2];
}

double BoardResult::Least(double BoardMeasurement::* seconds) const { return Sorted(runs, seconds).front(); }

std::optional<BoardResult> RunOnBoard(const isa::Spec& spec, runtime::Module module, const Options& options,
                                      int repeat, const BoardRunner& board, std::string& error) {
  const bool own_inputs = !options.inputs.empty();
  Arrays inputs, expected;
  if (own_inputs) {
    for (const graph::Tensor& input : options.inputs) inputs.push_back(BytesOf(input));
  } else {
    if (module.samples.empty()) return error = "the module has no sample", std::nullopt;
    inputs = module.samples.front().inputs;
    expected = module.samples.front().outputs;
  }
  Options simulate = options;
  simulate.device = "cycle";
  simulate.timing_only = true;
  simulate.check = Check::kNone;
  auto simulated = RunModule(spec, std::move(module), simulate, error);
  if (!simulated) return std::nullopt;

  BoardResult all{std::move(*simulated), {}};
  Result& result = all.result;
  const bool compares = !own_inputs && options.check != Check::kNone;
  if (compares && !PortsOf(result.network.outputs, error)) return std::nullopt;
  for (int i = 0; i < repeat; ++i) {
    auto run = board(inputs, result);
    if (!run) return std::nullopt;
    if (!HaveSizesOf(run->outputs, result.network.outputs))
      return error = "the board's outputs are not those of the module", std::nullopt;
    if (compares) CompareOutputs(run->outputs, expected, result);
    all.runs.push_back(std::move(*run));
  }
  result.run.outputs = all.runs.front().outputs;
  return all;
}

}  // namespace cosim::session
