// SPDX-License-Identifier: Apache-2.0
// What differs between two ISAs, for people and for programs.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/compare_report.h"
#include "cli/isa_difference.h"
#include "cli/text.h"

namespace cosim::cli {
namespace {

using explore::ValueChange;

/// What a part says, of one that only one ISA has: "kind load, unit load, opcode 12, 9 fields".
std::string PartSummary(const PartChange& part) {
  std::string text;
  size_t fields = 0;
  for (const ValueChange& value : part.values) {
    if (value.name.starts_with("fields.")) {
      ++fields;
      continue;
    }
    const std::string& said = part.what == PartChange::What::kAdded ? value.after : value.before;
    text += (text.empty() ? "" : ", ") + (part.section == "parameters" ? said : value.name + " " + said);
  }
  return fields > 0 ? text + ", " + Counted(fields, "field") : text;
}

std::string ChangedValues(const PartChange& part) {
  size_t width = 0;
  for (const ValueChange& value : part.values) width = std::max(width, value.name.size());
  std::string text;
  for (const ValueChange& value : part.values)
    text +=
        fmt::format("      {:<{}}  {} -> {}\n", value.name, width,
                    value.before.empty() ? "none" : value.before, value.after.empty() ? "none" : value.after);
  return text;
}

std::string PartText(const PartChange& part) {
  if (part.what == PartChange::What::kAdded) return fmt::format("  + {}  {}\n", part.name, PartSummary(part));
  if (part.what == PartChange::What::kRemoved)
    return fmt::format("  - {}  {}\n", part.name, PartSummary(part));
  if (part.section == "parameters")
    return fmt::format("  ~ {}  {} -> {}\n", part.name, part.values[0].before, part.values[0].after);
  return part.name.empty() ? ChangedValues(part) : fmt::format("  ~ {}\n{}", part.name, ChangedValues(part));
}

std::string VerdictText(const std::string& before, const std::string& after,
                        const IsaDifference& difference) {
  std::string text = fmt::format("programs for {} decode alike under {}: {}\n", before, after,
                                 difference.obstacles.empty() ? "yes" : "no");
  for (const std::string& why : difference.obstacles) text += "  " + why + "\n";
  for (const std::string& why : difference.cautions) text += "  but " + why + "\n";
  return text;
}

const char* WhatText(PartChange::What what) {
  if (what == PartChange::What::kAdded) return "added";
  return what == PartChange::What::kRemoved ? "removed" : "changed";
}

}  // namespace

std::string IsaDifferenceText(const std::string& before, const std::string& after,
                              const IsaDifference& difference) {
  if (difference.parts.empty() && difference.obstacles.empty())
    return fmt::format("{} and {} are the same\n", before, after);
  std::string text = fmt::format("{} -> {}\n", before, after), section;
  for (const PartChange& part : difference.parts) {
    if (part.section != section) text += part.section + "\n";
    section = part.section;
    text += PartText(part);
  }
  return text + VerdictText(before, after, difference);
}

nlohmann::ordered_json IsaDifferenceJson(const std::string& before, const std::string& after,
                                         const IsaDifference& difference) {
  nlohmann::ordered_json json = {{"schema", 1},
                                 {"before", before},
                                 {"after", after},
                                 {"same", difference.parts.empty() && difference.obstacles.empty()},
                                 {"decodes_alike", difference.obstacles.empty()},
                                 {"obstacles", difference.obstacles},
                                 {"cautions", difference.cautions},
                                 {"parts", nlohmann::ordered_json::array()}};
  for (const PartChange& part : difference.parts)
    json["parts"].push_back({{"section", part.section},
                             {"name", part.name},
                             {"change", WhatText(part.what)},
                             {"values", ValuesJson(part.values)}});
  return json;
}

}  // namespace cosim::cli
