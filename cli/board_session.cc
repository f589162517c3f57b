// SPDX-License-Identifier: Apache-2.0
#include "cli/board_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <utility>

#include "driver/diagnostic_codes.h"

namespace cosim::cli {
namespace {

using std::chrono::milliseconds;

std::string FileNameOf(const std::string& network) {
  std::string name;
  for (const char c : network) name += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  return name + ".cosim";
}

milliseconds PatienceFor(double simulated_ms) {
  return milliseconds{std::max<int64_t>(10'000, static_cast<int64_t>(20 * simulated_ms))};
}

session::BoardMeasurement MeasurementOf(driver::remote::Ran ran) {
  return {ran.cycles, std::move(ran.ledger), std::move(ran.outputs), ran.total_s, ran.accelerator_s,
          ran.host_s, ran.copies_s};
}

}  // namespace

bool BoardSession::Open(std::span<const uint8_t> board_program, const BoardProgram& program,
                        Diagnostics& diags) {
  const auto command = host_.Put("cosim-board", board_program, /*executable=*/true, diags);
  if (!command) return false;
  module_ = host_.Put(FileNameOf(program.name), program.module, /*executable=*/false, diags);
  if (!module_) return false;
  process_ = host_.Start(fmt::format("exec \"{}\" serve --stdio", *command), diags);
  if (!process_) return false;
  channel_.emplace(process_->out(), process_->in());
  client_.emplace(*channel_, host_.address().Text());
  return Explained(client_->Greet(diags), diags);
}

bool BoardSession::OpenModule(milliseconds patience, Diagnostics& diags) {
  if (open_) return true;
  const driver::remote::Open open{.module_path = *module_,
                                  .uio_name = "",
                                  .memory = memory_,
                                  .timeout_ms = static_cast<uint32_t>(patience.count())};
  open_ = Explained(client_->OpenModule(open, diags), diags);
  return open_;
}

std::optional<session::BoardMeasurement> BoardSession::Run(const std::vector<std::vector<uint8_t>>& inputs,
                                                           double simulated_ms, Diagnostics& diags) {
  const milliseconds patience = PatienceFor(simulated_ms);
  if (!OpenModule(patience, diags)) return std::nullopt;
  auto ran = client_->RunModule({inputs}, 4 * patience, diags);
  if (!Explained(ran.has_value(), diags)) return std::nullopt;
  return MeasurementOf(std::move(*ran));
}

std::optional<session::BoardFrames> BoardSession::RunFrames(
    const std::vector<std::vector<std::vector<uint8_t>>>& inputs, int count, double simulated_ms,
    Diagnostics& diags) {
  const milliseconds patience = PatienceFor(simulated_ms);
  if (!OpenModule(patience, diags)) return std::nullopt;
  auto ran = client_->RunFramesOfModule({inputs, static_cast<uint32_t>(count)}, 4 * count * patience, diags);
  if (!Explained(ran.has_value(), diags)) return std::nullopt;
  session::BoardFrames frames{.frames = {},
                              .wall_s = ran->wall_s,
                              .host_s = ran->host_s,
                              .overlapped_s = ran->overlapped_s,
                              .meanwhile = ran->meanwhile};
  for (driver::remote::Ran& frame : ran->frames) frames.frames.push_back(MeasurementOf(std::move(frame)));
  return frames;
}

// A session that ends gives ssh's own reason, or what cosim-board said, rather than that it has ended.
bool BoardSession::Explained(bool good, Diagnostics& diags) {
  if (good || diags.Back().code != driver::codes::kNoConnection) return good;
  process_->CloseInput();
  const int status = process_->Wait(std::chrono::seconds{3});
  std::string said = process_->Errors();
  while (!said.empty() && said.back() == '\n') said.pop_back();
  if (!host_.Explain(status, said, diags) && !said.empty()) diags.Back().hint = said;
  return false;
}

}  // namespace cosim::cli
