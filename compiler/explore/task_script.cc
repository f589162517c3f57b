// SPDX-License-Identifier: Apache-2.0
#include "compiler/explore/task_script.h"

#include <fmt/format.h>

#include <fstream>

namespace cosim::explore {
namespace {

std::string Line(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) line += (line.empty() ? "" : " ") + Quoted(word);
  return line;
}

}  // namespace

std::string Quoted(const std::string& word) {
  constexpr const char* kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=+./,:@%";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) return word;
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::string ScriptText(const TaskScript& script) {
  std::string submitted = Line(script.submitted_by);
  for (size_t at = 0; (at = submitted.find('\n', at)) != std::string::npos; at += 2)
    submitted.replace(at, 1, "\n#");
  return fmt::format(
      "#!/bin/bash\n"
      "# Task $SLURM_ARRAY_TASK_ID of {} of a sweep. Put into the queue again, it goes on where it was.\n"
      "# Submitted by: {}\n"
      "exec {} --shard=\"$SLURM_ARRAY_TASK_ID/{}\" --jobs=\"${{SLURM_CPUS_PER_TASK:-1}}\" \\\n"
      "  --db={}/task-\"$SLURM_ARRAY_TASK_ID\".sqlite >/dev/null\n",
      script.tasks, submitted, Line(script.command), script.tasks, Quoted(script.folder.string()));
}

bool WriteScript(const std::filesystem::path& path, const TaskScript& script, std::string& error) {
  std::ofstream file(path);
  file << ScriptText(script);
  if (file.flush().good()) return true;
  return error = fmt::format("{}: it cannot be written", path.string()), false;
}

}  // namespace cosim::explore
