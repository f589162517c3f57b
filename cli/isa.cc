// SPDX-License-Identifier: Apache-2.0
// cosim isa show: the reference of an ISA under a configuration, generated from the spec. cosim isa
// registers: that of the registers, which all of them share. cosim isa list: what there is to show.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/options.h"
#include "cli/output_file.h"
#include "cli/print.h"
#include "cli/verbs.h"
#include "isa/home.h"
#include "isa/pages/describe.h"
#include "isa/spec/loader.h"
#include "isa/yaml/node.h"

namespace cosim::cli {
namespace po = boost::program_options;
namespace {

namespace fs = std::filesystem;

/// Names as --isa takes them, those of sub-folders with the folder, and what each file says of itself.
/// Nothing after printing which cannot be read.
std::optional<std::string> ListIsas() {
  const fs::path folder = isa::Home() / "isa";
  std::vector<std::string> names;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.path().extension() == ".yaml")
      names.push_back(entry.path().lexically_relative(folder).replace_extension().string());
  std::ranges::sort(names, {},
                    [](const std::string& name) { return std::pair(std::ranges::count(name, '/'), name); });
  std::string text;
  Diagnostics diags;
  for (const std::string& name : names) {
    const auto source = isa::ReadSource((folder / (name + ".yaml")).string(), diags);
    const auto tree = source ? isa::ParseYaml(*source, diags) : std::nullopt;
    const isa::YamlEntry* doc = tree ? tree->Find("doc") : nullptr;
    text += fmt::format("{:<20} {}\n", name, doc != nullptr ? doc->value.scalar : "");
  }
  if (!diags.HasErrors()) return text;
  PrintError("{}", diags.Render());
  return std::nullopt;
}

}  // namespace

int IsaVerb(const Arguments& arguments) {
  po::options_description options("options");
  AddSpecOptions(options);
  options.add_options()("output,o", po::value<std::string>()->value_name("FILE")->default_value("-"),
                        "where to write; - is standard output");
  const auto parsed = Parse(arguments, options, "isa show|registers|list [--config=FILE] [--isa=FILE]",
                            "cosim isa show --config=pynq.yaml --isa=vta", "ACTION");
  if (parsed.exit) return *parsed.exit;
  const std::string action = parsed.values["ACTION"].as<std::string>();
  if (action != "show" && action != "registers" && action != "list")
    return Fail(fmt::format("cosim isa {}: unknown action", action),
                "usage: cosim isa show|registers|list [--config=FILE] [--isa=FILE]");
  const std::string path = parsed.values["output"].as<std::string>();
  if (!CheckWritable(path)) return 1;
  if (action == "list") {
    const auto list = ListIsas();
    return list && WriteFile(path, *list) ? 0 : 1;
  }
  if (action == "registers") return WriteFile(path, isa::DescribeRegisters()) ? 0 : 1;
  const auto spec = LoadSpecFrom(parsed.values);
  if (!spec) return 1;
  return WriteFile(path, isa::DescribeMarkdown(*spec)) ? 0 : 1;
}

}  // namespace cosim::cli
