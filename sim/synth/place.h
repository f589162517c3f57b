// SPDX-License-Identifier: Apache-2.0
// The clock an accelerator reaches: its blocks, or the whole of it, placed and routed for XC7Z020-1 by
// nextpnr, whatever the configuration's board is. nextpnr knows no timing of DSPs and no clock uncertainty,
// and is not Vivado. Results stay in the cache (runtime/file_cache.h, kind "routes"), by RTL, tools, block
// and seed.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "isa/diagnostics.h"
#include "isa/spec/spec.h"
#include "sim/synth/place_report.h"

namespace cosim::synth {

inline constexpr char kPlaceDevice[] = "XC7Z020-1";
/// Stands for the whole design where a block's name is asked for.
inline constexpr char kWholeDesign[] = "design";

inline constexpr int kMaxSeed = 8;

/// nextpnr, and the Yosys that goes with it, as scripts/place-tools fetches them.
struct PlaceTools {
  std::filesystem::path nextpnr, yosys;
  std::string versions;  ///< "nextpnr-himbaechel-xilinx 0.11.1+dfsg-5+b1, yosys 0.66-1"
};

/// Nothing if they have not been fetched.
std::optional<PlaceTools> FindPlaceTools();

struct RoutedBlock {
  std::string name;
  std::vector<Route> routes;     ///< by seed; not empty
  const Route& Slowest() const;  ///< its MHz count
};

struct Placement {
  std::string tool;                    ///< PlaceTools::versions; empty: not fetched
  std::vector<std::string> all;        ///< names of all blocks
  std::vector<RoutedBlock> blocks;     ///< those that are routed
  std::optional<RoutedBlock> design;   ///< the whole
  std::vector<std::string> uncovered;  ///< registers of no block; only Place finds out
  int alike = 0;                       ///< registers for which an equal lane's stand; likewise

  /// The lowest of the routed blocks; 0: none.
  double BlocksMhz() const;
};

struct PlaceOptions {
  std::string block;                                 ///< of PlaceBlocks, or kWholeDesign; empty: every block
  std::vector<int> seeds = {1, 2};                   ///< 1 to kMaxSeed
  int route_seconds = 3 * 3600;                      ///< of CPU for one route: not every one has an end
  std::function<void(const std::string&)> progress;  ///< what is being done now
  std::function<void(size_t, size_t)> step;          ///< blocks that are routed, of how many
};

/// What is asked for, from the cache or routed now: up to a minute of CPU and 1.5 GB for a block and seed, 7
/// minutes and more for a whole design. Nothing after reporting: a spec that has no RTL (E0701), tools that
/// have not been fetched (E0708), a block that is not there (E0709), a cache that cannot be written (E0704),
/// a tool that fails or takes too long (E0710).
std::optional<Placement> Place(const isa::Spec& spec, const PlaceOptions& options, Diagnostics& diags);

/// What has been routed before with seeds up to kMaxSeed, without running anything. Empty for a spec without
/// RTL.
Placement CachedPlacement(const isa::Spec& spec);

}  // namespace cosim::synth
