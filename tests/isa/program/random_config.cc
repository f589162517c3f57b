// SPDX-License-Identifier: Apache-2.0
// Draws the values of an ISA's parameters from their own ranges, cut to what a small model can have.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "isa/check.h"
#include "isa/yaml/node.h"
#include "tests/isa/program/random_isa.h"

namespace cosim::isa::testing {
namespace {

struct Range {
  int64_t low, high;
};

/// Parameters whose range allows what no quick model can have, by how their names end.
constexpr std::pair<std::string_view, Range> kSmall[] = {
    {"batch", {1, 3}},          {"block_in", {1, 8}},      {"block_out", {1, 8}},
    {"lanes", {1, 9}},          {"inp_bytes", {256, 900}}, {"wgt_bytes", {256, 2000}},
    {"acc_bytes", {256, 2400}}, {"out_bytes", {256, 900}}, {"uop_bytes", {64, 700}},
    {"par_depth", {4, 24}},     {"depth", {4, 60}},        {"tap_rows", {1, 3}},
    {"rows", {4, 40}},          {"tokens", {1, 5}},        {"commands", {2, 9}},
    {"fetch_words", {4, 20}},   {"load_beats", {16, 96}},  {"iter_bits", {4, 14}},
    {"dim_bits", {8, 14}},      {"latency", {2, 9}},       {"slack", {0, 9}},
    {"taps", {0, 3}},
};

Range SmallRange(std::string_view name, Range legal) {
  for (const auto& [suffix, small] : kSmall) {
    if (name.ends_with(suffix)) return {std::max(legal.low, small.low), std::min(legal.high, small.high)};
  }
  return {legal.low, std::min(legal.high, legal.low + 64)};
}

/// A value of the range; a power of two if there is one and `power` asks for it.
int64_t Draw(Random& random, Range range, bool power) {
  const int64_t value = random.Uniform(range.low, range.high);
  const auto rounded = static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(value)));
  return power && rounded >= range.low ? rounded : value;
}

int64_t Number(const YamlNode& map, std::string_view key, int64_t fallback) {
  const YamlEntry* entry = map.Find(key);
  return entry ? std::stoll(entry->value.scalar) : fallback;
}

/// A value for each parameter that is a unit's port, so that no port below the highest is left out.
std::map<std::string, int64_t> RandomPorts(const std::vector<YamlEntry>& parameters, Random& random) {
  std::map<std::string, int64_t> ports;
  std::set<int64_t> used = {0};  // by fetch
  const int64_t highest = random.Percent(30) ? 0 : random.Uniform(1, kMaxPorts - 1);
  for (const YamlEntry& parameter : parameters) {
    const std::string& name = parameter.key.scalar;
    if (!name.ends_with("_port")) continue;
    ports[name] = random.Uniform(0, highest);
    used.insert(ports[name]);
  }
  for (auto& [name, port] : ports) port = std::distance(used.begin(), used.find(port));
  return ports;
}

MemorySystem RandomMemorySystem(Random& random) {
  MemorySystem memory;
  memory.port_bits = 32 << random.Uniform(0, 3);
  memory.burst_beats =
      static_cast<int>(random.Percent(50) ? 1 << random.Uniform(0, 4) : random.Uniform(1, 16));
  memory.outstanding = static_cast<int>(random.Uniform(1, 9));
  RandomizeLatencies(memory, random);
  return memory;
}

}  // namespace

void RandomizeLatencies(MemorySystem& memory, Random& random) {
  memory.latency = static_cast<int>(random.Uniform(2, 40));
  memory.write_latency = static_cast<int>(random.Uniform(3, 30));
  memory.jitter = static_cast<int>(random.Percent(50) ? 0 : random.Uniform(1, 30));
  memory.seed = random.Uniform(1, 1000000);
  constexpr int kSteps = MemorySystem::kDramSteps;
  const auto steps = static_cast<double>(random.Uniform(kSteps, kSteps * 3 * memory.beat_bytes()));
  memory.dram_bytes = random.Percent(60)   ? 0
                      : random.Percent(50) ? std::floor(steps / kSteps)
                                           : steps / kSteps;
}

std::string MemorySystemText(const MemorySystem& memory) {
  return fmt::format(
      "memory:\n  port_bits: {}\n  burst_beats: {}\n  latency: {}\n  write_latency: {}\n  outstanding: {}\n"
      "  jitter: {}\n  seed: {}\n  dram_bytes: {}\n",
      memory.port_bits, memory.burst_beats, memory.latency, memory.write_latency, memory.outstanding,
      memory.jitter, memory.seed, memory.dram_bytes);
}

SourceText RandomConfig(const SourceText& isa, Random& random) {
  Diagnostics diags;
  const std::optional<YamlNode> root = ParseYaml(isa, diags);
  COSIM_CHECK(root.has_value(), "{}", diags.Render());
  std::string text = fmt::format(
      "# SPDX-License-Identifier: Apache-2.0\nisa: {}\ndoc: Drawn at random.\nboard: none\nclock_mhz: 100\n"
      "parameters:\n",
      root->Find("isa")->value.scalar);
  const std::vector<YamlEntry>& parameters = root->Find("parameters")->value.entries;
  // Memories of so many elements have whole banks only if everything is a power of two.
  const bool whole =
      std::ranges::any_of(parameters, [](const YamlEntry& entry) { return entry.key.scalar == "inp_depth"; });
  const bool equal_blocks = random.Percent(60);
  std::map<std::string, int64_t> drawn, ports = RandomPorts(parameters, random);
  for (const YamlEntry& parameter : parameters) {
    const std::string& name = parameter.key.scalar;
    const Range range =
        SmallRange(name, {Number(parameter.value, "min", 1), Number(parameter.value, "max", 1)});
    const bool shape = name.starts_with("b") || name.ends_with("s") || name.ends_with("depth");
    int64_t value = Draw(random, range, (whole && shape) || random.Percent(30));
    if (name == "block_out" && equal_blocks && drawn.contains("block_in")) value = drawn["block_in"];
    if (ports.contains(name)) value = ports[name];
    // Only where there is a second load unit it has a port to choose.
    if (name == "load_units" && ports.contains("fill_port") && ports["fill_port"] > 0) value = 2;
    drawn[name] = value;
    fmt::format_to(std::back_inserter(text), "  {}: {}\n", name, value);
  }
  text += "hardware:\n";
  if (random.Percent(50)) text += "  macs_per_dsp: 1\n";
  const int64_t inputs = drawn.contains("block_in") ? drawn["block_in"] : 0;
  fmt::format_to(std::back_inserter(text), "  lut_inputs: {}\n",
                 random.Percent(50) ? 0 : random.Uniform(0, inputs));
  if (random.Percent(30)) text += "  wide_product_dsps: 3\n";
  return {"random_config.yaml", text + MemorySystemText(RandomMemorySystem(random))};
}

}  // namespace cosim::isa::testing
