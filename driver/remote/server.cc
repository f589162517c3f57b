// SPDX-License-Identifier: Apache-2.0
#include "driver/remote/server.h"

#include <chrono>
#include <memory>
#include <optional>
#include <utility>

#include "driver/board_device.h"
#include "driver/board_module.h"
#include "driver/remote/messages.h"
#include "runtime/cpu_object.h"
#include "runtime/executor.h"

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
    if (const auto* open = std::get_if<Open>(&request)) return Answer(*open);
    return Answer(std::get<Run>(request));
  }

 private:
  Reply Answer(const Open& open) {
    device_.reset();
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
    BoardOptions options;
    if (open.timeout_ms > 0) options.timeout = milliseconds{open.timeout_ms};
    device_.emplace(program_->spec, *board_.registers, *board_.memory, options);
    if (device_->Check(program_->module.network.dram_bytes, diags)) return Opened{};
    device_.reset();
    return Refused{diags.Render(), ""};
  }

  Reply Answer(const Run& run) {
    if (!device_) return Refused{"no module is open", ""};
    const runtime::Network& network = program_->module.network;
    bool fits = run.inputs.size() == network.inputs.size();
    for (size_t i = 0; fits && i < run.inputs.size(); ++i)
      fits = run.inputs[i].size() == network.inputs[i].bytes;
    if (!fits) return Refused{"the inputs are not those of the module", ""};
    const auto begin = std::chrono::steady_clock::now();
    const runtime::Run done = runtime::Execute(network, program_->spec, *device_, run.inputs, false);
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
    if (!done.completed)
      return Refused{done.error, "`cosim-board selftest` there tries the parts one after the other"};
    return Ran{.cycles = done.cycles,
               .ledger = done.ledger,
               .outputs = done.outputs,
               .total_s = seconds.count(),
               .accelerator_s = runtime::SecondsOfSteps(done, /*on_accelerator=*/true),
               .host_s = done.cpu_seconds};
  }

  const BoardPlaces places_;
  const Opener& opener_;
  std::optional<BoardModule> program_;
  OpenBoard board_;
  std::optional<BoardDevice> device_;
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
