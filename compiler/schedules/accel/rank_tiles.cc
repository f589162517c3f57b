// SPDX-License-Identifier: Apache-2.0
// See rank_tiles.h and tile_space.h. Sizes are in elements of the memory concerned, costs in cycles.
#include "compiler/schedules/accel/rank_tiles.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/container/static_vector.hpp>
#include <cmath>
#include <optional>
#include <set>

#include "compiler/schedules/accel/pool.h"
#include "compiler/schedules/accel/tile_sizes.h"
#include "compiler/schedules/accel/tile_space.h"
#include "compiler/tir/rounding.h"

namespace cosim::kernels {
namespace {

using tir::CeilDiv;
using tir::RoundUp;

// What a gemm step costs beside its work: tokens, the issue of its instructions, their fetch. Fitted on
// ResNet-18.
constexpr double kStepOverhead = 14;

class TileModel {
 public:
  TileModel(const isa::Spec& spec, const Array& array, const KernelTemplate& kind, const Window& window,
            const Epilogue& epilogue)
      : spec_(spec),
        array_(array),
        kind_(kind),
        has_weights_(kind.Weights(window, array).has_value()),
        has_window_(kind.Sums(window, array).has_value()),
        w_(window),
        requantizes_(epilogue.requantize() != nullptr),
        has_residual_(epilogue.HasResidual()),
        has_other_work_(epilogue.HasOtherWork()),
        element_cycles_(ElementCyclesOf(spec, array)) {}

  bool Fits(const Tile& t) const {
    return std::ranges::all_of(
        Elements(t), [&](const auto& part) { return part.second <= spec_.memories[part.first].depth; });
  }

  // What does not fit of a tile that does not.
  std::string Misfit(const Tile& t) const {
    for (const auto& [memory, elements] : Elements(t))
      if (std::string misfit = Check(memory, elements); !misfit.empty()) return misfit;
    return {};
  }

  // What a tile takes of each memory.
  using MemoryElements = boost::container::static_vector<std::pair<int, int64_t>, 6>;
  MemoryElements Elements(const Tile& t) const {
    const int64_t outputs = Outputs(t);
    const int window_memory = kind_.WindowMemory(array_);
    const int64_t window = has_window_ ? Inputs(t) * ThreadsOf(t, IsDense() && array_.own_activations)
                                       : outputs * array_.alu_parts * t.threads;
    const int64_t residual = has_residual_ ? outputs * array_.alu_parts * t.threads : 0;
    const bool together = window_memory == array_.alu_activations;
    MemoryElements elements = {{window_memory, together ? window + residual : window}};
    if (!together) elements.emplace_back(array_.alu_activations, residual);
    if (has_weights_)
      elements.emplace_back(
          kind_.WeightMemory(array_),
          t.weights_resident ? AllWeights() : Weights(t) * ThreadsOf(t, IsDense() && array_.own_weights));
    if (requantizes_ && array_.HasParameters())
      elements.emplace_back(array_.parameters.memory, ParametersResident(spec_, array_, w_)
                                                          ? w_.g * w_.co * w_.so
                                                          : t.g * t.co * w_.so * t.threads);
    elements.emplace_back(array_.accumulators, Accumulators(t));
    if (!array_.results_are_mirrored) elements.emplace_back(array_.results, outputs * t.threads);
    return elements;
  }

  double Tiles(const Tile& t) const {
    const int64_t blocks = w_.PlaceBlocks(), of_channels = w_.co / blocks * CeilDiv(blocks, t.co);
    const int64_t of_pixels = CeilDiv(w_.OutRows(), t.y) * CeilDiv(w_.OutCols(), t.x);
    return static_cast<double>(w_.n * CeilDiv(w_.g, t.g) * of_channels * of_pixels);
  }
  double Chunks(const Tile& t) const {
    const int64_t inputs = IsDense() ? CeilDiv(w_.ci, t.ci) : 1;
    return static_cast<double>(inputs * CeilDiv(w_.kh, TapRows(t)) * CeilDiv(w_.kw, TapCols(t)));
  }
  double Steps(const Tile& t) const { return Tiles(t) * Chunks(t); }

