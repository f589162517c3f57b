// SPDX-License-Identifier: Apache-2.0
#include "sim/energy/energy_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "isa/check.h"
#include "isa/diagnostic_codes.h"
#include "isa/yaml/reader.h"

namespace cosim::sim {
namespace {

using isa::MapReader;
using isa::YamlEntry;
using isa::YamlNode;

constexpr double kMostPicojoules = 1e9;
constexpr double kMostMilliwatts = 1e9;
constexpr int64_t kMostBits = 4096;
constexpr int64_t kMostBytes = int64_t{1} << 40;

/// SIZE: pJ, for each.
CostBySize ReadSizes(const MapReader& section, const char* key, int64_t most, Diagnostics& diags) {
  const YamlNode* map = section.RequireMap(key);
  if (map == nullptr) return {};
  std::vector<std::pair<double, double>> points;
  for (const YamlEntry& entry : map->entries) {
    const auto size = isa::ReadInteger(entry.key, fmt::format("a key of '{}'", key), diags);
    const auto cost = isa::ReadNumber(entry.value, fmt::format("'{}' in '{}'", entry.key.scalar, key),
                                      kMostPicojoules, diags);
    if (size && (*size < 1 || *size > most))
      isa::Report(diags, isa::codes::kOutOfRange, entry.key,
                  fmt::format("a key of '{}' is {}, but has to be 1 to {}", key, *size, most));
    else if (size && cost)
      points.emplace_back(static_cast<double>(*size), *cost);
  }
  if (map->entries.empty())
    isa::Report(diags, isa::codes::kOutOfRange, *map, fmt::format("'{}' has no values", key));
  std::ranges::sort(points);
  return CostBySize(std::move(points));
}

/// A section's source is there for the reader of the table, who has to be able to look it up.
void RequireSource(const MapReader& section, Diagnostics& diags) {
  const auto source = section.String("source");
  if (source && source->empty())
    isa::Report(diags, isa::codes::kOutOfRange, *section.Find("source"), "'source' says nothing").hint =
        "where the values were published";
}

/// One value.
double ReadCost(const MapReader& root, const char* section, const char* key, double most,
                Diagnostics& diags) {
  const YamlNode* node = root.RequireMap(section);
  if (node == nullptr) return 0;
  const MapReader reader(*node, *node, fmt::format("'{}'", section), diags, {key, "source"});
  RequireSource(reader, diags);
  return reader.Number(key, most).value_or(0);
}

CostBySize ReadByBits(const MapReader& root, const char* section, Diagnostics& diags) {
  const YamlNode* node = root.RequireMap(section);
  if (node == nullptr) return {};
  const MapReader reader(*node, *node, fmt::format("'{}'", section), diags, {"bits", "source"});
  RequireSource(reader, diags);
  return ReadSizes(reader, "bits", kMostBits, diags);
}

void ReadSram(const MapReader& root, EnergyTable& table, Diagnostics& diags) {
  const YamlNode* node = root.RequireMap("sram");
  if (node == nullptr) return;
  const MapReader reader(*node, *node, "'sram'", diags, {"bytes", "access_bits", "source"});
  RequireSource(reader, diags);
  table.sram = ReadSizes(reader, "bytes", kMostBytes, diags);
  table.sram_access_bits = static_cast<double>(reader.Integer("access_bits", 1, kMostBits).value_or(1));
}

}  // namespace

double CostBySize::At(double size) const {
  COSIM_CHECK(!points_.empty() && size > 0);
  if (points_.size() == 1) return points_[0].second * size / points_[0].first;
  size_t high = 1;
  while (high + 1 < points_.size() && points_[high].first < size) ++high;
  const auto& [x0, y0] = points_[high - 1];
  const auto& [x1, y1] = points_[high];
  return y0 * std::pow(size / x0, std::log(y1 / y0) / std::log(x1 / x0));
}

double EnergyTable::Multiply(double bits, double other_bits) const {
  return multiply.At(std::sqrt(bits * other_bits));
}

OtherCosts ReadOtherCosts(const MapReader& reader, Diagnostics& diags) {
  OtherCosts costs;
  if (reader.Find("host")) costs.host_cycle = ReadCost(reader, "host", "cycle", kMostPicojoules, diags);
  if (reader.Find("instruction"))
    costs.instruction = ReadCost(reader, "instruction", "issued", kMostPicojoules, diags);
  if (reader.Find("static")) costs.static_mw = ReadCost(reader, "static", "mw", kMostMilliwatts, diags);
  return costs;
}

std::optional<EnergyTable> ReadEnergyTable(const YamlNode& root, Diagnostics& diags) {
  const size_t errors = diags.list().size();
  const MapReader reader(
      root, root, "the energy table", diags,
      {"doc", "technology", "multiply", "add", "sram", "dram", "instruction", "host", "static"});
  if (!reader.is_map()) return std::nullopt;
  EnergyTable table;
  table.doc = reader.OptionalString("doc", "");
  table.technology = reader.String("technology").value_or("");
  table.multiply = ReadByBits(reader, "multiply", diags);
  table.add = ReadByBits(reader, "add", diags);
  ReadSram(reader, table, diags);
  table.dram_byte = ReadCost(reader, "dram", "byte", kMostPicojoules, diags);
  reader.RequireMap("host");
  const OtherCosts other = ReadOtherCosts(reader, diags);
  table.host_cycle = other.host_cycle.value_or(0);
  table.instruction = other.instruction.value_or(0);
  table.static_mw = other.static_mw.value_or(0);
  if (diags.list().size() > errors) return std::nullopt;
  return table;
}

}  // namespace cosim::sim
