// SPDX-License-Identifier: Apache-2.0
#include "cli/search_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/print.h"
#include "cli/sweep_report.h"
#include "cli/text.h"
#include "compiler/explore/search/search.h"

namespace cosim::cli {
namespace {

using explore::Design;
using explore::Row;
using Json = nlohmann::ordered_json;

size_t NetworksOf(const explore::SearchPlan& plan) { return plan.plan.networks.size(); }

std::vector<Design> DesignsOf(const explore::SearchPlan& plan, const std::vector<Row>& rows) {
  return explore::DesignsOf(rows, NetworksOf(plan), plan.objectives);
}

/// The first of a design's rows.
const Row& RowOf(const explore::SearchPlan& plan, const std::vector<Row>& rows, const Design& design) {
  return rows[static_cast<size_t>(design.place - 1) * NetworksOf(plan)];
}

/// By their first objective, best first; equal ones as the search came upon them.
std::vector<Design> FrontOf(std::vector<Design> designs) {
  std::erase_if(designs, [](const Design& design) { return !design.on_front; });
  std::ranges::stable_sort(designs, {},
                           [](const Design& design) -> const auto& { return design.fitness.costs; });
  return designs;
}

std::string FrontTable(const explore::SearchPlan& plan, const std::vector<Row>& rows,
                       const std::vector<Design>& front) {
  std::vector<Row> firsts;
  for (const Design& design : front) firsts.push_back(RowOf(plan, rows, design));
  std::vector<RowColumn> columns = DifferingColumns(rows);
  if (NetworksOf(plan) > 1)  // a design's rows, of which one is shown, differ in that
    std::erase_if(columns, [](const RowColumn& column) { return column.title == "network"; });
  if (plan.plan.virtual_threads.size() > 1)
    columns.push_back({"virtual_threads", [](const Row& row) {
                         const Json result = Json::parse(row.result, nullptr, /*allow_exceptions=*/false);
                         return result.is_object() ? result.value("virtual_threads", Json()).dump() : "";
                       }});
  std::vector<size_t> widths;
  std::string text = fmt::format("{:>5}  {:>3}", "id", "gen");
  for (const RowColumn& column : columns) {
    widths.push_back(column.title.size());
    for (const Row& row : firsts) widths.back() = std::max(widths.back(), column.text(row).size());
    text += fmt::format("  {:<{}}", column.title, widths.back());
  }
  for (const explore::Objective& objective : plan.objectives)
    text += fmt::format("  {:>14}", objective.Text());
  text += '\n';
  for (size_t i = 0; i < front.size(); ++i) {
    text += fmt::format("{:>5}  {:>3}", firsts[i].id, firsts[i].birth ? firsts[i].birth->generation : 0);
    for (size_t c = 0; c < columns.size(); ++c)
      text += fmt::format("  {:<{}}", columns[c].text(firsts[i]), widths[c]);
    for (size_t o = 0; o < plan.objectives.size(); ++o)
      text += fmt::format("  {:>14.10g}", plan.objectives[o].Signed(front[i].fitness.costs[o]));
    text += '\n';
  }
  return text;
}

/// "400 designs in 13 generations: 320 done, 75 excluded, 5 failed"; of the failed the first one's reason.
std::string Counts(const explore::SearchPlan& plan, const std::vector<Row>& rows,
                   const std::vector<Design>& designs) {
  const auto some = [&](const Design& design, const char* status) {
    const auto first = rows.begin() + static_cast<std::ptrdiff_t>((design.place - 1) * NetworksOf(plan));
    return std::any_of(first, first + static_cast<std::ptrdiff_t>(NetworksOf(plan)),
                       [&](const Row& row) { return row.status == status; });
  };
  int64_t failed = 0, excluded = 0, generations = 0;
  for (const Design& design : designs) {
    const bool fails = some(design, "failed");
    failed += fails;
    excluded += !fails && some(design, "excluded");
    if (const Row& row = RowOf(plan, rows, design); row.birth)
      generations = std::max(generations, row.birth->generation);
  }
  const auto all = static_cast<int64_t>(designs.size());
  std::string text =
      fmt::format("{} in {}: {} done", Counted(designs.size(), "design"),
                  Counted(static_cast<size_t>(generations), "generation"), Grouped(all - failed - excluded));
  if (excluded > 0) text += fmt::format(", {} excluded", Grouped(excluded));
  if (failed > 0) text += fmt::format(", {} failed", Grouped(failed));
  text += '\n';
  const auto fault = std::ranges::find(rows, "failed", &Row::status);
  if (fault == rows.end()) return text;
  return text + fmt::format("point {} failed: {}\n", fault->id,
                            fault->diagnostic.substr(0, fault->diagnostic.find('\n')));
}

Json Number(double value) { return std::isfinite(value) ? Json(value) : Json(); }

Json DesignJson(const explore::SearchPlan& plan, const std::vector<Row>& rows, const Design& design) {
  const Row& row = RowOf(plan, rows, design);
  Json json = {{"design", design.place}, {"points", Json::array()}};
  for (size_t n = 0; n < NetworksOf(plan); ++n) json["points"].push_back(row.id + static_cast<int64_t>(n));
  json["generation"] = row.birth ? Json(row.birth->generation) : Json();
  json["parents"] = row.birth ? Json(row.birth->parents) : Json::array();
  json["violation"] = Number(design.fitness.violation);
  json["objectives"] = Json::object();
  for (size_t o = 0; o < design.fitness.costs.size(); ++o)
    json["objectives"][plan.objectives[o].name] = plan.objectives[o].Signed(design.fitness.costs[o]);
  json["on_front"] = design.on_front;
  return json;
}

}  // namespace

std::string SearchTable(const explore::SearchPlan& plan, const std::vector<Row>& rows) {
  const std::vector<Design> designs = DesignsOf(plan, rows), front = FrontOf(designs);
  std::vector<std::string> names;
  for (const explore::Objective& objective : plan.objectives) names.push_back(objective.Text());
  const std::string means =
      NetworksOf(plan) > 1 ? fmt::format(", means of {} networks", NetworksOf(plan)) : "";
  std::string text = fmt::format("{} on the front of {}{}\n", Counted(front.size(), "design"),
                                 fmt::join(names, ", "), means);
  if (!front.empty()) text += FrontTable(plan, rows, front);
  return text + Counts(plan, rows, designs);
}

std::string SearchCsv(const explore::SearchPlan& plan, const std::vector<Row>& rows) {
  const std::vector<Design> designs = DesignsOf(plan, rows);
  const auto place = [&](const Row& row) {
    return (row.id - 1) / static_cast<int64_t>(NetworksOf(plan)) + 1;
  };
  const std::vector<RowColumn> more = {
      {"design", [&](const Row& row) { return std::to_string(place(row)); }},
      {"generation", [](const Row& row) { return row.birth ? std::to_string(row.birth->generation) : ""; }},
      {"parents",
       [](const Row& row) { return row.birth ? fmt::format("{}", fmt::join(row.birth->parents, " ")) : ""; }},
      {"violation",
       [](const Row& row) { return row.status == "excluded" ? fmt::format("{:.6g}", row.violation) : ""; }},
      {"on_front",
       [&](const Row& row) { return designs[static_cast<size_t>(place(row) - 1)].on_front ? "1" : "0"; }}};
  return SweepCsv(rows, more);
}

std::string SearchJson(const explore::SearchPlan& plan, const explore::SweepHead& head,
                       const std::vector<Row>& rows) {
  Json json = SweepObject(head, rows);
  json["objectives"] = Json::array();
  for (const explore::Objective& objective : plan.objectives) json["objectives"].push_back(objective.Text());
  json["designs"] = Json::array();
  for (const Design& design : DesignsOf(plan, rows))
    json["designs"].push_back(DesignJson(plan, rows, design));
  return JsonText(json);
}

}  // namespace cosim::cli
