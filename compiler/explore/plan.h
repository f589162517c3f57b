// SPDX-License-Identifier: Apache-2.0
// What a sweep runs: a plan as users write it, and its points. A point is legal or not by itself; a plan's
// mistakes are reported before the first one runs. docs/reference/sweep.md describes the YAML.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compiler/explore/constraint.h"
#include "compiler/explore/sampling.h"
#include "isa/diagnostics.h"
#include "isa/spec/loader.h"
#include "isa/yaml/node.h"
#include "isa/yaml/reader.h"

namespace cosim::explore {

/// Points that a sweep takes at most.
inline constexpr int64_t kMostPoints = 1'000'000;

/// Settings that go together, and what they are called.
struct Variant {
  std::string name;  ///< may be empty
  std::vector<isa::Override> settings;
};

struct Plan {
  std::vector<std::string> networks;  ///< names of the zoo, or model files
  std::vector<std::string> configs = {"pynq.yaml"};
  std::string isa;  ///< empty: the configuration's
  std::vector<int> virtual_threads = {2};
  uint64_t seed = 1;
  int accuracy = 0;  ///< inputs on which quantized networks are compared with float ones; 0: none
  std::vector<isa::Override> set;  ///< of all points
  std::vector<Variant> variants;   ///< `list:`; empty: none, which is one without settings
  std::vector<Axis> axes;          ///< `keys:`
  Sampling sampling = Sampling::kGrid;
  int64_t points = 0;  ///< of random and latin
  uint64_t sample_seed = 1;
  std::vector<Constraint> constraints;  ///< `where:`
};

struct Point {
  int64_t id = 0;  ///< its place in the plan, from 1
  std::string network, config, isa;
  int virtual_threads = 2;
  uint64_t seed = 1;
  int accuracy = 0;                     ///< Plan::accuracy
  std::string name;                     ///< its variant's
  std::vector<isa::Override> settings;  ///< the plan's, its variant's, its sample's, in this order
};

/// "grid", "random" or "latin"; nothing for any other name.
std::optional<Sampling> ParseSampling(const std::string& name);

/// Reads the text of a plan. `.networks` are as written. Nothing after reporting.
std::optional<Plan> ReadPlan(const isa::SourceText& text, Diagnostics& diags);

/// Inputs of Plan::accuracy at most.
inline constexpr int kMostAccuracyInputs = 10'000;

/// Reports a plan that asks for the accuracy of a model file, whose float network nobody has.
bool CheckAccuracy(const Plan& plan, const isa::YamlNode& at, Diagnostics& diags);

/// Reads the keys that plans of sweeps and of searches have: networks, configs, isa, virtual_threads, seed,
/// accuracy, set, list, keys and where. False after reporting.
bool ReadPointKeys(const isa::MapReader& reader, Plan& plan, Diagnostics& diags);

/// Reports an ISA for all points that is a key of some too.
bool CheckIsa(const Plan& plan, const isa::YamlNode& at, Diagnostics& diags);

/// Reports a plan whose parts do not go together: grids over ranges, samples without a number, no points or
/// too many.
bool CheckPlan(const Plan& plan, const isa::YamlNode& at, Diagnostics& diags);

/// Of a plan that CheckPlan has passed. Networks change fastest, then threads, samples, variants,
/// configurations.
std::vector<Point> PointsOf(const Plan& plan);

/// "parameters.block_out=8 memory.latency_ns=200"; of a point with a name, that first.
std::string DescribePoint(const Point& point);

}  // namespace cosim::explore
