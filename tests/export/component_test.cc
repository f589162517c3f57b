// SPDX-License-Identifier: Apache-2.0
// The module and its IP-XACT: Verilator reads the one, and what it finds has to be what the other says. No
// schema of IEEE 1685 is packaged for Debian, so its rules stand here as far as the component uses them.
#include <boost/property_tree/ptree.hpp>
#include <boost/property_tree/xml_parser.hpp>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "isa/spec/board_facts.h"
#include "isa/spec/registers.h"
#include "sim/rtl/rtl_sources.h"
#include "tests/export/exported.h"

namespace cosim::board::testing {
namespace {

using boost::property_tree::ptree;
using cli::testing::Outcome;
using ::testing::HasSubstr;

constexpr char kRead[] = " -y sv -y rtl --top-module cosim_ip sv/cosim_pkg.sv cosim_ip.v";

struct Pin {
  std::string direction;
  int bits = 1;
  bool operator==(const Pin&) const = default;
};
using Pins = std::map<std::string, Pin>;

void PrintTo(const Pin& pin, std::ostream* out) { *out << pin.direction << " of " << pin.bits; }

class Component : public Exported {
 protected:
  void SetUp() override {
    Exported::SetUp();
    std::istringstream text(TextOf("component.xml"));
    boost::property_tree::read_xml(text, xml_, boost::property_tree::xml_parser::trim_whitespace);
  }
  const ptree& Root() const { return xml_.get_child("spirit:component"); }
  const ptree& Part(const std::string& path) const { return Root().get_child(path); }

  /// The ports as Verilator sees them.
  Pins PinsOfTheTop() {
    const Outcome outcome =
        Shell(std::string("cd out && verilator --xml-only --xml-output ../top.xml") + kRead);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    std::istringstream text(cli::testing::ReadFile(folder_ / "top.xml"));
    ptree tree;
    boost::property_tree::read_xml(text, tree);
    std::map<std::string, int> bits;
    const ptree& netlist = tree.get_child("verilator_xml.netlist");
    for (const auto& [tag, type] : netlist.get_child("typetable"))
      if (tag == "basicdtype")
        bits[type.get<std::string>("<xmlattr>.id")] = type.get("<xmlattr>.left", 0) + 1;
    Pins pins;
    for (const auto& [tag, module] : netlist) {
      if (tag != "module" || module.get<std::string>("<xmlattr>.name") != "cosim_ip") continue;
      for (const auto& [kind, var] : module) {
        const std::string direction = kind == "var" ? var.get("<xmlattr>.dir", "") : "";
        if (direction.empty()) continue;
        pins[var.get<std::string>("<xmlattr>.name")] = {direction == "input" ? "in" : "out",
                                                        bits.at(var.get<std::string>("<xmlattr>.dtype_id"))};
      }
    }
    return pins;
  }

  Pins PinsOfTheXml() const {
    Pins pins;
    for (const auto& [tag, port] : Part("spirit:model.spirit:ports")) {
      const ptree& wire = port.get_child("spirit:wire");
      const int left = wire.get("spirit:vector.spirit:left", 0);
      EXPECT_EQ(wire.get("spirit:vector.spirit:right", 0), 0);
      EXPECT_TRUE(pins.emplace(port.get<std::string>("spirit:name"),
                               Pin{wire.get<std::string>("spirit:direction"), left + 1})
                      .second)
          << "a port is there twice";
    }
    return pins;
  }

