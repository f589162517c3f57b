// SPDX-License-Identifier: Apache-2.0
#include "driver/remote/client.h"

#include <fmt/format.h>

#include <cctype>

#include "driver/diagnostic_codes.h"

namespace cosim::driver::remote {
namespace {

using std::chrono::milliseconds;
using Status = Channel::Status;

constexpr milliseconds kUntilReady = std::chrono::seconds{20}, kUntilTaken = std::chrono::minutes{2},
                       kUntilOpen = std::chrono::minutes{2};

// Of what came instead of a message, what can be shown.
std::string Shown(const Bytes& bytes) {
  std::string text;
  for (const uint8_t byte : bytes) text += std::isprint(byte) != 0 ? static_cast<char>(byte) : '.';
  return text;
}

}  // namespace

std::optional<Reply> Client::Listen(milliseconds patience, Diagnostics& diags) {
  const auto fail = [&](const char* code, const std::string& what, const char* hint) {
    diags.Error(code, {board_}, what).hint = hint;
    return std::nullopt;
  };
  Bytes bytes;
  switch (channel_.Receive(bytes, patience)) {
    case Status::kDone:
      break;
    case Status::kClosed:
      return fail(codes::kNoConnection, "the connection has ended", "is the board still on?");
    case Status::kLate:
      return fail(
          codes::kNoConnection,
          fmt::format("no answer within {} s", std::chrono::ceil<std::chrono::seconds>(patience).count()),
          "is the board still on?");
    case Status::kGarbled:
      return fail(codes::kOtherProtocol,
                  fmt::format("'{}' came instead of cosim-board's answer", Shown(bytes)),
                  "a login there must not print anything when it is not a terminal's: see its ~/.bashrc");
  }
  auto reply = UnpackReply(bytes);
  if (!reply) return fail(codes::kOtherProtocol, "a message that cannot be read", "");
  return reply;
}

std::optional<Reply> Client::Ask(const Request& request, milliseconds patience, Diagnostics& diags) {
  const Status sent = channel_.Send(Pack(request), kUntilTaken);
  if (sent == Status::kLate) {
    diags.Error(codes::kNoConnection, {board_}, "nothing is taken any more").hint = "is the board still on?";
    return std::nullopt;
  }
  auto reply = Listen(patience, diags);  // of a connection that has ended it says so
  if (!reply) return std::nullopt;
  if (const auto* refused = std::get_if<Refused>(&*reply)) {
    diags.Error(codes::kRefusedThere, {board_}, refused->message).hint = refused->hint;
    return std::nullopt;
  }
  return reply;
}

bool Client::Greet(Diagnostics& diags) {
  const auto reply = Listen(kUntilReady, diags);
  if (!reply) return false;
  const auto* ready = std::get_if<Ready>(&*reply);
  if (ready && ready->version == kWireVersion) return true;
  diags
      .Error(codes::kOtherProtocol, {board_},
             fmt::format("cosim-board there speaks version {} of the messages, this program version {}",
                         ready ? ready->version : 0, kWireVersion))
      .hint = "build both from the same sources";
  return false;
}

template <typename Asked>
std::optional<Asked> Client::AskFor(const Request& request, milliseconds patience, Diagnostics& diags) {
  auto reply = Ask(request, patience, diags);
  if (!reply) return std::nullopt;
  if (auto* asked = std::get_if<Asked>(&*reply)) return std::move(*asked);
  diags.Error(codes::kOtherProtocol, {board_}, "another answer than was asked for");
  return std::nullopt;
}

bool Client::OpenModule(const Open& open, Diagnostics& diags) {
  return AskFor<Opened>(open, kUntilOpen, diags).has_value();
}

std::optional<Ran> Client::RunModule(const Run& run, milliseconds patience, Diagnostics& diags) {
  return AskFor<Ran>(run, patience, diags);
}

std::optional<RanFrames> Client::RunFramesOfModule(const RunFrames& run, milliseconds patience,
                                                   Diagnostics& diags) {
  return AskFor<RanFrames>(run, patience, diags);
}

}  // namespace cosim::driver::remote
