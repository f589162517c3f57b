// SPDX-License-Identifier: Apache-2.0
#include "compiler/tune/tune.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/tune/chain.h"
#include "compiler/tune/clock.h"
#include "compiler/tune/schedule_space.h"
#include "isa/digest.h"
#include "isa/yaml/reader.h"
#include "runtime/threads/thread_pool.h"

namespace cosim::tune {
namespace {

using kernels::Tile;
using runtime::Cycle;

class Tuner {
 public:
  Tuner(const isa::Spec& spec, const graph::Graph& graph, const LogKey& key, const TuneOptions& options,
        TuningLog& log)
      : key_(key),
        options_(options),
        log_(log),
        pool_(options.jobs),
        chain_(spec, graph, options.virtual_threads) {}

  std::optional<Tuned> Run(const isa::Spec& spec, std::string& error) {
    tuned_.untuned = chain_.cycles();
    std::vector<std::string> names;
    for (const auto& layer : chain_.layers()) names.push_back(layer.group.name);
    if (!options_.layer.empty() && std::ranges::count(names, options_.layer) == 0) {
      error = fmt::format("'{}' is not a layer on the accelerator", options_.layer);
      if (const std::string hint = isa::NameHint(options_.layer, names); !hint.empty()) error += "; " + hint;
      return std::nullopt;
    }
    const auto is_asked = [&](size_t i) { return options_.layer.empty() || names[i] == options_.layer; };
    for (size_t i = 0; i < names.size(); ++i) {
      spaces_ += is_asked(i) ? 1 : 0;
      spaces_ += i + 1 < names.size() && (is_asked(i) || is_asked(i + 1)) ? 1 : 0;
    }
    for (size_t i = 0; i < chain_.layers().size(); ++i) {
      if (!is_asked(i)) continue;
      Say(fmt::format("layer {} of {}: {}", i + 1, names.size(), names[i]));
      if (!TuneLayer(i, error)) return std::nullopt;
      NextSpace();
    }
    for (size_t i = 0; i + 1 < chain_.layers().size(); ++i) {
      if (!is_asked(i) && !is_asked(i + 1)) continue;
      Say(fmt::format("turns {} of {}: {} and {}", i + 1, names.size() - 1, names[i], names[i + 1]));
      if (!TuneTurns(i, error)) return std::nullopt;
      NextSpace();
    }
    tuned_.cycles = chain_.cycles();
    return Remember(spec, error) ? std::optional(tuned_) : std::nullopt;
  }

 private:
  void Say(const std::string& doing) const {
    if (options_.progress)
      options_.progress(fmt::format("{}, {:.2f} % fewer cycles so far", doing,
                                    100.0 * static_cast<double>(tuned_.untuned - chain_.cycles()) /
                                        static_cast<double>(tuned_.untuned)));
  }

  /// A space that is searched counts as all its trials, also where it is smaller.
  void NextSpace() {
    ++searched_;
    in_space_ = 0;
    Step();
  }
  void Step() const {
    const auto trials = static_cast<size_t>(options_.trials);
    if (options_.step) options_.step(searched_ * trials + std::min(in_space_, trials), spaces_ * trials);
  }

  bool TuneLayer(size_t i, std::string& error) {
    const double begin = Now();
    const Tile before = chain_.layers()[i].tile;
    TunedLayer layer{chain_.layers()[i].group.name, chain_.layers()[i].workload, ToString(before),
                     ToString(before)};
    const ScheduleSpace space(chain_.SpaceOf(i, options_.most_threads, ScheduleSpace::kMost));
    layer.space = space.legal();
    const std::string context = isa::Sha256Hex(key_.hardware + "\n" + chain_.ContextOf(i)).substr(0, 32);
    const auto measure = [&](std::span<const size_t> points) {
      return Measure(
          context, points, [&](size_t point) { return ToString(space.tile(point)); },
          [&](size_t point) { return chain_.Measure(i, space.tile(point)); }, error);
    };
    // A schedule of more threads than `most_threads` is no part of the space.
    std::vector<size_t> starts = {space.Find(before).value_or(0)};
    for (const Tile& tile : log_.Elsewhere(key_, layer.workload))
      if (const auto point = space.Find(tile)) starts.push_back(*point);
    const auto found = Search(space, starts, options_.method, options_.trials, options_.seed, measure);
    tuned_.search_s += Now() - begin;
    if (!error.empty()) return false;
    if (found) {
      layer.untuned = found->curve.front().second;
      layer.found = *found;
      const Tile& tile = space.tile(found->point);
      layer.taken = tile != before && found->cycles < layer.untuned && chain_.Take(i, tile);
      if (layer.taken) layer.after = ToString(tile);
    }
    tuned_.layers.push_back(std::move(layer));
    return true;
  }

