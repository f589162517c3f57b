// SPDX-License-Identifier: Apache-2.0
#include "compiler/explore/slurm.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>
#include <sstream>
#include <string_view>
#include <system_error>

#include "runtime/host_program.h"

namespace cosim::explore {
namespace {

namespace fs = std::filesystem;

// squeue(1), JOB STATE CODES.
constexpr std::array<std::string_view, 10> kEnded = {"BOOT_FAIL", "CANCELLED",    "COMPLETED", "DEADLINE",
                                                     "FAILED",    "NODE_FAIL",    "PREEMPTED", "REVOKED",
                                                     "TIMEOUT",   "OUT_OF_MEMORY"};

std::string TextOf(const fs::path& file) {
  std::ifstream stream(file);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

std::string Trimmed(std::string text) {
  const size_t end = text.find_last_not_of(" \n");
  return text.substr(0, end == std::string::npos ? 0 : end + 1);
}

bool IsNumber(const std::string& text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
}

}  // namespace

bool TaskState::Ended() const { return std::ranges::find(kEnded, state) != kEnded.end(); }

bool HasSlurm(std::string& error) {
  for (const char* program : {"sbatch", "squeue"})
    if (!runtime::FindProgram(program)) return error = fmt::format("there is no {} in $PATH", program), false;
  return true;
}

std::string Ranges(const std::vector<int64_t>& numbers) {
  std::string text;
  for (size_t first = 0, last = 0; first < numbers.size(); first = last + 1) {
    for (last = first; last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1;) ++last;
    text += fmt::format("{}{}", text.empty() ? "" : ",", numbers[first]);
    if (last > first) text += fmt::format("-{}", numbers[last]);
  }
  return text;
}

std::vector<std::string> SbatchCommand(const fs::path& script, const std::string& log,
                                       const std::vector<int64_t>& numbers,
                                       const std::vector<std::string>& options) {
  std::vector<std::string> command = {"sbatch", "--job-name=cosim-sweep", "--requeue"};
  command.insert(command.end(), options.begin(), options.end());
  // Last, since a sweep follows from them.
  command.insert(command.end(), {"--parsable", "--open-mode=append", "--output=" + log,
                                 "--array=" + Ranges(numbers), script.string()});
  return command;
}

std::optional<std::string> SubmittedId(const fs::path& answer) {
  std::optional<std::string> id;
  std::istringstream lines(TextOf(answer));
  // ID, or ID;CLUSTER, among what sbatch may have to say besides.
  for (std::string line; std::getline(lines, line);)
    if (line = line.substr(0, line.find(';')); IsNumber(line)) id = line;
  return id;
}

std::optional<std::string> Submit(const std::vector<std::string>& command, const fs::path& answer,
                                  std::string& error) {
  std::error_code none;
  fs::remove(answer, none);
  const int status = runtime::RunProgram(command, answer);
  const auto id = SubmittedId(answer);
  if (status == 0 && id) return id;
  error = Trimmed(TextOf(answer));
  if (error.empty()) error = fmt::format("sbatch ended with status {}", status);
  fs::remove(answer, none);
  return std::nullopt;
}

Tasks TasksIn(const std::string& text) {
  Tasks tasks;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const size_t first = line.find('|'), second = line.find('|', first + 1);
    if (second == std::string::npos || !IsNumber(line.substr(0, first))) continue;
    int64_t number = 0;
    std::from_chars(line.data(), line.data() + first, number);
    TaskState task{line.substr(first + 1, second - first - 1), Trimmed(line.substr(second + 1))};
    task.is_held = !task.Ended() && task.reason.find("held") != std::string::npos;
    task.is_held = task.is_held || task.reason.starts_with("JobHeld");
    tasks[number] = std::move(task);
  }
  return tasks;
}

std::optional<Tasks> AskQueue(const std::string& id, const fs::path& scratch, std::string& error) {
  std::error_code none;
  fs::remove(scratch, none);
  const int status = runtime::RunProgram(
      {"squeue", "--noheader", "--array", "--states=all", "--format=%K|%T|%r", "--jobs=" + id}, scratch);
  const std::string text = TextOf(scratch);
  fs::remove(scratch, none);
  if (status == 0) return TasksIn(text);
  // It has been forgotten.
  if (text.find("Invalid job id") != std::string::npos) return Tasks{};
  error = text.empty() ? fmt::format("squeue ended with status {}", status) : Trimmed(text);
  return std::nullopt;
}

}  // namespace cosim::explore
