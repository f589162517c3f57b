// SPDX-License-Identifier: Apache-2.0
// The Vivado script under tclsh, with the commands of vivado_stub.tcl, and the device-tree overlays through
// dtc: what neither Vivado nor a board has seen.
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "driver/dfx_manager.h"
#include "driver/open_board.h"
#include "isa/spec/board_facts.h"
#include "tests/export/exported.h"

namespace cosim::board::testing {
namespace {

using cli::testing::Outcome;
using ::testing::HasSubstr;

constexpr char kStub[] = "tclsh '" COSIM_SOURCE_DIR "/tests/export/vivado_stub.tcl' out";

class Vivado : public Exported {
 protected:
  void SetUp() override {
    Exported::SetUp();
    if (!Has("tclsh")) GTEST_SKIP() << "tclsh is not installed: apt-get install tcl";
  }
  void Write(const std::string& file, const std::string& text) const {
    std::ofstream(folder_ / "out" / file, std::ios::binary) << text;
  }
};

using VivadoCommands = Vivado;

/// The lines of a script that begin so: where each begins, how long it is with what `continues` it.
std::vector<std::pair<size_t, size_t>> Lines(const std::string& script, const std::string& begin,
                                             const std::string& continues) {
  std::vector<std::pair<size_t, size_t>> found;
  const std::regex regex("\n *(" + begin + ")(" + continues + "[^\n])*");
  for (std::sregex_iterator match(script.begin(), script.end(), regex), end; match != end; ++match)
    found.emplace_back(match->position(), match->length());
  return found;
}

TEST_P(Vivado, BuildsABitstreamOfAConnectedDesign) {
  const Outcome outcome = Shell(kStub);
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const std::vector<const char*> masters = {"m_axi ", "m_axi_1 ", "m_axi_2 "};
  for (int port = 0; port < GetParam().ports; ++port)
    EXPECT_THAT(outcome.out, HasSubstr(std::string("bus accelerator/") + masters[static_cast<size_t>(port)]));
  EXPECT_THAT(outcome.out, HasSubstr("net accelerator/interrupt ps/"));
}

// A test of the test: no command of the script can go unnoticed, no setting that switches something on.
TEST_P(VivadoCommands, AreAllNeeded) {
  const auto without_each = [&](const std::string& file, const std::string& begin,
                                const std::string& continues, size_t least) {
    const std::string script = TextOf(file);
    const auto lines = Lines(script, begin, continues);
    EXPECT_GE(lines.size(), least);
    for (const auto& [at, length] : lines) {
      Write(file, std::string(script).erase(at, length));
      EXPECT_EQ(Shell(kStub).status, 1) << "not missed: " << script.substr(at, length);
    }
    Write(file, script);
  };
  // Only a Zynq-7000 has pins to lead out.
  const bool is_pynq = GetParam().board == std::string("pynq");
  without_each("vivado/build.tcl",
               "create_|connect_|set_property|assign_|update_|validate_|save_|launch_|wait_|open_|report_|"
               "make_wrapper" +
                   std::string(is_pynq ? "|make_bd_" : ""),
               "\\\\\n|", 30);
  without_each("vivado/board.tcl",
               "CONFIG\\.\\w+(ENABLE|PORT|INTR|INTERRUPT|IRQ0|PERIPHERAL_FREQMHZ "
               "\\$|USE_\\w+|SOURCE|_RESET|OUT_FREQ)|lappend|"
               "create_|connect_|set_property",
               "", 5);
  EXPECT_EQ(Shell(kStub).status, 0);
}

TEST_P(Vivado, LeavesNoBitstreamThatMissesItsTiming) {
  ASSERT_EQ(Shell(kStub).status, 0);
  ASSERT_TRUE(std::filesystem::exists(folder_ / "out/vivado/out/cosim.bit"));
  const Outcome outcome = Shell(std::string(kStub) + " -0.2");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.err, HasSubstr("timing is not met"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "out/vivado/out/cosim.bit"));
}

TEST_P(Vivado, IsForThePartThatFlashExpects) {
  EXPECT_THAT(TextOf("vivado/settings.tcl"),
              HasSubstr(std::string(isa::FindBoard(GetParam().board)->device)));
}

// `flash` sets the widths of ports by number; the design names those that it uses.
TEST_P(Vivado, UsesThePortsWhoseWidthsFlashSets) {
  const isa::BoardFacts& board = *isa::FindBoard(GetParam().board);
  if (board.port_registers == 0) GTEST_SKIP() << board.name << " has no widths to set";
  constexpr uint64_t kFirstRegisters = 0xFD36'0000;  // AFIFM0, of slave 0
  const uint64_t first = (board.port_registers - kFirstRegisters) / board.port_stride;
  std::ofstream(folder_ / "ports.tcl") << "source out/vivado/board.tcl\nputs [processor_settings 100 64 2]\n";
  const Outcome outcome = Shell("tclsh ports.tcl");
  for (uint64_t port = 0; port < 2; ++port)
    EXPECT_THAT(outcome.out, HasSubstr(fmt::format("CONFIG.PSU__USE__S_AXI_GP{0} 1 "
                                                   "CONFIG.PSU__SAXIGP{0}__DATA_WIDTH 64",
                                                   first + port)));
  EXPECT_THAT(outcome.out, ::testing::Not(HasSubstr(fmt::format("S_AXI_GP{} 1", first + 2))));
}

INSTANTIATE_TEST_SUITE_P(Export, VivadoCommands, ::testing::Values(kCases[0], kCases[1]),
                         [](const auto& info) { return std::string(info.param.name); });

INSTANTIATE_TEST_SUITE_P(Export, Vivado, ::testing::ValuesIn(kCases),
                         [](const auto& info) { return std::string(info.param.name); });

/// A board's own tree as far as the overlays ask for it, with `cells` for addresses and sizes.
std::string BaseTree(const isa::BoardFacts& board) {
  std::ostringstream text;
  text << "/dts-v1/;\n/ {\n  #address-cells = <" << board.cells << ">;\n  #size-cells = <" << board.cells
       << ">;\n  " << board.interrupt_parent
       << ": interrupt-controller {\n    interrupt-controller;\n    #address-cells = <0>;\n"
       << "    #interrupt-cells = <3>;\n  };\n";
  if (board.has_dfx) text << "  fpga_full: fpga-full {\n    compatible = \"fpga-region\";\n  };\n";
  text << "};\n";
  return text.str();
}

class Overlay : public Exported {
 protected:
  void SetUp() override {
    Exported::SetUp();
    if (!Has("dtc") || !Has("fdtoverlay"))
      GTEST_SKIP() << "dtc is not installed: apt-get install device-tree-compiler";
  }
  /// The board's tree with the overlay applied, as dtc prints it.
  std::string Applied(const std::string& overlay) {
    std::ofstream(folder_ / "base.dts") << BaseTree(*isa::FindBoard(GetParam().board));
    const Outcome outcome = Shell(
        "dtc -q -@ -I dts -O dtb -o base.dtb base.dts && dtc -q -@ -I dts -O dtb -o o.dtbo out/overlay/" +
        overlay + " && fdtoverlay -i base.dtb -o all.dtb o.dtbo && dtc -I dtb -O dts all.dtb");
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(outcome.err, "") << "dtc has something to say against the whole tree";
    return outcome.out;
  }
};

/// The cells of property `name`, behind the node `node`.
std::vector<uint64_t> CellsOf(const std::string& tree, const std::string& node, const std::string& name) {
  const size_t at = tree.find(node + " {");
  const size_t begin = tree.find("\t" + name + " = <", at);
  if (at == std::string::npos || begin == std::string::npos) return {};
  std::istringstream words(tree.substr(tree.find('<', begin) + 1));
  std::vector<uint64_t> cells;
  for (std::string word; words >> word && word != ">;";) {
    cells.push_back(std::stoull(word, nullptr, 16));
    if (word.find('>') != std::string::npos) break;
  }
  return cells;
}

TEST_P(Overlay, NamesWhatTheDriverOpens) {
  const isa::BoardFacts& board = *isa::FindBoard(GetParam().board);
  const std::string tree = Applied("cosim.dtso");
  const std::string node = fmt::format("cosim@{:x}", board.registers);
  EXPECT_THAT(tree, HasSubstr(fmt::format("linux,uio-name = \"{}\";", driver::kUioName)));
  EXPECT_THAT(tree, HasSubstr("compatible = \"cosim,accelerator\\0generic-uio\";"));
  EXPECT_THAT(tree, HasSubstr("device-name = \"udmabuf0\";"));
  const std::vector<uint64_t> reg = CellsOf(tree, node, "reg");
  ASSERT_EQ(reg.size(), 2u * static_cast<size_t>(board.cells));
  EXPECT_EQ(reg[static_cast<size_t>(board.cells) - 1], board.registers);
  EXPECT_EQ(reg.back(), 0x1000u);
  EXPECT_EQ(CellsOf(tree, node, "interrupts"),
            (std::vector<uint64_t>{0, static_cast<uint64_t>(board.interrupt), 4}));
}

TEST_P(Overlay, ReservesTheMemoryOfTheSecondMap) {
  const isa::BoardFacts& board = *isa::FindBoard(GetParam().board);
  const std::string tree = Applied("reserved.dtso");
  const std::vector<uint64_t> reserved = CellsOf(tree, fmt::format("memory@{:x}", board.reserved), "reg");
  const std::vector<uint64_t> maps = CellsOf(tree, fmt::format("cosim@{:x}", board.registers), "reg");
  ASSERT_EQ(reserved.size(), 2u * static_cast<size_t>(board.cells));
  ASSERT_EQ(maps.size(), 2 * reserved.size());
  EXPECT_TRUE(std::equal(reserved.begin(), reserved.end(), maps.begin() + 2 * board.cells));
  EXPECT_THAT(tree, HasSubstr("no-map;"));
  EXPECT_LE(board.reserved + board.reserved_bytes, board.memory_bytes);
}

TEST_P(Overlay, NamesTheFirmwareThatDfxMgrLoads) {
  const isa::BoardFacts& board = *isa::FindBoard(GetParam().board);
  if (!board.has_dfx) {
    EXPECT_FALSE(std::filesystem::exists(folder_ / "out/overlay/dfx.dtso"));
    return;
  }
  const std::string tree = Applied("dfx.dtso");
  EXPECT_THAT(tree.substr(tree.find("fpga-full {")),
              HasSubstr(fmt::format("firmware-name = \"{}\";", driver::kDfxFirmware)));
  EXPECT_THAT(tree, HasSubstr(fmt::format("cosim@{:x} {{", board.registers)));
  std::ifstream file(folder_ / "o.dtbo", std::ios::binary);
  const std::string overlay{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  Diagnostics diags;
  EXPECT_TRUE(driver::SuitsDfx(overlay, diags)) << diags.Render();
}

INSTANTIATE_TEST_SUITE_P(Export, Overlay, ::testing::ValuesIn(kCases),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace cosim::board::testing
