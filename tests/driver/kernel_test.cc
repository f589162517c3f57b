// SPDX-License-Identifier: Apache-2.0
// The driver's side of UIO and u-dma-buf: a folder stands for sysfs and /dev, files for devices, a socket for
// the interrupt's file descriptor.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <fstream>

#include "driver/open_board.h"
#include "driver/u_dma_buf.h"
#include "driver/uio.h"
#include "driver/word_copy.h"
#include "tests/driver/test_root.h"

namespace cosim::driver {
namespace {

using std::chrono::milliseconds;
using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::TestRoot;

constexpr uint64_t kPage = 4096;

class KernelTest : public ::testing::Test {
 protected:
  void AddUio(const std::string& device, const std::string& name) {
    root_.Write("sys/class/uio/" + device + "/name", name + "\n");
    root_.Write("sys/class/uio/" + device + "/maps/map0/addr", "0x43c00000\n");
    root_.Write("sys/class/uio/" + device + "/maps/map0/size", "0x00001000\n");
    root_.Write("sys/class/uio/" + device + "/maps/map0/offset", "0x0\n");
    root_.Write("sys/class/uio/" + device + "/maps/map1/addr", "0x18000000\n");
    root_.Write("sys/class/uio/" + device + "/maps/map1/size", "0x00002000\n");
    root_.Write("dev/" + device, std::string(3 * kPage, '\0'));
  }
  void AddBuffer(const std::string& coherent) {
    for (const char* file : {"sync_offset", "sync_size", "sync_direction", "sync_for_cpu", "sync_for_device"})
      root_.Write(std::string("sys/class/u-dma-buf/udmabuf0/") + file, "");
    root_.Write("sys/class/u-dma-buf/udmabuf0/phys_addr", "0x0000000018000000\n");
    root_.Write("sys/class/u-dma-buf/udmabuf0/size", "8192\n");
    root_.Write("sys/class/u-dma-buf/udmabuf0/dma_coherent", coherent);
    root_.Write("dev/udmabuf0", std::string(8192, '\0'));
  }

