// SPDX-License-Identifier: Apache-2.0
#include "cli/progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/print.h"

namespace cosim::cli {
namespace {

std::string Minutes(double seconds) {
  const auto whole = static_cast<int64_t>(std::llround(seconds));
  return fmt::format("{}:{:02}", whole / 60, whole % 60);
}

}  // namespace

std::string LeftText(double part, double seconds) {
  return fmt::format("{:.0f} %, about {} left", std::floor(100 * part),
                     Minutes(part > 0 ? seconds * (1 - part) / part : 0));
}

std::string LeftText(int64_t done, int64_t left, double seconds) {
  const auto all = static_cast<double>(done + left);
  return LeftText(all > 0 ? static_cast<double>(done) / all : 1, seconds);
}

ProgressLine::ProgressLine(Seconds soon, Seconds every) {
  if (ShowsProgress())
    watcher_ = std::jthread([=, this](const std::stop_token& stop) { Watch(stop, soon, every); });
}

ProgressLine::~ProgressLine() {
  if (!watcher_.joinable()) return;
  watcher_.request_stop();
  watcher_.join();
  Hide();
}

void ProgressLine::Doing(const std::string& what) {
  const std::scoped_lock lock(mutex_);
  doing_ = what;
  part_ = 0;
  begin_ = Clock::now();
}

void ProgressLine::Say(const std::string& what) {
  const std::scoped_lock lock(mutex_);
  doing_ = what;
}

void ProgressLine::Step(size_t done, size_t total) {
  const std::scoped_lock lock(mutex_);
  part_ = total > 0 ? std::min(1.0, static_cast<double>(done) / static_cast<double>(total)) : 0;
}

void ProgressLine::Hide() {
  const std::scoped_lock lock(mutex_);
  if (is_drawn_) ShowProgress("");
  is_drawn_ = false;
}

std::function<void(const std::string&)> ProgressLine::Teller() {
  return [this](const std::string& what) { Doing(what); };
}

std::function<void(size_t, size_t)> ProgressLine::Steps() {
  return [this](size_t done, size_t total) { Step(done, total); };
}

void ProgressLine::Watch(const std::stop_token& stop, Seconds soon, Seconds every) {
  std::unique_lock lock(mutex_);
  const auto never = [] { return false; };
  for (changed_.wait_for(lock, stop, soon, never); !stop.stop_requested();
       changed_.wait_for(lock, stop, every, never))
    Draw();
}

void ProgressLine::Draw() {
  if (doing_.empty()) return;
  const double seconds = Seconds(Clock::now() - begin_).count();
  ShowProgress(fmt::format("{}, {}", doing_, part_ > 0 ? LeftText(part_, seconds) : Minutes(seconds)));
  is_drawn_ = true;
}

}  // namespace cosim::cli
