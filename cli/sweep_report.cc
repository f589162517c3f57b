// SPDX-License-Identifier: Apache-2.0
#include "cli/sweep_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "cli/print.h"
#include "cli/text.h"

namespace cosim::cli {
namespace {

using explore::Row;
using Json = nlohmann::ordered_json;

constexpr int kSweepSchema = 1;  // docs/reference/versions.md

using Column = RowColumn;

std::string SettingText(const Row& row, const std::string& key) {
  std::string value;
  for (const isa::Override& setting : row.settings)
    if (setting.path == key) value = setting.value;
  return value;
}

/// In the order in which they come up.
std::vector<std::string> KeysOf(const std::vector<Row>& rows) {
  std::vector<std::string> keys;
  for (const Row& row : rows)
    for (const isa::Override& setting : row.settings)
      if (std::ranges::count(keys, setting.path) == 0) keys.push_back(setting.path);
  return keys;
}

/// Null where the result has no such number.
Json At(const Json& result, const std::string& pointer) {
  const Json::json_pointer path(pointer);
  return result.contains(path) ? result.at(path) : Json();
}

std::string Fixed(const Json& number) {
  return number.is_number() ? fmt::format("{:.2f}", number.get<double>()) : "";
}
std::string Whole(const Json& number) { return number.is_number() ? Grouped(number.get<int64_t>()) : ""; }

/// A figure of a result, in the table.
struct Figure {
  std::string title, pointer;
  std::string (*text)(const Json&);
};

std::string Share(const Json& number) { return number.is_number() ? Percent(number.get<double>()) : ""; }

/// Energy and accuracy where some point has them.
std::vector<Figure> TableFigures(const std::vector<Row>& rows) {
  std::vector<Figure> figures = {{"cycles", "/cycles", Whole},
                                 {"ms", "/ms", Fixed},
                                 {"host est ms", "/end_to_end/host_ms", Fixed},
                                 {"frame ms", "/end_to_end/frame_ms", Fixed},
                                 {"util", "/utilization", Share},
                                 {"DRAM bytes", "/dram_bytes", Whole},
                                 {"host MACs", "/macs_host", Whole}};
  const auto have = [&](const std::string& key) {
    return std::ranges::any_of(
        rows, [&](const Row& row) { return row.result.find("\"" + key + "\":") != row.result.npos; });
  };
  if (have("energy_mj")) figures.push_back({"energy est mJ", "/energy_mj", Fixed});
  if (have("sqnr_db")) figures.push_back({"SQNR dB", "/accuracy/sqnr_db", Fixed});
  return figures;
}

/// An object, empty where the row has no result or one that is damaged.
Json ResultOf(const Row& row) {
  Json result = Json::parse(row.result, nullptr, /*allow_exceptions=*/false);
  return result.is_object() ? result : Json::object();
}

std::string FirstLine(const std::string& text) { return text.substr(0, text.find('\n')); }

/// Of the points that are done, the one whose frame is shortest.
std::string BestLine(const std::vector<Row>& rows) {
  std::optional<double> best;
  int64_t id = 0;
  for (const Row& row : rows) {
    if (row.status != "done") continue;
    const Json frame = At(ResultOf(row), "/end_to_end/frame_ms");
    if (!frame.is_number() || (best && *best <= frame.get<double>())) continue;
    best = frame.get<double>();
    id = row.id;
  }
  return best ? fmt::format("; shortest frame: point {}, {:.2f} ms", id, *best) : "";
}

std::string Summary(const std::vector<Row>& rows) {
  const auto count = [&](const char* status) { return std::ranges::count(rows, status, &Row::status); };
  std::string text = fmt::format("{}: {} done", Counted(rows.size(), "point"), Grouped(count("done")));
  for (const char* status : {"excluded", "failed"})
    if (count(status) > 0) text += fmt::format(", {} {}", Grouped(count(status)), status);
  return text + BestLine(rows) + "\n";
}

std::string Quoted(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

std::string CsvText(const Json& value) {
  return value.is_null() ? "" : value.is_string() ? value.get<std::string>() : value.dump();
}

/// "block_out" for "parameters.block_out", where no other key ends so.
std::string ShortTitle(const Column& column, const std::vector<Column>& columns) {
  const std::string last = column.title.substr(column.title.rfind('.') + 1);
  const auto ends_so = [&](const Column& other) {
    return other.title == last || other.title.ends_with("." + last);
  };
  return std::ranges::count_if(columns, ends_so) == 1 ? last : column.title;
}

bool Differs(const Column& column, const std::vector<Row>& rows) {
  return std::ranges::any_of(rows,
                             [&](const Row& row) { return column.text(row) != column.text(rows.front()); });
}

}  // namespace

std::vector<RowColumn> PointColumns(const std::vector<Row>& rows) {
  std::vector<Column> columns = {{"name", [](const Row& row) { return row.name; }},
                                 {"network", [](const Row& row) { return row.network; }},
                                 {"config", [](const Row& row) { return row.config; }}};
  for (const std::string& key : KeysOf(rows))
    columns.push_back({key, [key](const Row& row) { return SettingText(row, key); }});
  return columns;
}

std::vector<RowColumn> DifferingColumns(const std::vector<Row>& rows) {
  std::vector<Column> columns;
  for (const Column& column : PointColumns(rows))
    if (Differs(column, rows)) columns.push_back(column);
  for (Column& column : columns) column.title = ShortTitle(column, columns);
  return columns;
}

std::string SweepTable(const std::vector<Row>& rows) {
  if (rows.empty()) return "no points\n";
  const std::vector<Column> columns = DifferingColumns(rows);
  std::vector<size_t> widths;
  for (const Column& column : columns) {
    widths.push_back(column.title.size());
    for (const Row& row : rows) widths.back() = std::max(widths.back(), column.text(row).size());
  }
  std::string text = fmt::format("{:>5}", "id");
  for (size_t i = 0; i < columns.size(); ++i) text += fmt::format("  {:<{}}", columns[i].title, widths[i]);
  const std::vector<Figure> figures = TableFigures(rows);
  for (const Figure& figure : figures) text += fmt::format("  {:>13}", figure.title);
  text += '\n';
  for (const Row& row : rows) {
    text += fmt::format("{:>5}", row.id);
    for (size_t i = 0; i < columns.size(); ++i)
      text += fmt::format("  {:<{}}", columns[i].text(row), widths[i]);
    const Json result = row.status == "done" ? ResultOf(row) : Json();
    if (row.status == "done")
      for (const Figure& figure : figures)
        text += fmt::format("  {:>13}", figure.text(At(result, figure.pointer)));
    else
      text += fmt::format("  {}: {}", row.status, FirstLine(row.diagnostic));
    text += '\n';
  }
  return text + Summary(rows);
}

std::string SweepCsv(const std::vector<Row>& rows, const std::vector<RowColumn>& more) {
  static const std::vector<std::pair<const char*, const char*>> kFigures = {
      {"cycles", "/cycles"},
      {"ms", "/ms"},
      {"host_ms", "/end_to_end/host_ms"},
      {"copies_ms", "/end_to_end/copies_ms"},
      {"frame_ms", "/end_to_end/frame_ms"},
      {"utilization", "/utilization"},
      {"ideal_cycles", "/ideal_cycles"},
      {"macs", "/macs"},
      {"macs_host", "/macs_host"},
      {"instructions", "/instructions"},
      {"dram_bytes", "/dram_bytes"},
      {"area_dsp", "/area/dsp"},
      {"area_ramb36", "/area/ramb36"},
      {"area_lut", "/area/lut"},
      {"area_ff", "/area/ff"},
      {"energy_mj", "/energy_mj"},
      {"sqnr_db", "/accuracy/sqnr_db"},
      {"hardware_fingerprint", "/provenance/hardware_fingerprint"},
      {"experiment_fingerprint", "/provenance/experiment_fingerprint"}};
  const std::vector<Column> columns = PointColumns(rows);
  std::string text = "id";
  for (const Column& column : columns) text += "," + Quoted(column.title);
  text += ",isa,status,diagnostic";
  for (const auto& [title, pointer] : kFigures) text += fmt::format(",{}", title);
  for (const Column& column : more) text += "," + Quoted(column.title);
  text += "\r\n";
  for (const Row& row : rows) {
    text += std::to_string(row.id);
    for (const Column& column : columns) text += "," + Quoted(column.text(row));
    text += "," + Quoted(row.isa) + "," + row.status + "," + Quoted(row.diagnostic);
    const Json result = ResultOf(row);
    for (const auto& [title, pointer] : kFigures) text += "," + Quoted(CsvText(At(result, pointer)));
    for (const Column& column : more) text += "," + Quoted(column.text(row));
    text += "\r\n";
  }
  return text;
}

nlohmann::ordered_json SweepObject(const explore::SweepHead& head, const std::vector<Row>& rows) {
  Json json = {
      {"schema", kSweepSchema}, {"version", head.version}, {"digest", head.digest}, {"plan", head.plan}};
  json["points"] = Json::array();
  for (const Row& row : rows) {
    Json point = {{"id", row.id},
                  {"name", row.name},
                  {"network", row.network},
                  {"config", row.config},
                  {"isa", row.isa}};
    point["settings"] = Json::array();
    for (const isa::Override& setting : row.settings)
      point["settings"].push_back(setting.path + "=" + setting.value);
    point["status"] = row.status;
    point["diagnostic"] = row.diagnostic.empty() ? Json() : Json(row.diagnostic);
    point["result"] = row.result.empty() ? Json() : ResultOf(row);
    json["points"].push_back(std::move(point));
  }
  return json;
}

std::string SweepJson(const explore::SweepHead& head, const std::vector<Row>& rows) {
  return JsonText(SweepObject(head, rows));
}

}  // namespace cosim::cli
