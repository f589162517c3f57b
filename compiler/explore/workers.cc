// SPDX-License-Identifier: Apache-2.0
// A worker reads the numbers of items from one pipe until it is closed, and writes each answer to another:
// its length, then its text.
#include "compiler/explore/workers.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <deque>
#include <optional>
#include <thread>
#include <utility>

#include "isa/check.h"
#include "runtime/whole_io.h"

namespace cosim::explore {
namespace {

constexpr size_t kMostTogether = 16;  // items given to a worker at a time
constexpr size_t kMostDeathText = 4000;
constexpr std::chrono::seconds kUntilKilledToo{1};

using runtime::ReadAll;
using runtime::WriteAll;

struct Worker {
  pid_t process = -1;
  int to = -1, from = -1, errors = -1;
  std::deque<int64_t> items;  ///< given to it, not answered
};

[[noreturn]] void Serve(int in, int out, const std::function<std::string(int64_t)>& work) {
  int64_t item = 0;
  while (ReadAll(in, &item, sizeof item)) {
    const std::string text = work(item);
    const uint64_t length = text.size();
    if (!WriteAll(out, &length, sizeof length) || !WriteAll(out, text.data(), text.size())) break;
  }
  _exit(0);
}

class Pool {
 public:
  Pool(std::deque<int64_t> waiting, int jobs, const std::function<std::string(int64_t)>& work)
      : waiting_(std::move(waiting)), work_(work), workers_(static_cast<size_t>(jobs)) {}
  ~Pool() {
    for (Worker& worker : workers_) End(worker, SIGKILL);
    signal(SIGPIPE, before_);
  }

  /// The next answer; nothing when all are there.
  std::optional<Answer> Next() {
    for (Worker& worker : workers_) Feed(worker);
    std::vector<pollfd> files;
    std::vector<Worker*> busy;
    for (Worker& worker : workers_)
      if (!worker.items.empty()) files.push_back({worker.from, POLLIN, 0}), busy.push_back(&worker);
    if (files.empty()) return std::nullopt;
    while (poll(files.data(), files.size(), -1) < 0) COSIM_CHECK(errno == EINTR, "{}", std::strerror(errno));
    const auto ready = std::ranges::find_if(files, [](const pollfd& file) { return file.revents != 0; });
    return Take(*busy[static_cast<size_t>(ready - files.begin())]);
  }

 private:
  /// Enough that neighbours meet in one process, few enough that the last ones end together.
  size_t Together() const {
    return std::clamp<size_t>(waiting_.size() / (4 * workers_.size()), 1, kMostTogether);
  }

  void Feed(Worker& worker) {
    if (!worker.items.empty() || waiting_.empty()) return;
    if (worker.process < 0) Start(worker);
    for (size_t left = Together(); left > 0; --left) {
      worker.items.push_back(waiting_.front());
      waiting_.pop_front();
    }
    for (const int64_t item : worker.items) WriteAll(worker.to, &item, sizeof item);
  }

  void Start(Worker& worker) {
    std::array<int, 2> down{}, up{};
    COSIM_CHECK(pipe2(down.data(), O_CLOEXEC) == 0 && pipe2(up.data(), O_CLOEXEC) == 0, "{}",
                std::strerror(errno));
    worker.errors = memfd_create("cosim worker", MFD_CLOEXEC);
    const pid_t parent = getpid();
    worker.process = fork();
    COSIM_CHECK(worker.process >= 0, "{}", std::strerror(errno));
    if (worker.process == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      if (getppid() != parent) _exit(0);
      // What ends all processes of a job is the parent's to follow: an item is not to blame for it.
      for (const int ending : {SIGINT, SIGTERM, SIGHUP}) signal(ending, SIG_IGN);
      // The others' pipes end when the parent closes them, not when this one does.
      for (const Worker& other : workers_)
        if (other.to >= 0) close(other.to), close(other.from);
      close(down[1]);
      close(up[0]);
      if (worker.errors >= 0) dup2(worker.errors, STDERR_FILENO);
      Serve(down[0], up[1], work_);
    }
    close(down[0]);
    close(up[1]);
    worker.to = down[1];
    worker.from = up[0];
  }

  Answer Take(Worker& worker) {
    Answer answer{.item = worker.items.front()};
    uint64_t length = 0;
    bool whole = ReadAll(worker.from, &length, sizeof length);
    if (whole) {
      answer.text.resize(length);
      whole = ReadAll(worker.from, answer.text.data(), length);
    }
    worker.items.pop_front();
    if (whole) return answer;
    answer.text.clear();
    // What it had not begun goes to others.
    waiting_.insert(waiting_.begin(), worker.items.begin(), worker.items.end());
    worker.items.clear();
    answer.death = End(worker, 0);
    return answer;
  }

  /// Why it ended. `kill_by` 0: it has ended by itself.
  static std::string End(Worker& worker, int kill_by) {
    if (worker.process < 0) return "";
    close(worker.to);
    close(worker.from);
    if (kill_by != 0) kill(worker.process, kill_by);
    int status = 0;
    while (waitpid(worker.process, &status, 0) < 0 && errno == EINTR) {
    }
    // Whoever kills this process too does so before it could blame the item.
    if (kill_by == 0 && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
      std::this_thread::sleep_for(kUntilKilledToo);
    std::string death = WIFSIGNALED(status)
                            ? fmt::format("its process was ended by signal {}", WTERMSIG(status))
                            : fmt::format("its process ended with status {}", WEXITSTATUS(status));
    if (worker.errors >= 0) {
      std::string said(kMostDeathText, '\0');
      const ssize_t got = pread(worker.errors, said.data(), said.size(), 0);
      said.resize(static_cast<size_t>(std::max<ssize_t>(got, 0)));
      if (!said.empty()) death += ":\n" + said;
      close(worker.errors);
    }
    worker = {};
    return death;
  }

  std::deque<int64_t> waiting_;
  const std::function<std::string(int64_t)>& work_;
  std::vector<Worker> workers_;
  decltype(SIG_DFL) before_ = signal(SIGPIPE, SIG_IGN);
};

}  // namespace

void RunInProcesses(const std::vector<int64_t>& items, int jobs,
                    const std::function<std::string(int64_t)>& work,
                    const std::function<bool(const Answer&)>& take) {
  COSIM_CHECK(jobs >= 1, "{} jobs", jobs);
  Pool pool({items.begin(), items.end()}, jobs, work);
  while (const auto answer = pool.Next())
    if (!take(*answer)) return;
}

}  // namespace cosim::explore
