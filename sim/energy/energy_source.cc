// SPDX-License-Identifier: Apache-2.0
#include "sim/energy/energy_source.h"

#include <fmt/format.h>

#include <filesystem>

#include "isa/check.h"
#include "isa/diagnostic_codes.h"
#include "isa/spec/loader.h"

namespace cosim::sim {
namespace {

constexpr const char* kAccelergy = "accelergy";

std::string NameOf(const isa::SourceText& text) { return std::filesystem::path(text.path).stem().string(); }

/// What a file of Accelergy's says alone: its names are the accelerator's.
std::optional<EnergySource> Unmapped(const isa::SourceText& text, const isa::YamlNode& root,
                                     Diagnostics& diags) {
  auto table = ReadAccelergyTable(root, diags);
  if (!table) return std::nullopt;
  AccelergySource source{.name = NameOf(text), .at = table->at};
  source.technology = fmt::format("a table of Accelergy's, version {}", table->version);
  source.table = std::move(*table);
  return source;
}

std::optional<EnergySource> Mapped(const std::vector<isa::SourceText>& texts, const isa::YamlNode& root,
                                   Diagnostics& diags) {
  COSIM_CHECK(texts.size() == 2);
  auto source = ReadAccelergyMap(root, diags);
  const auto table_root = isa::ParseYaml(texts[1], diags);
  if (!source || !table_root) return std::nullopt;
  auto table = ReadAccelergyTable(*table_root, diags);
  if (!table) return std::nullopt;
  source->name = NameOf(texts[0]);
  source->table = std::move(*table);
  return std::move(*source);
}

}  // namespace

std::vector<isa::SourceText> FindEnergySource(const std::string& name, const std::string& folder,
                                              Diagnostics& diags) {
  const auto path = isa::FindFile(name, "configs/energy", diags, folder);
  auto text = path ? isa::ReadSource(*path, diags) : std::nullopt;
  if (!text) return {};
  const auto root = isa::ParseYaml(*text, diags);
  if (!root) return {};
  std::vector<isa::SourceText> texts{std::move(*text)};
  const isa::YamlEntry* entry = root->Find(kAccelergy);
  if (entry == nullptr) return texts;
  if (entry->value.kind != isa::YamlNode::Kind::kScalar || entry->value.scalar.empty()) {
    isa::Report(diags, isa::codes::kWrongType, entry->key, "'accelergy' has to be the name of a file").hint =
        "an ERT.yaml that Accelergy wrote, beside this file";
    return {};
  }
  const auto beside = std::filesystem::path(*path).parent_path() / entry->value.scalar;
  Diagnostics unread;
  auto table = isa::ReadSource(beside.string(), unread);
  if (!table) {
    isa::Report(diags, isa::codes::kNoFile, entry->value,
                fmt::format("'{}' cannot be read", beside.generic_string()))
        .hint = "the name of Accelergy's ERT.yaml, from this file's folder";
    return {};
  }
  texts.push_back(std::move(*table));
  return texts;
}

std::optional<EnergySource> ReadEnergySource(const std::vector<isa::SourceText>& texts, Diagnostics& diags) {
  const auto root = isa::ParseYaml(texts.at(0), diags);
  if (!root) return std::nullopt;
  if (root->Find(kAccelergy) != nullptr) return Mapped(texts, *root, diags);
  if (IsAccelergyTable(*root)) return Unmapped(texts[0], *root, diags);
  auto table = ReadEnergyTable(*root, diags);
  if (!table) return std::nullopt;
  table->name = NameOf(texts[0]);
  return std::move(*table);
}

std::optional<EnergySource> LoadEnergySource(const std::string& name, const std::string& folder,
                                             Diagnostics& diags) {
  const auto texts = FindEnergySource(name, folder, diags);
  return texts.empty() ? std::nullopt : ReadEnergySource(texts, diags);
}

std::optional<Costs> CostsOf(const isa::Spec& spec, const EnergySource& source, Diagnostics& diags) {
  if (const auto* table = std::get_if<EnergyTable>(&source)) return CostsOf(spec, *table);
  return CostsOf(spec, std::get<AccelergySource>(source), diags);
}

}  // namespace cosim::sim
