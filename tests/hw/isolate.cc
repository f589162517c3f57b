// SPDX-License-Identifier: Apache-2.0
// A child process and two pipes: its result, and what it said.
#include "tests/hw/isolate.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstring>
#include <sstream>

#include "isa/check.h"

namespace cosim::testing {
namespace {

struct Pipe {
  Pipe() { COSIM_CHECK(pipe(ends) == 0, "no pipe: {}", std::strerror(errno)); }
  int ends[2];
};

/// Reads both to their ends.
void ReadAll(int result_end, std::string& result, int said_end, std::string& said) {
  std::array<pollfd, 2> polled = {{{result_end, POLLIN, 0}, {said_end, POLLIN, 0}}};
  std::string* texts[] = {&result, &said};
  for (int open = 2; open > 0;) {
    if (poll(polled.data(), polled.size(), -1) < 0) continue;
    for (size_t i = 0; i < polled.size(); ++i) {
      if (polled[i].revents == 0) continue;
      char buffer[4096];
      const ssize_t count = read(polled[i].fd, buffer, sizeof(buffer));
      if (count > 0) {
        texts[i]->append(buffer, static_cast<size_t>(count));
      } else {
        close(polled[i].fd);
        polled[i].fd = -1;
        --open;
      }
    }
  }
}

/// The line that says what was wrong: the first with an error, else the last.
std::string Complaint(const std::string& text) {
  std::istringstream lines(text);
  std::string last;
  for (std::string line; std::getline(lines, line);) {
    if (line.find("rror") != std::string::npos) return line;
    last = line;
  }
  return last;
}

[[noreturn]] void CompareAndExit(int result_end, sim::RtlModel& model, const isa::Spec& spec,
                                 const isa::Program& program, const LockstepOptions& options) {
  const LockstepResult result = Compare(model, spec, program, options);
  const std::string text = fmt::format("{} {}", result.cycles, result.difference);
  const bool whole = write(result_end, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  _exit(whole ? 0 : 1);
}

}  // namespace

LockstepResult CompareIsolated(sim::RtlModel& model, const isa::Spec& spec, const isa::Program& program,
                               const LockstepOptions& options) {
  Pipe result_pipe, said_pipe;
  std::fflush(nullptr);
  const pid_t child = fork();
  COSIM_CHECK(child >= 0, "no process: {}", std::strerror(errno));
  if (child == 0) {
    dup2(said_pipe.ends[1], STDERR_FILENO);
    dup2(said_pipe.ends[1], STDOUT_FILENO);  // Verilator reports there
    CompareAndExit(result_pipe.ends[1], model, spec, program, options);
  }
  close(result_pipe.ends[1]);
  close(said_pipe.ends[1]);
  std::string text, said;
  ReadAll(result_pipe.ends[0], text, said_pipe.ends[0], said);
  int status = 0;
  waitpid(child, &status, 0);
  LockstepResult result;
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
    result.cycles = std::stoll(text);
    result.difference = text.substr(text.find(' ') + 1);
  } else {
    result.difference =
        fmt::format("ended by {} {}: {}\n", WIFSIGNALED(status) ? "signal" : "status",
                    WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status), Complaint(said));
  }
  return result;
}

}  // namespace cosim::testing
