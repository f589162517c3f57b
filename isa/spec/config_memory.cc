// SPDX-License-Identifier: Apache-2.0
#include "isa/spec/config_memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <string>

#include "isa/diagnostic_codes.h"
#include "isa/spec/config.h"
#include "isa/yaml/reader.h"

namespace cosim::isa {
namespace {

constexpr int kMaxCycles = 1'000'000;
constexpr double kMaxNanoseconds = 1e9, kMaxMegabytes = 1e9, kMaxDramBytes = 65536;

/// One thing in two units.
struct Forms {
  std::string_view clocked, physical;
};
constexpr std::array<Forms, 4> kForms = {{{"latency", "latency_ns"},
                                          {"write_latency", "write_latency_ns"},
                                          {"jitter", "jitter_ns"},
                                          {"dram_bytes", "bandwidth_mb_s"}}};

void Erase(YamlNode* map, std::string_view key) {
  if (map != nullptr) std::erase_if(map->entries, [&](const YamlEntry& e) { return e.key.scalar == key; });
}

YamlNode* Child(YamlNode* map, std::string_view key) {
  if (map == nullptr) return nullptr;
  const auto at = std::ranges::find(map->entries, key, [](const YamlEntry& e) { return e.key.scalar; });
  return at == map->entries.end() ? nullptr : &at->value;
}

/// One map of memory keys: the memory itself, its `low` or its `high`.
class Section {
 public:
  Section(const MapReader& reader, std::string what, double clock_mhz, Diagnostics& diags)
      : reader_(reader), what_(std::move(what)), clock_mhz_(clock_mhz), diags_(diags) {}

  /// Puts what the map says of times and bandwidth into `dram`, which holds what it does not say.
  void Read(MemorySystem& dram, bool latencies_required) const {
    ReadCycles(kForms[0], 1, latencies_required, dram.latency);
    ReadCycles(kForms[1], 1, latencies_required, dram.write_latency);
    ReadCycles(kForms[2], 0, false, dram.jitter);
    ReadBandwidth(dram.dram_bytes);
  }

 private:
  /// Whether both forms are there, which is reported.
  bool SaidTwice(const Forms& forms) const {
    if (!reader_.Find(forms.clocked) || !reader_.Find(forms.physical)) return false;
    Report(diags_, codes::kDuplicateKey, *reader_.Find(forms.physical),
           fmt::format("'{}' and '{}' of {} say the same thing", forms.clocked, forms.physical, what_))
        .hint = "keep one of them";
    return true;
  }

  // A latency is never shorter than it was said to be.
  void ReadCycles(const Forms& forms, int least, bool required, int& cycles) const {
    if (SaidTwice(forms)) return;
    if (!reader_.Find(forms.physical)) {
      if (!required && !reader_.Find(forms.clocked)) return;
      cycles = static_cast<int>(reader_.Integer(forms.clocked, least, kMaxCycles).value_or(least));
      return;
    }
    const auto nanoseconds = reader_.Number(forms.physical, kMaxNanoseconds);
    if (!nanoseconds) return;
    const double exact = std::ceil(*nanoseconds * clock_mhz_ / 1000 - 1e-6);
    if (exact > kMaxCycles) {
      Report(diags_, codes::kOutOfRange, *reader_.Find(forms.physical),
             fmt::format("'{}' of {} is {:g} ns, at {:g} MHz more than {} cycles", forms.physical, what_,
                         *nanoseconds, clock_mhz_, kMaxCycles));
      return;
    }
    cycles = std::max(1, static_cast<int>(exact));
  }

  // Nor is a bandwidth ever larger. Beyond kMaxDramBytes there is nothing that could take it.
  void ReadBandwidth(double& bytes) const {
    const Forms& forms = kForms[3];
    if (SaidTwice(forms)) return;
    if (const YamlNode* node = reader_.Find(forms.clocked)) ReadDramBytes(*node, bytes);
    if (!reader_.Find(forms.physical)) return;
    const auto megabytes = reader_.Number(forms.physical, kMaxMegabytes);
    if (!megabytes || clock_mhz_ <= 0) return;
    bytes = WholeSteps(std::clamp(*megabytes / clock_mhz_, 1.0, kMaxDramBytes));
  }

  void ReadDramBytes(const YamlNode& node, double& bytes) const {
    bytes = 0;
    if (node.scalar == "0") return;
    const std::string_view key = kForms[3].clocked;
    const auto exact = reader_.Number(key, kMaxDramBytes);
    if (exact && *exact < 1) {
      Report(diags_, codes::kOutOfRange, node,
             fmt::format("'{}' of {} is {}, but has to be 0 or at least 1", key, what_, node.scalar));
    } else if (exact) {
      bytes = WholeSteps(*exact);
    }
  }

