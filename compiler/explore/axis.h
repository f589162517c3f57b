// SPDX-License-Identifier: Apache-2.0
// One key of a plan and the values it takes: a list, or a range. What a key means is the business of whoever
// elaborates the point.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "isa/diagnostics.h"
#include "isa/yaml/node.h"

namespace cosim::explore {

/// Numbers between two bounds, both included; whole ones when the bounds are written as whole numbers.
struct Range {
  double from = 0, to = 0;
  bool whole = true;
};

struct Axis {
  std::string key;
  std::vector<std::string> values;  ///< empty: `range` says
  std::optional<Range> range;
  isa::YamlNode at;  ///< where its values stand
};

/// `value` is a list of scalars, or one scalar: "8,16,32", a range "200..800", "200..800:50" in steps that
/// are added, "8..64*2" in steps that multiply. Steps make a list. Nothing after reporting.
std::optional<Axis> ReadAxis(const isa::YamlNode& key, const isa::YamlNode& value, Diagnostics& diags);

/// The value `at` of the way through the axis, which is in [0, 1): each value of a list has an equal share.
std::string ValueAt(const Axis& axis, double at);

/// The numbers that a list's values are, in their order; nothing when one of them is none.
std::optional<std::vector<double>> NumbersOf(const Axis& axis);
/// As it stands in a setting: 200, 66.5.
std::string NumberText(double value, bool whole);

}  // namespace cosim::explore
