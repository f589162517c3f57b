// SPDX-License-Identifier: Apache-2.0
#include "driver/bitstream.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <tuple>

#include "isa/spec/board_facts.h"
#include "runtime/host_program.h"
#include "tests/driver/bit_file.h"
#include "tests/driver/test_root.h"

namespace cosim::driver {
namespace {

using testing::BitFile;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::optional<Bitstream> Read(const std::string& bytes, Diagnostics& diags, size_t alignment = 32) {
  return ReadBitstream({reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()}, alignment, "x.bit",
                       diags);
}

TEST(Bitstream, HasWhatItsHeaderSays) {
  Diagnostics diags;
  const auto bitstream = Read(BitFile("7z020clg400"), diags);
  ASSERT_TRUE(bitstream) << diags.Render();
  EXPECT_EQ(bitstream->design, "top;UserID=0XFFFFFFFF;Version=2022.1");
  EXPECT_EQ(bitstream->part, "7z020clg400");
  EXPECT_EQ(bitstream->date, "2026/11/22");
  EXPECT_EQ(bitstream->time, "20:00:00");
}

TEST(Bitstream, SwapsWordsAndFillsUp) {
  const std::vector<uint8_t> bin = BinOf(std::vector<uint8_t>{1, 2, 3, 4, 5, 6, 7, 8}, 32);
  EXPECT_EQ(bin.size(), 32U);
  EXPECT_THAT(std::vector(bin.begin(), bin.begin() + 12), ElementsAre(4, 3, 2, 1, 8, 7, 6, 5, 0, 0, 0, 0x20));
}

TEST(Bitstream, IsRefusedCutOffAnywhere) {
  const std::string whole = BitFile("7z020clg400", 100);
  for (size_t size = 14; size < whole.size(); ++size) {
    Diagnostics diags;
    EXPECT_FALSE(Read(whole.substr(0, size), diags)) << size;
    EXPECT_THAT(diags.Render(), HasSubstr("x.bit: error[E0801]: the bitstream is cut off or damaged"));
  }
}

TEST(Bitstream, MayBeABinAlready) {
  Diagnostics diags;
  const auto bit = Read(BitFile("7z020clg400"), diags);
  ASSERT_TRUE(bit);
  const auto bin = Read({bit->bin.begin(), bit->bin.end()}, diags);
  ASSERT_TRUE(bin) << diags.Render();
  EXPECT_EQ(bin->bin, bit->bin);
  EXPECT_EQ(bin->part, "");
}

TEST(Bitstream, IsRefusedInTheOtherByteOrder) {
  Diagnostics diags;
  EXPECT_FALSE(Read(std::string(8, '\xFF') + "\xAA\x99\x55\x66", diags));
  EXPECT_THAT(diags.Render(), HasSubstr("the words of the .bin are not swapped"));
  EXPECT_FALSE(Read("hello, world", diags));
  EXPECT_THAT(diags.Render(), HasSubstr("neither a .bit of Vivado nor a .bin"));
}

TEST(Bitstream, IsWhatBootgenMakes) {
  if (!runtime::FindProgram("bootgen")) GTEST_SKIP() << "bootgen is not installed (package xilinx-bootgen)";
  const std::tuple<std::string, isa::BoardFacts, std::string, std::string> boards[] = {
      {"zynq", isa::kPynq, "7z020clg400", ""},
      {"zynqmp", isa::kUltra96, "xczu3eg-sbva484-1-i", "[destination_device = pl] "}};
  for (const auto& [architecture, board, part, attribute] : boards) {
    for (const size_t bytes : {1000, 1024, 4104}) {
      const testing::TestRoot folder;
      const std::string bit = BitFile(part, bytes);
      folder.Write("top.bit", bit);
      folder.Write("top.bif", "all:\n{\n  " + attribute + "top.bit\n}\n");
      const int status = runtime::RunProgram(
          {"bootgen", "-image", "top.bif", "-arch", architecture, "-process_bitstream", "bin", "-w"}, "log",
          folder.path());
      ASSERT_EQ(status, 0) << folder.Read("log");
      Diagnostics diags;
      const auto bitstream = Read(bit, diags, board.bin_alignment);
      ASSERT_TRUE(bitstream) << diags.Render();
      EXPECT_TRUE(folder.Read("top.bit.bin") == std::string(bitstream->bin.begin(), bitstream->bin.end()))
          << architecture << " " << bytes;
    }
  }
}

}  // namespace
}  // namespace cosim::driver
