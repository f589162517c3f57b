// SPDX-License-Identifier: Apache-2.0
#include "runtime/frames.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>

#include "isa/check.h"

namespace cosim::runtime {
namespace {

struct Turn {
  double begin = 0, end = 0;
  int frame = 0;
};

// The turns that frames had on accelerator `a`, in time.
std::vector<Turn> TurnsOn(const FramesRun& run, int a, int accelerators) {
  std::vector<Turn> turns;
  for (int f = a; f < static_cast<int>(run.frames.size()); f += accelerators)
    for (const StepTime& step : run.frames[f].steps)
      if (step.what == Stretch::kAccelerator) turns.push_back({step.begin, step.end, f});
  std::sort(turns.begin(), turns.end(), [](const Turn& x, const Turn& y) { return x.begin < y.begin; });
  return turns;
}

// What of `step`, of frame `frame`, passed while another one had its turn.
double Overlap(const StepTime& step, int frame, const std::vector<Turn>& turns) {
  double seconds = 0;
  auto turn = std::lower_bound(turns.begin(), turns.end(), step.begin,
                               [](const Turn& t, double begin) { return t.end < begin; });
  for (; turn != turns.end() && turn->begin < step.end; ++turn)
    if (turn->frame != frame) seconds += std::min(step.end, turn->end) - std::max(step.begin, turn->begin);
  return seconds;
}

// A frame's own runs are before and behind its stretches: what passed in one is another's.
void CountMeanwhile(const StepTime& step, std::optional<Meanwhile>& meanwhile) {
  if (!step.from || !step.to) return;
  if (!meanwhile) meanwhile.emplace();
  ++meanwhile->stretches;
  meanwhile->cycles += std::max<Cycle>(0, step.to->cycles - step.from->cycles);
  meanwhile->inside_one += step.from->busy && step.to->busy && step.from->runs == step.to->runs ? 1 : 0;
}

void AddUp(FramesRun& run, int accelerators) {
  double begin = 0, end = 0;
  for (int a = 0; a < accelerators; ++a) {
    const auto turns = TurnsOn(run, a, accelerators);
    for (int f = a; f < static_cast<int>(run.frames.size()); f += accelerators)
      for (const StepTime& step : run.frames[f].steps) {
        begin = end == 0 ? step.begin : std::min(begin, step.begin);
        end = std::max(end, step.end);
        if (step.what == Stretch::kAccelerator) continue;
        const bool copies = step.what == Stretch::kCopies;
        (copies ? run.copy_seconds : run.cpu_step_seconds) += step.end - step.begin;
        (copies ? run.overlapped_copy_seconds : run.overlapped_seconds) += Overlap(step, f, turns);
        CountMeanwhile(step, run.meanwhile);
      }
  }
  run.wall_seconds = end - begin;
}

void RunInOrder(const Network& network, const isa::Spec& spec, Device& device,
                std::span<const FrameInputs> inputs, const std::function<void(int)>& done, FramesRun& run) {
  LoadPrograms(device, network);
  for (size_t f = 0; f < run.frames.size(); ++f) {
    FrameInputs given = inputs[f % inputs.size()];
    for (const Carried& value : network.carried)
      if (f > 0) given.at(value.input) = run.frames[f - 1].outputs.at(value.output);
    run.frames[f] = Execute(network, spec, device, given, false, nullptr, Programs::kLoaded);
    run.error = run.frames[f].error;
    if (!run.frames[f].completed) break;
    if (done) done(static_cast<int>(f) + 1);
  }
  AddUp(run, 1);
}

}  // namespace

FramesRun ExecuteFrames(const Network& network, const isa::Spec& spec,
                        std::span<const std::unique_ptr<Device>> devices, std::span<const FrameInputs> inputs,
                        int frames, const std::function<void(int)>& done) {
  COSIM_CHECK(!devices.empty() && devices.size() % kFramesInFlight == 0 && !inputs.empty());
  const int accelerators = static_cast<int>(devices.size()) / kFramesInFlight;
  FramesRun run;
  run.frames.resize(frames);
  if (!network.carried.empty()) {
    RunInOrder(network, spec, *devices.front(), inputs, done, run);
    return run;
  }
  for (const auto& device : devices) LoadPrograms(*device, network);
  std::vector<std::mutex> turns(accelerators);
  std::atomic<bool> failed = false;
  std::atomic<int> finished = 0;
  std::vector<std::thread> threads;
  for (int slot = 0; slot < kFramesInFlight; ++slot)
    for (int a = 0; a < accelerators; ++a)
      threads.emplace_back([&, a, slot] {
        Device& device = *devices[kFramesInFlight * a + slot];
        for (int f = slot * accelerators + a; f < frames && !failed; f += kFramesInFlight * accelerators) {
          run.frames[f] =
              Execute(network, spec, device, inputs[f % inputs.size()], false, &turns[a], Programs::kLoaded);
          if (!run.frames[f].completed) failed = true;
          if (done) done(++finished);
        }
      });
  for (std::thread& thread : threads) thread.join();
  for (size_t f = 0; f < run.frames.size() && run.error.empty(); ++f) run.error = run.frames[f].error;
  AddUp(run, accelerators);
  return run;
}

}  // namespace cosim::runtime
