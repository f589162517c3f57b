// SPDX-License-Identifier: Apache-2.0
// Two elaborated ISAs held against each other: what differs, part by part, and whether programs for one mean
// the same under the other.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "compiler/explore/compare.h"
#include "isa/spec/spec.h"

namespace cosim::cli {

/// A memory, unit, queue, instruction, ALU op or parameter that only one has, or that they have differently.
struct PartChange {
  enum class What { kAdded, kRemoved, kChanged } what = What::kChanged;
  std::string section, name;
  std::vector<explore::ValueChange> values;  ///< kAdded, kRemoved: all it says
};

struct IsaDifference {
  std::vector<PartChange> parts;
  /// Why a program for the first is another one under the second; none: its words decode to the same
  /// instructions, which compute the same.
  std::vector<std::string> obstacles;
  /// If there is no obstacle: what may still stop such a program.
  std::vector<std::string> cautions;
};

IsaDifference CompareIsas(const isa::Spec& before, const isa::Spec& after);

/// `before`, `after`: as the user named them.
std::string IsaDifferenceText(const std::string& before, const std::string& after,
                              const IsaDifference& difference);
nlohmann::ordered_json IsaDifferenceJson(const std::string& before, const std::string& after,
                                         const IsaDifference& difference);

}  // namespace cosim::cli
