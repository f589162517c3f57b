// SPDX-License-Identifier: Apache-2.0
// cosim configs, cosim models: what there is to choose from.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/json_option.h"
#include "cli/options.h"
#include "cli/print.h"
#include "cli/verbs.h"
#include "compiler/graph/zoo/zoo.h"
#include "isa/spec/loader.h"

namespace cosim::cli {
namespace po = boost::program_options;

int ConfigsVerb(const Arguments& arguments) {
  po::options_description options("options");
  AddJsonOption(options);
  const auto parsed = Parse(arguments, options, "configs [--json=FILE]", "cosim configs");
  if (parsed.exit) return *parsed.exit;
  Diagnostics diags;
  const auto known = isa::FindFile("pynq.yaml", "configs", diags);
  if (!known) {
    PrintError("{}", diags.Render());
    return 1;
  }
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(*known).parent_path()))
    if (entry.path().extension() == ".yaml") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  std::string text;
  auto json = nlohmann::ordered_json::array();
  for (const auto& file : files) {
    Diagnostics problems;
    const auto spec = isa::LoadSpec(file.string(), "", {}, problems);
    if (!spec) {
      PrintError("{}", problems.Render());
      return 1;
    }
    const std::string name = file.filename().string();
    text += fmt::format("{:<14} {:<6} {:>4} MACs/cycle  {:>4g} MHz  {}\n", name, spec->isa,
                        spec->MacsPerCycle(), spec->clock_mhz, spec->config_doc);
    json.push_back({{"name", name},
                    {"isa", spec->isa},
                    {"board", spec->board},
                    {"macs_per_cycle", spec->MacsPerCycle()},
                    {"clock_mhz", spec->clock_mhz},
                    {"doc", spec->config_doc}});
  }
  return PrintWithJson(parsed.values, text, json) ? 0 : 1;
}

int ModelsVerb(const Arguments& arguments) {
  po::options_description options("options");
  AddJsonOption(options);
  const auto parsed = Parse(arguments, options, "models [--json=FILE]", "cosim models");
  if (parsed.exit) return *parsed.exit;
  std::string text;
  auto json = nlohmann::ordered_json::array();
  for (const auto& name : graph::zoo::Names()) {
    const auto graph = graph::zoo::Build(name, 1);
    int64_t macs = 0;
    for (graph::ValueId id = 0; id < graph.size(); ++id) macs += graph::Macs(graph, id);
    const std::string input = graph::ToString(graph.node(graph.inputs()[0]).type);
    text += fmt::format("{:<14} {:>8.1f} M MACs  input {}\n", name, static_cast<double>(macs) / 1e6, input);
    json.push_back({{"name", name}, {"macs", macs}, {"input", input}});
  }
  return PrintWithJson(parsed.values, text, json) ? 0 : 1;
}

}  // namespace cosim::cli
