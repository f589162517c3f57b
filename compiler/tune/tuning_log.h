// SPDX-License-Identifier: Apache-2.0
// What tuning has measured and found, in a file of SQLite's: each batch of trials stands there for good as
// soon as it was measured. docs/reference/tuning.md describes the tables.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "compiler/network/lower_group.h"
#include "compiler/schedules/cpu/contraction.h"
#include "runtime/profile.h"

struct sqlite3;

namespace cosim::tune {

/// What the schedules of a network are good for.
struct LogKey {
  std::string hardware;  ///< digest of all of a specification that cycles depend on, and of the version
  std::string network;   ///< by name
};

/// A schedule that was found.
struct LoggedSchedule {
  std::string layer, workload;
  kernels::Tile tile;
};

/// A network's schedules, and what all of it takes without and with them.
struct LoggedNetwork {
  std::string config, isa;  ///< by name, for people
  runtime::Cycle untuned = 0, tuned = 0;
  std::vector<LoggedSchedule> schedules;
};

/// A schedule of a processor's, with the times of its kernel alone, in seconds.
struct LoggedHostSchedule {
  std::string workload;
  schedules::ContractionSchedule schedule;
  double untuned_s = 0, tuned_s = 0;
};

class TuningLog {
 public:
  /// Opens `path`, made if it is not there; made in vain, it goes with the object. Nothing, and `error` set,
  /// when it is something else.
  static std::optional<TuningLog> Make(const std::string& path, std::string& error);
  /// Opens one that is there, for reading.
  static std::optional<TuningLog> Open(const std::string& path, std::string& error);

  /// Cycles of a schedule in a context that was measured before; the inner nothing: it makes no program.
  std::optional<std::optional<runtime::Cycle>> Trial(const std::string& context,
                                                     const std::string& tile) const;
  struct NewTrial {
    std::string context, tile;
    std::optional<runtime::Cycle> cycles;
  };
  /// False, and `error` set, when the file takes no more.
  bool Add(const std::vector<NewTrial>& trials, std::string& error);
  /// Those of fewest cycles in a context, at most `count`, best first.
  std::vector<std::string> BestTrials(const std::string& context, size_t count) const;

  /// Takes the place of what stands there for the key.
  bool Put(const LogKey& key, const LoggedNetwork& network, std::string& error);
  std::optional<LoggedNetwork> Get(const LogKey& key) const;
  /// What was found for a workload with any other key, a few at most; of two by turns what was found for
  /// layers of these names and workloads together.
  std::vector<kernels::Tile> Elsewhere(const LogKey& key, const std::string& workload) const;
  using LayerKey = std::pair<std::string, std::string>;
  std::vector<std::pair<kernels::Tile, kernels::Tile>> Elsewhere(const LogKey& key, const LayerKey& first,
                                                                 const LayerKey& second) const;
  /// Schedules of a processor, by LLVM's name for it, and of cosim's version: each takes the place of what
  /// stands there for its workload.
  bool PutHost(const std::string& processor, const std::string& version,
               const std::vector<LoggedHostSchedule>& schedules, std::string& error);
  schedules::ContractionSchedules HostSchedules(const std::string& processor,
                                                const std::string& version) const;
  /// Of a workload on any processor, a few at most.
  std::vector<schedules::ContractionSchedule> HostSchedulesOf(const std::string& workload) const;
  /// "znver4", for a message about a processor that is not there.
  std::vector<std::string> Processors() const;

  /// "resnet18 on pynq (cosim)", for a message about a key that is not there.
  std::vector<std::string> Contents() const;

 private:
  /// A file that was made, and into which nothing was written, goes again.
  struct Closer {
    std::string made;  ///< path; empty: the file was there before
    void operator()(sqlite3* database) const;
  };
  explicit TuningLog(sqlite3* handle) : handle_(handle) {}
  static std::optional<TuningLog> Connect(const std::string& path, int flags, std::string& error);
  bool Execute(const std::string& sql, std::string& error);
  /// Commits what was begun if it is `good`; else all is as before, and `error` says why.
  bool End(bool good, std::string& error);

  std::unique_ptr<sqlite3, Closer> handle_;
};

}  // namespace cosim::tune
