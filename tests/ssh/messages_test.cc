// SPDX-License-Identifier: Apache-2.0
// Messages, the channel they travel by, and both sides of a session over pipes.
#include "driver/remote/messages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <random>
#include <thread>

#include "driver/diagnostic_codes.h"
#include "driver/remote/channel.h"
#include "driver/remote/client.h"
#include "driver/remote/server.h"

namespace cosim::driver::remote {
namespace {

using std::chrono::milliseconds;
using Status = Channel::Status;
using ::testing::HasSubstr;

constexpr milliseconds kSoon{2'000}, kNow{50};

Ran SomeRun() {
  return {.cycles = 123'456'789'012,
          .ledger = {{"load", 1, 2, {3, 4}, 5, 6, 7}, {"gemm", 8, 9, {}, 10, 11, 12}},
          .outputs = {{1, 2, 255}, {}},
          .total_s = 1.5,
          .accelerator_s = 1,
          .host_s = 0.25,
          .copies_s = 0.125};
}

TEST(RemoteMessages, SurviveTheirBytes) {
  const Open open{"/root/.cache/cosim-board/mlp.cosim", "cosim", "udmabuf0", 12'000};
  const auto opened = UnpackRequest(Pack(Request{open}));
  ASSERT_TRUE(opened && std::holds_alternative<Open>(*opened));
  EXPECT_EQ(std::get<Open>(*opened).module_path, open.module_path);
  EXPECT_EQ(std::get<Open>(*opened).memory, open.memory);
  EXPECT_EQ(std::get<Open>(*opened).timeout_ms, open.timeout_ms);
  const remote::Run run{{{}, {1, 2, 3}, Bytes(100'000, 7)}};
  EXPECT_EQ(std::get<remote::Run>(*UnpackRequest(Pack(Request(run)))).inputs, run.inputs);

  const RunFrames frames{{{{1}, {2, 3}}, {{4}, {}}}, 7};
  EXPECT_EQ(std::get<RunFrames>(*UnpackRequest(Pack(Request{frames}))).inputs, frames.inputs);
  EXPECT_EQ(std::get<RunFrames>(*UnpackRequest(Pack(Request{frames}))).count, 7u);
  const RanFrames several =
      std::get<RanFrames>(*UnpackReply(Pack(Reply{RanFrames{{SomeRun(), SomeRun()}, 3, 2, 1, {40, 6, 5}}})));
  ASSERT_EQ(several.frames.size(), 2u);
  EXPECT_EQ(several.frames[1].outputs, SomeRun().outputs);
  EXPECT_EQ(several.overlapped_s, 1);
  EXPECT_EQ(several.meanwhile.cycles, 40);
  EXPECT_EQ(several.meanwhile.stretches, 6);
  EXPECT_EQ(several.meanwhile.inside_one, 5);

  const Ran ran = std::get<Ran>(*UnpackReply(Pack(Reply{SomeRun()})));
  EXPECT_EQ(ran.cycles, SomeRun().cycles);
  EXPECT_EQ(ran.outputs, SomeRun().outputs);
  EXPECT_EQ(ran.accelerator_s, 1);
  EXPECT_EQ(ran.copies_s, 0.125);
  ASSERT_EQ(ran.ledger.size(), 2u);
  EXPECT_EQ(ran.ledger[0].unit, "load");
  EXPECT_EQ(ran.ledger[0].Total(), SomeRun().ledger[0].Total());
  EXPECT_EQ(ran.ledger[1].idle, 12);
  EXPECT_EQ(std::get<Refused>(*UnpackReply(Pack(Reply{Refused{"no", "yes"}}))).hint, "yes");
  EXPECT_EQ(std::get<Ready>(*UnpackReply(Pack(Reply{Ready{}}))).version, kWireVersion);
  EXPECT_TRUE(std::holds_alternative<Opened>(*UnpackReply(Pack(Reply{Opened{}}))));
}

TEST(RemoteMessages, DamagedOnesAreReadWholeOrNotAtAll) {
  std::mt19937 random(3);
  const Bytes request = Pack(Request{remote::Run{{{1, 2, 3}, {4}}}}), reply = Pack(Reply{SomeRun()});
  int refused = 0;
  for (int i = 0; i < 20'000; ++i) {
    Bytes bytes = i % 2 == 0 ? request : reply;
    for (int changes = 0; changes < 3; ++changes)
      bytes[random() % bytes.size()] = static_cast<uint8_t>(random());
    if (random() % 3 == 0) bytes.resize(random() % bytes.size());
    refused += i % 2 == 0 ? !UnpackRequest(bytes) : !UnpackReply(bytes);
  }
  EXPECT_GT(refused, 5'000);
  EXPECT_FALSE(UnpackRequest({}));
}

struct Pipe {
  Pipe() { EXPECT_EQ(pipe(ends), 0); }
  ~Pipe() {
    Close(0);
    Close(1);
  }
  void Close(int end) {
    if (ends[end] >= 0) close(ends[end]);
    ends[end] = -1;
  }
  void Say(const std::string& text) { EXPECT_EQ(write(ends[1], text.data(), text.size()), std::ssize(text)); }
  int ends[2];
};

TEST(RemoteChannel, CarriesWhatIsLargerThanAPipe) {
  Pipe pipe;
  Channel channel(pipe.ends[0], pipe.ends[1]);
  const Bytes message(3'000'000, 42);
  std::thread writer([&] { EXPECT_EQ(channel.Send(message, kSoon), Status::kDone); });
  Bytes read;
  EXPECT_EQ(channel.Receive(read, kSoon), Status::kDone);
  writer.join();
  EXPECT_EQ(read, message);
}

TEST(RemoteChannel, TellsTheWaysAConnectionFails) {
  Bytes read;
  Pipe silent;
  EXPECT_EQ(Channel(silent.ends[0], -1).Receive(read, kNow), Status::kLate);
  Pipe chatty;
  chatty.Say("Welcome to PYNQ\n");
  EXPECT_EQ(Channel(chatty.ends[0], -1).Receive(read, kNow), Status::kGarbled);
  EXPECT_EQ(std::string(read.begin(), read.end()), "Welcome ");
  Pipe greedy;
  greedy.Say(std::string("cos\1\xff\xff\xff\xff", 8));
  EXPECT_EQ(Channel(greedy.ends[0], -1).Receive(read, kNow), Status::kGarbled);
  Pipe cut;
  cut.Say(std::string("cos\1\x10\0\0\0abc", 11));
  cut.Close(1);
  EXPECT_EQ(Channel(cut.ends[0], -1).Receive(read, kNow), Status::kClosed);
  Pipe gone;
  gone.Close(0);
  EXPECT_EQ(Channel(-1, gone.ends[1]).Send(Bytes(10), kNow), Status::kClosed);
  Pipe full;
  EXPECT_EQ(Channel(-1, full.ends[1]).Send(Bytes(1'000'000), kNow), Status::kLate);
}

/// A server in a thread, and the client's end.
class RemoteSession : public ::testing::Test {
 protected:
  void TearDown() override {
    to_.Close(1);
    if (server_.joinable()) server_.join();
  }
  void Begin(const Opener& opener) {
    server_ = std::thread([this, opener] {
      Channel channel(to_.ends[0], from_.ends[1]);
      served_ = Serve(channel, {}, opener);
      from_.Close(1);
    });
  }

  Pipe to_, from_;
  Channel channel_{from_.ends[0], to_.ends[1]};
  Client client_{channel_, "ssh://board"};
  Diagnostics diags_;
  std::thread server_;
  bool served_ = false;
};

OpenBoard NoBoard(const BoardPlaces&, Diagnostics& diags) {
  diags.Error(codes::kNoNode, {"sys/class/uio"}, "no UIO device is named 'cosim'");
  return {};
}

TEST_F(RemoteSession, GreetsAndRefusesWhatIsNotThere) {
  Begin(NoBoard);
  EXPECT_TRUE(client_.Greet(diags_)) << diags_.Render();
  EXPECT_FALSE(client_.OpenModule({"/nonexistent.cosim", "", "", 0}, diags_));
  EXPECT_THAT(diags_.Render(), HasSubstr("E0812"));
  EXPECT_THAT(diags_.Render(), HasSubstr("/nonexistent.cosim cannot be read"));
  Diagnostics more;
  EXPECT_FALSE(client_.RunModule(remote::Run{}, kSoon, more));
  EXPECT_THAT(more.Render(), HasSubstr("no module is open"));
}

TEST_F(RemoteSession, EndsAtWhatIsNoRequest) {
  Begin(NoBoard);
  EXPECT_TRUE(client_.Greet(diags_));
  EXPECT_EQ(channel_.Send(Bytes{1, 2, 3}, kSoon), Status::kDone);
  EXPECT_FALSE(client_.RunModule(remote::Run{}, kSoon, diags_));
  EXPECT_THAT(diags_.Render(), HasSubstr("the connection has ended"));
  server_.join();
  EXPECT_FALSE(served_);
}

TEST_F(RemoteSession, ASilentOtherSideAndOneOfAnotherVersionAreSaid) {
  Ready other;
  other.version = kWireVersion + 1;
  Channel there(-1, from_.ends[1]);
  EXPECT_EQ(there.Send(Pack(Reply{other}), kSoon), Status::kDone);
  EXPECT_FALSE(client_.Greet(diags_));
  EXPECT_THAT(diags_.Render(), HasSubstr("E0811"));
  from_.Say("Password:");
  Diagnostics garbled;
  EXPECT_FALSE(client_.Greet(garbled));
  EXPECT_THAT(garbled.Render(), HasSubstr("'Password' came instead"));
}

}  // namespace
}  // namespace cosim::driver::remote