  static double WholeSteps(double bytes) {
    return std::floor(bytes * MemorySystem::kDramSteps + 1e-6) / MemorySystem::kDramSteps;
  }

  const MapReader& reader_;
  std::string what_;
  double clock_mhz_;
  Diagnostics& diags_;
};

/// `typical` with what the map `name` of the memory changes; nothing when there is no such map.
std::optional<MemorySystem> ReadSetting(const MapReader& memory, const std::string& name,
                                        const MemorySystem& typical, double clock_mhz, Diagnostics& diags) {
  const YamlNode* node = memory.Find(name);
  if (!node) return std::nullopt;
  MemorySystem dram = typical;
  const std::string what = fmt::format("'{}' of 'memory'", name);
  const MapReader reader(*node, *node, what, diags,
                         {"latency", "latency_ns", "write_latency", "write_latency_ns", "jitter", "jitter_ns",
                          "dram_bytes", "bandwidth_mb_s"});
  if (reader.is_map()) Section(reader, what, clock_mhz, diags).Read(dram, false);
  return dram;
}

}  // namespace

void DropReplacedMemoryKeys(YamlNode& root, std::string_view path) {
  constexpr std::string_view kPrefix = "memory.";
  if (!path.starts_with(kPrefix)) return;
  path.remove_prefix(kPrefix.size());
  YamlNode* memory = Child(&root, "memory");
  const size_t dot = path.find('.');
  const std::string_view key = dot == std::string_view::npos ? path : path.substr(dot + 1);
  const auto forms = std::ranges::find_if(
      kForms, [&](const Forms& each) { return key == each.clocked || key == each.physical; });
  if (forms == kForms.end()) return;
  const std::string_view other = key == forms->clocked ? forms->physical : forms->clocked;
  if (dot != std::string_view::npos) return Erase(Child(memory, path.substr(0, dot)), other);
  for (const char* setting : {"low", "high"})
    for (const std::string_view form : {forms->clocked, forms->physical}) Erase(Child(memory, setting), form);
  Erase(memory, other);
}

MemorySystem ReadMemorySystem(const YamlNode& root, double clock_mhz, Diagnostics& diags) {
  MemorySystem dram;
  const YamlEntry* entry = root.Find("memory");
  if (!entry) {
    Report(diags, codes::kMissingKey, root, "the configuration lacks the key 'memory'");
    return dram;
  }
  const MapReader reader(entry->value, entry->key, "'memory'", diags,
                         {"port_bits", "burst_beats", "latency", "latency_ns", "write_latency",
                          "write_latency_ns", "outstanding", "jitter", "jitter_ns", "seed", "dram_bytes",
                          "bandwidth_mb_s", "setting", "low", "high"});
  if (!reader.is_map()) return dram;
  dram.port_bits = static_cast<int>(reader.Integer("port_bits", 32, 512).value_or(dram.port_bits));
  if (!std::has_single_bit(static_cast<unsigned>(dram.port_bits))) {
    Report(diags, codes::kOutOfRange, *reader.Find("port_bits"),
           fmt::format("'port_bits' of 'memory' is {}, but has to be a power of two", dram.port_bits));
  }
  dram.burst_beats = static_cast<int>(reader.Integer("burst_beats", 1, 256).value_or(1));
  Section(reader, "'memory'", clock_mhz, diags).Read(dram, true);
  dram.outstanding = static_cast<int>(reader.Integer("outstanding", 1, 1024).value_or(1));
  if (reader.Find("seed"))
    dram.seed = static_cast<uint64_t>(reader.Integer("seed", 0, INT64_MAX).value_or(1));

  const auto low = ReadSetting(reader, "low", dram, clock_mhz, diags);
  const auto high = ReadSetting(reader, "high", dram, clock_mhz, diags);
  const std::string setting = reader.OptionalString("setting", "typical");
  if (setting == "typical") return dram;
  if (setting == "low" && low) return *low;
  if (setting == "high" && high) return *high;
  const YamlNode& node = *reader.Find("setting");
  if (setting == "low" || setting == "high") {
    Report(diags, codes::kMissingKey, node, fmt::format("'memory' has no '{}' to be set to", setting));
  } else {
    Report(diags, codes::kOutOfRange, node,
           fmt::format("'setting' of 'memory' is '{}', but has to be low, typical or high", setting));
  }
  return dram;
}

std::string MemorySetting(const SourceText& config, const std::vector<Override>& overrides) {
  Diagnostics diags;
  const std::optional<YamlNode> root = ParseConfigTree(config, overrides, diags);
  const YamlEntry* memory = root ? root->Find("memory") : nullptr;
  const YamlEntry* setting = memory ? memory->value.Find("setting") : nullptr;
  return setting ? setting->value.scalar : "typical";
}

}  // namespace cosim::isa
