// SPDX-License-Identifier: Apache-2.0
// The coefficients stand in the command: a table that it could not read would be its own mistake.
#include "sim/synth/area_model.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>

#include "isa/check.h"
#include "isa/yaml/reader.h"
#include "sim/synth/area_model_text.h"
#include "sim/synth/fit.h"

namespace cosim::synth {
namespace {

using Costs = std::map<std::string, double, std::less<>>;

struct KindCosts {
  Costs lut, ff;
};

double NumberIn(const isa::YamlNode& node) {
  double value = 0;
  const auto end = node.scalar.data() + node.scalar.size();
  const auto read = std::from_chars(node.scalar.data(), end, value);
  COSIM_CHECK(read.ec == std::errc() && read.ptr == end, "area_model.yaml: '{}'", node.scalar);
  return value;
}

const isa::YamlNode& ValueOf(const isa::YamlNode& map, std::string_view key) {
  for (const isa::YamlEntry& entry : map.entries)
    if (entry.key.scalar == key) return entry.value;
  COSIM_CHECK(false, "area_model.yaml has no '{}'", key);
}

Costs CostsIn(const isa::YamlNode& map) {
  Costs costs;
  for (const isa::YamlEntry& entry : map.entries) costs[entry.key.scalar] = NumberIn(entry.value);
  return costs;
}

std::map<std::string, KindCosts, std::less<>> ReadModel() {
  Diagnostics diags;
  const auto root = isa::ParseYaml({"area_model.yaml", std::string(kAreaModelText)}, diags);
  COSIM_CHECK(root && !diags.HasErrors(), "{}", diags.Render());
  std::map<std::string, KindCosts, std::less<>> kinds;
  for (const isa::YamlEntry& kind : ValueOf(*root, "kinds").entries)
    kinds[kind.key.scalar] = {CostsIn(ValueOf(kind.value, "lut")), CostsIn(ValueOf(kind.value, "ff"))};
  return kinds;
}

double Sum(const Costs& costs, const AreaBlock& block) {
  double sum = 0;
  for (const auto& [name, amount] : block.quantities) {
    const auto cost = costs.find(name);
    if (cost != costs.end()) sum += cost->second * amount;
  }
  return sum;
}

/// Without DSPs and block RAM.
std::vector<std::pair<std::string, BlockArea>> FabricOf(const isa::Spec& spec) {
  std::vector<std::pair<std::string, BlockArea>> parts;
  for (const AreaBlock& block : AreaBlocks(spec)) {
    const auto is_part = [&](const auto& part) { return part.first == block.part; };
    auto part = std::ranges::find_if(parts, is_part);
    if (part == parts.end()) part = parts.insert(part, {block.part, {}});
    const BlockArea area = AreaOfBlock(block);
    part->second.lut += area.lut;
    part->second.ff += area.ff;
  }
  return parts;
}

}  // namespace

BlockArea AreaOfBlock(const AreaBlock& block) {
  static const auto kModel = ReadModel();
  const auto kind = kModel.find(block.kind);
  COSIM_CHECK(kind != kModel.end(), "area_model.yaml has no '{}'", block.kind);
  return {Sum(kind->second.lut, block), Sum(kind->second.ff, block)};
}

Resources EstimateArea(const isa::Spec& spec) {
  double lut = 0, ff = 0;
  for (const auto& [part, area] : FabricOf(spec)) {
    lut += area.lut;
    ff += area.ff;
  }
  Resources all = LeastResources(spec);
  all.lut = static_cast<int>(std::lround(lut));
  all.ff = static_cast<int>(std::lround(ff));
  return all;
}

std::vector<PartArea> EstimateParts(const isa::Spec& spec) {
  std::vector<PartArea> parts;
  for (const auto& [part, area] : FabricOf(spec))
    parts.push_back({part, {.lut = int(std::lround(area.lut)), .ff = int(std::lround(area.ff))}});
  return parts;
}

}  // namespace cosim::synth
