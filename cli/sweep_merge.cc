// SPDX-License-Identifier: Apache-2.0
// cosim sweep merge: the parts of a sweep that several machines ran, as one database.
#include "cli/sweep_merge.h"

#include <fmt/format.h>

#include "cli/options.h"
#include "cli/print.h"
#include "cli/text.h"
#include "compiler/explore/merge.h"

namespace cosim::cli {
namespace po = boost::program_options;
namespace {

std::string Summary(const explore::Merged& merged) {
  std::string text =
      fmt::format("{} of {}", Grouped(merged.rows), Counted(static_cast<size_t>(merged.points), "point"));
  if (merged.twice > 0) text += fmt::format("; {} in several files", Grouped(merged.twice));
  if (merged.recovered > 0)
    text += fmt::format(", {} of them failed in one of them", Grouped(merged.recovered));
  return text;
}

}  // namespace

int SweepMerge(const Arguments& arguments) {
  po::options_description options("options");
  options.add_options()("output,o", po::value<std::string>()->value_name("FILE")->default_value(""),
                        "the database to write");
  const auto parsed =
      Parse(arguments, options, "sweep merge A.sqlite B.sqlite... -o ALL.sqlite",
            "cosim sweep merge 1.sqlite 2.sqlite -o all.sqlite", "FILES", Positionals::kSeveral);
  if (parsed.exit) return *parsed.exit;
  const std::string output = parsed.values["output"].as<std::string>();
  if (output.empty()) return Fail("sweep merge: where to?", "-o ALL.sqlite");
  explore::Merged merged;
  std::string error;
  if (!explore::MergeSweeps(parsed.values["FILES"].as<std::vector<std::string>>(), output, merged, error))
    return Fail(error);
  Print("{}: {}\n", output, Summary(merged));
  return 0;
}

}  // namespace cosim::cli
