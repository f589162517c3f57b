// SPDX-License-Identifier: Apache-2.0
#include "runtime/host_program.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <system_error>

namespace cosim::runtime {

namespace fs = std::filesystem;

namespace {

constexpr int kNotStarted = 127, kSignalled = 128;

int Run(const std::vector<std::string>& arguments, int output, const fs::path& folder) {
  std::vector<char*> argv;
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, output, STDERR_FILENO);
  posix_spawn_file_actions_addchdir_np(&actions, folder.c_str());
  pid_t child = 0;
  const int error = posix_spawnp(&child, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) return kNotStarted;
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return kNotStarted;
  return WIFEXITED(status) ? WEXITSTATUS(status) : kSignalled + WTERMSIG(status);
}

}  // namespace

std::optional<fs::path> FindProgram(const std::string& name) {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');) {
    const fs::path candidate = fs::path(folder.empty() ? "." : folder) / name;
    std::error_code error;
    if (fs::is_regular_file(candidate, error) && access(candidate.c_str(), X_OK) == 0) return candidate;
  }
  return std::nullopt;
}

int RunProgram(const std::vector<std::string>& arguments, const fs::path& log, const fs::path& folder) {
  const int output = open((folder / log).c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (output < 0) return kNotStarted;
  const int status = Run(arguments, output, folder);
  close(output);
  return status;
}

std::string ProgramOutput(const std::vector<std::string>& arguments) {
  std::FILE* file = std::tmpfile();
  if (!file) return "";
  Run(arguments, fileno(file), ".");
  std::rewind(file);
  std::string text;
  for (int c = std::getc(file); c != EOF; c = std::getc(file)) text += static_cast<char>(c);
  std::fclose(file);
  return text;
}

}  // namespace cosim::runtime
