// SPDX-License-Identifier: Apache-2.0
// A case in a child process; the outcome comes back through a pipe.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <sstream>

#include "tests/network_fuzz/network_case.h"

namespace cosim::testing {
namespace {

[[noreturn]] void Child(const NetworkCase& c, int seconds, int to) {
  dup2(to, STDERR_FILENO);  // a failing check says which one before it aborts
  alarm(static_cast<unsigned>(seconds));
  const Outcome outcome = RunCase(c);
  const std::string text = fmt::format("{} {} {}\n{}", static_cast<int>(outcome.kind), outcome.on_accelerator,
                                       outcome.on_cpu, outcome.reason);
  for (size_t at = 0; at < text.size();) {
    const ssize_t count = write(to, text.data() + at, text.size() - at);
    if (count <= 0) _exit(2);
    at += static_cast<size_t>(count);
  }
  _exit(0);
}

}  // namespace

Outcome RunIsolated(const NetworkCase& c, int seconds) {
  int ends[2];
  if (pipe(ends) != 0) return {Outcome::Kind::kFailed, "no pipe"};
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    Child(c, seconds, ends[1]);
  }
  close(ends[1]);
  std::string text;
  char buffer[4096];
  for (ssize_t count; (count = read(ends[0], buffer, sizeof buffer)) > 0;)
    text.append(buffer, static_cast<size_t>(count));
  close(ends[0]);
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child) return {Outcome::Kind::kFailed, "no process"};
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    const bool late = WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM;
    return {Outcome::Kind::kFailed,
            late ? fmt::format("longer than {} s", seconds) : fmt::format("crash: {}", text.substr(0, 500))};
  }
  Outcome outcome;
  int kind = 2;
  std::istringstream stream(text);
  stream >> kind >> outcome.on_accelerator >> outcome.on_cpu;
  stream.ignore(1);
  std::getline(stream, outcome.reason, '\0');
  outcome.kind = static_cast<Outcome::Kind>(kind);
  return outcome;
}

}  // namespace cosim::testing
