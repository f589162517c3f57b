// SPDX-License-Identifier: Apache-2.0
#include "driver/remote/server.h"

#include <chrono>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "driver/board_device.h"
#include "driver/board_module.h"
#include "driver/frame_devices.h"
#include "driver/remote/messages.h"
#include "runtime/cpu_object.h"
#include "runtime/executor.h"
#include "runtime/frames.h"

namespace cosim::driver::remote {
namespace {

using std::chrono::milliseconds;

// The workstation may compute between two requests, as long as its user likes; it takes what it asked for at
// once.
constexpr milliseconds kUntilAsked = std::chrono::hours{24}, kUntilAnswerTaken = std::chrono::minutes{1};

class Session {
 public:
  Session(BoardPlaces places, const Opener& opener) : places_(std::move(places)), opener_(opener) {}

  Reply Answer(const Request& request) {
    return std::visit([this](const auto& asked) { return Answer(asked); }, request);
  }

 private:
  Reply Answer(const Open& open) {
    device_.reset();
    has_programs_ = false;
    board_ = {};
    Refusal refusal;
    program_ = ReadBoardModule(open.module_path, /*trust=*/true, refusal);
    if (!program_) return Refused{refusal.message, refusal.hint};
    BoardPlaces places = places_;
    if (!open.uio_name.empty()) places.uio_name = open.uio_name;
    if (!open.memory.empty()) places.memory = open.memory;
    Diagnostics diags;
    board_ = opener_(places, diags);
    if (!board_.registers) return Refused{diags.Render(), ""};
    options_ = {};
    if (open.timeout_ms > 0) options_.timeout = milliseconds{open.timeout_ms};
    options_.clock_mhz = board_.clock_mhz;
    device_.emplace(program_->spec, *board_.registers, *board_.memory, options_);
    if (device_->Check(program_->module.network.dram_bytes, diags)) return Opened{};
    device_.reset();
    return Refused{diags.Render(), ""};
  }

  Reply Answer(const Run& run) {
    if (const auto refused = WhyNot({run.inputs})) return *refused;
    const runtime::Network& network = program_->module.network;
    if (!has_programs_) runtime::LoadPrograms(*device_, network);
    const auto begin = std::chrono::steady_clock::now();
    const runtime::Run done = runtime::Execute(network, program_->spec, *device_, run.inputs, false, nullptr,
                                               runtime::Programs::kLoaded);
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
    has_programs_ = done.completed;
    if (!done.completed) return Stopped(done.error);
    return RanOf(done, seconds.count());
  }

  Reply Answer(const RunFrames& run) {
    if (const auto refused = WhyNot(run.inputs)) return *refused;
    if (run.inputs.empty() || run.count < 1 || run.count > kMostFrames)
      return Refused{"no inputs, or frames beyond what may be asked for", ""};
    has_programs_ = false;  // the frames have theirs elsewhere
    Diagnostics diags;
    const runtime::Network& network = program_->module.network;
    const auto devices =
        MakeFrameDevices(program_->spec, std::span(&board_, 1), network.dram_bytes, options_, diags);
    if (devices.empty()) return Refused{diags.Render(), ""};
    const runtime::FramesRun done =
        runtime::ExecuteFrames(network, program_->spec, devices, run.inputs, static_cast<int>(run.count));
    if (!done.error.empty()) return Stopped(done.error);
    RanFrames ran{.frames = {},
                  .wall_s = done.wall_seconds,
                  .host_s = done.cpu_step_seconds + done.copy_seconds,
                  .overlapped_s = done.overlapped_seconds + done.overlapped_copy_seconds,
                  .meanwhile = done.meanwhile.value_or(runtime::Meanwhile{})};
    for (const runtime::Run& frame : done.frames)
      ran.frames.push_back(RanOf(frame, frame.steps.back().end - frame.steps.front().begin));
    return ran;
  }

  /// Why these inputs cannot be run.
  std::optional<Refused> WhyNot(const std::vector<Arrays>& frames) const {
    if (!device_) return Refused{"no module is open", ""};
    const auto& places = program_->module.network.inputs;
    for (const Arrays& inputs : frames) {
      bool fits = inputs.size() == places.size();
      for (size_t i = 0; fits && i < inputs.size(); ++i) fits = inputs[i].size() == places[i].plain_bytes;
      if (!fits) return Refused{"the inputs are not those of the module", ""};
    }
    return std::nullopt;
  }

  static Refused Stopped(const std::string& error) {
    return {error, "`cosim-board selftest` there tries the parts one after the other"};
  }

  static Ran RanOf(const runtime::Run& run, double total_s) {
    return {.cycles = run.cycles,
            .ledger = run.ledger,
            .outputs = run.outputs,
            .total_s = total_s,
            .accelerator_s = runtime::SecondsOf(run, runtime::Stretch::kAccelerator),
            .host_s = run.cpu_seconds,
            .copies_s = run.copy_seconds};
  }

  const BoardPlaces places_;
  const Opener& opener_;
  std::optional<BoardModule> program_;
  OpenBoard board_;
  BoardOptions options_;
  std::optional<BoardDevice> device_;
  bool has_programs_ = false;  // no run that failed came since they were loaded
};

}  // namespace

bool Serve(Channel& channel, const BoardPlaces& places, const Opener& opener) {
  using Status = Channel::Status;
  const Ready ready{.architecture = std::string(runtime::HostArchitecture())};
  if (channel.Send(Pack(Reply{ready}), kUntilAnswerTaken) != Status::kDone) return false;
  Session session(places, opener);
  for (Bytes bytes;;) {
    const Status status = channel.Receive(bytes, kUntilAsked);
    if (status == Status::kClosed) return true;
    if (status != Status::kDone) return false;
    const auto request = UnpackRequest(bytes);
    if (!request) return false;
    if (channel.Send(Pack(session.Answer(*request)), kUntilAnswerTaken) != Status::kDone) return true;
  }
}

}  // namespace cosim::driver::remote
