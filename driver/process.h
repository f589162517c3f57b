// SPDX-License-Identifier: Apache-2.0
// A program of this machine that runs beside this one, at the ends of two pipes.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace cosim::driver {

class Process {
 public:
  /// `arguments`: the first is the program, looked for on $PATH. Null when it cannot be started.
  static std::unique_ptr<Process> Start(const std::vector<std::string>& arguments);
  /// Ends it if it still runs.
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  int in() const { return in_; }    ///< what is written here it reads
  int out() const { return out_; }  ///< what it prints is read here
  void CloseInput();
  /// All that it prints until it ends its output or the time is over.
  std::string ReadAll(std::chrono::milliseconds patience);
  /// Waits for its end: its exit status, 128 + the signal that ended it; -1 when it still ran after so long
  /// and was ended.
  int Wait(std::chrono::milliseconds patience);
  /// What it printed on its standard error so far, at most a few kilobytes.
  std::string Errors() const;

 private:
  Process() = default;

  pid_t child_ = -1;
  int in_ = -1, out_ = -1, errors_ = -1;
};

}  // namespace cosim::driver
