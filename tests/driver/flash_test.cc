// SPDX-License-Identifier: Apache-2.0
// Loading a board, with a folder for the kernel's files; what the kernel would do to them, the test does.
#include "driver/flash.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/driver/bit_file.h"
#include "tests/driver/test_root.h"
#include "tests/isa/program/testing.h"

namespace cosim::driver {
namespace {

using ::testing::AllOf;
using testing::BitFile;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using testing::TestRoot;

constexpr char kManager[] = "sys/class/fpga_manager/fpga0/",
               kOverlays[] = "sys/kernel/config/device-tree/overlays";
constexpr char kClock[] = "sys/devices/soc0/fclk0/set_rate";

class FlashTest : public ::testing::Test {
 protected:
  FlashTest() {
    root_.Write(std::string(kManager) + "name", "Xilinx Zynq FPGA Manager\n");
    root_.Write(std::string(kManager) + "flags", "");
    root_.Write(std::string(kManager) + "firmware", "");
    root_.Write(std::string(kManager) + "state", "operating\n");
    root_.Write(kClock, "50000000");
    std::filesystem::create_directories(root_.path() / kOverlays);
    options_.root = root_.path();
    options_.said = [this](const std::string& step, const std::string& done) {
      said_.push_back(step + ": " + done);
    };
    options_.patience = {std::chrono::milliseconds{200}, [this] { Kernel(); }};
    files_.Write("top.bit", BitFile("7z020clg400"));
    files_.Write("top.dtbo", "overlay");
  }

  /// Applies an overlay: then there is a device with these registers.
  void Kernel() {
    const std::string overlay = std::string(kOverlays) + "/cosim";
    if (!std::filesystem::exists(root_.path() / overlay)) return;
    if (!std::filesystem::exists(root_.path() / overlay / "dtbo")) root_.Write(overlay + "/dtbo", "");
    if (root_.Read(overlay + "/dtbo").empty() || refuses_overlay_) return;
    root_.Write(overlay + "/status", "applied\n");
    AddDevice();
  }
  void AddDevice() { testing::WriteDevice(root_, "", "0x43c00000", fingerprint_); }

  bool Run(const isa::BoardFacts& board = isa::kPynq) {
    const auto files = FindFlashFiles(files_.path(), diags_);
    return files && Flash(*files, board, spec_, options_, diags_);
  }

