// SPDX-License-Identifier: Apache-2.0
// `cosim run --device=ssh://…` through a real sshd, or a stand-in for ssh on machines without one: the report
// of a run, and each way it can fail its diagnostic, with nothing half done left on the other side.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <thread>
#include <utility>

#include "driver/process.h"
#include "isa/spec/board_address.h"
#include "runtime/private_folder.h"
#include "tests/cli/command.h"
#include "tests/ssh/loopback_sshd.h"
#include "tests/ssh/shell_board.h"

namespace cosim::driver {
namespace {

using cli::testing::Outcome;
using cli::testing::ReadFile;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

TEST(SshAddress, IsAHostWithOrWithoutUserAndPort) {
  const auto address = isa::ParseBoardAddress("ssh://xilinx@192.168.2.99:2222");
  ASSERT_TRUE(address);
  EXPECT_EQ(address->login, "xilinx@192.168.2.99");
  EXPECT_EQ(address->port, 2222);
  EXPECT_EQ(address->Text(), "ssh://xilinx@192.168.2.99:2222");
  EXPECT_EQ(isa::ParseBoardAddress("ssh://pynq")->Text(), "ssh://pynq");
  for (const char* wrong :
       {"pynq", "ssh://", "ssh://-oProxyCommand=x", "ssh://a b", "ssh://a;b", "ssh://@a", "ssh://a@",
        "ssh://a@-b", "ssh://a:0", "ssh://a:70000", "ssh://a:22x", "ssh://a:", "ssh://a/b", "ssh://$(a)"})
    EXPECT_FALSE(isa::ParseBoardAddress(wrong)) << wrong;
}

TEST(SshProcess, TellsItsEnd) {
  using std::chrono::milliseconds;
  const auto echo = Process::Start({"sh", "-c", "cat; echo beside >&2; exit 7"});
  ASSERT_TRUE(echo);
  EXPECT_EQ(write(echo->in(), "abc", 3), 3);
  echo->CloseInput();
  EXPECT_EQ(echo->ReadAll(milliseconds{5'000}), "abc");
  EXPECT_EQ(echo->Wait(milliseconds{5'000}), 7);
  EXPECT_EQ(echo->Errors(), "beside\n");
  EXPECT_FALSE(Process::Start({"no_such_program_anywhere"}));
  const auto slow = Process::Start({"sleep", "100"});
  EXPECT_EQ(slow->Wait(milliseconds{20}), -1);
}

class SshBoard : public cli::testing::Command {
 protected:
  void SetUp() override {
    if (testing::LoopbackSshd::Missing().empty())
      Begin(std::make_unique<testing::LoopbackSshd>(MakeFolder(folder_ / "board")));
    else
      Begin(std::make_unique<testing::ShellBoard>(MakeFolder(folder_ / "board")));
  }
  void Begin(std::unique_ptr<testing::TestBoard> board) {
    board_ = std::move(board);
    ASSERT_EQ(board_->Start(), "");
    setenv("COSIM_SSH", board_->Ssh().c_str(), 1);
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

  /// Whether it comes true, at the board's leisure.
  static bool Comes(const std::function<bool()>& what) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (!what() && std::chrono::steady_clock::now() < end)
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    return what();
  }

  std::set<std::string> Left() const {
    std::set<std::string> names;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(board_->Cache()))
      if (entry.is_regular_file()) names.insert(entry.path().filename().string());
    return names;
  }

  std::unique_ptr<testing::TestBoard> board_;
};

/// What only a connection shows.
class SshConnection : public SshBoard {
 protected:
  void SetUp() override {
    if (const std::string missing = testing::LoopbackSshd::Missing(); !missing.empty())
      GTEST_SKIP() << missing;
    auto sshd = std::make_unique<testing::LoopbackSshd>(MakeFolder(folder_ / "board"));
    sshd_ = sshd.get();
    Begin(std::move(sshd));
  }
  testing::LoopbackSshd* sshd_ = nullptr;
};

/// The stand-in, also where there is an sshd.
class SshStandIn : public SshBoard {
 protected:
  void SetUp() override { Begin(std::make_unique<testing::ShellBoard>(MakeFolder(folder_ / "board"))); }
};

// The board is the RTL, so its cycles are the simulator's.
TEST_F(SshBoard, GivesTheReportOfASimulatorWithWhatWasMeasuredBesideIt) {
  const std::string text = Good(On("mlp --config=tiny.yaml --repeat=2 --json=board.json")).out;
  EXPECT_THAT(text, HasSubstr("mlp on tiny (cosim), ssh://testboard device"));
  EXPECT_THAT(text, HasSubstr("board ssh://testboard, 2 runs:"));
  EXPECT_THAT(text, HasSubstr(": equal\n"));
  EXPECT_THAT(text, HasSubstr("units: as busy as simulated"));
  EXPECT_THAT(text, HasSubstr("measured there (the median run): frame "));
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

TEST_F(SshBoard, HasFramesInFlight) {
  const std::string text = Good(On("mlp --config=tiny.yaml --frames=5 --json=board.json")).out;
  EXPECT_THAT(text, HasSubstr("board ssh://testboard, 5 frames:"));
  EXPECT_THAT(text, HasSubstr(" of it while the accelerator had another frame; simulated and estimated "));
  EXPECT_THAT(text, HasSubstr("outputs: 50 values, 0 mismatches"));
  const auto board = nlohmann::json::parse(ReadFile(folder_ / "board.json"))["board"];
  EXPECT_EQ(board["difference"], 0);
  EXPECT_EQ(board["frames"]["count"], 5);
  EXPECT_GT(board["frames"]["overlapped_s"], 0);
  EXPECT_LE(board["frames"]["overlapped_s"], board["frames"]["host_s"].get<double>() * 1.000001);
  EXPECT_THAT(text, HasSubstr(" cycles while the host worked on another frame; "));
  EXPECT_EQ(board["frames"]["meanwhile"]["pieces"], 15);  // inputs in, a host layer, outputs out
  EXPECT_LE(board["frames"]["meanwhile"]["cycles"], 5 * board["cycles"].get<int64_t>());
}

TEST_F(SshBoard, RunsModulesAndCopiesOnlyWhatChanged) {
  Good("compile mlp --config=tiny.yaml --host-target=x86-64-v2 -o m.cosim");
  const auto written = [&](const char* name) {
    return std::filesystem::last_write_time(board_->Cache() / "cosim-board" / name);
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
  std::filesystem::resize_file(board_->Cache() / "cosim-board" / "mlp.cosim", 100);
  Good(On("mlp --config=tiny.yaml --seed=2"));
}

TEST_F(SshBoard, RefusesAModuleOfAnotherSpec) {
  const std::string error = ErrorOf(On("mlp --config=tiny.yaml --set parameters.acc_banks=1"));
  EXPECT_THAT(error, HasSubstr("ssh://testboard: error[E0812]"));
  EXPECT_THAT(error, HasSubstr("E0808"));
  EXPECT_THAT(error, HasSubstr("the accelerator was made for spec"));
}

TEST_F(SshConnection, KnowsTheHostOrStops) {
  sshd_->ForgetHostKey();
  const std::string error = ErrorOf(On("mlp --config=tiny.yaml"));
  EXPECT_THAT(error, HasSubstr("ssh://testboard: error[E0809]: Host key verification failed."));
  EXPECT_THAT(error, HasSubstr("compare its key by hand, once: `ssh testboard`"));
  EXPECT_THAT(Left(), IsEmpty());
}

TEST_F(SshBoard, LeavesNothingWhereThereIsNoRoom) {
  board_->LimitFiles(8);
  const std::string error = ErrorOf(On("mlp --config=tiny.yaml"));
  EXPECT_THAT(error, HasSubstr("error[E0810]: cosim-board of "));
  EXPECT_THAT(error, HasSubstr("is there room in "));
  EXPECT_THAT(Left(), IsEmpty());
}

TEST_F(SshConnection, SaysWhenItEnds) {
  const std::string error = ErrorOf(On("mlp --config=tiny.yaml", Script("kill -9 $PPID")));
  EXPECT_THAT(error, HasSubstr("ssh://testboard: error[E0809]"));
  EXPECT_THAT(Left(), ElementsAre("cosim-board", "mlp.cosim"));
}

// The first bytes of a file arrive, the rest never comes, and then the connection ends.
TEST_F(SshConnection, LeavesNothingWhenItEndsWithinAFile) {
  Write("slow_ssh", "#!/bin/sh\ncase $* in *'cat >'*) ;; *) exec " + board_->Ssh() +
                        " \"$@\" ;; esac\n"
                        "{ head -c 100000; while sleep 0.1; do printf x || exit; done; } | " +
                        board_->Ssh() + " \"$@\"\n");
  setenv("COSIM_SSH", ("sh " + (folder_ / "slow_ssh").string()).c_str(), 1);
  sshd_->EndSessions(
      "cat >", fmt::format("[ -n \"$(find '{}' -name '.part.*' -size +0)\" ]", board_->Cache().string()));
  EXPECT_THAT(ErrorOf(On("mlp --config=tiny.yaml")), HasSubstr("ssh://testboard: error[E0809]"));
  EXPECT_TRUE(Comes([&] { return Left().empty(); }));
  setenv("COSIM_SSH", board_->Ssh().c_str(), 1);
  sshd_->EndSessions("", "");
  Good(On("mlp --config=tiny.yaml"));
}

// There are more runs to come than anybody waits for.
TEST_F(SshConnection, LeavesNoProgramWhenItEndsWithinARun) {
  sshd_->EndSessions("serve", "sleep 1");
  EXPECT_THAT(ErrorOf(On("mlp --config=tiny.yaml --repeat=100000")),
              HasSubstr("ssh://testboard: error[E0809]"));
  const std::string program = (board_->Cache() / "cosim-board/[c]osim-board serve").string();
  EXPECT_TRUE(Comes([&] { return Shell("pgrep -f '" + program + "'").status == 1; }));
  EXPECT_THAT(Left(), ElementsAre("cosim-board", "mlp.cosim"));
}

TEST_F(SshStandIn, IsABoardAsWell) {
  EXPECT_THAT(ErrorOf(On("mlp --config=tiny.yaml", Script("echo hello"))),
              HasSubstr("error[E0811]: 'hello.' came instead of cosim-board's answer"));
  EXPECT_THAT(Left(), ElementsAre("cosim-board", "mlp.cosim"));
  board_->LimitFiles(0);
  EXPECT_THAT(ErrorOf(On("mlp --config=tiny.yaml --seed=2", Script("echo hello"))),
              HasSubstr("error[E0810]: mlp.cosim of "));
}

// Nothing builds a program for a board of this machine's kind but the build itself.
TEST_F(SshStandIn, SaysHowItsProgramIsBuilt) {
  for (const char* data : {"configs", "isa"})
    std::filesystem::create_directory_symlink(std::filesystem::path(COSIM_SOURCE_DIR) / data, folder_ / data);
  Write("uname", "#!/bin/sh\necho ${MACHINE:-x86_64}\n");
  std::filesystem::permissions(folder_ / "uname", std::filesystem::perms::owner_all);
  const auto error_of = [&](const std::string& machine) {
    const Outcome outcome =
        Shell("PATH=" + folder_.string() + ":$PATH MACHINE=" + machine + " COSIM_HOME=" + folder_.string() +
              " " COSIM_BINARY " run mlp --device=ssh://testboard");
    EXPECT_EQ(outcome.status, 1);
    return outcome.err;
  };
  EXPECT_THAT(error_of("x86_64"), HasSubstr("hint: `scripts/build release cosim-board` builds one"));
  EXPECT_THAT(error_of("armv7l"), HasSubstr("hint: `scripts/board-build armv7` builds it"));
}

TEST_F(SshBoard, SaysWhatAnotherProgramSaid) {
  EXPECT_THAT(ErrorOf(On("mlp --config=tiny.yaml", Script("echo hello"))),
              HasSubstr("error[E0811]: 'hello.' came instead of cosim-board's answer"));
  const std::string died = ErrorOf(On("mlp --config=tiny.yaml", Script("echo no library >&2; exit 1")));
  EXPECT_THAT(died, HasSubstr("error[E0809]: the connection has ended"));
  EXPECT_THAT(died, HasSubstr("hint: no library"));
}

// Without ssh; the files go where they do on any board.
TEST_F(SshStandIn, IsThisMachineWhereThatIsTheBoard) {
  setenv("COSIM_RTL_CACHE", runtime::UserFolder("XDG_CACHE_HOME", ".cache").c_str(), 1);
  setenv("XDG_CACHE_HOME", board_->Cache().c_str(), 1);
  setenv("COSIM_BOARD", "local", 1);
  setenv("COSIM_SSH", "no_such_ssh", 1);
  const std::string text =
      Good("run mlp --config=tiny.yaml --device=board --board-program=" BOARD_ON_RTL).out;
  EXPECT_THAT(text, HasSubstr("mlp on tiny (cosim), local device"));
  EXPECT_THAT(text, HasSubstr("board local, 1 run:"));
  EXPECT_THAT(text, HasSubstr(": equal\n"));
  EXPECT_THAT(text, HasSubstr("0 mismatches"));
  EXPECT_THAT(Left(), ElementsAre("cosim-board", "mlp.cosim"));
  setenv("XDG_CACHE_HOME", getenv("COSIM_RTL_CACHE"), 1);
  for (const char* variable : {"COSIM_BOARD", "COSIM_RTL_CACHE"}) unsetenv(variable);
}

TEST_F(SshBoard, NeedsABoardForTheDeviceOfThatName) {
  unsetenv("COSIM_BOARD");
  EXPECT_THAT(ErrorOf("run mlp --device=board"),
              AllOf(HasSubstr("This machine is none: no UIO device is named 'cosim'"),
                    HasSubstr("or COSIM_BOARD=ssh://HOST names one")));
  const std::string board = " --device=board --board-program=" + Script("echo hello");
  setenv("COSIM_BOARD", "ssh://testboard", 1);
  EXPECT_THAT(ErrorOf("run mlp --config=tiny.yaml" + board), HasSubstr("ssh://testboard: error[E0811]"));
  // The configuration's comes first, also out of a module.
  WriteChanged("configs/tiny.yaml", "mine.yaml", "clock_mhz: 100\nparameters",
               "board_address: ssh://testboard\nclock_mhz: 100\nparameters");
  setenv("COSIM_BOARD", "ssh://-x", 1);
  EXPECT_THAT(ErrorOf("run mlp --config=mine.yaml" + board), HasSubstr("ssh://testboard: error[E0811]"));
  Good("compile mlp --config=mine.yaml --host-target=x86-64-v2 -o m.cosim");
  EXPECT_THAT(ErrorOf("run m.cosim" + board), HasSubstr("ssh://testboard: error[E0811]"));
  EXPECT_THAT(ErrorOf("run mlp --config=mine.yaml --set board_address=pynq" + board),
              HasSubstr("error[E0014]: 'board_address' is no address of a board"));
  unsetenv("COSIM_BOARD");
  EXPECT_THAT(ErrorOf("run mlp --device=ssh://-x"), HasSubstr("is no address of a board"));
  EXPECT_THAT(ErrorOf("run mlp --device=ssh://testboard --frames=3 --jobs=2"),
              HasSubstr("--jobs: not with a board"));
  EXPECT_THAT(ErrorOf("run mlp --device=ssh://testboard --frames=3 --repeat=2"),
              HasSubstr("--repeat: not with frames in flight"));
  EXPECT_THAT(ErrorOf("run mlp --board-memory=udmabuf0"),
              HasSubstr("--board-memory is for --device=ssh://BOARD"));
}

}  // namespace
}  // namespace cosim::driver
