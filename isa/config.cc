// SPDX-License-Identifier: Apache-2.0
// Configurations and --set.
#include "isa/config.h"

#include <fmt/format.h>

#include <bit>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <string_view>
#include <utility>

#include "isa/diagnostic_codes.h"
#include "isa/yaml_reader.h"

namespace cosim::isa {
namespace {

constexpr int64_t kMaxCycles = 1'000'000;
constexpr int64_t kMaxDramBytes = 65536;

/// A node that stands in no file but came from the command line.
YamlNode OverrideNode(const std::shared_ptr<const SourceLines>& source, YamlNode::Kind kind,
                      std::string scalar) {
  YamlNode node;
  node.source = source;
  node.kind = kind;
  node.scalar = std::move(scalar);
  return node;
}

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
  auto source = std::make_shared<SourceLines>();
  source->path = fmt::format("--set {}={}", override.path, override.value);
  const SourceLoc loc{source->path};
  if (override.path.empty() || ("." + override.path + ".").find("..") != std::string::npos) {
    diags.Error(codes::kBadOverride, loc, "a key is missing").hint =
        "write --set key=value, like memory.latency=80";
    return;
  }
  Diagnostics ignored;
  const std::optional<YamlNode> value = ParseYaml({source->path, override.value}, ignored);
  if (!value || value->kind != YamlNode::Kind::kScalar) {
    diags.Error(codes::kBadOverride, loc, fmt::format("'{}' is not a single value", override.value));
    return;
  }
  YamlNode* node = FindOrMake(root, override.path, source);
  if (!node) {
    diags.Error(codes::kBadOverride, loc,
                fmt::format("part of '{}' is a value and has no keys", override.path));
    return;
  }
  if (node->kind == YamlNode::Kind::kMap || node->kind == YamlNode::Kind::kSequence) {
    diags.Error(codes::kBadOverride, loc,
                fmt::format("'{}' holds several keys, name one of them", override.path));
    return;
  }
  const bool quoted = value->quoted;
  *node = OverrideNode(source, YamlNode::Kind::kScalar, value->scalar);
  node->quoted = quoted;
}

std::optional<double> ReadClock(const MapReader& reader, Diagnostics& diags) {
  const std::optional<std::string> text = reader.String("clock_mhz");
  if (!text) return std::nullopt;
  double clock = 0;
  const char* end = text->data() + text->size();
  const auto [rest, error] = std::from_chars(text->data(), end, clock);
  if (error != std::errc() || rest != end) {
    Report(diags, codes::kWrongType, *reader.Find("clock_mhz"),
           fmt::format("'clock_mhz' of the configuration has to be a number, not '{}'", *text));
    return std::nullopt;
  }
  if (std::isfinite(clock) && clock > 0 && clock <= 100'000) return clock;
  Report(
      diags, codes::kOutOfRange, *reader.Find("clock_mhz"),
      fmt::format("'clock_mhz' of the configuration is {}, but has to be above 0 and at most 100000", *text));
  return std::nullopt;
}

/// A key that is optional, within [0, max].
int64_t OptionalInteger(const MapReader& reader, std::string_view key, int64_t fallback, int64_t max) {
  return reader.Find(key) ? reader.Integer(key, 0, max).value_or(fallback) : fallback;
}

MemorySystem ReadMemorySystem(const YamlNode& root, Diagnostics& diags) {
  MemorySystem dram;
  const YamlEntry* entry = root.Find("memory");
  if (!entry) {
    Report(diags, codes::kMissingKey, root, "the configuration lacks the key 'memory'");
    return dram;
  }
  const MapReader reader(entry->value, entry->key, "'memory'", diags,
                         {"port_bits", "burst_beats", "latency", "write_latency", "outstanding", "jitter",
                          "seed", "dram_bytes"});
  if (!reader.is_map()) return dram;
  dram.port_bits = static_cast<int>(reader.Integer("port_bits", 32, 512).value_or(dram.port_bits));
  if (!std::has_single_bit(static_cast<unsigned>(dram.port_bits))) {
    Report(diags, codes::kOutOfRange, *reader.Find("port_bits"),
           fmt::format("'port_bits' of 'memory' is {}, but has to be a power of two", dram.port_bits));
  }
  dram.burst_beats = static_cast<int>(reader.Integer("burst_beats", 1, 256).value_or(1));
  dram.latency = static_cast<int>(reader.Integer("latency", 1, kMaxCycles).value_or(1));
  dram.write_latency = static_cast<int>(reader.Integer("write_latency", 1, kMaxCycles).value_or(1));
  dram.outstanding = static_cast<int>(reader.Integer("outstanding", 1, 1024).value_or(1));
  dram.jitter = static_cast<int>(OptionalInteger(reader, "jitter", 0, kMaxCycles));
  dram.dram_bytes = static_cast<int>(OptionalInteger(reader, "dram_bytes", 0, kMaxDramBytes));
  dram.seed = static_cast<uint64_t>(OptionalInteger(reader, "seed", 1, INT64_MAX));
  return dram;
}

Hardware ReadHardware(const YamlNode& root, Diagnostics& diags) {
  Hardware hardware;
  const YamlEntry* entry = root.Find("hardware");
  if (!entry) return hardware;
  const MapReader reader(entry->value, entry->key, "'hardware'", diags, {"macs_per_dsp", "lut_inputs"});
  if (!reader.is_map()) return hardware;
  if (const YamlNode* macs = reader.Find("macs_per_dsp")) {
    hardware.macs_per_dsp = static_cast<int>(reader.Integer("macs_per_dsp", 1, 2).value_or(0));
    hardware.macs_per_dsp_loc = macs->Loc();
  }
  if (const YamlNode* inputs = reader.Find("lut_inputs")) {
    hardware.lut_inputs = static_cast<int>(reader.Integer("lut_inputs", 0, 1024).value_or(0));
    hardware.lut_inputs_loc = inputs->Loc();
  }
  return hardware;
}

}  // namespace

std::optional<YamlNode> ParseConfigTree(const SourceText& text, const std::vector<Override>& overrides,
                                        Diagnostics& diags) {
  std::optional<YamlNode> root = ParseYaml(text, diags);
  if (!root) return std::nullopt;
  const size_t errors = diags.list().size();
  for (const Override& override : overrides) ApplyOverride(*root, override, diags);
  if (diags.list().size() > errors) return std::nullopt;
  return root;
}

std::optional<Config> ReadConfig(YamlNode root, Diagnostics& diags) {
  const size_t errors = diags.list().size();
  Config config;
  const MapReader reader(root, root, "the configuration", diags,
                         {"isa", "doc", "board", "clock_mhz", "parameters", "memory", "hardware"});
  if (!reader.is_map()) return std::nullopt;
  config.name = std::filesystem::path(root.source->path).stem().string();
  config.isa = reader.OptionalString("isa", "");
  config.doc = reader.OptionalString("doc", "");
  config.board = reader.OptionalString("board", "none");
  config.clock_mhz = ReadClock(reader, diags).value_or(0);
  config.dram = ReadMemorySystem(root, diags);
  config.hardware = ReadHardware(root, diags);
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
