// SPDX-License-Identifier: Apache-2.0
#include "cli/isa_new.h"

#include <fmt/format.h>

#include <filesystem>

#include "cli/options.h"
#include "cli/print.h"
#include "isa/diagnostic_codes.h"
#include "isa/home.h"
#include "isa/spec/loader.h"
#include "isa/yaml/node.h"
#include "isa/yaml/reader.h"

namespace cosim::cli {
namespace {

/// What docs/examples/new-isa.yaml calls itself, in its key `isa` and its comments.
constexpr char kTemplateName[] = "my_isa";

std::optional<isa::SourceText> SourceOf(const std::string& from, Diagnostics& diags) {
  if (from.empty())
    return isa::ReadSource((isa::Home() / "docs" / "examples" / "new-isa.yaml").string(), diags);
  const auto path = isa::FindFile(from, "isa", diags);
  return path ? isa::ReadSource(*path, diags) : std::nullopt;
}

/// The text with another value of its key `isa`, all else as it stands.
std::optional<std::string> Renamed(const isa::SourceText& source, const std::string& name,
                                   Diagnostics& diags) {
  const auto tree = isa::ParseYaml(source, diags);
  if (!tree) return std::nullopt;
  const isa::YamlEntry* entry = tree->Find("isa");
  if (entry == nullptr || entry->value.line < 1 || entry->value.quoted) {
    isa::Report(diags, isa::codes::kMissingKey, *tree, "there is no name under the key 'isa'");
    return std::nullopt;
  }
  size_t begin = 0;
  for (int line = 1; line < entry->value.line; ++line) begin = source.text.find('\n', begin) + 1;
  std::string text = source.text;
  return text.replace(begin + entry->value.column - 1, entry->value.scalar.size(), name);
}

}  // namespace

std::optional<std::string> NewIsaText(const std::string& name, const std::string& from) {
  if (!isa::IsIdentifier(name))
    return Fail(fmt::format("'{}' cannot be the name of an ISA", name),
                "names are letters, digits and underscores, a letter first"),
           std::nullopt;
  std::error_code none;
  if (std::filesystem::exists(isa::Home() / "isa" / (name + ".yaml"), none))
    return Fail(fmt::format("there is an ISA '{}' already", name), "`cosim isa list` lists them"),
           std::nullopt;
  Diagnostics diags;
  const auto source = SourceOf(from, diags);
  auto text = source ? Renamed(*source, name, diags) : std::nullopt;
  if (!text) {
    PrintError("{}", diags.Render());
    return std::nullopt;
  }
  const std::string mention = fmt::format("# {}:", kTemplateName);
  if (const size_t at = text->find(mention); from.empty() && at != std::string::npos)
    text->replace(at, mention.size(), "# " + name + ":");
  return text;
}

}  // namespace cosim::cli
