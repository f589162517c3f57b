// SPDX-License-Identifier: Apache-2.0
// Loading by dfx-mgr, with a folder for the board's files and a script for its client.
#include "driver/dfx_manager.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "driver/flash.h"
#include "tests/driver/bit_file.h"
#include "tests/driver/test_root.h"
#include "tests/isa/program/testing.h"

namespace cosim::driver {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using testing::BitFile;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using testing::TestRoot;

constexpr char kClient[] = "usr/bin/dfx-mgr-client", kPackage[] = "lib/firmware/xilinx/cosim";
constexpr char kOverlay[] = "firmware-name\0cosim.bit.bin\0";
constexpr char kNothingThere[] = "echo 'remove from slot 0 returns: -1 (Error)'";

class DfxManagerTest : public ::testing::Test {
 protected:
  DfxManagerTest() {
    Script(kNothingThere, Loads());
    root_.Write("dev/mem", "");
    fs::resize_file(root_.path() / "dev/mem", 0xFD40'0000);
    StageDevice();
    files_.Write("top.bit", BitFile("xczu3eg-sbva484-1-i"));
    files_.Write("top.dtbo", std::string(kOverlay, sizeof kOverlay));
    options_.root = root_.path();
    options_.said = [this](const std::string& step, const std::string& done) {
      said_.push_back(step + ": " + done);
    };
    options_.patience = {std::chrono::milliseconds{100}, [] {}};
  }

  std::string Path(const std::string& file) const { return (root_.path() / file).string(); }
  /// The client: what it does to remove and to load. It lists a package that is whole.
  void Script(const std::string& remove, const std::string& load, const std::string& name = "cosim") {
    root_.Write(kClient, fmt::format("#!/bin/sh\n"
                                     "echo \"$*\" >>{0}/asked\n"
                                     "case $1 in\n"
                                     "-listPackage) echo '  Accelerator  Base  Type  #slots  Active_slot'\n"
                                     "  [ -f {0}/{1}/shell.json ] && echo '  {2}  {2}  XRT_FLAT  1  -1' ;;\n"
                                     "-remove) {3} ;;\n"
                                     "-load) {4} ;;\n"
                                     "esac\n",
                                     root_.path().string(), kPackage, name, remove, load));
    fs::permissions(root_.path() / kClient, fs::perms::owner_all | fs::perms::others_all);
  }
  /// As the kernel after the overlay: the device is there. Only a whole package loads.
  std::string Loads() const {
    return fmt::format(
        "cmp -s {0}/{1}/cosim.dtbo {2}/top.dtbo && [ -s {0}/{1}/cosim.bit.bin ] && cp -r {0}/staged/. {0} && "
        "echo \"$2: loaded to slot 0\"",
        root_.path().string(), kPackage, files_.path().string());
  }
  void StageDevice() { testing::WriteDevice(root_, "staged/", "0xa0000000", spec_.fingerprint); }
  void AddSysfsManager() {
    root_.Write("sys/class/fpga_manager/fpga0/firmware", "");
    root_.Write("sys/class/fpga_manager/fpga0/state", "operating\n");
  }

  bool Run(const isa::BoardFacts& board = isa::kUltra96) {
    const auto files = FindFlashFiles(files_.path(), diags_);
    return files && Flash(*files, board, spec_, options_, diags_);
  }

  isa::Spec spec_ = isa::testing::MakeSpec("cosim", "ultra96");
  TestRoot root_, files_;
  FlashOptions options_;
  std::vector<std::string> said_;
  Diagnostics diags_;
};

TEST_F(DfxManagerTest, LoadsAnUltra96StepByStep) {
  ASSERT_TRUE(Run()) << diags_.Render();
  EXPECT_THAT(
      said_,
      ElementsAre(HasSubstr("for xczu3eg-sbva484-1-i"),
                  fmt::format("package: {}: cosim.bit.bin of 1000 bytes, cosim.dtbo of {}, shell.json",
                              Path(kPackage), sizeof kOverlay),
                  "old overlay: none of before",
                  "old logic: dfx-mgr-client -remove: it says \"remove from slot 0 returns: -1 (Error)\"",
                  "logic: dfx-mgr-client -load cosim: it says \"cosim: loaded to slot 0\"",
                  "memory ports: HP0 to HP1 at 128 bits", StartsWith("clock: left as it is"),
                  "registers: uio4, version 0x00020000, spec " + spec_.FingerprintText()));
  EXPECT_EQ(root_.Read("asked"), "-remove\n-listPackage\n-load cosim\n");
  EXPECT_THAT(root_.Read(std::string(kPackage) + "/shell.json"), HasSubstr("\"shell_type\": \"XRT_FLAT\""));
  EXPECT_EQ(root_.Read(std::string(kPackage) + "/cosim.dtbo"), std::string(kOverlay, sizeof kOverlay));
}

// A clock manager in the logic makes the configuration's 200 MHz of it.
TEST_F(DfxManagerTest, AsksForTheClockThatTheLogicTakes) {
  constexpr char kClock[] = "sys/devices/platform/fclk0/set_rate";
  root_.Write(kClock, "50000000");
  ASSERT_TRUE(Run()) << diags_.Render();
  EXPECT_THAT(said_, ::testing::Contains("clock: 100 MHz"));
  EXPECT_EQ(root_.Read(kClock), "100000000");
}

TEST_F(DfxManagerTest, IsAskedWhereTheKernelHasNoManager) {
  AddSysfsManager();
  ASSERT_FALSE(Run()) << "no device comes without dfx-mgr";
  EXPECT_EQ(root_.Read("asked"), "");
  options_.manager = Manager::kDfxMgr;
  EXPECT_TRUE(Run()) << diags_.Render();
  EXPECT_THAT(said_, ::testing::Contains(HasSubstr("slot 0\", operating")));
  fs::remove(root_.path() / "asked");
  fs::remove(root_.path() / "sys/class/fpga_manager/fpga0/firmware");
  options_.manager = Manager::kThere;
  EXPECT_TRUE(Run()) << diags_.Render();
  EXPECT_EQ(root_.Read("asked"), "-remove\n-listPackage\n-load cosim\n");
  options_.manager = Manager::kSysfs;
  EXPECT_FALSE(Run());
  EXPECT_THAT(diags_.Render(), AllOf(HasSubstr("error[E0803]"), HasSubstr("has no file 'firmware'")));
}

// Older clients exit with 0 whatever happens.
TEST_F(DfxManagerTest, SaysThatItDoesNotLoad) {
  Script(kNothingThere, "echo \"$2: load Error: -1\"");
  EXPECT_FALSE(Run());
  EXPECT_THAT(
      diags_.Render(),
      AllOf(HasSubstr("error[E0805]: dfx-mgr does not load 'cosim': it says \"cosim: load Error: -1\""),
            HasSubstr("the package stays in " + Path(kPackage)), HasSubstr("logic of before is removed"),
            HasSubstr("journalctl -u dfx-mgr")));
  EXPECT_THAT(said_.back(), StartsWith("old logic"));
  EXPECT_TRUE(fs::exists(root_.path() / kPackage / "shell.json"));
}

TEST_F(DfxManagerTest, TakesANegativeSlotOrAnExitStatusForAFailure) {
  Script(kNothingThere, "echo 'Accel loaded to slot -1'");
  EXPECT_FALSE(Run());
  Script(kNothingThere, "echo \"$2: loaded to slot 0\"; echo broken >&2; exit 7");
  EXPECT_FALSE(Run());
  EXPECT_THAT(diags_.Render(),
              AllOf(HasSubstr("it says \"Accel loaded to slot -1\""),
                    HasSubstr("it says \"cosim: loaded to slot 0  broken\", exit status 7")));
}

TEST_F(DfxManagerTest, AsksTheFpgaManagerToo) {
  AddSysfsManager();
  root_.Write("sys/class/fpga_manager/fpga0/state", "write error\n");
  options_.manager = Manager::kDfxMgr;
  EXPECT_FALSE(Run());
  EXPECT_THAT(diags_.Render(),
              HasSubstr("error[E0805]: the FPGA manager is in state 'write error' after dfx-mgr has loaded"));
}

TEST_F(DfxManagerTest, SaysThatThePackageIsNotListed) {
  Script(kNothingThere, Loads(), "cosim-other");
  EXPECT_FALSE(Run());
  EXPECT_THAT(diags_.Render(), AllOf(HasSubstr("error[E0805]: dfx-mgr does not list the package 'cosim'"),
                                     HasSubstr("dfx-mgrd has to run")));
  EXPECT_THAT(root_.Read("asked"), Not(HasSubstr("-load")));
}

TEST_F(DfxManagerTest, NeedsItsClient) {
  fs::remove(root_.path() / kClient);
  options_.manager = Manager::kDfxMgr;
  EXPECT_FALSE(Run());
  EXPECT_THAT(diags_.Render(),
              AllOf(HasSubstr("error[E0803]: there is no dfx-mgr-client"), HasSubstr("--manager=sysfs")));
  EXPECT_THAT(said_, ElementsAre());
  EXPECT_FALSE(fs::exists(root_.path() / kPackage));
  options_.manager = Manager::kThere;
  EXPECT_FALSE(Run());
  EXPECT_THAT(diags_.Render(), HasSubstr("the kernel has no FPGA manager"));
}

TEST_F(DfxManagerTest, SaysThatItsClientCannotBeStarted) {
  fs::permissions(root_.path() / kClient, fs::perms::owner_read);
  EXPECT_FALSE(Run());
  EXPECT_THAT(diags_.Render(),
              AllOf(HasSubstr("error[E0803]"), HasSubstr("dfx-mgr-client cannot be started")));
  EXPECT_THAT(said_.back(), StartsWith("old overlay"));
}

TEST_F(DfxManagerTest, SaysWhatTheUserMayNotWrite) {
  fs::create_directories(root_.path() / "lib/firmware/xilinx");
  const testing::AsOtherUser user({&root_, &files_});
  fs::permissions(root_.path() / "lib/firmware/xilinx", fs::perms::owner_read | fs::perms::owner_exec);
  EXPECT_FALSE(Run());
  fs::permissions(root_.path() / "lib/firmware/xilinx", fs::perms::owner_all);
  EXPECT_THAT(diags_.Render(), AllOf(HasSubstr("error[E0804]"), HasSubstr("Permission denied"),
                                     HasSubstr(Path(kPackage)), HasSubstr("run it as root")));
  EXPECT_THAT(said_, ElementsAre(StartsWith("bitstream")));
  EXPECT_EQ(root_.Read("asked"), "");
}

// What is loaded stays loaded, and half a package is none.
TEST_F(DfxManagerTest, LeavesNoHalfPackage) {
  fs::create_directories(root_.path() / kPackage / "cosim.dtbo");  // a folder where a file has to go
  EXPECT_FALSE(Run());
  EXPECT_THAT(diags_.Render(), HasSubstr("cosim.dtbo: Is a directory"));
  EXPECT_FALSE(fs::exists(root_.path() / kPackage / "shell.json"));
  EXPECT_EQ(root_.Read("asked"), "");
}

TEST_F(DfxManagerTest, NeedsAnOverlayThatNamesItsFirmware) {
  files_.Write("top.dtbo", "overlay");
  EXPECT_FALSE(Run());
  fs::remove(files_.path() / "top.dtbo");
  EXPECT_FALSE(Run());
  EXPECT_THAT(diags_.Render(),
              AllOf(HasSubstr("error[E0805]: the overlay has no firmware-name = \"cosim.bit.bin\""),
                    HasSubstr("error[E0805]: there is no overlay (.dtbo)"), HasSubstr("overlay/dfx.dtso")));
  EXPECT_THAT(said_, ElementsAre());
}

TEST_F(DfxManagerTest, IsNotForAZynq7000) {
  files_.Write("top.bit", BitFile("7z020clg400"));
  options_.manager = Manager::kDfxMgr;
  EXPECT_FALSE(Run(isa::kPynq));
  options_.manager = Manager::kThere;
  EXPECT_FALSE(Run(isa::kPynq));
  EXPECT_THAT(diags_.Render(), AllOf(HasSubstr("error[E0803]: dfx-mgr does not load packages on pynq"),
                                     HasSubstr("the kernel has no FPGA manager")));
  EXPECT_EQ(root_.Read("asked"), "");
}

TEST(ManagerNames, AreTwo) {
  EXPECT_EQ(ManagerNamed(""), Manager::kThere);
  EXPECT_EQ(ManagerNamed("sysfs"), Manager::kSysfs);
  EXPECT_EQ(ManagerNamed("dfx-mgr"), Manager::kDfxMgr);
  EXPECT_EQ(ManagerNamed("dfx"), std::nullopt);
}

}  // namespace
}  // namespace cosim::driver
