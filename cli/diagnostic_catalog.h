// SPDX-License-Identifier: Apache-2.0
// The codes of diagnostics with what they mean, from the lists in the code, and what
// docs/reference/diagnostics/ says of each: why it is an error, and an example. Printing them is
// cli/help.cc's.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "isa/diagnostics.h"

namespace cosim::cli {

struct CodeMeaning {
  const char *code, *meaning;
};
/// Of all lists, in their order.
std::span<const CodeMeaning> DiagnosticCodes();

struct CodeExplanation {
  std::string code;
  std::string why;
  std::string where;  ///< a file of the tree in which `right` is replaced by `wrong`, or one of those below
  std::string wrong, right;  ///< an edit, or whole texts
  std::string when;          ///< a situation instead of an example; then the three above are empty
};
/// What `where` of an example is, when it is no file.
inline constexpr char kWholeProgram[] = "program", kWholePlan[] = "plan", kWholeSearch[] = "search plan",
                      kCommandLine[] = "command";

/// The catalogue, in its order; nothing after reporting.
std::optional<std::vector<CodeExplanation>> LoadDiagnosticCatalog(Diagnostics& diags);

}  // namespace cosim::cli
