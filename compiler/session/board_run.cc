// SPDX-License-Identifier: Apache-2.0
#include "compiler/session/board_run.h"

#include <algorithm>
#include <utility>

#include "compiler/session/execute.h"
#include "compiler/session/module.h"

namespace cosim::session {
namespace {

using Arrays = std::vector<std::vector<uint8_t>>;

// Where the median stands among so many in order.
size_t Middle(size_t count) { return count / 2; }

bool HaveSizesOf(const Arrays& outputs, const std::vector<runtime::Place>& places) {
  bool same = outputs.size() == places.size();
  for (size_t i = 0; same && i < outputs.size(); ++i) same = outputs[i].size() == places[i].plain_bytes;
  return same;
}

}  // namespace

double BoardResult::Median(const Seconds& seconds) const {
  std::vector<double> values;
  for (const BoardMeasurement& run : runs) values.push_back(seconds(run));
  std::ranges::nth_element(values, values.begin() + static_cast<std::ptrdiff_t>(Middle(values.size())));
  return values[Middle(values.size())];
}

double BoardResult::Least(const Seconds& seconds) const {
  return seconds(std::ranges::min(runs, {}, seconds));
}

const BoardMeasurement& BoardResult::MedianRun() const {
  const double median = Median(&BoardMeasurement::total_s);
  return *std::ranges::find(runs, median, &BoardMeasurement::total_s);
}

namespace {

/// What goes to the board, what has to come back, and what the simulator says.
struct Prepared {
  std::vector<runtime::Sample> samples;
  BoardResult all;
  bool compares = false;
};

std::optional<Prepared> Prepare(const isa::Spec& spec, runtime::Module module, const Options& options,
                                std::string& error) {
  Prepared prepared;
  const bool own_inputs = !options.inputs.empty();
  if (own_inputs) {
    prepared.samples.emplace_back();
    for (const graph::Tensor& input : options.inputs)
      prepared.samples.front().inputs.push_back(BytesOf(input));
  } else {
    if (module.samples.empty()) return error = "the module has no sample", std::nullopt;
    prepared.samples = module.samples;
  }
  Options simulate = options;
  simulate.device = "cycle";
  simulate.timing_only = true;
  simulate.check = Check::kNone;
  simulate.frames = 1;
  auto simulated = RunModule(spec, std::move(module), simulate, error);
  if (!simulated) return std::nullopt;
  prepared.all.result = std::move(*simulated);
  prepared.compares = !own_inputs && options.check != Check::kNone;
  if (prepared.compares && !PortsOf(prepared.all.result.network.outputs, error)) return std::nullopt;
  return prepared;
}

/// Adds a run of that sample; false, and `error` set, when its outputs have other sizes.
bool Add(Prepared& prepared, size_t sample, BoardMeasurement run, std::string& error) {
  Result& result = prepared.all.result;
  if (!HaveSizesOf(run.outputs, result.network.outputs))
    return error = "the board's outputs are not those of the module", false;
  if (prepared.compares) CompareOutputs(run.outputs, prepared.samples[sample].outputs, result);
  prepared.all.runs.push_back(std::move(run));
  result.run.outputs = prepared.all.runs.front().outputs;
  return true;
}

}  // namespace

std::optional<BoardResult> RunOnBoard(const isa::Spec& spec, runtime::Module module, const Options& options,
                                      int repeat, const BoardRunner& board, std::string& error) {
  auto prepared = Prepare(spec, std::move(module), options, error);
  if (!prepared) return std::nullopt;
  for (int i = 0; i < repeat; ++i) {
    auto run = board(prepared->samples.front().inputs, prepared->all.result);
    if (!run || !Add(*prepared, 0, std::move(*run), error)) return std::nullopt;
  }
  return std::move(prepared->all);
}

std::optional<BoardResult> RunFramesOnBoard(const isa::Spec& spec, runtime::Module module,
                                            const Options& options, const BoardFramesRunner& board,
                                            std::string& error) {
  auto prepared = Prepare(spec, std::move(module), options, error);
  if (!prepared) return std::nullopt;
  std::vector<Arrays> inputs;
  for (const runtime::Sample& sample : prepared->samples) inputs.push_back(sample.inputs);
  auto frames = board(inputs, prepared->all.result);
  if (!frames) return std::nullopt;
  if (frames->frames.size() != static_cast<size_t>(options.frames))
    return error = "the board ran another number of frames", std::nullopt;
  for (size_t f = 0; f < frames->frames.size(); ++f)
    if (!Add(*prepared, f % inputs.size(), std::move(frames->frames[f]), error)) return std::nullopt;
  frames->frames.clear();
  prepared->all.frames = std::move(*frames);
  return std::move(prepared->all);
}

}  // namespace cosim::session
