// SPDX-License-Identifier: Apache-2.0
// cosim pareto: the points of a sweep that nothing beats in all objectives, and what beats each of the
// others.
#include "compiler/explore/pareto.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "cli/options.h"
#include "cli/output_file.h"
#include "cli/print.h"
#include "cli/text.h"
#include "cli/verbs.h"
#include "compiler/explore/database.h"
#include "compiler/explore/objective.h"

namespace cosim::cli {
namespace po = boost::program_options;
namespace {

using Json = nlohmann::ordered_json;

using explore::Objective;

/// The points of one network.
struct Field {
  std::vector<explore::Candidate> candidates;
  std::map<int64_t, std::string> descriptions;
  int without = 0;  ///< points that are done and lack a figure
};

std::optional<std::vector<Objective>> ParseObjectives(const std::string& text) {
  std::vector<Objective> objectives;
  for (size_t at = 0; at <= text.size();) {
    const size_t comma = std::min(text.find(',', at), text.size());
    auto objective = explore::ParseObjective(text.substr(at, comma - at));
    at = comma + 1;
    if (!objective)
      return Fail(fmt::format("--objectives={}: a name is missing", text), "as in frame_ms,area.dsp"),
             std::nullopt;
    objectives.push_back(std::move(*objective));
  }
  return objectives;
}

std::string DescriptionOf(const explore::Row& row) {
  explore::Point point;
  point.name = row.name;
  point.settings = row.settings;
  return explore::DescribePoint(point);
}

/// Adds a row that is done; names the objectives that it has no number for.
std::vector<std::string> AddRow(const explore::Row& row, const std::vector<Objective>& objectives,
                                Field& field) {
  const Json result = Json::parse(row.result, nullptr, /*allow_exceptions=*/false);
  std::vector<std::string> missing;
  explore::Candidate candidate{.id = row.id, .costs = explore::CostsOf(result, objectives, missing)};
  if (!missing.empty()) return ++field.without, missing;
  field.descriptions[row.id] = DescriptionOf(row);
  field.candidates.push_back(std::move(candidate));
  return {};
}

std::string FrontText(const std::string& network, const Field& field,
                      const std::vector<Objective>& objectives) {
  const auto standings = explore::StandingsOf(field.candidates);
  const auto front = std::ranges::count(standings, 0, &explore::Standing::dominated_by);
  std::vector<std::string> names;
  for (const Objective& objective : objectives) names.push_back(objective.Text());
  std::string text = fmt::format("{}: {} of {} on the front of {}\n{:>5}", network, front,
                                 Counted(standings.size(), "point"), fmt::join(names, ", "), "id");
  for (const std::string& name : names) text += fmt::format("  {:>14}", name);
  text += "\n";
  // The front in the order of its first objective.
  std::vector<size_t> order;
  for (size_t i = 0; i < standings.size(); ++i)
    if (standings[i].dominated_by == 0) order.push_back(i);
  std::ranges::stable_sort(order, {}, [&](size_t i) -> const auto& { return field.candidates[i].costs; });
  const auto line = [&](size_t i, const std::string& behind) {
    text += fmt::format("{:>5}", standings[i].id);
    for (size_t o = 0; o < objectives.size(); ++o)
      text += fmt::format("  {:>14.10g}", objectives[o].Signed(field.candidates[i].costs[o]));
    text += "  " + behind + field.descriptions.at(standings[i].id) + "\n";
  };
  for (const size_t i : order) line(i, "");
  if (order.size() < standings.size()) text += "not on it:\n";
  for (size_t i = 0; i < standings.size(); ++i)
    if (standings[i].dominated_by != 0)
      line(i, fmt::format("point {} is better: ", standings[i].dominated_by));
  if (field.without > 0)
    text += fmt::format("left out: {} without these figures\n", Counted(field.without, "point"));
  return text;
}

Json FrontJson(const Field& field, const std::vector<Objective>& objectives) {
  const auto standings = explore::StandingsOf(field.candidates);
  Json json = Json::array();
  for (size_t i = 0; i < standings.size(); ++i) {
    Json point = {{"id", standings[i].id}, {"point", field.descriptions.at(standings[i].id)}};
    for (size_t o = 0; o < objectives.size(); ++o)
      point["objectives"][objectives[o].name] = objectives[o].Signed(field.candidates[i].costs[o]);
    point["on_front"] = standings[i].dominated_by == 0;
    point["dominated_by"] = standings[i].dominated_by == 0 ? Json() : Json(standings[i].dominated_by);
    json.push_back(std::move(point));
  }
  return json;
}

/// By network. Nothing after printing a mistake.
std::optional<std::map<std::string, Field>> ReadFields(const std::string& file,
                                                       const std::vector<Objective>& objectives) {
  std::string error;
  const auto database = explore::Database::Open(file, error);
  std::map<std::string, Field> fields;
  std::vector<std::string> missing;
  size_t compared = 0;
  const auto add = [&](const explore::Row& row) {
    if (row.status != "done") return;
    const auto lacks = AddRow(row, objectives, fields[row.network]);
    compared += lacks.empty();
    if (missing.empty()) missing = lacks;
  };
  if (!database || !database->ForEach(add, error)) return Fail(error), std::nullopt;
  if (compared > 0) return fields;
  if (missing.empty()) return Fail(fmt::format("{} has no points that are done", file)), std::nullopt;
  Fail(fmt::format("no point has a number '{}'", missing.front()), explore::kKnownFigures);
  return std::nullopt;
}

}  // namespace

int ParetoVerb(const Arguments& arguments) {
  po::options_description options("options");
  options.add_options()(
      "objectives",
      po::value<std::string>()->value_name("LIST")->default_value("frame_ms,area.dsp,area.ramb36"),
      "numbers of the JSON of `run`, the smaller the better; max:NAME, the larger")(
      "json", po::value<std::string>()->value_name("FILE")->default_value(""),
      "write all points as JSON; - is standard output");
  const auto parsed = Parse(arguments, options, "pareto FILE.sqlite [options]",
                            "cosim pareto sweep.sqlite --objectives=frame_ms,area.dsp", "FILE");
  if (parsed.exit) return *parsed.exit;
  const std::string json = parsed.values["json"].as<std::string>();
  const auto objectives = ParseObjectives(parsed.values["objectives"].as<std::string>());
  if (!objectives || (!json.empty() && !CheckWritable(json))) return 1;
  const auto fields = ReadFields(parsed.values["FILE"].as<std::string>(), *objectives);
  if (!fields) return 1;
  Json all = {{"schema", 1}, {"networks", Json::object()}};
  for (const auto& [network, field] : *fields) {
    if (json != "-") Print("{}", FrontText(network, field, *objectives));
    all["networks"][network] = FrontJson(field, *objectives);
  }
  return json.empty() || WriteFile(json, JsonText(all)) ? 0 : 1;
}

}  // namespace cosim::cli