  /// A layer and the one behind it, by turns.
  bool TuneTurns(size_t i, std::string& error) {
    const double begin = Now();
    const TurnSpace space(chain_.TurnSpaceOf(i, TurnSpace::kMost));
    if (space.size() == 0) return true;
    const auto &first = chain_.layers()[i], &second = chain_.layers()[i + 1];
    TunedLayer both{first.group.name + ", " + second.group.name,
                    first.workload + ", " + second.workload,
                    ToString(first.tile) + ", " + ToString(second.tile),
                    {}};
    both.after = both.before;
    both.space = static_cast<int64_t>(space.size());
    const std::string context = isa::Sha256Hex(key_.hardware + "\n" + chain_.TurnContextOf(i)).substr(0, 32);
    const auto text = [&](size_t point) {
      const network::TurnTiles tiles = space.tiles(point);
      return ToString(tiles.first) + ", " + ToString(tiles.second);
    };
    const auto measure = [&](std::span<const size_t> points) {
      return Measure(
          context, points, text, [&](size_t point) { return chain_.MeasureTurns(i, space.tiles(point)); },
          error);
    };
    const auto apart = chain_.MeasureTurns(i, std::nullopt);
    std::vector<size_t> starts = {0};
    const auto turns = chain_.TurnKeysOf(i);
    for (const auto& [a, b] : log_.Elsewhere(key_, turns.first, turns.second))
      if (const auto point = space.Find(a, b)) starts.push_back(*point);
    const auto found = Search(space, starts, options_.method, options_.trials, options_.seed, measure);
    tuned_.search_s += Now() - begin;
    if (!error.empty()) return false;
    if (found && apart) {
      both.untuned = *apart;
      both.found = *found;
      both.taken = found->cycles < *apart && chain_.TakeTurns(i, space.tiles(found->point));
      if (both.taken) both.after = text(found->point);
    }
    tuned_.turns.push_back(std::move(both));
    return true;
  }

  /// `text` and `cycles` of a point.
  template <typename Text, typename Cycles>
  std::vector<std::optional<Cycle>> Measure(const std::string& context, std::span<const size_t> points,
                                            const Text& text, const Cycles& cycles, std::string& error) {
    std::vector<std::optional<Cycle>> measured(points.size());
    std::vector<size_t> unknown;
    for (size_t i = 0; i < points.size(); ++i) {
      const auto known = log_.Trial(context, text(points[i]));
      if (known) measured[i] = *known;
      if (!known) unknown.push_back(i);
    }
    tuned_.remembered += static_cast<int64_t>(points.size() - unknown.size());
    tuned_.trials += static_cast<int64_t>(unknown.size());
    ForEach(unknown, [&](size_t i) { measured[i] = cycles(points[i]); });
    std::vector<TuningLog::NewTrial> trials;
    for (const size_t i : unknown) trials.push_back({context, text(points[i]), measured[i]});
    if (!log_.Add(trials, error)) std::ranges::fill(measured, std::nullopt);
    in_space_ += points.size();
    Step();
    return measured;
  }

  template <typename Work>
  void ForEach(const std::vector<size_t>& indices, Work work) {
    struct Captures {
      const std::vector<size_t>& indices;
      Work& work;
    } captures{indices, work};
    pool_.parallel().run(
        &pool_.parallel(),
        [](void* opaque, int64_t begin, int64_t end) {
          const auto& [all, each] = *static_cast<Captures*>(opaque);
          for (int64_t i = begin; i < end; ++i) each(all[static_cast<size_t>(i)]);
        },
        &captures, static_cast<int64_t>(indices.size()));
  }

  bool Remember(const isa::Spec& spec, std::string& error) {
    LoggedNetwork network{spec.config, spec.isa, tuned_.untuned, tuned_.cycles, {}};
    for (const auto& [layer, tile] : chain_.tuned())
      network.schedules.push_back({layer.first, layer.second, tile});
    const auto before = log_.Get(key_);
    return (before && before->tuned <= tuned_.cycles) || log_.Put(key_, network, error);
  }

  const LogKey& key_;
  const TuneOptions& options_;
  TuningLog& log_;
  runtime::ThreadPool pool_;
  Chain chain_;
  Tuned tuned_;
  size_t spaces_ = 0, searched_ = 0, in_space_ = 0;  ///< layers and neighbours; trials in the one at hand
};

}  // namespace

LogKey KeyOf(const isa::Spec& spec, const std::string& network, int virtual_threads,
             const std::string& version) {
  const isa::MemorySystem& dram = spec.dram;
  const std::string text =
      fmt::format("{} {} {} memory {} {} {} {} {} {} {} {} threads {}", version, spec.FingerprintText(),
                  spec.isa, dram.port_bits, dram.burst_beats, dram.latency, dram.write_latency,
                  dram.outstanding, dram.jitter, dram.seed, dram.dram_bytes, virtual_threads);
  return {isa::Sha256Hex(text).substr(0, 16), network};
}

std::optional<Tuned> Tune(const isa::Spec& spec, const graph::Graph& graph, const LogKey& key,
                          const TuneOptions& options, TuningLog& log, std::string& error) {
  return Tuner(spec, graph, key, options, log).Run(spec, error);
}

std::optional<network::TunedTiles> TilesFor(const TuningLog& log, const LogKey& key) {
  const auto network = log.Get(key);
  if (!network) return std::nullopt;
  network::TunedTiles tiles;
  for (const LoggedSchedule& each : network->schedules) tiles[{each.layer, each.workload}] = each.tile;
  return tiles;
}

}  // namespace cosim::tune
