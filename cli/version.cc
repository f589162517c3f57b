// SPDX-License-Identifier: Apache-2.0
// cosim version. Alone in its file, for a commit rebuilds it.
#include "cli/version.h"

#include <fmt/format.h>

#include "cli/commit.h"
#include "cli/options.h"
#include "cli/print.h"
#include "cli/verbs.h"

namespace cosim::cli {

std::string_view Commit() { return kCommit; }

int VersionVerb(const Arguments& arguments) {
  const auto parsed =
      Parse(arguments, boost::program_options::options_description("options"), "version", "cosim version");
  if (parsed.exit) return *parsed.exit;
  Print("cosim {} (commit {})\n", COSIM_VERSION, kCommit);
  return 0;
}

}  // namespace cosim::cli
