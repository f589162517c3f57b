// SPDX-License-Identifier: Apache-2.0
// Looks for better schedules of a network, layer by layer, with the cycles of the whole network as the judge.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "compiler/graph/graph.h"
#include "compiler/tune/search.h"
#include "compiler/tune/tuning_log.h"
#include "isa/spec/spec.h"

namespace cosim::tune {

struct TuneOptions {
  Method method = Method::kRanker;
  int trials = 64;          ///< of each layer
  int most_threads = 4;     ///< virtual threads of a schedule
  int virtual_threads = 2;  ///< of the schedules to start from
  uint64_t seed = 1;
  std::string layer;                                 ///< only this one; empty: all
  int jobs = 1;                                      ///< measurements at a time
  std::function<void(const std::string&)> progress;  ///< what is being done now; may be empty
  std::function<void(size_t, size_t)> step;          ///< trials of all that there may be; may be empty
};

/// Of a layer, or of two by turns ("conv1, conv2").
struct TunedLayer {
  std::string name, workload, before, after;  ///< schedules as text
  int64_t space = 0;                          ///< legal schedules
  runtime::Cycle untuned = 0;  ///< of the layer between its neighbours, by the schedule before;
                               ///< of two one behind the other
  Found found;                 ///< the best that was measured
  bool taken = false;          ///< the whole network gains by it
};

struct Tuned {
  runtime::Cycle untuned = 0, cycles = 0;  ///< of the whole network
  int64_t trials = 0, remembered = 0;      ///< that were measured; that the log had
  double search_s = 0;  ///< wall time of searching, the compilations of whole networks apart
  std::vector<TunedLayer> layers, turns;
};

/// What a key is made of: all that moves cycles, and the version, since another compiler makes other
/// programs.
LogKey KeyOf(const isa::Spec& spec, const std::string& network, int virtual_threads,
             const std::string& version);

/// `log` gets each trial, and in the end the schedules under `key`. The same for the same seed, whatever the
/// log has of trials already; schedules that it has of such layers under other keys are measured first.
/// Nothing, and `error` set, when the log takes no more, or there is no such layer.
std::optional<Tuned> Tune(const isa::Spec& spec, const graph::Graph& graph, const LogKey& key,
                          const TuneOptions& options, TuningLog& log, std::string& error);

/// The schedules that the log has for a key.
std::optional<network::TunedTiles> TilesFor(const TuningLog& log, const LogKey& key);

}  // namespace cosim::tune
