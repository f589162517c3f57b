// SPDX-License-Identifier: Apache-2.0
// `cosim run --device=ssh://…` through a real sshd: the report of a run, and each way it can fail its
// diagnostic, with nothing half done left on the other side.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <nlohmann/json.hpp>

#include "driver/ssh/address.h"
#include "driver/ssh/process.h"
#include "tests/cli/command.h"
#include "tests/ssh/loopback_sshd.h"

namespace cosim::driver {
namespace {

using cli::testing::Outcome;
using cli::testing::ReadFile;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

TEST(SshAddress, IsAHostWithOrWithoutUserAndPort) {
  const auto address = ssh::ParseAddress("ssh://xilinx@192.168.2.99:2222");
  ASSERT_TRUE(address);
  EXPECT_EQ(address->login, "xilinx@192.168.2.99");
  EXPECT_EQ(address->port, 2222);
  EXPECT_EQ(address->Text(), "ssh://xilinx@192.168.2.99:2222");
  EXPECT_EQ(ssh::ParseAddress("ssh://pynq")->Text(), "ssh://pynq");
  for (const char* wrong :
       {"pynq", "ssh://", "ssh://-oProxyCommand=x", "ssh://a b", "ssh://a;b", "ssh://@a", "ssh://a@",
        "ssh://a@-b", "ssh://a:0", "ssh://a:70000", "ssh://a:22x", "ssh://a:", "ssh://a/b", "ssh://$(a)"})
    EXPECT_FALSE(ssh::ParseAddress(wrong)) << wrong;
}

TEST(SshProcess, TellsItsEnd) {
  using std::chrono::milliseconds;
  const auto echo = ssh::Process::Start({"sh", "-c", "cat; echo beside >&2; exit 7"});
  ASSERT_TRUE(echo);
  EXPECT_EQ(write(echo->in(), "abc", 3), 3);
  echo->CloseInput();
  EXPECT_EQ(echo->ReadAll(milliseconds{5'000}), "abc");
  EXPECT_EQ(echo->Wait(milliseconds{5'000}), 7);
  EXPECT_EQ(echo->Errors(), "beside\n");
  EXPECT_FALSE(ssh::Process::Start({"no_such_program_anywhere"}));
  const auto slow = ssh::Process::Start({"sleep", "100"});
  EXPECT_EQ(slow->Wait(milliseconds{20}), -1);
}

class SshBoard : public cli::testing::Command {
 protected:
  SshBoard() : sshd_(MakeFolder(folder_ / "sshd")) {}

  void SetUp() override {
    if (const std::string missing = testing::LoopbackSshd::Missing(); !missing.empty())
      GTEST_SKIP() << missing;
    ASSERT_EQ(sshd_.Start(), "");
    setenv("COSIM_SSH", sshd_.Ssh().c_str(), 1);
  }
  void TearDown() override { unsetenv("COSIM_SSH"); }

  static std::filesystem::path MakeFolder(const std::filesystem::path& folder) {
    std::filesystem::create_directory(folder);
    return folder;
  }

  /// `what` on the board, whose program is `board_program`.
  static std::string On(const std::string& what, const std::string& board_program = BOARD_ON_RTL) {
    return "run " + what + " --device=ssh://testboard --board-program=" + board_program;
  }

  /// A program that stands in for cosim-board.
  std::string Script(const std::string& text) {
    Write("cosim-board", "#!/bin/sh\n" + text + "\n");
    return (folder_ / "cosim-board").string();
  }

  std::set<std::string> Left() const {
    std::set<std::string> names;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(sshd_.Cache()))
      if (entry.is_regular_file()) names.insert(entry.path().filename().string());
    return names;
  }

  testing::LoopbackSshd sshd_;
};

// The board is the RTL, so its cycles are the simulator's.
TEST_F(SshBoard, GivesTheReportOfASimulatorWithWhatWasMeasuredBesideIt) {
  const std::string text = Good(On("mlp --config=tiny.yaml --repeat=2 --json=board.json")).out;
  EXPECT_THAT(text, HasSubstr("mlp on tiny (cosim), ssh://testboard device"));
  EXPECT_THAT(text, HasSubstr("board ssh://testboard, 2 runs:"));
  EXPECT_THAT(text, HasSubstr(": equal\n"));
  EXPECT_THAT(text, HasSubstr("units: as busy as simulated"));
  EXPECT_THAT(text, HasSubstr("measured there (median): frame "));
  EXPECT_THAT(text, HasSubstr("0 mismatches"));
  EXPECT_THAT(Left(), ElementsAre("cosim-board", "mlp.cosim"));

  Good("run mlp --config=tiny.yaml --json=here.json");
  const auto board = nlohmann::json::parse(ReadFile(folder_ / "board.json"));
  const auto here = nlohmann::json::parse(ReadFile(folder_ / "here.json"));
  for (const char* key :
       {"network", "fingerprint", "cycles", "ms", "macs", "instructions", "ledger", "by_op", "warnings"})
    EXPECT_EQ(board.at(key), here.at(key)) << key;
  EXPECT_EQ(board["outputs"]["values"], 2 * here["outputs"]["values"].get<int>());
  EXPECT_EQ(board["outputs"]["mismatches"], 0);
  EXPECT_EQ(board["board"]["address"], "ssh://testboard");
  EXPECT_EQ(board["board"]["cycles"], here["cycles"]);
  EXPECT_EQ(board["board"]["difference"], 0);
  EXPECT_EQ(board["board"]["runs"], 2);
  EXPECT_EQ(board["board"]["ledger"]["gemm"]["busy"], here["ledger"]["gemm"]["busy"]);
  const auto& measured = board["board"]["measured_ms"];
  EXPECT_GT(measured["frame"]["median"], 0);
  EXPECT_LE(measured["accelerator"]["min"], measured["frame"]["min"]);
}

TEST_F(SshBoard, RunsModulesAndCopiesOnlyWhatChanged) {
  Good("compile mlp --config=tiny.yaml --host-target=x86-64-v2 -o m.cosim");
  const auto written = [&](const char* name) {
    return std::filesystem::last_write_time(sshd_.Cache() / "cosim-board" / name);
  };
  const std::string first = Good(On("m.cosim")).out;
  EXPECT_THAT(first, HasSubstr("0 mismatches"));
  const auto program = written("cosim-board"), module = written("mlp.cosim");
  Good(On("m.cosim"));
  EXPECT_EQ(written("cosim-board"), program);
  EXPECT_EQ(written("mlp.cosim"), module);
  Good(On("mlp --config=tiny.yaml --seed=2"));
  EXPECT_EQ(written("cosim-board"), program);
  EXPECT_NE(written("mlp.cosim"), module);
  // What was cut off there meanwhile is sent again.
  std::filesystem::resize_file(sshd_.Cache() / "cosim-board" / "mlp.cosim", 100);
  Good(On("mlp --config=tiny.yaml --seed=2"));
}

TEST_F(SshBoard, RefusesAModuleOfAnotherSpec) {
  const std::string error = ErrorOf(On("mlp --config=tiny.yaml --set parameters.acc_banks=1"));
  EXPECT_THAT(error, HasSubstr("ssh://testboard: error[E0812]"));
  EXPECT_THAT(error, HasSubstr("E0808"));
  EXPECT_THAT(error, HasSubstr("the accelerator was made for spec"));
}

TEST_F(SshBoard, KnowsTheHostOrStops) {
  sshd_.ForgetHostKey();
  const std::string error = ErrorOf(On("mlp --config=tiny.yaml"));
  EXPECT_THAT(error, HasSubstr("ssh://testboard: error[E0809]: Host key verification failed."));
  EXPECT_THAT(error, HasSubstr("compare its key by hand, once: `ssh testboard`"));
  EXPECT_THAT(Left(), IsEmpty());
}

TEST_F(SshBoard, LeavesNothingWhereThereIsNoRoom) {
  sshd_.LimitFiles(8);
  const std::string error = ErrorOf(On("mlp --config=tiny.yaml"));
  EXPECT_THAT(error, HasSubstr("error[E0810]: cosim-board of "));
  EXPECT_THAT(error, HasSubstr("is there room in "));
  EXPECT_THAT(Left(), IsEmpty());
}

TEST_F(SshBoard, SaysWhenTheConnectionEnds) {
  const std::string error = ErrorOf(On("mlp --config=tiny.yaml", Script("kill -9 $PPID")));
  EXPECT_THAT(error, HasSubstr("ssh://testboard: error[E0809]"));
  EXPECT_THAT(Left(), ElementsAre("cosim-board", "mlp.cosim"));
}

TEST_F(SshBoard, SaysWhatAnotherProgramSaid) {
  EXPECT_THAT(ErrorOf(On("mlp --config=tiny.yaml", Script("echo hello"))),
              HasSubstr("error[E0811]: 'hello.' came instead of cosim-board's answer"));
  const std::string died = ErrorOf(On("mlp --config=tiny.yaml", Script("echo no library >&2; exit 1")));
  EXPECT_THAT(died, HasSubstr("error[E0809]: the connection has ended"));
  EXPECT_THAT(died, HasSubstr("hint: no library"));
}

TEST_F(SshBoard, NeedsABoardForTheDeviceOfThatName) {
  unsetenv("COSIM_BOARD");
  EXPECT_THAT(ErrorOf("run mlp --device=board"), HasSubstr("COSIM_BOARD=ssh://HOST names one"));
  setenv("COSIM_BOARD", "ssh://testboard", 1);
  EXPECT_THAT(ErrorOf(std::string("run mlp --config=tiny.yaml --device=board --board-program=") +
                      Script("echo hello")),
              HasSubstr("ssh://testboard: error[E0811]"));
  unsetenv("COSIM_BOARD");
  EXPECT_THAT(ErrorOf("run mlp --device=ssh://-x"), HasSubstr("is no address of a board"));
  EXPECT_THAT(ErrorOf("run mlp --device=ssh://testboard --frames=3"),
              HasSubstr("--frames: not with a board"));
  EXPECT_THAT(ErrorOf("run mlp --board-memory=udmabuf0"),
              HasSubstr("--board-memory is for --device=ssh://BOARD"));
}

}  // namespace
}  // namespace cosim::driver
