// SPDX-License-Identifier: Apache-2.0
#include "compiler/explore/point_row.h"

#include <fmt/format.h>

#include <charconv>
#include <map>
#include <new>
#include <set>
#include <utility>

#include "isa/digest.h"
#include "isa/spec/config_energy.h"
#include "isa/spec/loader.h"
#include "sim/energy/energy_source.h"

namespace cosim::explore {
namespace {

std::string StatusName(Status status) {
  switch (status) {
    case Status::kDone:
      return "done";
    case Status::kFailed:
      return "failed";
    case Status::kExcluded:
      return "excluded";
  }
  return "failed";
}

/// What of a point says which files it wants.
std::string FilesKey(const Point& point) {
  std::string key = point.config + '\n' + point.isa;
  for (const isa::Override& setting : point.settings)
    if (setting.path == "isa" || setting.path == "energy") key += '\n' + setting.path + '=' + setting.value;
  return key;
}

}  // namespace

Row RowOf(const Point& point) {
  Row row{.id = point.id, .network = point.network, .config = point.config, .isa = point.isa};
  row.name = point.name;
  row.settings = point.settings;
  return row;
}

Row RunPoint(const Point& point, PointRunner& runner, const DescribeOutcome& describe) {
  Row row = RowOf(point);
  Outcome outcome;
  try {
    outcome = runner.Run(point);
  } catch (const std::bad_alloc&) {
    outcome = {};
    outcome.diagnostic = "there is not enough memory for that";
  }
  row.status = StatusName(outcome.status);
  row.diagnostic = outcome.diagnostic;
  row.violation = outcome.violation;
  if (outcome.spec) row.isa = outcome.spec->isa;
  if (outcome.status == Status::kDone) row.result = describe(point, outcome);
  return row;
}

// Status, the ISA's name, the violation and the diagnostic, each behind its length; then the result.
std::string PackRow(const Row& row) {
  const std::string violation = fmt::format("{}", row.violation);
  std::string text;
  for (const std::string* part : {&row.status, &row.isa, &violation, &row.diagnostic})
    text += std::to_string(part->size()) + ' ' + *part;
  return text + row.result;
}

void UnpackRow(const std::string& text, Row& row) {
  size_t at = 0;
  std::string violation;
  for (std::string* part : {&row.status, &row.isa, &violation, &row.diagnostic}) {
    const size_t space = text.find(' ', at), length = std::stoull(text.substr(at, space - at));
    *part = text.substr(space + 1, length);
    at = space + 1 + length;
  }
  std::from_chars(violation.data(), violation.data() + violation.size(), row.violation);
  row.result = text.substr(at);
}

std::vector<SourceFile> SourcesOf(const std::vector<Point>& points) {
  std::set<std::string> seen;
  std::map<std::string, SourceFile> sources;
  const auto add = [&](const char* kind, const isa::SourceText& text) {
    SourceFile file{isa::Sha256Hex(text.text), kind, text.path, text.text};
    sources.emplace(file.sha256, std::move(file));
  };
  for (const Point& point : points) {
    if (seen.count(FilesKey(point)) > 0) continue;
    Diagnostics none;
    const auto texts = isa::FindSpecTexts(point.config, point.isa, point.settings, none);
    if (!texts) continue;
    seen.insert(FilesKey(point));
    add("isa", texts->isa);
    add("config", texts->config);
    const auto [energy, folder] = isa::EnergyTableOf(texts->config, point.settings);
    if (energy.empty()) continue;
    for (const isa::SourceText& table : sim::FindEnergySource(energy, folder, none)) add("energy", table);
  }
  std::vector<SourceFile> list;
  for (auto& [digest, file] : sources) list.push_back(std::move(file));
  return list;
}

}  // namespace cosim::explore
