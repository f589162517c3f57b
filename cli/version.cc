// SPDX-License-Identifier: Apache-2.0
// cosim version. Alone in its file, for a commit rebuilds it.
#include "cli/version.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/commit.h"
#include "cli/json_option.h"
#include "cli/options.h"
#include "cli/verbs.h"

namespace cosim::cli {

std::string_view Commit() { return kCommit; }

int VersionVerb(const Arguments& arguments) {
  boost::program_options::options_description options("options");
  AddJsonOption(options);
  const auto parsed = Parse(arguments, options, "version [--json=FILE]", "cosim version");
  if (parsed.exit) return *parsed.exit;
  return PrintWithJson(parsed.values, fmt::format("cosim {} (commit {})\n", COSIM_VERSION, kCommit),
                       {{"version", COSIM_VERSION}, {"commit", kCommit}})
             ? 0
             : 1;
}

}  // namespace cosim::cli
