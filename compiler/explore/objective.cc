// SPDX-License-Identifier: Apache-2.0
#include "compiler/explore/objective.h"

#include <algorithm>
#include <utility>

namespace cosim::explore {

std::optional<Objective> ParseObjective(std::string text) {
  Objective objective;
  objective.larger = text.starts_with("max:");
  if (objective.larger) text.erase(0, 4);
  if (text.empty()) return std::nullopt;
  objective.name = std::move(text);
  return objective;
}

const nlohmann::ordered_json* FigureOf(const nlohmann::ordered_json& result, const std::string& name) {
  const nlohmann::ordered_json* at = &result;
  for (size_t begin = 0; begin <= name.size();) {
    const size_t dot = std::min(name.find('.', begin), name.size());
    const std::string key = name.substr(begin, dot - begin);
    if (!at->is_object() || !at->contains(key)) {
      const auto frame = result.find("end_to_end");
      return frame != result.end() && frame->is_object() && frame->contains(name) ? &frame->at(name)
                                                                                  : nullptr;
    }
    at = &at->at(key);
    begin = dot + 1;
  }
  return at;
}

std::vector<double> CostsOf(const nlohmann::ordered_json& result, const std::vector<Objective>& objectives,
                            std::vector<std::string>& missing) {
  std::vector<double> costs;
  for (const Objective& objective : objectives) {
    const nlohmann::ordered_json* figure = FigureOf(result, objective.name);
    if (figure == nullptr || !figure->is_number())
      missing.push_back(objective.name);
    else
      costs.push_back(objective.Signed(figure->get<double>()));
  }
  return costs;
}

}  // namespace cosim::explore
