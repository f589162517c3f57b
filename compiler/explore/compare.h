// SPDX-License-Identifier: Apache-2.0
// Two runs held against each other, from the JSON that `cosim run` writes of each: what differs in their
// hardware, and what that did to each layer.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

namespace cosim::explore {

/// Of the JSON of `run`, which the command line writes: docs/reference/versions.md.
inline constexpr int kRunSchema = 3;

/// Of one layer, in one run.
struct LayerFacts {
  bool on_accelerator = false;
  int64_t cycles = 0;      ///< 0 on the host
  int64_t dram_bytes = 0;  ///< 0 on the host
  std::optional<double> host_ms;
  std::string schedule, reason;
};

struct LayerChange {
  std::string name;
  std::optional<LayerFacts> before, after;  ///< one of them may not have the layer
  double more_ms = 0;  ///< on the accelerator at the run's clock, and on the host where that is known
};

/// Something with a name that has two values; "" where a run does not have it.
struct ValueChange {
  std::string name, before, after;
};

struct WaitChange {
  std::string name;  ///< "gemm wait_token load_to_gemm"
  int64_t before = 0, after = 0;
};

struct Comparison {
  std::vector<ValueChange> hardware;  ///< of the configuration, the ISA and how the network was compiled
  std::vector<ValueChange> totals;
  std::vector<LayerChange> layers;  ///< all, those first that lost most
  std::vector<WaitChange> units;    ///< cycles of the ledger that differ, those first that differ most
};

/// What differs between two objects of values, each under its dotted name; of lists of names, each name by
/// itself.
std::vector<ValueChange> ChangesOf(const nlohmann::ordered_json& before, const nlohmann::ordered_json& after);

/// Nothing, and `error` set, when one of the two is not the JSON of a run of the present schema, or they are
/// of different networks.
std::optional<Comparison> Compare(const nlohmann::ordered_json& before, const nlohmann::ordered_json& after,
                                  std::string& error);

}  // namespace cosim::explore
