// SPDX-License-Identifier: Apache-2.0
// cosim isa doc: the reference of an ISA under a configuration, generated from the spec; with `syntax` the
// assembler's language for it, with `registers` the reference of the registers, which all ISAs share. cosim
// isa gen: all of that for programs in C. cosim isa list: what there is. cosim isa diff: what two of them do
// differently. cosim isa new: one to start from.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/isa_difference.h"
#include "cli/isa_json.h"
#include "cli/isa_new.h"
#include "cli/options.h"
#include "cli/output_file.h"
#include "cli/print.h"
#include "cli/verbs.h"
#include "isa/home.h"
#include "isa/pages/c_header.h"
#include "isa/pages/describe.h"
#include "isa/pages/syntax.h"
#include "isa/spec/loader.h"
#include "isa/yaml/node.h"

namespace cosim::cli {
namespace po = boost::program_options;
namespace {

namespace fs = std::filesystem;

/// Names as --isa takes them, those of sub-folders with the folder, and what each file says of itself.
/// Nothing after printing which cannot be read.
std::optional<std::string> ListIsas(nlohmann::ordered_json& json) {
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
    const std::string said = doc != nullptr ? doc->value.scalar : "";
    text += fmt::format("{:<20} {}\n", name, said);
    json.push_back({{"name", name}, {"doc", said}});
  }
  if (!diags.HasErrors()) return text;
  PrintError("{}", diags.Render());
  return std::nullopt;
}

/// One of the two that `diff` names, under the options' configuration.
std::optional<isa::Spec> LoadIsa(po::variables_map values, const std::string& isa) {
  values.find("isa")->second.value() = isa;
  return LoadSpecFrom(values);
}

/// The text where --output says and the JSON where --json does, if it is given; standard output is one's
/// only.
bool WriteTextAndJson(const po::variables_map& values, const std::string& text,
                      const nlohmann::ordered_json& tree) {
  const std::string output = values["output"].as<std::string>(), json = values["json"].as<std::string>();
  if (!json.empty() && !CheckWritable(json)) return false;
  if ((json != "-" || output != "-") && !WriteFile(output, text)) return false;
  return json.empty() || WriteFile(json, JsonText(tree));
}

int Diff(const std::string& before, const std::string& after, const po::variables_map& values) {
  if (!values["isa"].defaulted()) return Fail("--isa: `isa diff` takes its two ISAs as arguments");
  const std::string output = values["output"].as<std::string>(), json = values["json"].as<std::string>();
  if (!json.empty() && !CheckWritable(json)) return 1;
  const auto first = LoadIsa(values, before);
  const auto second = LoadIsa(values, after);
  if (!first || !second) return 1;
  const IsaDifference difference = CompareIsas(*first, *second);
  const bool twice = json == "-" && output == "-";  // then standard output is the JSON's
  if (!twice && !WriteFile(output, IsaDifferenceText(before, after, difference))) return 1;
  if (json.empty()) return 0;
  return WriteFile(json, JsonText(IsaDifferenceJson(before, after, difference))) ? 0 : 1;
}

int New(const std::string& name, const std::string& path, const po::variables_map& values) {
  std::error_code none;
  if (path != "-" && fs::exists(path, none)) return Fail(path + " is there already", "name a new file");
  const auto text = NewIsaText(name, values["from"].as<std::string>());
  return text && WriteFile(path, *text) ? 0 : 1;
}

struct Action {
  const char *name, *arguments;
  size_t least, most;  ///< arguments
};
constexpr Action kActions[] = {{"doc", " [syntax|registers]", 0, 1},
                               {"diff", " A B", 2, 2},
                               {"new", " NAME", 1, 1},
                               {"gen", "", 0, 0},
                               {"list", "", 0, 0}};
constexpr char kIsaUsage[] =
    "isa doc [syntax|registers]|diff A B|new NAME|gen|list [--config=FILE] [--isa=FILE]";

/// Prints what is wrong with the words after `isa`; null then.
const Action* ActionOf(const std::vector<std::string>& words) {
  const auto* action = std::ranges::find(kActions, words[0], &Action::name);
  if (action == std::end(kActions)) {
    Fail(fmt::format("cosim isa {}: unknown action", words[0]), fmt::format("usage: cosim {}", kIsaUsage));
    return nullptr;
  }
  const size_t count = words.size() - 1;
  if (count >= action->least && count <= action->most) return action;
  Fail(count > action->most ? "there are too many arguments" : "arguments are missing",
       fmt::format("usage: cosim isa {}{}", action->name, action->arguments));
  return nullptr;
}

}  // namespace

int IsaVerb(const Arguments& arguments) {
  po::options_description options("options");
  AddSpecOptions(options);
  options.add_options()("output,o", po::value<std::string>()->value_name("FILE")->default_value("-"),
                        "where to write; - is standard output")(
      "json", po::value<std::string>()->value_name("FILE")->default_value(""),
      "diff, doc, list: write everything as JSON; - is standard output")(
      "from", po::value<std::string>()->value_name("ISA")->default_value(""),
      "new: copy that ISA (default: a small one with explanations)");
  const auto parsed = Parse(arguments, options, kIsaUsage, "cosim isa doc --config=pynq.yaml --isa=vta",
                            "ACTION", Positionals::kSeveral);
  if (parsed.exit) return *parsed.exit;
  const auto words = parsed.values["ACTION"].as<std::vector<std::string>>();
  const Action* chosen = ActionOf(words);
  if (chosen == nullptr) return 1;
  const std::string action = chosen->name;
  const bool is_page = action == "doc" && words.size() > 1;
  if (!parsed.values["json"].defaulted() && (is_page || action == "new" || action == "gen"))
    return Fail("--json is for `isa diff`, `isa doc` and `isa list`");
  if (!parsed.values["from"].defaulted() && action != "new") return Fail("--from is for `isa new`");
  const std::string path = parsed.values["output"].as<std::string>();
  if (!CheckWritable(path)) return 1;
  if (action == "diff") return Diff(words[1], words[2], parsed.values);
  if (action == "new") return New(words[1], path, parsed.values);
  if (action == "list") {
    auto json = nlohmann::ordered_json::array();
    const auto list = ListIsas(json);
    return list && WriteTextAndJson(parsed.values, *list, json) ? 0 : 1;
  }
  if (is_page && words[1] == "registers") return WriteFile(path, isa::DescribeRegisters()) ? 0 : 1;
  if (is_page && words[1] != "syntax")
    return Fail(fmt::format("cosim isa doc {}: there is no such page", words[1]),
                "syntax is the assembler's language, registers the registers; without either: the whole ISA");
  const auto spec = LoadSpecFrom(parsed.values);
  if (!spec) return 1;
  if (action == "doc" && !is_page)
    return WriteTextAndJson(parsed.values, isa::DescribeMarkdown(*spec), IsaJson(*spec)) ? 0 : 1;
  return WriteFile(path, is_page ? isa::DescribeSyntax(*spec) : isa::CHeader(*spec)) ? 0 : 1;
}

}  // namespace cosim::cli
