// SPDX-License-Identifier: Apache-2.0
// See isolated.h. What the function returns comes back through a pipe, behind a mark.
#include "tests/network_fuzz/isolated.h"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <sstream>

#include "tests/network_fuzz/network_case.h"

namespace cosim::testing {
namespace {

constexpr char kMark = '\x01';  // what stands before it was said, not returned

[[noreturn]] void Child(const std::function<std::string()>& function, int seconds, int to) {
  dup2(to, STDERR_FILENO);  // a failing check says which one before it aborts
  alarm(static_cast<unsigned>(seconds));
  const std::string text = kMark + function();
  for (size_t at = 0; at < text.size();) {
    const ssize_t count = write(to, text.data() + at, text.size() - at);
    if (count <= 0) _exit(2);
    at += static_cast<size_t>(count);
  }
  _exit(0);
}

}  // namespace

ChildResult RunInChild(const std::function<std::string()>& function, int seconds) {
  using Kind = ChildResult::Kind;
  int ends[2];
  if (pipe(ends) != 0) return {Kind::kCrashed, "no pipe"};
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    Child(function, seconds, ends[1]);
  }
  close(ends[1]);
  std::string text;
  char buffer[4096];
  for (ssize_t count; (count = read(ends[0], buffer, sizeof buffer)) > 0;)
    text.append(buffer, static_cast<size_t>(count));
  close(ends[0]);
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child) return {Kind::kCrashed, "no process"};
  const size_t mark = text.find(kMark);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0 && mark != std::string::npos)
    return {Kind::kDone, text.substr(mark + 1)};
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
    return {Kind::kLate, fmt::format("longer than {} s", seconds)};
  const std::string how = WIFSIGNALED(status) ? fmt::format("signal {}", WTERMSIG(status))
                                              : fmt::format("status {}", WEXITSTATUS(status));
  return {Kind::kCrashed, fmt::format("{}: {}", how, text.substr(0, 500))};
}

Outcome RunIsolated(const NetworkCase& c, int seconds) {
  const ChildResult result = RunInChild(
      [&] {
        const Outcome outcome = RunCase(c);
        return fmt::format("{} {} {} {} {}\n{}", static_cast<int>(outcome.kind), outcome.on_accelerator,
                           outcome.on_cpu, outcome.sums_on_accelerator, outcome.sums_on_cpu, outcome.reason);
      },
      seconds);
  if (result.kind == ChildResult::Kind::kLate) return {Outcome::Kind::kFailed, result.text};
  if (result.kind == ChildResult::Kind::kCrashed) return {Outcome::Kind::kFailed, "crash: " + result.text};
  Outcome outcome;
  int kind = 2;
  std::istringstream stream(result.text);
  stream >> kind >> outcome.on_accelerator >> outcome.on_cpu >> outcome.sums_on_accelerator >>
      outcome.sums_on_cpu;
  stream.ignore(1);
  std::getline(stream, outcome.reason, '\0');
  outcome.kind = static_cast<Outcome::Kind>(kind);
  return outcome;
}

}  // namespace cosim::testing
