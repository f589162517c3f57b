// SPDX-License-Identifier: Apache-2.0
#include "isa/spec/config_energy.h"

#include <filesystem>

#include "isa/diagnostic_codes.h"
#include "isa/spec/config.h"

namespace cosim::isa {

std::optional<std::string> ReadEnergy(const YamlNode& root, Diagnostics& diags) {
  const YamlEntry* entry = root.Find("energy");
  if (!entry) return "";
  if (entry->value.kind == YamlNode::Kind::kScalar && !entry->value.scalar.empty())
    return entry->value.scalar;
  Report(diags, codes::kWrongType, entry->key, "'energy' has to be the name of a table").hint =
      "energy: 45nm is configs/energy/45nm.yaml";
  return std::nullopt;
}

EnergyTableName EnergyTableOf(const SourceText& config, const std::vector<Override>& overrides) {
  Diagnostics diags;
  const auto root = ParseConfigTree(config, overrides, diags);
  if (!root) return {};
  EnergyTableName table{.name = ReadEnergy(*root, diags).value_or(""), .folder = ""};
  const YamlEntry* entry = root->Find("energy");
  if (entry != nullptr && entry->value.source != nullptr && entry->value.source->path == config.path)
    table.folder = std::filesystem::path(config.path).parent_path().string();
  return table;
}

}  // namespace cosim::isa