  // Cycles with their parts, of which threads overlap; `first` and `last` without the memory's latencies.
  struct Parts {
    TileWork work;
    double chunk = 0;       // of loads
    double store_tile = 0;  // of the results of one tile
    double weights_once = 0;
  };
  Parts PartsOf(const Tile& t) const {
    const double tiles = Tiles(t), chunks = Chunks(t);
    const double rows = static_cast<double>(w_.n * w_.g * w_.co * AllSumRows(t) * w_.so);  // of sums
    const double outputs = static_cast<double>(w_.n * w_.g * w_.co * w_.OutRows() * w_.OutCols() * w_.so);
    const int64_t row = kind_.RowCycles(w_, array_, AllSumCols(t), CeilDiv(w_.OutCols(), t.x));
    const double compute =
        has_weights_ ? rows * static_cast<double>(SummedElements(w_.ci) * Together(w_.kh) * row) : 0;
    const int weights = kind_.WeightMemory(array_);
    const auto element = static_cast<double>(element_cycles_);
    const double alu =
        outputs * AluPasses() * element + tiles * AluInstructions(t) * 20 + tiles * PoolCycles(t);

    const double setup = 6;  // of a load: its issue, and what the first burst waits for
    const double weight_chunk =
        !has_weights_ || t.weights_resident ? 0 : static_cast<double>(Beats(weights, Weights(t))) + setup;
    const double weights_once =
        has_weights_ && t.weights_resident
            ? static_cast<double>(Beats(weights, AllWeights()) * (array_.own_weights ? t.units : 1))
            : 0;
    const double window_chunk = w_.fed ? 0 : InputBeats(t) + setup * static_cast<double>(InputBlocks(t));
    const double residual =
        has_residual_ ? static_cast<double>(Beats(array_.activations, Outputs(t) * array_.alu_parts)) + setup
                      : 0;
    const double load = tiles * (chunks * (weight_chunk + window_chunk) + residual);
    const double first = weights_once + weight_chunk + window_chunk;
    const double store_tile = static_cast<double>(Beats(array_.results, Outputs(t)));
    const double last = static_cast<double>(Outputs(t)) * AluPasses() * element + PoolCycles(t) + store_tile;

    return {{t, load, compute, alu, tiles * store_tile, first, last, std::ceil(tiles / t.threads), 1, {}},
            weight_chunk + window_chunk,
            store_tile,
            weights_once};
  }

  TileWork WorkOf(const Tile& t) const {
    const Parts parts = PartsOf(t);
    TileWork work = parts.work;
    work.first += spec_.dram.latency;
    work.last += spec_.dram.write_latency;
    work.load += parts.weights_once;
    work.compute += Steps(t) * kStepOverhead;
    const int64_t of_channels = CeilDiv(w_.g, t.g) * CeilDiv(w_.co, t.co);
    work.sweeps = static_cast<double>(t.thread_axis == Tile::ThreadAxis::kCo ? CeilDiv(of_channels, t.threads)
                                                                             : of_channels);
    const MemoryElements elements = Elements(t);
    work.elements.assign(elements.begin(), elements.end());
    return work;
  }

  TileTerms TermsOf(const Tile& t) const {
    const double tiles = Tiles(t), chunks = Chunks(t);
    const Parts parts = PartsOf(t);
    const auto& [tile, load, compute, alu, store, first, last, rounds, sweeps, elements] = parts.work;
    TileTerms terms{.tile = t, .steps = Steps(t), .first = first, .last = last};
    if (t.threads > 1) {
      // A last round with threads left over hides nothing: its loads stand beside its work.
      const int64_t along = TilesAlong(t);
      const double alone = along % t.threads == 1 ? tiles / static_cast<double>(along) : 0;
      const double longest = compute * LargestShare(t);
      const double round_trips = (load + compute) / t.threads;  // a thread loads, then computes
      terms.most =
          std::max({longest, round_trips, load, alu, store}) + kOfOthers * (longest + load + alu + store);
      terms.exposed = alone * chunks * parts.chunk;
      terms.overhead = tiles * chunks * kStepOverhead / t.units;
    } else {
      // One thread: a chunk computes only when its loads are done, a tile's results leave before the next
      // starts.
      terms.most = compute + load + alu;
      terms.rounds = tiles;
      terms.half_store = parts.store_tile / 2;
      terms.exposed = parts.weights_once;
    }
    return terms;
  }
  TileCost CostOf(const Tile& t) const { return TermsOf(t).CostWith(spec_.dram); }

  /// Tiles along the axis that virtual threads share out.
  int64_t TilesAlong(const Tile& t) const {
    if (t.thread_axis == Tile::ThreadAxis::kY) return CeilDiv(w_.OutRows(), t.y);
    if (t.thread_axis == Tile::ThreadAxis::kX) return CeilDiv(w_.OutCols(), t.x);
    return w_.g > 1 ? CeilDiv(w_.g, t.g) : CeilDiv(w_.PlaceBlocks(), t.co);
  }

