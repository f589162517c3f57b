// SPDX-License-Identifier: Apache-2.0
#include "compiler/explore/axis.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string_view>

#include "compiler/explore/diagnostic_codes.h"
#include "isa/diagnostic_codes.h"

namespace cosim::explore {
namespace {

using isa::YamlNode;

constexpr size_t kMostValues = 10'000;  // of one key
constexpr double kLargest = 1e15;       // whole numbers below are exact in a double
constexpr const char* kForms = "as 8,16,32 or 200..800 or 200..800:50 or 8..64*2";

std::string_view Trimmed(std::string_view text) {
  const size_t begin = text.find_first_not_of(' ');
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(' ') - begin + 1);
}

struct Number {
  double value = 0;
  bool whole = false;
};

std::optional<Number> ParseNumber(std::string_view written) {
  const std::string text(Trimmed(written));
  Number number;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number.value);
  if (error != std::errc() || rest != end || !(std::abs(number.value) <= kLargest)) return std::nullopt;
  number.whole = text.find_first_not_of("-0123456789") == std::string::npos;
  return number;
}

bool Bad(const YamlNode& at, const std::string& what, Diagnostics& diags) {
  isa::Report(diags, codes::kBadAxis, at, what).hint = kForms;
  return false;
}

/// "A..B", "A..B:S" or "A..B*F".
bool ReadRange(const YamlNode& at, std::string_view text, Axis& axis, Diagnostics& diags) {
  const size_t dots = text.find(".."), step_at = text.find_first_of(":*", dots + 2);
  const auto from = ParseNumber(text.substr(0, dots)),
             to = ParseNumber(text.substr(dots + 2, step_at == text.npos ? text.npos : step_at - dots - 2));
  if (!from || !to)
    return Bad(at, fmt::format("'{}' is no range of '{}': its bounds are numbers", text, axis.key), diags);
  if (from->value > to->value)
    return Bad(at, fmt::format("the range '{}' of '{}' ends before it begins", text, axis.key), diags);
  bool whole = from->whole && to->whole;
  if (step_at == text.npos) {
    axis.range = Range{from->value, to->value, whole};
    return true;
  }
  const auto step = ParseNumber(text.substr(step_at + 1));
  const bool multiplies = text[step_at] == '*';
  if (!step || step->value <= (multiplies ? 1 : 0) || (multiplies && from->value <= 0))
    return Bad(at,
               multiplies ? fmt::format("'{}': a factor is above 1, and the range above 0", text)
                          : fmt::format("'{}': a step is a number above 0", text),
               diags);
  whole = whole && step->whole;
  const double end = to->value + 1e-9 * std::abs(to->value);
  for (size_t i = 0; axis.values.size() <= kMostValues; ++i) {
    const auto n = static_cast<double>(i);
    const double value = multiplies ? from->value * std::pow(step->value, n) : from->value + n * step->value;
    if (value > end) break;
    axis.values.push_back(NumberText(value, whole));
  }
  return true;
}

bool ReadScalar(const YamlNode& value, Axis& axis, Diagnostics& diags) {
  std::string_view text = value.scalar;
  if (!value.quoted && text.find("..") != text.npos && text.find(',') == text.npos &&
      ParseNumber(text.substr(0, text.find(".."))))
    return ReadRange(value, text, axis, diags);
  while (true) {
    const size_t comma = value.quoted ? text.npos : text.find(',');
    axis.values.emplace_back(Trimmed(text.substr(0, comma)));
    if (comma == text.npos) return true;
    text.remove_prefix(comma + 1);
  }
}

bool ReadValues(const YamlNode& value, Axis& axis, Diagnostics& diags) {
  if (value.kind == YamlNode::Kind::kScalar) return ReadScalar(value, axis, diags);
  if (value.kind != YamlNode::Kind::kSequence)
    return Bad(value, fmt::format("'{}' has no values", axis.key), diags);
  for (const YamlNode& item : value.items) {
    if (item.kind != YamlNode::Kind::kScalar)
      return Bad(item, fmt::format("a value of '{}' has to be a single one", axis.key), diags);
    axis.values.push_back(item.scalar);
  }
  return true;
}

}  // namespace

std::optional<Axis> ReadAxis(const YamlNode& key, const YamlNode& value, Diagnostics& diags) {
  Axis axis;
  axis.key = key.scalar;
  axis.at = value;
  if (!ReadValues(value, axis, diags)) return std::nullopt;
  if (axis.range) return axis;
  const YamlNode& at = value.line > 0 ? value : key;
  if (axis.values.empty() || std::ranges::count(axis.values, "") > 0) {
    Bad(at, fmt::format("'{}' has an empty value, or none", axis.key), diags);
    return std::nullopt;
  }
  if (axis.values.size() > kMostValues) {
    isa::Report(diags, codes::kTooMany, at,
                fmt::format("'{}' has more than {} values", axis.key, kMostValues));
    return std::nullopt;
  }
  return axis;
}

std::string NumberText(double value, bool whole) {
  return whole ? fmt::format("{:.0f}", value) : fmt::format("{:g}", value);
}

std::optional<std::vector<double>> NumbersOf(const Axis& axis) {
  std::vector<double> numbers;
  for (const std::string& value : axis.values) {
    const auto number = ParseNumber(value);
    if (!number) return std::nullopt;
    numbers.push_back(number->value);
  }
  return numbers;
}

std::string ValueAt(const Axis& axis, double at) {
  if (!axis.range) return axis.values[static_cast<size_t>(at * static_cast<double>(axis.values.size()))];
  const auto [from, to, whole] = *axis.range;
  if (whole) return NumberText(std::min(to, from + std::floor(at * (to - from + 1))), true);
  return NumberText(from + at * (to - from), false);
}

}  // namespace cosim::explore
