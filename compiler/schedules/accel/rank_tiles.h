// SPDX-License-Identifier: Apache-2.0
// Orders a kernel's tiles by an analytic model of its cycles: what the array computes, what the port moves,
// what overlaps.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compiler/schedules/accel/kernel.h"
#include "runtime/network.h"

namespace cosim::kernels {

struct TileCost {
  Tile tile;
  double cycles = 0;
  double steps = 0;  ///< times that a thread loads and computes
};

/// Legal tiles, cheapest first. `threads` is how many virtual threads to use where they fit
/// (1: none). Empty: nothing fits, and `why` names the buffer that is too small for the smallest tile and by
/// how much.
std::vector<TileCost> RankTiles(const isa::Spec& spec, const Array& array, const KernelTemplate& kind,
                                const Window& window, const Epilogue& epilogue, int threads,
                                std::string& why);

struct AllLegal {
  int64_t legal = 0;            ///< so many there are
  std::vector<TileCost> tiles;  ///< the cheapest of them; of equals always the same
};
/// Every legal tile: of 1 to `most_threads` virtual threads (times the units that share the work), of any
/// columns and taps, not only where whole ones do not fit, and of any rows, blocks and groups up to 64, also
/// where the last part is a small one. `tiles` has at most `most`.
AllLegal AllTiles(const isa::Spec& spec, const Array& array, const KernelTemplate& kind, const Window& window,
                  const Epilogue& epilogue, int most_threads, size_t most);

/// What the model says of the parts of a kernel's cycles: busy units, and what no other work hides.
struct TileWork {
  Tile tile;
  double load = 0, compute = 0, alu = 0, store = 0;
  double first = 0, last = 0;  ///< before the first step computes, behind the last one
  double rounds = 1;           ///< times that all threads load, compute and store a tile
  double sweeps = 1;           ///< times that it goes through all rows, unless that is by rows first
  std::vector<std::pair<int, int64_t>> elements;  ///< (memory, elements of it that the tile takes)
};

/// Nothing when the tile's buffers do not fit.
std::optional<TileWork> WorkOf(const isa::Spec& spec, const Array& array, const KernelTemplate& kind,
                               const Window& window, const Epilogue& epilogue, const Tile& tile);

/// Tiles by `threads` virtual threads that go through all channels of some rows before other rows
/// (`rows_first`), all input blocks of a tile on chip at a time; or through all rows of some channels before
/// other channels, which kernels that sum no channels do by one thread too.
std::vector<TileWork> TilesInOrder(const isa::Spec& spec, const Array& array, const KernelTemplate& kind,
                                   const Window& window, const Epilogue& epilogue, bool rows_first,
                                   int threads);

/// What the model says of one tile; nothing when its buffers do not fit.
std::optional<TileCost> CostOf(const isa::Spec& spec, const Array& array, const KernelTemplate& kind,
                               const Window& window, const Epilogue& epilogue, const Tile& tile);

/// A tile's knobs by name, with the values that they have among `legal` tiles.
std::vector<runtime::Knob> KnobsOf(const Tile& tile, const std::vector<TileCost>& legal);

}  // namespace cosim::kernels
