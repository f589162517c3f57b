// SPDX-License-Identifier: Apache-2.0
// The line that a terminal shows about work of more than two seconds: what is being done, how much of it is
// done and how long the rest will take if it goes on so; where nobody knows, for how long it has been.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace cosim::cli {

/// "42 %, about 0:12 left" of work of which `part` (0 to 1) took so many seconds.
std::string LeftText(double part, double seconds);

/// The same of work of which `done` parts were done in that time and `left` are.
std::string LeftText(int64_t done, int64_t left, double seconds);

/// Nothing is shown where nobody looks (ShowsProgress, cli/print.h). All members may be called from any
/// thread.
class ProgressLine {
 public:
  using Seconds = std::chrono::duration<double>;
  /// `soon` is when the line comes up, and `every` how often it is drawn again.
  explicit ProgressLine(Seconds soon = Seconds(2), Seconds every = Seconds(1));
  ~ProgressLine();  ///< the line is gone
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  /// Begins something of which nobody knows how long it takes.
  void Doing(const std::string& what);
  /// The same work, called otherwise.
  void Say(const std::string& what);
  /// `done` of `total` parts of it are.
  void Step(size_t done, size_t total);
  /// Makes room for something else to be printed; it comes back by itself.
  void Hide();

  /// Those, for whoever is asked to tell. They have to be dropped before the line is.
  std::function<void(const std::string&)> Teller();
  std::function<void(size_t, size_t)> Steps();

 private:
  using Clock = std::chrono::steady_clock;
  void Watch(const std::stop_token& stop, Seconds soon, Seconds every);
  void Draw();

  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::string doing_;
  double part_ = 0;
  Clock::time_point begin_ = Clock::now();
  bool is_drawn_ = false;
  std::jthread watcher_;
};

}  // namespace cosim::cli
