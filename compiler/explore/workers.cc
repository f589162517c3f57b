// SPDX-License-Identifier: Apache-2.0
// A worker reads items from one pipe until it is closed, and writes each answer to another. Either is its
// length, then its text.
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

constexpr size_t kMostTogether = 16;      // items given to a worker at a time
constexpr size_t kMostBytes = 16 * 1024;  // of such items: a pipe takes them while the worker writes
constexpr size_t kMostDeathText = 4000;
constexpr std::chrono::seconds kUntilKilledToo{1};

using runtime::ReadAll;
using runtime::WriteAll;

bool WriteText(int to, const std::string& text) {
  const uint64_t length = text.size();
  return WriteAll(to, &length, sizeof length) && WriteAll(to, text.data(), text.size());
}

bool ReadText(int from, std::string& text) {
  uint64_t length = 0;
  if (!ReadAll(from, &length, sizeof length)) return false;
  text.resize(length);
  return ReadAll(from, text.data(), length);
}

/// Does not throw: what the parent has on its stack is not this process's to end.
[[noreturn]] void Serve(int in, int out,
                        const std::function<std::string(const std::string&)>& work) noexcept {
  std::string item;
  while (ReadText(in, item))
    if (!WriteText(out, work(item))) break;
  _exit(0);
}

}  // namespace

class Workers::Pool {
 public:
  Pool(int jobs, std::function<std::string(const std::string&)> work)
      : work_(std::move(work)), workers_(static_cast<size_t>(jobs)) {}
  ~Pool() {
    EndAll();
    signal(SIGPIPE, before_);
  }

  /// `items` stay until all of them are answered.
  void Give(const std::vector<std::string>& items) {
    items_ = &items;
    for (size_t item = 0; item < items.size(); ++item) waiting_.push_back(item);
  }

  void EndAll() {
    for (Worker& worker : workers_) End(worker, SIGKILL);
    waiting_.clear();
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
  struct Worker {
    pid_t process = -1;
    int to = -1, from = -1, errors = -1;
    std::deque<size_t> items;  ///< given to it, not answered
  };

  /// Enough that neighbours meet in one process, few enough that the last ones end together.
  size_t Together() const {
    return std::clamp<size_t>(waiting_.size() / (4 * workers_.size()), 1, kMostTogether);
  }

  static bool HasEnded(const Worker& worker) {
    siginfo_t ended{};
    return worker.process >= 0 &&
           waitid(P_PID, static_cast<id_t>(worker.process), &ended, WEXITED | WNOHANG | WNOWAIT) == 0 &&
           ended.si_pid == worker.process;
  }

  void Feed(Worker& worker) {
    if (!worker.items.empty() || waiting_.empty()) return;
    if (HasEnded(worker)) End(worker, 0);  // between two batches: no item has to do with it
    if (worker.process < 0) Start(worker);
    size_t bytes = 0;
    for (size_t left = Together(); left > 0; --left) {
      bytes += (*items_)[waiting_.front()].size();
      if (!worker.items.empty() && bytes > kMostBytes) break;
      worker.items.push_back(waiting_.front());
      waiting_.pop_front();
    }
    for (const size_t item : worker.items) WriteText(worker.to, (*items_)[item]);
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
    Answer answer{.item = static_cast<int64_t>(worker.items.front())};
    const bool whole = ReadText(worker.from, answer.text);
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

  const std::vector<std::string>* items_ = nullptr;
  std::deque<size_t> waiting_;  ///< places in items_
  std::function<std::string(const std::string&)> work_;
  std::vector<Worker> workers_;
  decltype(SIG_DFL) before_ = signal(SIGPIPE, SIG_IGN);
};

Workers::Workers(int jobs, std::function<std::string(const std::string&)> work) {
  COSIM_CHECK(jobs >= 1, "{} jobs", jobs);
  pool_ = std::make_unique<Pool>(jobs, std::move(work));
}

Workers::~Workers() = default;

void Workers::Run(const std::vector<std::string>& items, const std::function<bool(const Answer&)>& take) {
  pool_->Give(items);
  while (const auto answer = pool_->Next())
    if (!take(*answer)) return pool_->EndAll();
}

void RunInProcesses(const std::vector<int64_t>& items, int jobs,
                    const std::function<std::string(int64_t)>& work,
                    const std::function<bool(const Answer&)>& take) {
  std::vector<std::string> texts;
  for (const int64_t item : items) texts.push_back(std::to_string(item));
  Workers workers(jobs, [&](const std::string& item) { return work(std::stoll(item)); });
  workers.Run(texts, [&](const Answer& answer) {
    Answer named = answer;
    named.item = items[static_cast<size_t>(answer.item)];
    return take(named);
  });
}

}  // namespace cosim::explore
