// SPDX-License-Identifier: Apache-2.0
#include "driver/remote/messages.h"

#include <messages_generated.h>

#include <cstring>

namespace cosim::driver::remote {
namespace {

using flatbuffers::FlatBufferBuilder;
using flatbuffers::Offset;
using flatbuffers::Vector;

template <typename... Ts>
struct Overloaded : Ts... {
  using Ts::operator()...;
};
template <typename... Ts>
Overloaded(Ts...) -> Overloaded<Ts...>;

Bytes Taken(const FlatBufferBuilder& builder) {
  return {builder.GetBufferPointer(), builder.GetBufferPointer() + builder.GetSize()};
}

Offset<Vector<Offset<wire::Bytes>>> PackArrays(FlatBufferBuilder& to, const Arrays& arrays) {
  std::vector<Offset<wire::Bytes>> packed;
  for (const Bytes& bytes : arrays) packed.push_back(wire::CreateBytes(to, to.CreateVector(bytes)));
  return to.CreateVector(packed);
}

Arrays UnpackArrays(const Vector<Offset<wire::Bytes>>& packed) {
  Arrays arrays;
  for (const wire::Bytes* bytes : packed) arrays.emplace_back(bytes->data()->begin(), bytes->data()->end());
  return arrays;
}

Offset<wire::Row> PackRow(FlatBufferBuilder& to, const runtime::LedgerRow& row) {
  return wire::CreateRow(to, to.CreateString(row.unit), row.busy, row.wait_push,
                         to.CreateVector(row.wait_token), row.wait_port, row.wait_memory, row.idle);
}

// The verifier looks at where a vector begins, not at whether its elements stand aligned.
std::vector<runtime::Cycle> CyclesIn(const Vector<int64_t>& packed) {
  std::vector<runtime::Cycle> cycles(packed.size());
  if (!cycles.empty()) std::memcpy(cycles.data(), packed.Data(), cycles.size() * sizeof(int64_t));
  return cycles;
}

runtime::LedgerRow UnpackRow(const wire::Row& row) {
  return {.unit = row.unit()->str(),
          .busy = row.busy(),
          .wait_push = row.wait_push(),
          .wait_token = CyclesIn(*row.wait_token()),
          .wait_port = row.wait_port(),
          .wait_memory = row.wait_memory(),
          .idle = row.idle()};
}

Offset<wire::Ran> PackRan(FlatBufferBuilder& to, const Ran& ran) {
  std::vector<Offset<wire::Row>> rows;
  for (const runtime::LedgerRow& row : ran.ledger) rows.push_back(PackRow(to, row));
  const auto ledger = to.CreateVector(rows);
  return wire::CreateRan(to, ran.cycles, ledger, PackArrays(to, ran.outputs), ran.total_s, ran.accelerator_s,
                         ran.host_s, ran.copies_s);
}

Offset<wire::RanFrames> PackFrames(FlatBufferBuilder& to, const RanFrames& ran) {
  std::vector<Offset<wire::Ran>> frames;
  for (const Ran& frame : ran.frames) frames.push_back(PackRan(to, frame));
  return wire::CreateRanFrames(to, to.CreateVector(frames), ran.wall_s, ran.host_s, ran.overlapped_s,
                               ran.meanwhile.cycles, ran.meanwhile.stretches, ran.meanwhile.inside_one);
}

Offset<wire::RunFrames> PackFrames(FlatBufferBuilder& to, const RunFrames& run) {
  std::vector<Offset<wire::Run>> inputs;
  for (const Arrays& arrays : run.inputs) inputs.push_back(wire::CreateRun(to, PackArrays(to, arrays)));
  return wire::CreateRunFrames(to, to.CreateVector(inputs), run.count);
}

Ran UnpackRan(const wire::Ran& packed) {
  Ran ran{.cycles = packed.cycles(),
          .ledger = {},
          .outputs = UnpackArrays(*packed.outputs()),
          .total_s = packed.total_s(),
          .accelerator_s = packed.accelerator_s(),
          .host_s = packed.host_s(),
          .copies_s = packed.copies_s()};
  for (const wire::Row* row : *packed.ledger()) ran.ledger.push_back(UnpackRow(*row));
  return ran;
}

RanFrames UnpackFrames(const wire::RanFrames& packed) {
  RanFrames ran{.frames = {},
                .wall_s = packed.wall_s(),
                .host_s = packed.host_s(),
                .overlapped_s = packed.overlapped_s(),
                .meanwhile = {.cycles = packed.meanwhile_cycles(),
                              .stretches = packed.stretches(),
                              .inside_one = packed.inside_one()}};
  for (const wire::Ran* frame : *packed.frames()) ran.frames.push_back(UnpackRan(*frame));
  return ran;
}

RunFrames UnpackFrames(const wire::RunFrames& packed) {
  RunFrames run{.inputs = {}, .count = packed.count()};
  for (const wire::Run* inputs : *packed.inputs()) run.inputs.push_back(UnpackArrays(*inputs->inputs()));
  return run;
}

template <typename Table>
bool Holds(std::span<const uint8_t> bytes) {
  flatbuffers::Verifier verifier(bytes.data(), bytes.size());
  return verifier.VerifyBuffer<Table>(nullptr);
}

}  // namespace

Bytes Pack(const Request& request) {
  FlatBufferBuilder to;
  const auto finish = [&](wire::RequestBody type, auto body) {
    to.Finish(wire::CreateRequest(to, type, body.Union()));
  };
  std::visit(
      Overloaded{[&](const Open& open) {
                   const auto path = to.CreateString(open.module_path);
                   const auto uio = to.CreateString(open.uio_name), memory = to.CreateString(open.memory);
                   finish(wire::RequestBody::Open, wire::CreateOpen(to, path, uio, memory, open.timeout_ms));
                 },
                 [&](const Run& run) {
                   finish(wire::RequestBody::Run, wire::CreateRun(to, PackArrays(to, run.inputs)));
                 },
                 [&](const RunFrames& run) { finish(wire::RequestBody::RunFrames, PackFrames(to, run)); }},
      request);
  return Taken(to);
}

Bytes Pack(const Reply& reply) {
  FlatBufferBuilder to;
  const auto finish = [&](wire::ReplyBody type, auto body) {
    to.Finish(wire::CreateReply(to, type, body.Union()));
  };
  std::visit(
      Overloaded{[&](const Ready& ready) {
                   const auto name = to.CreateString(ready.architecture);
                   finish(wire::ReplyBody::Ready, wire::CreateReady(to, ready.version, name));
                 },
                 [&](const Opened&) { finish(wire::ReplyBody::Opened, wire::CreateOpened(to)); },
                 [&](const Ran& ran) { finish(wire::ReplyBody::Ran, PackRan(to, ran)); },
                 [&](const RanFrames& ran) { finish(wire::ReplyBody::RanFrames, PackFrames(to, ran)); },
                 [&](const Refused& refused) {
                   const auto message = to.CreateString(refused.message),
                              hint = to.CreateString(refused.hint);
                   finish(wire::ReplyBody::Refused, wire::CreateRefused(to, message, hint));
                 }},
      reply);
  return Taken(to);
}

std::optional<Request> UnpackRequest(std::span<const uint8_t> bytes) {
  if (!Holds<wire::Request>(bytes)) return std::nullopt;
  const auto* request = flatbuffers::GetRoot<wire::Request>(bytes.data());
  if (const wire::Open* open = request->body_as_Open())
    return Open{open->module_path()->str(), open->uio_name()->str(), open->memory()->str(),
                open->timeout_ms()};
  if (const wire::Run* run = request->body_as_Run()) return Run{UnpackArrays(*run->inputs())};
  if (const wire::RunFrames* run = request->body_as_RunFrames()) return UnpackFrames(*run);
  return std::nullopt;
}

std::optional<Reply> UnpackReply(std::span<const uint8_t> bytes) {
  if (!Holds<wire::Reply>(bytes)) return std::nullopt;
  const auto* reply = flatbuffers::GetRoot<wire::Reply>(bytes.data());
  if (const wire::Ready* ready = reply->body_as_Ready())
    return Ready{ready->version(), ready->architecture()->str()};
  if (reply->body_as_Opened()) return Opened{};
  if (const wire::Ran* ran = reply->body_as_Ran()) return UnpackRan(*ran);
  if (const wire::RanFrames* ran = reply->body_as_RanFrames()) return UnpackFrames(*ran);
  if (const wire::Refused* refused = reply->body_as_Refused())
    return Refused{refused->message()->str(), refused->hint()->str()};
  return std::nullopt;
}

}  // namespace cosim::driver::remote