  TestRoot root_;
  Diagnostics diags_;
};

TEST_F(KernelTest, FindsTheDeviceByItsName) {
  AddUio("uio0", "axi-pmon");
  AddUio("uio3", "cosim");
  const auto node = FindUio(root_.path(), "cosim", diags_);
  ASSERT_TRUE(node) << diags_.Render();
  EXPECT_EQ(node->device, "uio3");
  ASSERT_EQ(node->maps.size(), 2U);
  EXPECT_EQ(node->maps[0].address, 0x43c00000U);
  EXPECT_EQ(node->maps[1].bytes, 0x2000U);
}

TEST_F(KernelTest, SaysWhichDevicesThereAre) {
  EXPECT_FALSE(FindUio(root_.path(), "cosim", diags_));
  AddUio("uio0", "axi-pmon");
  EXPECT_FALSE(FindUio(root_.path(), "cosim", diags_));
  EXPECT_THAT(diags_.Render(),
              AllOf(HasSubstr("error[E0806]: no UIO device is named 'cosim': there is none at all"),
                    HasSubstr("there is axi-pmon"), HasSubstr("of_id=generic-uio")));
}

TEST_F(KernelTest, DoesNotChooseBetweenDevicesOfOneName) {
  AddUio("uio0", "cosim");
  AddUio("uio1", "cosim");
  EXPECT_FALSE(FindUio(root_.path(), "cosim", diags_));
  EXPECT_THAT(diags_.Render(), HasSubstr("several UIO devices are named 'cosim': uio0, uio1"));
}

TEST_F(KernelTest, MapsRegistersAndMemory) {
  AddUio("uio3", "cosim");
  const OpenBoard board = OpenBoardAt({.root = root_.path(), .memory = ""}, diags_);
  ASSERT_TRUE(board.registers && board.memory) << diags_.Render();
  EXPECT_EQ(board.memory->bus_address(), 0x18000000U);
  EXPECT_EQ(board.memory->size(), 0x2000U);
  board.registers->Write(0x20, 0x01020304);
  EXPECT_EQ(board.registers->Read(0x20), 0x01020304U);
  board.memory->Write(1, std::vector<uint8_t>{1, 2, 3, 4, 5, 6});
  const std::string device = root_.Read("dev/uio3");
  EXPECT_EQ(device.substr(0x20, 4), "\x04\x03\x02\x01");
  EXPECT_EQ(device.substr(kPage, 8), std::string("\0\1\2\3\4\5\6\0", 8));
}

TEST_F(KernelTest, ReadsTheClockWhereADriverShowsIt) {
  AddUio("uio3", "cosim");
  const BoardPlaces places{.root = root_.path()};
  EXPECT_FALSE(OpenBoardAt(places, diags_).clock_mhz);
  root_.Write("sys/devices/soc0/fclk0/set_rate", "99999999\n");
  EXPECT_EQ(OpenBoardAt(places, diags_).clock_mhz, 99.999999);
}

TEST_F(KernelTest, WantsABlockOfRegisters) {
  AddUio("uio3", "cosim");
  root_.Write("sys/class/uio/uio3/maps/map0/size", "0x800\n");
  EXPECT_FALSE(OpenBoardAt({.root = root_.path(), .memory = ""}, diags_).registers);
  EXPECT_THAT(diags_.Render(), HasSubstr("error[E0806]: map0 of uio3 is no block of 4096 bytes"));
}

TEST_F(KernelTest, SaysThatMemoryIsMissing) {
  AddUio("uio3", "cosim");
  std::filesystem::remove_all(root_.path() / "sys/class/uio/uio3/maps/map1");
  EXPECT_FALSE(OpenBoardAt({.root = root_.path(), .memory = ""}, diags_).memory);
  EXPECT_FALSE(OpenBoardAt({.root = root_.path(), .memory = "udmabuf0"}, diags_).memory);
  EXPECT_THAT(diags_.Render(), AllOf(HasSubstr("error[E0807]: uio3 has no second map"),
                                     HasSubstr("error[E0807]: there is no u-dma-buf 'udmabuf0'")));
}

TEST_F(KernelTest, SaysWhatTheUserMayNotOpen) {
  AddUio("uio3", "cosim");
  std::filesystem::permissions(root_.path() / "dev/uio3", std::filesystem::perms::none);
  const testing::AsOtherUser user({&root_});
  EXPECT_FALSE(OpenBoardAt({.root = root_.path(), .memory = ""}, diags_).registers);
  EXPECT_THAT(diags_.Render(), AllOf(HasSubstr("error[E0804]"), HasSubstr("dev/uio3: Permission denied")));
}

TEST_F(KernelTest, SyncsBuffersByTheirFiles) {
  AddBuffer("0\n");
  const auto buffer = UDmaBuf::Open(root_.path(), "udmabuf0", diags_);
  ASSERT_TRUE(buffer) << diags_.Render();
  const auto attribute = [&](const std::string& file) {
    return root_.Read("sys/class/u-dma-buf/udmabuf0/" + file);
  };
  buffer->SyncForDevice(100, 28);
  EXPECT_EQ(attribute("sync_offset"), "100");
  EXPECT_EQ(attribute("sync_size"), "28");
  EXPECT_EQ(attribute("sync_direction"), "1");
  EXPECT_EQ(attribute("sync_for_device"), "1");
  EXPECT_EQ(attribute("sync_for_cpu"), "");
  buffer->SyncForCpu(4096, 8);
  EXPECT_EQ(attribute("sync_offset"), "4096");
  EXPECT_EQ(attribute("sync_direction"), "2");
  EXPECT_EQ(attribute("sync_for_cpu"), "1");
}

TEST_F(KernelTest, DoesNotSyncCoherentBuffers) {
  AddBuffer("1\n");
  const auto buffer = UDmaBuf::Open(root_.path(), "udmabuf0", diags_);
  ASSERT_TRUE(buffer) << diags_.Render();
  buffer->SyncForDevice(100, 28);
  EXPECT_EQ(root_.Read("sys/class/u-dma-buf/udmabuf0/sync_for_device"), "");
}

/// What a kernel does at the other end of a UIO file descriptor.
class UioInterruptTest : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0, ends_), 0); }
  void TearDown() override {
    close(ends_[0]);
    close(ends_[1]);
  }
  void Come(uint32_t count) { ASSERT_EQ(write(ends_[1], &count, sizeof count), ssize_t{sizeof count}); }
  bool IsLetThrough() {
    uint32_t value = 0;
    return read(ends_[1], &value, sizeof value) == sizeof value && value == 1;
  }

  int ends_[2] = {-1, -1};
};

TEST_F(UioInterruptTest, LetsOneThroughAndWaitsForIt) {
  UioInterrupt interrupt(ends_[0]);
  interrupt.Arm();
  EXPECT_TRUE(IsLetThrough());
  EXPECT_FALSE(interrupt.Wait(milliseconds{1}));
  Come(1);
  EXPECT_TRUE(interrupt.Wait(milliseconds{1'000}));
  EXPECT_FALSE(interrupt.Wait(milliseconds{0}));
}

TEST_F(UioInterruptTest, ForgetsThoseOfBefore) {
  UioInterrupt interrupt(ends_[0]);
  Come(1);
  Come(2);
  interrupt.Arm();
  EXPECT_FALSE(interrupt.Wait(milliseconds{1}));
}

TEST(WordCopy, KeepsTheBytesAroundARange) {
  for (uint64_t address = 0; address < 8; ++address) {
    for (uint64_t count = 0; count < 12; ++count) {
      std::vector<uint32_t> words(6, 0xEEEE'EEEE);
      std::vector<uint8_t> bytes(count), back(count), all(24);
      for (uint64_t i = 0; i < count; ++i) bytes[i] = static_cast<uint8_t>(i + 1);
      WriteWords(words.data(), address, bytes);
      ReadWords(words.data(), address, back);
      EXPECT_EQ(back, bytes);
      ReadWords(words.data(), 0, all);
      for (uint64_t i = 0; i < all.size(); ++i)
        EXPECT_EQ(all[i], i >= address && i < address + count ? bytes[i - address] : 0xEE)
            << address << " " << count;
    }
  }
}

}  // namespace
}  // namespace cosim::driver