  /// Whether one instruction of the ALU adds all taps that are on chip: enough sums stand between two of one.
  bool TakesTapsAtOnce(const Tile& t) const {
    if (kind_.AluPasses(w_) == 0 || t.y * t.x > 1) return false;
    int latency = 0;
    for (const isa::Unit& unit : spec_.units)
      if (unit.lanes > 0) latency = std::max(latency, unit.latency);
    return Outputs(t) * element_cycles_ >= latency;
  }

  // A bank is one unit's at a time: units work at once where each thread's data have banks of their own.
  int UnitsAtOnce(const Tile& t) const {
    if (!IsDense() || array_.units == 1 || t.threads == 1) return 1;
    const auto apart = [&](int memory, int64_t elements) {
      const isa::Memory& m = spec_.memories[memory];
      return m.banks >= t.threads && RoundUp(elements, m.depth / m.banks) * t.threads <= m.depth;
    };
    const bool free_weights =
        array_.own_weights || (!t.weights_resident && apart(array_.weights, Weights(t)));
    const bool free_inputs = array_.own_activations || apart(array_.activations, Inputs(t));
    if (!free_weights || !free_inputs || !apart(array_.accumulators, Sums(t))) return 1;
    return static_cast<int>(std::min<int64_t>({array_.units, t.threads, TilesAlong(t)}));
  }

 private:
  // Of the ALU for one element.
  static int64_t ElementCyclesOf(const isa::Spec& spec, const Array& array) {
    int64_t lanes = 1;
    for (const isa::Unit& unit : spec.units) lanes = std::max<int64_t>(lanes, unit.lanes);
    return CeilDiv(spec.memories[array.accumulators].LaneCount(), lanes);
  }

  // Of a layer's work, what the busiest unit does: tiles are dealt in turn, and the last may be smaller.
  double LargestShare(const Tile& t) const {
    if (t.units == 1) return 1;
    const bool rows = t.thread_axis == Tile::ThreadAxis::kY, groups = w_.g > 1, cols = Slides(t);
    const int64_t extent = rows ? w_.OutRows() : cols ? w_.OutCols() : groups ? w_.g : w_.PlaceBlocks();
    const int64_t size = rows ? t.y : cols ? t.x : groups ? t.g : t.co, tiles = TilesAlong(t);
    const int64_t missing = (tiles - 1) % t.units == 0 ? tiles * size - extent : 0;
    const int64_t most = std::max(CeilDiv(tiles, t.units) * size - missing, tiles / t.units * size);
    return static_cast<double>(most) / static_cast<double>(extent);
  }

  // Threads whose data stand in one memory.
  int64_t ThreadsOf(const Tile& t, bool own) const { return own ? CeilDiv(t.threads, t.units) : t.threads; }

  std::string Check(int memory, int64_t elements) const {
    const isa::Memory& m = spec_.memories[memory];
    if (elements <= m.depth) return {};
    return fmt::format("buffer '{}' holds {} elements and the smallest tile needs {}, {} more", m.name,
                       m.depth, elements, elements - m.depth);
  }

  int64_t Outputs(const Tile& t) const { return t.g * t.co * t.y * t.x * w_.so; }
  int64_t Sums(const Tile& t) const { return t.g * t.co * w_.SumRows(t.y) * w_.SumCols(t.x) * w_.so; }

  static bool Slides(const Tile& t) { return t.thread_axis == Tile::ThreadAxis::kX; }
  // Rows of sums that a tile behind the first computes.
  int64_t NewRows(const Tile& t) const {
    return Slides(t) ? std::min(w_.oh, t.y * w_.pool->rows.step) : w_.SumRows(t.y);
  }

  // Sums along a dimension that all tiles compute, those that neighbours share more than once.
  static int64_t AllSums(const std::optional<PoolAxis>& axis, int64_t sums, int64_t tile) {
    if (!axis) return sums;
    int64_t all = 0;
    for (int64_t at = 0; at < axis->out; at += tile) {
      const int64_t first = at * axis->step - axis->before;
      const int64_t end = first + axis->For(std::min(tile, axis->out - at));
      all += std::min(sums, end) - std::max<int64_t>(first, 0);
    }
    return all;
  }
  int64_t AllSumRows(const Tile& t) const {
    return AllSums(w_.pool ? std::optional(w_.pool->rows) : std::nullopt, w_.oh,
                   Slides(t) ? w_.OutRows() : t.y);
  }
  int64_t AllSumCols(const Tile& t) const {
    return AllSums(w_.pool ? std::optional(w_.pool->cols) : std::nullopt, w_.ow, t.x);
  }

