// SPDX-License-Identifier: Apache-2.0
// What a board and a workstation read from each other: any bytes, and real messages with a few bytes changed,
// as messages of either side and through the channel. A message that is read is written again and read once
// more.
#include <fuzzer/FuzzedDataProvider.h>
#include <unistd.h>

#include <cstdint>
#include <span>

#include "driver/remote/channel.h"
#include "driver/remote/messages.h"
#include "isa/check.h"

namespace cosim::fuzz {
namespace {

using driver::remote::Arrays;
using driver::remote::Bytes;
using driver::remote::Channel;
using driver::remote::Pack;
using driver::remote::Ran;
using driver::remote::Reply;
using driver::remote::Request;

constexpr size_t kMostArrays = 6, kMostChanges = 4, kPipe = 65'536;

Arrays SomeArrays(FuzzedDataProvider& data) {
  Arrays arrays(data.ConsumeIntegralInRange<size_t>(0, kMostArrays));
  for (Bytes& bytes : arrays) bytes = data.ConsumeBytes<uint8_t>(data.ConsumeIntegralInRange<size_t>(0, 64));
  return arrays;
}

Ran SomeRun(FuzzedDataProvider& data) {
  Ran ran{.cycles = data.ConsumeIntegral<int64_t>(), .ledger = {}, .outputs = SomeArrays(data)};
  ran.ledger.resize(data.ConsumeIntegralInRange<size_t>(0, kMostArrays));
  for (auto& row : ran.ledger) row = {.unit = data.ConsumeRandomLengthString(20), .wait_token = {1, 2}};
  return ran;
}

Bytes SomeMessage(FuzzedDataProvider& data) {
  const auto text = [&] { return data.ConsumeRandomLengthString(20); };
  switch (data.ConsumeIntegralInRange(0, 6)) {
    case 0:
      return Pack(Request{driver::remote::Open{text(), text(), text(), data.ConsumeIntegral<uint32_t>()}});
    case 1:
      return Pack(Request{driver::remote::Run{SomeArrays(data)}});
    case 2:
      return Pack(Reply{driver::remote::Ready{data.ConsumeIntegral<uint32_t>(), text()}});
    case 3:
      return Pack(Reply{driver::remote::Refused{text(), text()}});
    case 4:
      return Pack(Request{
          driver::remote::RunFrames{{SomeArrays(data), SomeArrays(data)}, data.ConsumeIntegral<uint32_t>()}});
    case 5:
      return Pack(Reply{driver::remote::RanFrames{{SomeRun(data), SomeRun(data)}, 3, 2, 1, {40, 6, 5}}});
    default:
      return Pack(Reply{SomeRun(data)});
  }
}

void Change(FuzzedDataProvider& data, Bytes& bytes) {
  for (size_t i = data.ConsumeIntegralInRange<size_t>(0, kMostChanges); i > 0; --i)
    bytes[data.ConsumeIntegralInRange<size_t>(0, bytes.size() - 1)] = data.ConsumeIntegral<uint8_t>();
}

void Read(std::span<const uint8_t> bytes) {
  if (const auto request = driver::remote::UnpackRequest(bytes))
    COSIM_CHECK(driver::remote::UnpackRequest(Pack(*request)));
  if (const auto reply = driver::remote::UnpackReply(bytes))
    COSIM_CHECK(driver::remote::UnpackReply(Pack(*reply)));
  int ends[2];
  if (bytes.size() > kPipe || pipe(ends) != 0) return;  // more would have to be written by another thread
  const bool written = write(ends[1], bytes.data(), bytes.size()) == std::ssize(bytes);
  close(ends[1]);
  Channel channel(ends[0], -1);
  for (Bytes read; written && channel.Receive(read, std::chrono::seconds{1}) == Channel::Status::kDone;) {
  }
  close(ends[0]);
}

}  // namespace
}  // namespace cosim::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  cosim::fuzz::Read({data, size});
  FuzzedDataProvider provider(data, size);
  auto message = cosim::fuzz::SomeMessage(provider);
  cosim::fuzz::Change(provider, message);
  cosim::fuzz::Read(message);
  return 0;
}
