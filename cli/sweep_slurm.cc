// SPDX-License-Identifier: Apache-2.0
#include "cli/sweep_slurm.h"

#include <fmt/format.h>

#include <boost/token_functions.hpp>
#include <filesystem>
#include <string>
#include <system_error>

#include "cli/options.h"
#include "cli/print.h"
#include "cli/sweep_plan.h"
#include "compiler/explore/slurm.h"

namespace cosim::cli {
namespace po = boost::program_options;
namespace {

/// The words of `text` as a shell has them, quotes and backslashes resolved. False after printing a mistake.
bool AddWords(const std::string& text, std::vector<std::string>& words) {
  try {
    for (const std::string& word : po::split_unix(text)) words.push_back(word);
    return true;
  } catch (const boost::escaped_list_error& mistake) {
    return Fail(fmt::format("--slurm-options={}: {}", text, mistake.what())), false;
  }
}

}  // namespace

void AddSlurmOptions(po::options_description& options) {
  options.add_options()(
      "slurm", "run the points on a cluster, in an array of Slurm's tasks, and wait for it; needs --db")(
      "slurm-tasks", po::value<int64_t>()->value_name("N")->default_value(0, "one for 200 points"),
      "so many tasks at most")("slurm-options",
                               po::value<std::vector<std::string>>()->value_name("OPTIONS")->composing(),
                               "options for sbatch: '--partition=long --time=2:00:00'");
}

std::optional<explore::SlurmOptions> SlurmOptionsIn(const po::variables_map& values) {
  explore::SlurmOptions slurm;
  std::string error;
  if (values["db"].as<std::string>().empty())
    return Fail("--slurm: the rows of all nodes need a file", "--db=FILE, where the nodes see its folder"),
           std::nullopt;
  if (!values["shard"].as<std::string>().empty())
    return Fail("--slurm: each of its tasks is a shard; there is nothing left for --shard"), std::nullopt;
  if (!explore::HasSlurm(error))
    return Fail("--slurm: " + error,
                "Slurm's commands are missing (Debian: slurm-client); --shard=I/N runs a part by hand"),
           std::nullopt;
  slurm.tasks = values["slurm-tasks"].as<int64_t>();
  const bool is_chosen = !values["slurm-tasks"].defaulted();
  if (is_chosen && (slurm.tasks < 1 || slurm.tasks > explore::kMostTasks))
    return Fail(fmt::format("--slurm-tasks: from 1 to {}", explore::kMostTasks)), std::nullopt;
  if (!values["jobs"].defaulted()) slurm.processors = values["jobs"].as<int>();
  if (values.count("slurm-options"))
    for (const std::string& text : values["slurm-options"].as<std::vector<std::string>>())
      if (!AddWords(text, slurm.sbatch)) return std::nullopt;
  std::error_code failure;
  const auto command = std::filesystem::read_symlink("/proc/self/exe", failure);
  slurm.command = {failure ? "cosim" : command.string(), "sweep"};
  for (const std::string& argument : PlanArguments(values)) slurm.command.push_back(argument);
  if (values.count("check")) slurm.command.push_back("--check");
  slurm.tell = [](const std::string& line) {
    if (ShowsProgress()) ShowProgress("");
    PrintError("cosim: {}\n", line);
  };
  if (ShowsProgress()) slurm.progress = ShowProgress;
  return slurm;
}

}  // namespace cosim::cli
