// SPDX-License-Identifier: Apache-2.0
// A network's layers on the accelerator, each with a schedule: what another schedule of one of them takes
// between its neighbours, and what all of them take together.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/network/compile.h"

namespace cosim::tune {

class Chain {
 public:
  struct Layer {
    network::Group group;
    std::string workload;
    kernels::Tile tile;
    accel::Kernel kernel;  ///< by that tile
  };

  /// With the schedules that the compiler chooses. `graph` and `spec` outlive the chain.
  Chain(const isa::Spec& spec, const graph::Graph& graph, int virtual_threads);

  const std::vector<Layer>& layers() const { return layers_; }
  /// Of the whole network.
  runtime::Cycle cycles() const { return cycles_; }

  /// Of all schedules of a layer, of up to so many virtual threads, the model's favourite `most`.
  kernels::AllLegal SpaceOf(size_t layer, int most_threads, size_t most) const;
  /// What a measurement depends on, but for the tile: equal ones measure the same.
  std::string ContextOf(size_t layer) const;
  /// Cycles of the layer by that tile, behind its predecessor and before its successor by theirs. Nothing
  /// when it makes no program. May be called by several threads at a time.
  std::optional<runtime::Cycle> Measure(size_t layer, const kernels::Tile& tile) const;
  /// Gives the layer that tile if the whole network then takes fewer cycles; else all stays as it is.
  bool Take(size_t layer, const kernels::Tile& tile);

  /// Schedules of a layer and the one behind it by turns, at most `most`; none where they cannot be.
  network::TurnCandidates TurnSpaceOf(size_t layer, size_t most) const;
  std::string TurnContextOf(size_t layer) const;
  /// Where tuned() has what was taken for both.
  using LayerKey = network::TunedTiles::key_type;
  std::pair<LayerKey, LayerKey> TurnKeysOf(size_t layer) const;
  /// As Measure, of both by turns between the layers around them; without tiles, one behind the other.
  std::optional<runtime::Cycle> MeasureTurns(size_t layer,
                                             const std::optional<network::TurnTiles>& tiles) const;
  /// As Take.
  bool TakeTurns(size_t layer, const network::TurnTiles& tiles);

  /// All that was taken, and the compiler's choice of the rest.
  const network::TunedTiles& tuned() const { return tuned_; }

 private:
  struct Whole {
    std::vector<Layer> layers;
    runtime::Cycle cycles = 0;
  };
  /// Nothing when a program does not come to its end.
  std::optional<Whole> Compile(const network::TunedTiles* tuned);
  /// Takes `tuned`, in which the layers have `tiles`, if the whole network then takes fewer cycles.
  bool TakeAll(network::TunedTiles tuned, const std::vector<kernels::Tile>& tiles);
  std::vector<kernels::Tile> Tiles() const;
  /// What a neighbour is; "nothing" beyond the ends.
  std::string Describe(size_t layer) const;

  const isa::Spec& spec_;
  const graph::Graph graph_;  ///< as it is compiled
  int virtual_threads_;
  network::LoweringCache cache_;
  network::GroupLowering lowering_;
  std::vector<Layer> layers_;
  network::TunedTiles tuned_;
  runtime::Cycle cycles_ = 0;
};

}  // namespace cosim::tune