  // Of the ALU for the maxima of a tile: an element takes as many cycles as it has shares of the lanes, and
  // twice as many where two accumulators are read for it.
  double PoolCycles(const Tile& t) const {
    if (!w_.pool) return 0;
    const int64_t channels = t.g * t.co * w_.so, cols = w_.SumCols(t.x);
    const int64_t maxima =
        channels * t.y * (PoolPasses(w_.pool->rows, w_.oh) * cols + PoolPasses(w_.pool->cols, w_.ow) * t.x);
    const int64_t kept = Slides(t) ? channels * cols * (w_.pool->rows.taps - w_.pool->rows.step) : 0;
    return static_cast<double>((2 * maxima + kept) * element_cycles_);
  }
  // Accumulators of maxima that are not computed over the sums.
  int64_t PoolElements(const Tile& t) const {
    if (!w_.pool) return 0;
    const auto apart = [](const PoolAxis& axis, int64_t size) { return !StartOf(axis, size).in_place; };
    const int64_t channels = t.g * t.co * w_.so;
    return channels * t.y *
           (apart(w_.pool->rows, w_.oh) * w_.SumCols(t.x) + apart(w_.pool->cols, w_.ow) * t.x);
  }
  bool IsDense() const { return kind_.SumsChannels(); }
  int64_t InputBlocks(const Tile& t) const { return t.g * (IsDense() ? t.ci : t.co); }
  int64_t InputElements() const {
    if (IsDense()) return w_.si;
    return kind_.WindowMemory(array_) == array_.alu_activations ? w_.so * array_.alu_parts : w_.so;
  }
  // Elements of weights that an element of the output sees at each tap, of `ci` input blocks.
  int64_t SummedElements(int64_t ci) const { return (IsDense() ? ci * w_.si : 1) * w_.parts; }
  int64_t Together(int64_t rows) const { return CeilDiv(rows, kind_.RowsTogether(array_)); }
  int64_t TapRows(const Tile& t) const { return t.ky > 0 ? t.ky : w_.kh; }
  int64_t TapCols(const Tile& t) const { return t.kx > 0 ? t.kx : w_.kw; }
  int64_t WeightCols(const Tile& t) const { return t.kx > 0 ? t.kx : kind_.RowWeights(w_); }
  // Of the window: what the taps on chip see.
  int64_t RowsFor(const Tile& t) const { return w_.RowsFor(w_.SumRows(t.y)) - (w_.kh - TapRows(t)) * w_.dh; }
  int64_t ColsFor(const Tile& t) const { return w_.ColsFor(w_.SumCols(t.x)) - (w_.kw - TapCols(t)) * w_.dw; }
  int64_t Inputs(const Tile& t) const { return InputBlocks(t) * RowsFor(t) * ColsFor(t) * InputElements(); }
  int64_t Weights(const Tile& t) const {
    return t.g * t.co * w_.so * SummedElements(t.ci) * Together(TapRows(t)) * WeightCols(t);
  }
  int64_t AllWeights() const {
    return w_.g * w_.co * w_.so * SummedElements(w_.ci) * Together(w_.kh) * kind_.RowWeights(w_);
  }

  // With threads, each one's accumulators in banks of their own if there are enough: then gemm and alu do not
  // meet.
  int64_t Accumulators(const Tile& t) const {
    const isa::Memory& m = spec_.memories[array_.accumulators];
    const int64_t sums = Sums(t) + PoolElements(t);
    const int64_t biases = requantizes_ ? w_.g * w_.co * w_.so : 0;
    const int64_t needed = array_.results_are_mirrored ? sums + Outputs(t) + biases : sums;
    if (t.threads == 1 || m.banks < 2 * t.threads) return needed * t.threads;
    return RoundUp(needed, m.depth / m.banks) * t.threads;
  }

  int64_t Beats(int memory, int64_t elements) const {
    return CeilDiv(elements * spec_.memories[memory].stored_bytes, spec_.dram.beat_bytes());
  }

