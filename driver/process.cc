// SPDX-License-Identifier: Apache-2.0
#include "driver/process.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <thread>

namespace cosim::driver {
namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t kMostErrors = 4096;
constexpr int kSignalled = 128;

void CloseOnce(int& fd) {
  if (fd >= 0) close(fd);
  fd = -1;
}

}  // namespace

std::unique_ptr<Process> Process::Start(const std::vector<std::string>& arguments) {
  int to[2] = {-1, -1}, from[2] = {-1, -1};
  std::unique_ptr<Process> process(new Process);
  if (pipe2(to, O_CLOEXEC) != 0) return nullptr;
  process->in_ = to[1];
  if (pipe2(from, O_CLOEXEC) != 0) return close(to[0]), nullptr;
  process->out_ = from[0];
  process->errors_ = memfd_create("errors", MFD_CLOEXEC);

  std::vector<char*> argv;
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, to[0], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, from[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, process->errors_, STDERR_FILENO);
  const int error = process->errors_ < 0
                        ? errno
                        : posix_spawnp(&process->child_, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(to[0]);
  close(from[1]);
  if (error == 0) return process;
  process->child_ = -1;
  return nullptr;
}

Process::~Process() {
  CloseInput();
  CloseOnce(out_);
  if (child_ > 0) Wait(std::chrono::seconds{2});
  CloseOnce(errors_);
}

void Process::CloseInput() { CloseOnce(in_); }

std::string Process::ReadAll(std::chrono::milliseconds patience) {
  const auto end = Clock::now() + patience;
  std::string text;
  for (std::array<char, 4096> part;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now()).count();
    pollfd entry{.fd = out_, .events = POLLIN, .revents = 0};
    if (left <= 0 || poll(&entry, 1, static_cast<int>(left)) == 0) return text;
    const ssize_t count = read(out_, part.data(), part.size());
    if (count == 0 || (count < 0 && errno != EINTR)) return text;
    if (count > 0) text.append(part.data(), static_cast<size_t>(count));
  }
}

int Process::Wait(std::chrono::milliseconds patience) {
  constexpr std::chrono::milliseconds kTick{5};
  const auto end = Clock::now() + patience;
  int status = 0;
  pid_t ended = 0;
  while ((ended = waitpid(child_, &status, WNOHANG)) == 0 && Clock::now() < end)
    std::this_thread::sleep_for(kTick);
  if (ended == 0) {
    kill(child_, SIGKILL);
    waitpid(child_, &status, 0);
  }
  child_ = -1;
  if (ended <= 0) return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : kSignalled + WTERMSIG(status);
}

std::string Process::Errors() const {
  std::string text(kMostErrors, '\0');
  const ssize_t count = pread(errors_, text.data(), text.size(), 0);
  text.resize(static_cast<size_t>(std::max<ssize_t>(count, 0)));
  return text;
}

}  // namespace cosim::driver
