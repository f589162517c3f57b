// SPDX-License-Identifier: Apache-2.0
// Finds, reads and joins the two files of a Spec.
#include "isa/loader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>
#include <utility>

#include "isa/config.h"
#include "isa/diagnostic_codes.h"
#include "isa/elaborate.h"
#include "isa/home.h"
#include "isa/yaml_node.h"
#include "isa/yaml_reader.h"

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

std::vector<std::string> StemsIn(const fs::path& folder) {
  std::vector<std::string> stems;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error))
    if (entry.path().extension() == ".yaml") stems.push_back(entry.path().stem().string());
  std::ranges::sort(stems);
  return stems;
}

}  // namespace

std::optional<SourceText> ReadSource(const std::string& path, Diagnostics& diags) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (IsFile(path) && file && (file.peek() == std::ifstream::traits_type::eof() || text << file.rdbuf())) {
    return SourceText{path, text.str()};
  }
  const char* reason = IsFile(path) ? std::strerror(EACCES) : "there is no such file";
  diags.Error(codes::kNoFile, {path}, fmt::format("cannot be read: {}", reason));
  return std::nullopt;
}

std::optional<std::string> FindFile(const std::string& name, const std::string& kind, Diagnostics& diags) {
  std::vector<fs::path> tried;
  for (const fs::path& base : {fs::path(name), Home() / kind / name}) {
    tried.push_back(base);
    if (base.extension() != ".yaml") tried.push_back(base.string() + ".yaml");
  }
  std::string list;
  for (const fs::path& path : tried) {
    if (!name.empty() && IsFile(path)) return Shown(path);
    list += fmt::format("{}{}", list.empty() ? "" : ", ", Shown(path));
  }
  const std::string closest = ClosestName(fs::path(name).stem().string(), StemsIn(Home() / kind));
  diags.Error(codes::kNoFile, {name.empty() ? "''" : name}, "there is no such file").hint = fmt::format(
      "{}looked for {}", closest.empty() ? "" : fmt::format("did you mean '{}.yaml'? ", closest), list);
  return std::nullopt;
}

std::optional<Spec> Elaborate(const SourceText& isa, const SourceText& config,
                              const std::vector<Override>& overrides, Diagnostics& diags) {
  const std::optional<Config> read = LoadConfig(config, overrides, diags);
  if (!read) return std::nullopt;
  const std::optional<YamlNode> tree = ParseYaml(isa, diags);
  if (!tree) return std::nullopt;
  return ElaborateTree(*tree, *read, diags);
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
  const std::optional<std::string> isa_path = FindFile(isa.empty() ? read->isa : isa, "isa", diags);
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
