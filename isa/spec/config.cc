// SPDX-License-Identifier: Apache-2.0
// Configurations and --set.
#include "isa/spec/config.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <utility>

#include "isa/diagnostic_codes.h"
#include "isa/spec/board_address.h"
#include "isa/spec/boards.h"
#include "isa/spec/config_energy.h"
#include "isa/spec/config_host.h"
#include "isa/spec/config_memory.h"
#include "isa/spec/overrides.h"
#include "isa/yaml/reader.h"

namespace cosim::isa {
namespace {

constexpr double kMaxClock = 100'000;

/// Value of the last key of `path`, made if missing; null when something on the way is no map.
YamlNode* FindOrMake(YamlNode& root, std::string_view path,
                     const std::shared_ptr<const SourceLines>& source) {
  YamlNode* node = &root;
  while (true) {
    if (node->kind == YamlNode::Kind::kNull) node->kind = YamlNode::Kind::kMap;
    if (node->kind != YamlNode::Kind::kMap) return nullptr;
    const size_t dot = path.find('.');
    const std::string_view key = path.substr(0, dot);
    auto entry = node->entries.begin();
    while (entry != node->entries.end() && entry->key.scalar != key) ++entry;
    if (entry == node->entries.end()) {
      node->entries.push_back({OverrideNode(source, YamlNode::Kind::kScalar, std::string(key)),
                               OverrideNode(source, YamlNode::Kind::kNull, "")});
      entry = node->entries.end() - 1;
    }
    node = &entry->value;
    if (dot == std::string_view::npos) return node;
    path.remove_prefix(dot + 1);
  }
}

void ApplyOverride(YamlNode& root, const Override& override, Diagnostics& diags) {
  std::optional<YamlNode> value = ReadOverride(override, diags);
  if (!value) return;
  DropReplacedMemoryKeys(root, override.path);
  YamlNode* node = FindOrMake(root, override.path, value->source);
  if (!node) {
    Report(diags, codes::kBadOverride, *value,
           fmt::format("part of '{}' is a value and has no keys", override.path));
    return;
  }
  if (node->kind == YamlNode::Kind::kMap || node->kind == YamlNode::Kind::kSequence) {
    Report(diags, codes::kBadOverride, *value,
           fmt::format("'{}' holds several keys, name one of them", override.path));
    return;
  }
  *node = std::move(*value);
}

std::string ReadBoard(const MapReader& reader, Diagnostics& diags) {
  const std::string board = reader.OptionalString("board", "none");
  if (std::ranges::count(BoardNames(), board) > 0) return board;
  Report(diags, codes::kUnknownBoard, *reader.Find("board"), fmt::format("there is no board '{}'", board))
      .hint = NameHint(board, BoardNames());
  return board;
}

Hardware ReadHardware(const YamlNode& root, Diagnostics& diags) {
  Hardware hardware;
  const YamlEntry* entry = root.Find("hardware");
  if (!entry) return hardware;
  const MapReader reader(entry->value, entry->key, "'hardware'", diags,
                         {"macs_per_dsp", "lut_inputs", "wide_product_dsps"});
  if (!reader.is_map()) return hardware;
  if (const YamlNode* macs = reader.Find("macs_per_dsp")) {
    hardware.macs_per_dsp = static_cast<int>(reader.Integer("macs_per_dsp", 1, 2).value_or(0));
    hardware.macs_per_dsp_loc = macs->Loc();
  }
  if (const YamlNode* inputs = reader.Find("lut_inputs")) {
    hardware.lut_inputs = static_cast<int>(reader.Integer("lut_inputs", 0, 1024).value_or(0));
    hardware.lut_inputs_loc = inputs->Loc();
  }
  if (reader.Find("wide_product_dsps"))
    hardware.wide_product_dsps = static_cast<int>(reader.Integer("wide_product_dsps", 3, 4).value_or(4));
  return hardware;
}

}  // namespace

std::optional<YamlNode> ParseConfigTree(const SourceText& text, const std::vector<Override>& overrides,
                                        Diagnostics& diags) {
  std::optional<YamlNode> root = ParseYaml(text, diags);
  if (!root) return std::nullopt;
  const size_t errors = diags.list().size();
  for (const Override& override : overrides)
    if (!IsOfIsa(override)) ApplyOverride(*root, override, diags);
  if (diags.list().size() > errors) return std::nullopt;
  return root;
}

std::optional<Config> ReadConfig(YamlNode root, Diagnostics& diags) {
  const size_t errors = diags.list().size();
  Config config;
  const MapReader reader(root, root, "the configuration", diags,
                         {"isa", "doc", "board", "board_address", "clock_mhz", "parameters", "memory",
                          "hardware", "host", "energy"});
  if (!reader.is_map()) return std::nullopt;
  config.name = std::filesystem::path(root.source->path).stem().string();
  config.isa = reader.OptionalString("isa", "");
  config.doc = reader.OptionalString("doc", "");
  config.board = ReadBoard(reader, diags);
  config.clock_mhz = reader.Number("clock_mhz", kMaxClock).value_or(0);
  config.dram = ReadMemorySystem(root, config.clock_mhz, diags);
  config.hardware = ReadHardware(root, diags);
  // Whoever wants these asks for them; mistakes are everyone's.
  ReadHost(root, diags);
  ReadBoardAddress(root, diags);
  ReadEnergy(root, diags);
  if (const YamlNode* parameters = reader.Find("parameters")) {
    if (parameters->kind != YamlNode::Kind::kNull && parameters->kind != YamlNode::Kind::kMap) {
      reader.RequireMap("parameters");
    }
    config.parameters = *parameters;
  }
  if (diags.list().size() > errors) return std::nullopt;
  config.root = std::move(root);
  return config;
}

}  // namespace cosim::isa
