// SPDX-License-Identifier: Apache-2.0
#include "isa/spec/config_host.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "isa/diagnostic_codes.h"
#include "isa/spec/config.h"
#include "isa/yaml/reader.h"

namespace cosim::isa {

std::optional<HostProcessor> ReadHost(const YamlNode& root, Diagnostics& diags) {
  const YamlEntry* entry = root.Find("host");
  if (!entry) return std::nullopt;
  const size_t errors = diags.list().size();
  const MapReader reader(entry->value, entry->key, "'host'", diags, {"cpu", "cores", "clock_mhz"});
  if (!reader.is_map()) return std::nullopt;
  HostProcessor host;
  host.cpu = reader.String("cpu").value_or("");
  host.cores = reader.Find("cores") ? static_cast<int>(reader.Integer("cores", 1, 1024).value_or(1)) : 1;
  host.clock_mhz = static_cast<double>(reader.Integer("clock_mhz", 1, 100'000).value_or(0));
  if (diags.list().size() > errors) return std::nullopt;
  std::vector<std::string> names;
  for (const HostCpu& cpu : HostCpus()) names.emplace_back(cpu.name);
  if (std::ranges::find(names, host.cpu) != names.end()) return host;
  Report(diags, codes::kUnknownReference, *reader.Find("cpu"),
         fmt::format("nothing is known of the processor '{}'", host.cpu))
      .hint = NameHint(host.cpu, names);
  return std::nullopt;
}

std::optional<HostProcessor> HostOf(const SourceText& config, const std::vector<Override>& overrides) {
  Diagnostics diags;
  const auto root = ParseConfigTree(config, overrides, diags);
  return root ? ReadHost(*root, diags) : std::nullopt;
}

}  // namespace cosim::isa
