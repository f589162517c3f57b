// SPDX-License-Identifier: Apache-2.0
// Finds, reads and joins the two files of a Spec.
#include "isa/spec/loader.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>
#include <utility>

#include "isa/diagnostic_codes.h"
#include "isa/home.h"
#include "isa/spec/config.h"
#include "isa/spec/elaborate.h"
#include "isa/spec/overrides.h"
#include "isa/yaml/node.h"
#include "isa/yaml/reader.h"

namespace cosim::isa {
namespace {

namespace fs = std::filesystem;

/// Relative to the working directory if below it: what a user would have typed.
std::string Shown(const fs::path& path) {
  std::error_code error;
  const fs::path relative = fs::proximate(path, error);
  return !error && !relative.empty() && *relative.begin() != ".." ? relative.string() : path.string();
}

bool IsFile(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

std::optional<Config> LoadConfig(const SourceText& text, const std::vector<Override>& overrides,
                                 Diagnostics& diags) {
  std::optional<YamlNode> tree = ParseConfigTree(text, overrides, diags);
  if (!tree) return std::nullopt;
  return ReadConfig(std::move(*tree), diags);
}

bool IsFolder(const fs::path& path) {
  std::error_code error;
  return fs::is_directory(path, error);
}

/// What FindFile takes below a folder: "pynq", "test/wide".
std::vector<std::string> NamesIn(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (auto entry = fs::recursive_directory_iterator(folder, error);
       entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    if (entry->path().extension() == ".yaml")
      names.push_back(entry->path().lexically_relative(folder).replace_extension().generic_string());
    if (error) break;
  }
  std::ranges::sort(names);
  return names;
}

/// The installed name closest to what was asked for, with or without its folders; "" if none is close.
std::string ClosestFile(const std::string& name, const fs::path& folder) {
  const std::vector<std::string> names = NamesIn(folder);
  const std::string asked = fs::path(name).replace_extension().generic_string();
  if (std::string whole = ClosestName(asked, names); !whole.empty()) return whole;
  std::vector<std::string> stems;
  for (const std::string& each : names) stems.push_back(fs::path(each).filename().string());
  const std::string stem = ClosestName(fs::path(asked).filename().string(), stems);
  if (stem.empty()) return "";
  return names[static_cast<size_t>(std::ranges::find(stems, stem) - stems.begin())];
}

/// The ISA that a configuration names, when that is the file's own word and no --set's.
bool SaysOwnIsa(const Config& config, const std::string& path) {
  const YamlEntry* isa = config.root.Find("isa");
  return isa != nullptr && isa->value.source != nullptr && isa->value.source->path == path;
}

/// Whether an ISA that calls itself `name` is another text than the installed ISA of that name.
bool IsEdited(const std::string& name, const SourceText& isa) {
  if (!IsIdentifier(name)) return false;
  for (const char* folder : {"isa", "isa/test"}) {
    const fs::path installed = Home() / folder / (name + ".yaml");
    if (!IsFile(installed)) continue;
    std::ifstream file(installed, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str() != isa.text;
  }
  return false;
}

}  // namespace

std::optional<SourceText> ReadSource(const std::string& path, Diagnostics& diags) {
  std::ifstream file;
  if (IsFile(path)) file.open(path, std::ios::binary);  // opening a pipe waits for its writer
  std::ostringstream text;
  if (file.is_open() && (file.peek() == std::ifstream::traits_type::eof() || text << file.rdbuf())) {
    return SourceText{path, text.str()};
  }
  const char* reason = IsFile(path)     ? std::strerror(EACCES)
                       : IsFolder(path) ? "it is a directory"
                                        : "there is no such file";
  diags.Error(codes::kNoFile, {path}, fmt::format("cannot be read: {}", reason));
  return std::nullopt;
}

std::optional<std::string> FindFile(const std::string& name, const std::string& kind, Diagnostics& diags,
                                    const std::string& folder) {
  const fs::path here = fs::path(folder) / name, installed = Home() / kind / name;
  std::vector<fs::path> tried = {here, installed};
  // What is called so without an ending may be anything: a program, say.
  if (here.extension() != ".yaml") tried = {here.string() + ".yaml", installed.string() + ".yaml", here};
  std::string list;
  for (const fs::path& path : tried) {
    if (!name.empty() && IsFile(path)) return Shown(path);
    list += fmt::format("{}{}", list.empty() ? "" : ", ", Shown(path));
  }
  if (!name.empty() && IsFolder(here)) {
    const std::vector<std::string> names = NamesIn(here);
    diags.Error(codes::kNoFile, {name}, "it is a directory").hint =
        names.empty() ? "name a file" : fmt::format("name a file in it: {}", fmt::join(names, ", "));
    return std::nullopt;
  }
  const std::string closest = ClosestFile(name, Home() / kind);
  const char* ending = name.ends_with(".yaml") ? ".yaml" : "";
  diags.Error(codes::kNoFile, {name.empty() ? "''" : name}, "there is no such file").hint = fmt::format(
      "{}looked for {}{}", closest.empty() ? "" : fmt::format("did you mean '{}{}'? ", closest, ending), list,
      IsFolder(Home() / kind) ? ""
                              : fmt::format("; {} has no {}/: COSIM_HOME=FOLDER names the source tree or the "
                                            "share/cosim that has",
                                            Shown(Home()), kind));
  return std::nullopt;
}

std::optional<Spec> Elaborate(const SourceText& isa, const SourceText& config,
                              const std::vector<Override>& overrides, Diagnostics& diags) {
  const std::optional<Config> read = LoadConfig(config, overrides, diags);
  if (!read) return std::nullopt;
  std::optional<YamlNode> tree = ParseYaml(isa, diags);
  if (!tree || !ApplyIsaOverrides(*tree, overrides, diags)) return std::nullopt;
  std::optional<Spec> spec = ElaborateTree(*tree, *read, diags);
  // Behind the fingerprint, which is of what the ISA says, not of who says it.
  if (spec && (std::ranges::any_of(overrides, IsOfIsa) || IsEdited(spec->isa, isa))) spec->isa += " (edited)";
  return spec;
}

std::optional<SpecTexts> FindSpecTexts(const std::string& config, const std::string& isa,
                                       const std::vector<Override>& overrides, Diagnostics& diags) {
  const std::optional<std::string> config_path = FindFile(config, "configs", diags);
  if (!config_path) return std::nullopt;
  std::optional<SourceText> config_text = ReadSource(*config_path, diags);
  if (!config_text) return std::nullopt;
  const std::optional<Config> read = LoadConfig(*config_text, overrides, diags);
  if (!read) return std::nullopt;
  if (isa.empty() && read->isa.empty()) {
    Report(diags, codes::kMissingKey, read->root, "the configuration lacks the key 'isa'").hint =
        "or name one with --isa";
    return std::nullopt;
  }
  const std::string folder =
      isa.empty() && SaysOwnIsa(*read, *config_path) ? fs::path(*config_path).parent_path().string() : "";
  const std::optional<std::string> isa_path = FindFile(isa.empty() ? read->isa : isa, "isa", diags, folder);
  if (!isa_path) return std::nullopt;
  std::optional<SourceText> isa_text = ReadSource(*isa_path, diags);
  if (!isa_text) return std::nullopt;
  return SpecTexts{std::move(*isa_text), std::move(*config_text)};
}

std::optional<Spec> LoadSpec(const std::string& config, const std::string& isa,
                             const std::vector<Override>& overrides, Diagnostics& diags) {
  const auto texts = FindSpecTexts(config, isa, overrides, diags);
  return texts ? Elaborate(texts->isa, texts->config, overrides, diags) : std::nullopt;
}

}  // namespace cosim::isa