  // Rows at the border are padding, which takes the writer a cycle an element but no beats.
  double InputBeats(const Tile& t) const {
    const int64_t all_rows = RowsFor(t) - (w_.SumRows(t.y) - NewRows(t)) * w_.sh;
    const int64_t rows = std::min(has_window_ ? all_rows : t.y, w_.h);
    const int64_t cols = std::min(has_window_ ? ColsFor(t) : t.x, w_.w);
    const int64_t pads = has_window_ ? all_rows * ColsFor(t) - rows * cols : 0;
    const int64_t s = InputElements();
    if (w_.gather > 0) return static_cast<double>(InputBlocks(t) * rows * cols) * w_.gather;
    return static_cast<double>(InputBlocks(t) * (rows * Beats(array_.activations, cols * s) + pads * s));
  }

  double AluPasses() const {
    double passes = requantizes_ ? 1 : 0;
    if (has_other_work_) passes += 3;
    passes += static_cast<double>(kind_.AluPasses(w_));
    if (!array_.HasParameters()) passes = 4;
    return std::max(passes, 1.0);
  }

  // For a tile: one a pass, or one for all taps that are on chip.
  double AluInstructions(const Tile& t) const {
    return TakesTapsAtOnce(t) ? AluPasses() - static_cast<double>(w_.kh * w_.kw) + Chunks(t) : AluPasses();
  }