  isa::Spec spec_ = isa::testing::MakeSpec("cosim", "pynq");
  uint64_t fingerprint_ = spec_.fingerprint;
  bool refuses_overlay_ = false;
  TestRoot root_, files_;
  FlashOptions options_;
  std::vector<std::string> said_;
  Diagnostics diags_;
};

TEST_F(FlashTest, LoadsAPynqStepByStep) {
  ASSERT_TRUE(Run()) << diags_.Render();
  EXPECT_THAT(
      said_,
      ElementsAre(HasSubstr("top.bit, top;UserID=0XFFFFFFFF;Version=2022.1 for 7z020clg400, 2026/11/22"),
                  "old overlay: none of before", "logic: 1024 bytes by Xilinx Zynq FPGA Manager, operating",
                  "memory ports: nothing to set on this board", "clock: 100 MHz", "overlay: 7 bytes, applied",
                  "registers: uio4, version 0x00020000, spec " + spec_.FingerprintText()));
  EXPECT_EQ(root_.Read(std::string(kManager) + "firmware"), "cosim.bin");
  EXPECT_EQ(root_.Read(std::string(kManager) + "flags"), "0");
  EXPECT_EQ(root_.Read(kClock), "100000000");
  EXPECT_FALSE(std::filesystem::exists(root_.path() / "lib/firmware/cosim.bin"));
}

// Each port's registers for reading and writing: 0 is 128 bits, 1 is 64; the other bits stay.
TEST_F(FlashTest, SetsThePortWidthsOfAnUltra96) {
  for (const auto& [config, code] : {std::pair("ultra96", 0), std::pair("pynq", 1)}) {
    const TestRoot root;
    root.Write("dev/mem", "");
    std::filesystem::resize_file(root.path() / "dev/mem", 0xFD40'0000);
    const auto word = [&](uint64_t address) {
      std::ifstream file(root.path() / "dev/mem", std::ios::binary);
      file.seekg(static_cast<std::streamoff>(address));
      char bytes[4] = {};
      file.read(bytes, 4);
      return static_cast<uint8_t>(bytes[0]) | bytes[1] << 8;
    };
    {
      std::fstream file(root.path() / "dev/mem", std::ios::binary | std::ios::in | std::ios::out);
      file.seekp(0xFD38'0000);
      file.write("\xB7\x03", 2);
    }
    const isa::Spec spec = isa::testing::MakeSpec("cosim", config);
    const auto done = SetPortWidths(root.path(), isa::kUltra96, 2, spec.dram.port_bits, diags_);
    ASSERT_TRUE(done) << diags_.Render();
    EXPECT_EQ(*done, "HP0 to HP1 at " + std::to_string(spec.dram.port_bits) + " bits");
    EXPECT_EQ(word(0xFD38'0000), 0x03B4 | code);
    EXPECT_EQ(word(0xFD38'0014), code);
    EXPECT_EQ(word(0xFD39'0000), code);
    EXPECT_EQ(word(0xFD39'0014), code);
    EXPECT_EQ(word(0xFD3A'0000), 0);
  }
}

TEST_F(FlashTest, RefusesAnotherPart) {
  EXPECT_FALSE(Run(isa::kUltra96));
  EXPECT_THAT(
      diags_.Render(),
      HasSubstr("error[E0802]: the bitstream is for part 7z020clg400, and ultra96 has zu3eg-sbva484"));
  EXPECT_THAT(said_, ElementsAre());
  EXPECT_EQ(root_.Read(std::string(kManager) + "firmware"), "");
}

TEST_F(FlashTest, RefusesACutOffBitstream) {
  files_.Write("top.bit", BitFile("7z020clg400").substr(0, 500));
  EXPECT_FALSE(Run());
  EXPECT_THAT(diags_.Render(), HasSubstr("top.bit: error[E0801]: the bitstream is cut off"));
  EXPECT_THAT(said_, ElementsAre());
}

TEST_F(FlashTest, NeedsAnFpgaManager) {
  std::filesystem::remove(root_.path() / kManager / "firmware");
  EXPECT_FALSE(Run());
  EXPECT_THAT(diags_.Render(), AllOf(HasSubstr("error[E0803]"), HasSubstr("has no file 'firmware'")));
  std::filesystem::remove_all(root_.path() / kManager);
  EXPECT_FALSE(Run());
  EXPECT_THAT(diags_.Render(), HasSubstr("the kernel has no FPGA manager"));
}

TEST_F(FlashTest, SaysWhatTheUserMayNotWrite) {
  std::filesystem::permissions(root_.path() / kManager / "firmware", std::filesystem::perms::owner_read);
  const testing::AsOtherUser user({&root_, &files_});
  EXPECT_FALSE(Run());
  EXPECT_THAT(diags_.Render(),
              AllOf(HasSubstr("error[E0804]"), HasSubstr("fpga0/firmware: Permission denied"),
                    HasSubstr("run it as root")));
}

TEST_F(FlashTest, SaysThatTheManagerFailed) {
  root_.Write(std::string(kManager) + "state", "write error\n");
  EXPECT_FALSE(Run());
  EXPECT_THAT(diags_.Render(), AllOf(HasSubstr("error[E0805]"), HasSubstr("in state 'write error'")));
  EXPECT_EQ(said_.size(), 2U);
  EXPECT_FALSE(std::filesystem::exists(root_.path() / "lib/firmware/cosim.bin"));
}

TEST_F(FlashTest, SaysThatTheOverlayIsNotApplied) {
  refuses_overlay_ = true;
  EXPECT_FALSE(Run());
  EXPECT_THAT(diags_.Render(), HasSubstr("error[E0805]: the kernel does not apply the overlay"));
  EXPECT_THAT(said_.back(), StartsWith("clock"));
}

TEST_F(FlashTest, SaysThatTheClockStays) {
  std::filesystem::remove_all(root_.path() / "sys/devices");
  ASSERT_TRUE(Run()) << diags_.Render();
  EXPECT_THAT(said_,
              ::testing::Contains(HasSubstr("clock: left as it is: the kernel has no fclk driver; 100 MHz")));
}

TEST_F(FlashTest, RefusesTheAcceleratorOfAnotherSpec) {
  fingerprint_ = 0x1234;
  EXPECT_FALSE(Run());
  EXPECT_THAT(diags_.Render(), AllOf(HasSubstr("error[E0808]"), HasSubstr("made for spec 0000000000001234"),
                                     HasSubstr("--config")));
}

TEST_F(FlashTest, SaysThatNoDeviceComes) {
  std::filesystem::remove(files_.path() / "top.dtbo");
  EXPECT_FALSE(Run());
  EXPECT_THAT(diags_.Render(), HasSubstr("error[E0806]"));
}

TEST_F(FlashTest, DoesNotChooseBetweenBitstreams) {
  files_.Write("other.bit", "");
  EXPECT_FALSE(Run());
  EXPECT_THAT(diags_.Render(), HasSubstr("the folder has 2 bitstreams and 1 overlays"));
}

}  // namespace
}  // namespace cosim::driver
