// SPDX-License-Identifier: Apache-2.0
#include "compiler/explore/slurm_sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <map>
#include <memory>
#include <set>
#include <system_error>
#include <thread>
#include <utility>

#include "compiler/explore/array_folder.h"
#include "compiler/explore/slurm.h"
#include "compiler/explore/task_script.h"

namespace cosim::explore {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr int64_t kPointsATask = 200;
constexpr milliseconds kShortestPause{500}, kLongestPause{15'000};
constexpr std::chrono::minutes kSilence{10};  // of the queue, until it is given up
// A task that was put into the queue again may look ended for a moment.
constexpr int kLooksUntilEnded = 2;
constexpr size_t kLogLines = 10;
constexpr std::streamoff kLogBytes = 4096;

/// "\n    | LINE" for each of the last lines of a file.
std::string TailOf(const fs::path& log) {
  std::ifstream file(log, std::ios::ate);
  file.seekg(std::max<std::streamoff>(0, static_cast<std::streamoff>(file.tellg()) - kLogBytes));
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  if (lines.empty()) return " is empty";
  std::string text = " ends in";
  for (size_t i = lines.size() - std::min(lines.size(), kLogLines); i < lines.size(); ++i)
    text += "\n    | " + lines[i];
  return text;
}

/// "1 task", "3 tasks".
std::string Counted(int64_t count, const char* what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

class SlurmSweep {
 public:
  SlurmSweep(Database& database, ArrayFolder& folder, const SweepOptions& options, const SlurmOptions& slurm)
      : database_(database), folder_(folder), options_(options), slurm_(slurm) {}

  bool Run(std::string& error) {
    const auto running = FindRunning(error);
    if (!running || (!*running && !SubmitMissing(error))) return false;
    return Wait(error);
  }

 private:
  int64_t points() const { return database_.head().points; }
  Shard ShardOf(int64_t task) const { return {task, folder_.tasks()}; }

  /// Whether an array that was submitted before still runs.
  std::optional<bool> FindRunning(std::string& error) {
    const auto id = SubmittedId(folder_.Answer());
    if (!id || folder_.TasksLeft().empty()) return false;
    const auto tasks = AskQueue(*id, folder_.Scratch(), error);
    if (!tasks) return std::nullopt;
    if (std::ranges::all_of(*tasks, [](const auto& task) { return task.second.Ended(); })) return false;
    id_ = *id;
    slurm_.tell(fmt::format("array {} of {} tasks still runs", id_, folder_.tasks()));
    return true;
  }

  /// Takes what tasks of earlier arrays have left, divides what is missing anew and submits that.
  bool SubmitMissing(std::string& error) {
    for (const int64_t task : folder_.TasksLeft())
      if (!Take(task, error)) return false;
    const std::set<int64_t> there = database_.Ids(options_.retry ? "failed" : "");
    const int64_t missing = points() - static_cast<int64_t>(there.size());
    if (missing == 0) return true;
    const int64_t wanted = slurm_.tasks > 0 ? slurm_.tasks : (missing + kPointsATask - 1) / kPointsATask;
    if (!folder_.SetTasks(std::min({wanted, kMostTasks, points()}), error)) return false;
    std::vector<int64_t> tasks;
    for (int64_t task = 1; task <= folder_.tasks(); ++task) {
      const auto made = MakeTask(task, there, error);
      if (!made) return false;
      if (*made) tasks.push_back(task);
    }
    const auto command = SbatchCommand(folder_.Script(), folder_.LogPattern(), tasks, SbatchOptions());
    const TaskScript script{command, slurm_.command, folder_.tasks(), folder_.path()};
    if (!WriteScript(folder_.Script(), script, error)) return false;
    const auto id = Submit(command, folder_.Answer(), error);
    if (!id) return folder_.Remove(), false;
    id_ = *id;
    slurm_.tell(
        fmt::format("array {} of {} for {} submitted; logs in {}. Ended, this command goes on "
                    "when started again; scancel {} ends the array",
                    id_, Counted(static_cast<int64_t>(tasks.size()), "task"), Counted(missing, "point"),
                    folder_.path().string(), id_));
    return true;
  }

  std::vector<std::string> SbatchOptions() const {
    std::vector<std::string> options;
    if (slurm_.processors > 0) options.push_back(fmt::format("--cpus-per-task={}", slurm_.processors));
    options.insert(options.end(), slurm_.sbatch.begin(), slurm_.sbatch.end());
    return options;
  }

  /// A database with the rows there are of a task's points, unless none is missing.
  std::optional<bool> MakeTask(int64_t task, const std::set<int64_t>& there, std::string& error) {
    const Shard shard = ShardOf(task);
    std::vector<int64_t> known;
    for (int64_t id = task; id <= points(); id += shard.count)
      if (there.count(id) > 0) known.push_back(id);
    if (static_cast<int64_t>(known.size()) == shard.Points(points())) return false;
    std::vector<SourceFile> sources;
    if (!database_.ReadSources(sources, error)) return std::nullopt;
    auto made = Database::Make(folder_.TaskDatabase(task), database_.head(), sources, error,
                               Journal::kSeveralMachines);
    if (!made || !made->Begin(error)) return std::nullopt;
    for (const int64_t id : known) {
      const auto row = database_.Find(id, error);
      if (!row || !made->Add(*row, error)) return std::nullopt;
    }
    if (!made->Commit(error)) return std::nullopt;
    return true;
  }

  /// Puts a task's rows into the database, where they replace none but failed ones, and removes the task's.
  bool Take(int64_t task, std::string& error) {
    const fs::path file = folder_.TaskDatabase(task);
    const auto part = Database::Open(file, error);
    if (!part) return false;
    if (part->head().digest != database_.head().digest)
      return error = fmt::format("{} holds another sweep", file.string()), false;
    const std::set<int64_t> there = database_.Ids("failed");
    bool good = database_.Begin(error);
    std::string failure;
    const auto add = [&](const Row& row) {
      good = good && (there.count(row.id) > 0 || database_.Add(row, failure));
    };
    good = good && part->ForEach(add, error);
    if (!failure.empty()) error = failure;
    if (!database_.Commit(good ? error : failure) || !good) return false;
    folder_.RemoveDatabase(task);
    return true;
  }

  /// Until no task is left that could have more rows.
  bool Wait(std::string& error) {
    auto pause = kShortestPause;
    auto answered = Clock::now();
    while (!folder_.TasksLeft().empty()) {
      const auto tasks = AskQueue(id_, folder_.Scratch(), error);
      if (tasks) {
        answered = Clock::now();
        error.clear();
        if (!TakeEnded(*tasks, error)) return false;
      } else if (Clock::now() - answered > kSilence) {
        return error = fmt::format("the queue of array {} has not answered for {} minutes: {}", id_,
                                   kSilence.count(), error),
               false;
      } else if (!is_silence_told_) {
        slurm_.tell(error);
        is_silence_told_ = true;
      }
      if (folder_.TasksLeft().empty()) break;
      if (slurm_.progress) slurm_.progress(ProgressText(tasks));
      std::this_thread::sleep_for(pause);
      pause = std::min(pause * 5 / 4, kLongestPause);
    }
    error.clear();
    if (failed_ == 0) return folder_.Remove(), true;
    error = fmt::format(
        "{} of {} tasks ended before their points; {} of {} points are in {}. Started again, the command "
        "submits what is missing",
        failed_, folder_.tasks(), database_.Ids().size(), points(), options_.database);
    return false;
  }

  bool TakeEnded(const Tasks& tasks, std::string& error) {
    for (const int64_t task : folder_.TasksLeft()) {
      const auto known = tasks.find(task);
      const TaskState state = known == tasks.end() ? TaskState{"gone from the queue", ""} : known->second;
      if (state.is_held && held_.insert(task).second)
        slurm_.tell(
            fmt::format("task {} is held ({}): scontrol release {}_{}", task, state.reason, id_, task));
      if (known != tasks.end() && !state.Ended()) {
        looks_[task] = 0;
        continue;
      }
      seen_.erase(task);  // looked at once more, now that nobody writes
      const bool is_whole = RowsOf(task) == ShardOf(task).Points(points());
      if (!is_whole && ++looks_[task] < kLooksUntilEnded) continue;
      if (!is_whole) TellFailed(task, state);
      if (!Take(task, error)) return false;
    }
    return true;
  }

  void TellFailed(int64_t task, const TaskState& state) {
    ++failed_;
    const fs::path log = folder_.TaskLog(task);
    const bool says_why = !state.reason.empty() && state.reason != "None";
    slurm_.tell(fmt::format("task {} of {} is {}{} without {} of its {} points; {}{}", task, folder_.tasks(),
                            state.state, says_why ? ", " + state.reason + "," : "",
                            ShardOf(task).Points(points()) - RowsOf(task), ShardOf(task).Points(points()),
                            log.string(), TailOf(log)));
  }

  /// Of a task's database, as known last while another process keeps it.
  int64_t RowsOf(int64_t task) {
    const fs::path file = folder_.TaskDatabase(task);
    std::error_code none;
    Seen& seen = seen_[task];
    const auto changed = fs::last_write_time(file, none);
    if (seen.rows >= 0 && seen.changed == changed) return seen.rows;
    std::string ignored;
    const auto part = Database::Open(file, ignored);
    const auto rows = part ? part->Count() : std::nullopt;
    if (rows) seen = {changed, *rows};
    return std::max<int64_t>(seen.rows, 0);
  }

  std::string ProgressText(const std::optional<Tasks>& tasks) {
    int64_t done = points(), run = 0, wait = 0;
    for (const int64_t task : folder_.TasksLeft()) done -= ShardOf(task).Points(points()) - RowsOf(task);
    for (const auto& [number, task] : tasks.value_or(Tasks{})) {
      run += task.state == "RUNNING";
      wait += !task.Ended() && task.state != "RUNNING";
    }
    return fmt::format("{} of {} points; {} of {} tasks run, {} wait", done, points(), run, folder_.tasks(),
                       wait);
  }

  struct Seen {
    fs::file_time_type changed;
    int64_t rows = -1;
  };

  Database& database_;
  ArrayFolder& folder_;
  const SweepOptions& options_;
  const SlurmOptions& slurm_;
  std::string id_;
  std::map<int64_t, int> looks_;  ///< that found a task ended, without its points
  std::map<int64_t, Seen> seen_;
  std::set<int64_t> held_;  ///< of which that has been told
  int64_t failed_ = 0;
  bool is_silence_told_ = false;
};

}  // namespace

std::optional<Database> RunOnSlurm(const Plan& plan, const Networks& networks, const SweepOptions& options,
                                   const SlurmOptions& slurm, std::string& error) {
  if (!HasSlurm(error)) return std::nullopt;
  auto database = OpenSweep(plan, networks, options, error);
  if (!database) return std::nullopt;
  const auto folder = ArrayFolder::Open(options.database, database->head().digest, error);
  if (!folder || !SlurmSweep(*database, *folder, options, slurm).Run(error)) return std::nullopt;
  return database;
}

}  // namespace cosim::explore