  const isa::Spec& spec_;
  const Array& array_;
  const KernelTemplate& kind_;
  bool has_weights_, has_window_;
  const Window& w_;
  bool requantizes_, has_residual_, has_other_work_;
  int64_t element_cycles_;
};

/// Whether tiles of so many rows of a pool share sums with the next one, and not with the one after that.
bool CanSlide(const Window& window, int64_t y) {
  if (!window.pool) return false;
  const int64_t shared = window.pool->rows.taps - window.pool->rows.step;
  return shared > 0 && shared <= y * window.pool->rows.step && y < window.pool->rows.out;
}

/// The ways that `t` threads share out tiles of these channels, rows and columns, with these taps on chip at
/// a time.
template <typename Visit>
void ForEachSharing(const TileModel& model, const Window& window, Tile tile, int t, bool has_weights,
                    int64_t least, Visit visit) {
  tile.threads = t;
  for (bool resident : {true, false})
    for (auto axis : {Tile::ThreadAxis::kY, Tile::ThreadAxis::kCo, Tile::ThreadAxis::kX}) {
      if (resident && !has_weights) continue;
      if (axis == Tile::ThreadAxis::kX && !CanSlide(window, tile.y)) continue;
      if (t == 1 && axis != Tile::ThreadAxis::kY) continue;
      tile.thread_axis = axis;
      tile.weights_resident = resident;
      if (t > 1 && model.TilesAlong(tile) < least) continue;
      tile.units = model.UnitsAtOnce(tile);
      visit(tile);
    }
}

}  // namespace

TileSpace LegalTiles(const isa::Spec& spec, const Array& array, const KernelTemplate& kind,
                     const Window& window, const Epilogue& epilogue, int threads) {
  const TileModel model(spec, array, kind, window, epilogue);
  TileSpace space;
  std::vector<TileTerms>& found = space.tiles;
  const bool by_rows = ComesInRows(kind, window);
  std::optional<Tile> misfit;  // the last one
  const auto try_tile = [&](const Tile& tile) {
    if (by_rows && tile.ky > 0 && !model.TakesTapsAtOnce(tile)) return;
    if (model.Fits(tile))
      found.push_back(model.TermsOf(tile));
    else
      misfit = tile;
  };
  const bool sums = kind.SumsChannels(), weights = kind.Weights(window, array).has_value();
  const auto channel_tiles = ChannelTiles(window, sums, PartSizes);
  const auto y_sizes = PartSizes(window.OutRows()), x_sizes = PartSizes(window.OutCols());
  // All tiles of `t` threads and columns `x` that fit, with the taps `ky` and `kx` on chip at a time.
  const auto try_tiles = [&](int t, int64_t x, int64_t ky, int64_t kx) {
    const int64_t least = t > threads ? threads + 1 : 2;  // fewer tiles want fewer threads
    for (int64_t y : y_sizes)
      for (Tile tile : channel_tiles) {
        tile.y = y;
        tile.x = x;
        tile.ky = ky;
        tile.kx = kx;
        ForEachSharing(model, window, tile, t, weights, least, try_tile);
      }
  };
  std::vector<int> counts = {threads, 1};
  // Each of several units needs as many threads as one does, so that loads hide behind its work.
  if (sums && threads > 1 && array.units > 1) counts.insert(counts.begin(), threads * array.units);
  for (const auto& [ky, kx] : TapParts(kind, window)) {
    for (int t : counts) {
      for (int64_t x : x_sizes) {
        const size_t before = found.size();
        try_tiles(t, x, ky, kx);
        // Whole rows move best; narrower tiles only when none fits, or when they share fewer sums.
        if (found.size() > before && !window.pool) break;
      }
      if (t == 1 || threads == 1) break;
    }
    if (!found.empty() && !by_rows) break;
  }
  if (misfit) space.misfit = model.Misfit(*misfit);
  return space;
}

AllLegal AllTiles(const isa::Spec& spec, const Array& array, const KernelTemplate& kind, const Window& window,
                  const Epilogue& epilogue, int most_threads, size_t most) {
  const TileModel model(spec, array, kind, window, epilogue);
  const bool sums = kind.SumsChannels(), weights = kind.Weights(window, array).has_value();
  AllLegal found;
  const auto keep_cheapest = [&] {
    if (found.tiles.size() <= most) return;
    std::ranges::stable_sort(found.tiles, {}, &TileCost::cycles);
    found.tiles.resize(most);
  };
  const auto add = [&](const Tile& tile) {
    if (!model.Fits(tile)) return;
    ++found.legal;
    found.tiles.push_back(model.CostOf(tile));
    if (found.tiles.size() > 4 * most) keep_cheapest();
  };
  std::set<int> counts;
  for (int t = 1; t <= most_threads; ++t) counts.insert({t, sums && t > 1 ? t * array.units : t});
  const auto channel_tiles = ChannelTiles(window, sums, AllSizes);
  const auto y_sizes = AllSizes(window.OutRows()), x_sizes = PartSizes(window.OutCols());
  for (const auto& [ky, kx] : TapParts(kind, window))
    for (int64_t y : y_sizes)
      for (int64_t x : x_sizes)
        for (Tile tile : channel_tiles) {
          tile.y = y;
          tile.x = x;
          tile.ky = ky;
          tile.kx = kx;
          for (int t : counts) ForEachSharing(model, window, tile, t, weights, /*least=*/2, add);
        }
  keep_cheapest();
  return found;
}

std::optional<TileWork> WorkOf(const isa::Spec& spec, const Array& array, const KernelTemplate& kind,
                               const Window& window, const Epilogue& epilogue, const Tile& tile) {
  const TileModel model(spec, array, kind, window, epilogue);
  return model.Fits(tile) ? std::optional(model.WorkOf(tile)) : std::nullopt;
}

std::vector<TileWork> TilesInOrder(const isa::Spec& spec, const Array& array, const KernelTemplate& kind,
                                   const Window& window, const Epilogue& epilogue, bool rows_first,
                                   int threads) {
  const TileModel model(spec, array, kind, window, epilogue);
  const bool sums = kind.SumsChannels(), weights = kind.Weights(window, array).has_value();
  std::vector<TileWork> found;
  const auto add = [&](const Tile& tile) {
    if (tile.thread_axis != Tile::ThreadAxis::kX && model.Fits(tile)) found.push_back(model.WorkOf(tile));
  };
  constexpr size_t kMostColumnParts = 4;
  std::vector<int64_t> x_sizes = PartSizes(window.OutCols());
  x_sizes.resize(std::min(x_sizes.size(), kMostColumnParts));
  const auto channel_tiles = ChannelTiles(window, sums, PartSizes);
  for (int64_t y : PartSizes(window.OutRows()))
    for (int64_t x : x_sizes)
      for (Tile tile : channel_tiles) {
        if (rows_first && sums && tile.ci < window.ci) continue;
        tile.y = y;
        tile.x = x;
        tile.rows_first = rows_first;
        ForEachSharing(model, window, tile, threads, weights, /*least=*/2, add);
        if (!rows_first && !sums) ForEachSharing(model, window, tile, 1, weights, /*least=*/2, add);
      }
  return found;
}

std::optional<TileCost> CostOf(const isa::Spec& spec, const Array& array, const KernelTemplate& kind,
                               const Window& window, const Epilogue& epilogue, const Tile& tile) {
  const TileModel model(spec, array, kind, window, epilogue);
  const bool shares =
      tile.thread_axis != Tile::ThreadAxis::kX || (tile.threads > 1 && CanSlide(window, tile.y));
  const bool fits = shares && tile.co <= window.PlaceBlocks() && model.Fits(tile);
  return fits ? std::optional(model.CostOf(tile)) : std::nullopt;
}

}  // namespace cosim::kernels