  ptree xml_;
};

/// Children stand in an order, as the schema's sequences want it; each is known.
void ExpectOrder(const ptree& of, const std::vector<std::string>& order, const std::string& what) {
  size_t at = 0;
  for (const auto& [tag, child] : of) {
    if (tag == "<xmlattr>") continue;
    const auto found = std::ranges::find(order, tag) - order.begin();
    ASSERT_LT(found, std::ssize(order)) << tag << " in " << what;
    EXPECT_GE(static_cast<size_t>(found), at) << tag << " in " << what << " comes too late";
    at = static_cast<size_t>(found);
  }
}

TEST_P(Component, PassesVerilatorsLint) {
  const Outcome outcome = Shell(std::string("cd out && verilator --lint-only -Wall") + kRead);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  EXPECT_THAT(TextOf("cosim_ip.v"), ::testing::Not(::testing::ContainsRegex("logic|always_|typedef|'0")))
      << "is not Verilog-2001";
}

TEST_P(Component, HasThePortsOfTheTop) {
  const Pins top = PinsOfTheTop();
  EXPECT_GT(top.size(), 50u);
  EXPECT_EQ(PinsOfTheXml(), top);
  EXPECT_EQ(top.at("m_axi_awaddr").bits, isa::FindBoard(GetParam().board)->address_bits);
}

TEST_P(Component, KeepsTheOrderOfTheSchema) {
  ExpectOrder(Root(),
              {"spirit:vendor", "spirit:library", "spirit:name", "spirit:version", "spirit:busInterfaces",
               "spirit:addressSpaces", "spirit:memoryMaps", "spirit:model", "spirit:fileSets",
               "spirit:description", "spirit:parameters", "spirit:vendorExtensions"},
              "component");
  for (const auto& [tag, bus] : Part("spirit:busInterfaces"))
    ExpectOrder(bus,
                {"spirit:name", "spirit:busType", "spirit:abstractionType", "spirit:master", "spirit:slave",
                 "spirit:portMaps", "spirit:parameters"},
                "busInterface");
  for (const auto& [tag, port] : Part("spirit:model.spirit:ports"))
    ExpectOrder(port.get_child("spirit:wire"),
                {"spirit:direction", "spirit:vector", "spirit:wireTypeDefs", "spirit:driver"}, "wire");
  for (const auto& [tag, view] : Part("spirit:model.spirit:views"))
    ExpectOrder(
        view,
        {"spirit:name", "spirit:envIdentifier", "spirit:language", "spirit:modelName", "spirit:fileSetRef"},
        "view");
  for (const auto& [tag, child] : Part("spirit:memoryMaps.spirit:memoryMap.spirit:addressBlock"))
    if (tag == "spirit:register")
      ExpectOrder(child,
                  {"spirit:name", "spirit:description", "spirit:addressOffset", "spirit:size",
                   "spirit:access", "spirit:field"},
                  "register");
}

/// What AXI asks of a manager's and of a subordinate's interface; the rest may be left out.
const std::set<std::string> kLite = {"AWADDR", "AWVALID", "AWREADY", "WDATA",  "WSTRB",   "WVALID",  "WREADY",
                                     "BRESP",  "BVALID",  "BREADY",  "ARADDR", "ARVALID", "ARREADY", "RDATA",
                                     "RRESP",  "RVALID",  "RREADY",  "AWPROT", "ARPROT"};
const std::set<std::string> kFull = {"AWID",    "AWLEN",  "AWSIZE",  "AWBURST", "AWLOCK", "AWCACHE",
                                     "AWQOS",   "WLAST",  "BID",     "ARID",    "ARLEN",  "ARSIZE",
                                     "ARBURST", "ARLOCK", "ARCACHE", "ARQOS",   "RID",    "RLAST"};

TEST_P(Component, MapsEveryPinOnceAndAllThatAxiAsksFor) {
  const Pins pins = PinsOfTheXml();
  std::set<std::string> mapped;
  int memories = 0;
  for (const auto& [tag, bus] : Part("spirit:busInterfaces")) {
    const std::string name = bus.get<std::string>("spirit:name");
    const std::string type = bus.get<std::string>("spirit:busType.<xmlattr>.spirit:name");
    const bool is_master = bus.get_child_optional("spirit:master").has_value();
    EXPECT_NE(is_master, bus.get_child_optional("spirit:slave").has_value()) << name;
    std::set<std::string> logical;
    for (const auto& [map_tag, map] : bus.get_child("spirit:portMaps")) {
      const std::string port = map.get<std::string>("spirit:physicalPort.spirit:name");
      const std::string of = map.get<std::string>("spirit:logicalPort.spirit:name");
      ASSERT_TRUE(pins.contains(port)) << port;
      EXPECT_TRUE(mapped.insert(port).second) << port << " is mapped twice";
      EXPECT_TRUE(logical.insert(of).second) << of << " of " << name;
      if (type != "aximm") continue;
      // Who gives: addresses and write data the manager, answers the subordinate, ready the other one.
      const bool is_answer = of.starts_with("B") || of.starts_with("R");
      const bool down = is_answer == of.ends_with("READY");
      EXPECT_EQ(pins.at(port).direction, down == is_master ? "out" : "in") << port;
    }
    if (type != "aximm") continue;
    std::set<std::string> wanted = kLite;
    if (is_master) wanted.insert(kFull.begin(), kFull.end());
    EXPECT_EQ(logical, wanted) << name;
    memories += is_master ? 1 : 0;
  }
  EXPECT_EQ(mapped.size(), pins.size());
  EXPECT_EQ(memories, GetParam().ports);
}

TEST_P(Component, RefersToWhatThereIs) {
  std::set<std::string> spaces, maps, sets;
  for (const auto& [tag, space] : Part("spirit:addressSpaces"))
    spaces.insert(space.get<std::string>("spirit:name"));
  for (const auto& [tag, map] : Part("spirit:memoryMaps")) maps.insert(map.get<std::string>("spirit:name"));
  for (const auto& [tag, set] : Part("spirit:fileSets")) {
    sets.insert(set.get<std::string>("spirit:name"));
    std::vector<std::string> files;
    for (const auto& [file_tag, file] : set)
      if (file_tag == "spirit:file") files.push_back(file.get<std::string>("spirit:name"));
    EXPECT_EQ(files.at(0), "sv/cosim_pkg.sv") << "packages come first";
    for (const std::string& file : files)
      EXPECT_TRUE(std::filesystem::exists(folder_ / "out" / file)) << file;
  }
  for (const auto& [tag, bus] : Part("spirit:busInterfaces")) {
    if (auto of = bus.get_child_optional("spirit:master.spirit:addressSpaceRef"))
      EXPECT_TRUE(spaces.contains(of->get<std::string>("<xmlattr>.spirit:addressSpaceRef")));
    if (auto of = bus.get_child_optional("spirit:slave.spirit:memoryMapRef"))
      EXPECT_TRUE(maps.contains(of->get<std::string>("<xmlattr>.spirit:memoryMapRef")));
  }
  for (const auto& [tag, view] : Part("spirit:model.spirit:views"))
    EXPECT_TRUE(sets.contains(view.get<std::string>("spirit:fileSetRef.spirit:localName")));
}

TEST_P(Component, HasTheRegisterMap) {
  namespace registers = isa::registers;
  const ptree& block = Part("spirit:memoryMaps.spirit:memoryMap.spirit:addressBlock");
  EXPECT_EQ(block.get<uint32_t>("spirit:range"), registers::kSize);
  std::map<uint32_t, std::string> names, accesses;
  for (const auto& [tag, word] : block) {
    if (tag != "spirit:register") continue;
    const auto offset =
        static_cast<uint32_t>(std::stoul(word.get<std::string>("spirit:addressOffset"), nullptr, 0));
    EXPECT_TRUE(names.emplace(offset, word.get<std::string>("spirit:name")).second) << offset;
    accesses[offset] = word.get<std::string>("spirit:access");
    EXPECT_LE(offset + 4, registers::kSize);
    EXPECT_EQ(offset % 4, 0u);
  }
  const std::set<uint32_t> writable = {0x00, 0x04, 0x18, 0x1C, 0x20, 0x24};
  for (const auto& [offset, access] : accesses)
    EXPECT_EQ(access, writable.contains(offset) ? "read-write" : "read-only") << names[offset];
  EXPECT_EQ(names[0x04], "Status");
  EXPECT_EQ(names[0x10], "Fingerprint_low");
  EXPECT_EQ(names[0x3C], "WriteBytes_high");
  const isa::Spec spec = Spec();
  const size_t columns = registers::LedgerColumns(spec);
  size_t ledger = 0;
  for (const auto& [offset, name] : names) ledger += offset >= registers::kLedger ? 1 : 0;
  EXPECT_EQ(ledger, 2 * columns * spec.units.size());
  const size_t last = spec.units.size() - 1;
  EXPECT_EQ(names[registers::LedgerOffset(spec, last, columns - 1)],
            "Ledger_" + spec.units[last].name + "_idle_low");
}

TEST_P(Component, HasTheSourcesThatSynthWrites) {
  for (const sim::RtlSource& source : sim::RtlSources(Spec()))
    EXPECT_EQ(TextOf(source.path.string()), source.text) << source.path;
}

INSTANTIATE_TEST_SUITE_P(Export, Component, ::testing::ValuesIn(kCases),
                         [](const auto& info) { return std::string(info.param.name); });

using Refusals = cli::testing::Command;

TEST_F(Refusals, NameWhatTheBoardTakes) {
  const Outcome wide =
      Run("export --config=ultra96.yaml --set board=pynq --set memory.burst_beats=16 -o out");
  EXPECT_EQ(wide.status, 1);
  EXPECT_EQ(wide.err,
            "ultra96: error[E0711]: memory.port_bits is 128, and the memory ports of pynq have 32 to 64 "
            "bits\n  hint: --set memory.port_bits=64\n");
  EXPECT_FALSE(std::filesystem::exists(folder_ / "out"));
  EXPECT_THAT(Run("export --config=pynq.yaml --set memory.burst_beats=32 -o out").err,
              HasSubstr("bursts of at most 16 beats"));
}

TEST_F(Refusals, NameTheOtherBoard) {
  EXPECT_THAT(Run("export --config=pynq.yaml --board=ultra96 -o out").err,
              HasSubstr("the configuration pynq is for pynq"));
  EXPECT_THAT(Run("export --config=pynq.yaml --board=zcu102 -o out").err,
              HasSubstr("hint: there are pynq and ultra96"));
  EXPECT_THAT(Run("export --config=tiny.yaml -o out").err, HasSubstr("there is no board 'none'"));
  EXPECT_THAT(Run("export --config=pynq.yaml").err, HasSubstr("-o DIR says where"));
}

TEST_F(Refusals, AreNotForTheLackOfTools) {
  const Outcome outcome =
      Shell("env PATH=/nowhere " + std::string(COSIM_BINARY) + " export --config=pynq.yaml -o out");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
}

}  // namespace
}  // namespace cosim::board::testing
