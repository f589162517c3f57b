// SPDX-License-Identifier: Apache-2.0
// A figure of a result that designs are compared by.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace cosim::explore {

struct Objective {
  std::string name;     ///< "frame_ms", "area.dsp": a place in the JSON of a run
  bool larger = false;  ///< is better

  /// As a plan and a command have it: "max:utilization".
  std::string Text() const { return (larger ? "max:" : "") + name; }
  /// A figure as a cost, the smaller the better, and back.
  double Signed(double value) const { return larger ? -value : value; }
};

/// Of "max:NAME" or "NAME"; nothing when the name is empty.
std::optional<Objective> ParseObjective(std::string text);

/// A figure by its place in the JSON of a run, "end_to_end.host_ms"; what stands in end_to_end needs no more
/// than its own name. Null where it is not.
const nlohmann::ordered_json* FigureOf(const nlohmann::ordered_json& result, const std::string& name);

/// One cost an objective; the names of those that the result has no number for go to `missing`.
std::vector<double> CostsOf(const nlohmann::ordered_json& result, const std::vector<Objective>& objectives,
                            std::vector<std::string>& missing);

/// What is said where no point has a figure.
inline constexpr const char* kKnownFigures =
    "cycles, ms, frame_ms, host_ms, dram_bytes, macs_host, area.lut, area.ff, area.dsp, area.ramb36, "
    "max:utilization, energy_mj "
    "of points with an energy table (--set energy=45nm), max:accuracy.sqnr_db of those with --accuracy, or "
    "any number in the JSON of `cosim run`";

}  // namespace cosim::explore
