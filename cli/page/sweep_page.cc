// SPDX-License-Identifier: Apache-2.0
#include "cli/page/sweep_page.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

namespace cosim::cli {
namespace {

using Json = nlohmann::ordered_json;

/// Texts that many points share, each once.
class Texts {
 public:
  size_t NumberOf(const std::string& text) {
    return numbers_.try_emplace(text, numbers_.size()).first->second;
  }
  Json List() const {
    Json list = Json::array();
    for (size_t i = 0; i < numbers_.size(); ++i) list.push_back(nullptr);
    for (const auto& [text, number] : numbers_) list[number] = text;
    return list;
  }

 private:
  std::map<std::string, size_t> numbers_;
};

/// Objects of a result that say what ran, or are too fine for a point.
bool IsLeftOut(const std::string& key) {
  static const std::vector<std::string> names = {"configuration", "provenance", "ledger", "memory",
                                                 "outputs",       "host",       "schema", "seed"};
  return std::ranges::count(names, key) > 0;
}

/// Numbers by their dotted place; those of end_to_end by their own name, as `cosim pareto` takes them.
Json FiguresOf(const Json& result) {
  Json figures = Json::object();
  for (const auto& [key, value] : result.items()) {
    if (IsLeftOut(key)) continue;
    if (value.is_number()) figures[key] = value;
    if (!value.is_object()) continue;
    for (const auto& [name, number] : value.items())
      if (number.is_number()) figures[key == "end_to_end" ? name : key + "." + name] = number;
  }
  return figures;
}

std::string TextAt(const Json& object, const char* key) {
  const auto at = object.is_object() ? object.find(key) : object.end();
  return at != object.end() && at->is_string() ? at->get<std::string>() : "";
}

Json ListAt(const Json& object, const char* key) {
  const auto at = object.find(key);
  return at != object.end() && at->is_array() ? *at : Json::array();
}

class PointsOf {
 public:
  Json Point(const explore::Row& row) {
    Json point = {{"id", row.id},           {"name", row.name},
                  {"network", row.network}, {"config", row.config},
                  {"isa", row.isa},         {"settings", Json::array()},
                  {"status", row.status},   {"diagnostic", row.diagnostic}};
    for (const isa::Override& setting : row.settings)
      point["settings"].push_back({setting.path, setting.value});
    const Json result = Json::parse(row.result, nullptr, /*allow_exceptions=*/false);
    if (result.is_object()) AddResult(result, point);
    return point;
  }
  Json Warnings() const { return warnings_.List(); }
  Json Reasons() const { return reasons_.List(); }

 private:
  void AddResult(const Json& result, Json& point) {
    point["figures"] = FiguresOf(result);
    const Json fit = result.value("fit", Json());
    if (fit.is_object() && fit.value("fits", Json()) == Json(false)) point["fit"] = TextAt(fit, "text");
    point["warnings"] = Json::array();
    for (const Json& warning : ListAt(result, "warnings"))
      point["warnings"].push_back(warnings_.NumberOf(TextAt(warning, "text")));
    point["host"] = Json::array();
    for (const Json& layer : ListAt(result, "layers"))
      if (TextAt(layer, "where") == "cpu")
        point["host"].push_back({TextAt(layer, "name"), reasons_.NumberOf(TextAt(layer, "reason"))});
  }

  Texts warnings_, reasons_;
};

}  // namespace

Json SweepPage(const std::string& source, const explore::SweepHead& head,
               const std::vector<explore::Row>& rows) {
  PointsOf points;
  Json list = Json::array();
  for (const explore::Row& row : rows) list.push_back(points.Point(row));
  return {
      {"kind", "sweep"},
      {"source", source},
      {"head",
       {{"plan", head.plan}, {"version", head.version}, {"digest", head.digest}, {"points", head.points}}},
      {"warnings", points.Warnings()},
      {"reasons", points.Reasons()},
      {"points", std::move(list)}};
}

}  // namespace cosim::cli
