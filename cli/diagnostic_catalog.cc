// SPDX-License-Identifier: Apache-2.0
#include "cli/diagnostic_catalog.h"

#include <fmt/format.h>

#include "compiler/explore/diagnostic_codes.h"
#include "compiler/import/diagnostic_codes.h"
#include "driver/diagnostic_codes.h"
#include "isa/diagnostic_codes.h"
#include "isa/home.h"
#include "isa/program/assembler_codes.h"
#include "isa/spec/loader.h"
#include "isa/sv/diagnostic_codes.h"
#include "isa/yaml/reader.h"

namespace cosim::cli {
namespace {

#define COSIM_CODE_MEANING(name, code, meaning) {code, meaning},
constexpr CodeMeaning kMeanings[] = {
    COSIM_SPEC_DIAGNOSTICS(COSIM_CODE_MEANING)       //
    COSIM_ASSEMBLER_DIAGNOSTICS(COSIM_CODE_MEANING)  //
    COSIM_RTL_DIAGNOSTICS(COSIM_CODE_MEANING)        //
    COSIM_BOARD_DIAGNOSTICS(COSIM_CODE_MEANING)      //
    COSIM_IMPORT_DIAGNOSTICS(COSIM_CODE_MEANING)     //
    COSIM_EXPLORE_DIAGNOSTICS(COSIM_CODE_MEANING)    //
};
#undef COSIM_CODE_MEANING

CodeExplanation ReadEntry(const isa::YamlEntry& entry, Diagnostics& diags) {
  const std::string what = fmt::format("the explanation of '{}'", entry.key.scalar);
  const isa::MapReader reader(entry.value, entry.key, what, diags, {"why", "in", "wrong", "right", "when"});
  CodeExplanation read{.code = entry.key.scalar};
  if (!reader.is_map()) return read;
  read.why = reader.String("why").value_or("");
  read.when = reader.OptionalString("when", "");
  if (!read.when.empty()) return read;
  read.where = reader.String("in").value_or("");
  read.wrong = reader.String("wrong").value_or("");
  read.right = reader.String("right").value_or("");
  return read;
}

}  // namespace

std::span<const CodeMeaning> DiagnosticCodes() { return kMeanings; }

std::optional<std::vector<CodeExplanation>> LoadDiagnosticCatalog(Diagnostics& diags) {
  std::vector<CodeExplanation> catalog;
  for (const char* family : {"specs", "programs", "hardware", "models", "plans"}) {
    const auto path = isa::Home() / "docs" / "reference" / "diagnostics" / (std::string(family) + ".yaml");
    const auto source = isa::ReadSource(path.string(), diags);
    const auto tree = source ? isa::ParseYaml(*source, diags) : std::nullopt;
    if (!tree) return std::nullopt;
    for (const isa::YamlEntry& entry : tree->entries) catalog.push_back(ReadEntry(entry, diags));
  }
  if (diags.HasErrors()) return std::nullopt;
  return catalog;
}

}  // namespace cosim::cli
