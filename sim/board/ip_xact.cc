// SPDX-License-Identifier: Apache-2.0
// Elements stand in the order that the schema of IEEE 1685-2009 gives them.
#include "sim/board/ip_xact.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "isa/spec/registers.h"
#include "sim/board/register_list.h"
#include "sim/board/verilog_top.h"
#include "sim/board/xml_text.h"

namespace cosim::board {
namespace {

constexpr char kMemoryMap[] = "s_axi", kAddressBlock[] = "reg0";
constexpr char kSynthesis[] = "xilinx_anylanguagesynthesis";
constexpr char kSimulation[] = "xilinx_anylanguagebehavioralsimulation";

/// Vendor, library, name and version of a bus, as attributes.
std::string Bus(std::string_view library, std::string_view name) {
  return fmt::format(
      " spirit:vendor=\"xilinx.com\" spirit:library=\"{}\" spirit:name=\"{}\" spirit:version=\"1.0\"",
      library, name);
}

class Component {
 public:
  Component(const isa::Spec& spec, const std::vector<Interface>& interfaces)
      : spec_(spec), interfaces_(interfaces) {}

  void BusInterfaces();
  void AddressSpaces();
  void MemoryMaps();
  void Views();
  void Ports();
  void Files(const std::vector<std::filesystem::path>& sources, const std::filesystem::path& constraints);
  XmlText& xml() { return xml_; }

 private:
  void BusInterface(const Interface& interface);
  void Register(const RegisterWord& word);
  void Port(const Signal& signal);
  void FileSet(const char* view, const std::vector<std::filesystem::path>& files);
  static std::string FileSetOf(const char* view) { return fmt::format("{}_view_fileset", view); }

  const isa::Spec& spec_;
  const std::vector<Interface>& interfaces_;
  XmlText xml_;
};

void Component::BusInterface(const Interface& interface) {
  const bool is_memory = interface.kind == Kind::kMemory;
  const bool is_axi = is_memory || interface.kind == Kind::kRegisters;
  const char* signal = interface.kind == Kind::kClock   ? "clock"
                       : interface.kind == Kind::kReset ? "reset"
                                                        : "interrupt";
  xml_.Open("spirit:busInterface");
  xml_.Leaf("spirit:name", interface.name);
  xml_.Empty("spirit:busType", is_axi ? Bus("interface", "aximm") : Bus("signal", signal));
  xml_.Empty("spirit:abstractionType",
             is_axi ? Bus("interface", "aximm_rtl") : Bus("signal", fmt::format("{}_rtl", signal)));
  if (is_memory) {
    xml_.Open("spirit:master");
    xml_.Empty("spirit:addressSpaceRef", fmt::format(" spirit:addressSpaceRef=\"{}\"", interface.name));
    xml_.Close();
  } else if (is_axi) {
    xml_.Open("spirit:slave");
    xml_.Empty("spirit:memoryMapRef", fmt::format(" spirit:memoryMapRef=\"{}\"", kMemoryMap));
    xml_.Close();
  } else {
    const bool drives = interface.kind == Kind::kInterrupt;
    xml_.Empty(drives ? "spirit:master" : "spirit:slave", "");
  }
  xml_.Open("spirit:portMaps");
  for (const Signal& of : interface.signals) {
    xml_.Open("spirit:portMap");
    xml_.Open("spirit:logicalPort");
    xml_.Leaf("spirit:name", of.logical);
    xml_.Close();
    xml_.Open("spirit:physicalPort");
    xml_.Leaf("spirit:name", of.port);
    xml_.Close();
    xml_.Close();
  }
  xml_.Close();
  xml_.Open("spirit:parameters");
  for (const auto& [name, value] : InterfaceParameters(spec_, interfaces_, interface)) {
    xml_.Open("spirit:parameter");
    xml_.Leaf("spirit:name", name);
    xml_.Leaf("spirit:value", value,
              fmt::format(" spirit:id=\"BUSIFPARAM_VALUE.{}.{}\"", interface.name, name));
    xml_.Close();
  }
  xml_.Close();
  xml_.Close();
}

void Component::BusInterfaces() {
  xml_.Open("spirit:busInterfaces");
  for (const Interface& interface : interfaces_) BusInterface(interface);
  xml_.Close();
}

/// The accelerator's addresses have 32 bits, whatever the bus has.
void Component::AddressSpaces() {
  xml_.Open("spirit:addressSpaces");
  for (const Interface& interface : interfaces_) {
    if (interface.kind != Kind::kMemory) continue;
    xml_.Open("spirit:addressSpace");
    xml_.Leaf("spirit:name", interface.name);
    xml_.Leaf("spirit:range", "4294967296", " spirit:format=\"long\"");
    xml_.Leaf("spirit:width", fmt::format("{}", spec_.dram.port_bits), " spirit:format=\"long\"");
    xml_.Close();
  }
  xml_.Close();
}

void Component::Register(const RegisterWord& word) {
  const bool is_written = word.access == isa::registers::Access::kReadWrite;
  const char* access = is_written ? "read-write" : "read-only";
  xml_.Open("spirit:register");
  xml_.Leaf("spirit:name", word.name);
  xml_.Leaf("spirit:description", word.doc);
  xml_.Leaf("spirit:addressOffset", fmt::format("{:#x}", word.offset));
  xml_.Leaf("spirit:size", "32", " spirit:format=\"long\"");
  xml_.Leaf("spirit:access", access);
  for (const RegisterBit& bit : word.bits) {
    xml_.Open("spirit:field");
    xml_.Leaf("spirit:name", bit.name);
    xml_.Leaf("spirit:description", bit.doc);
    xml_.Leaf("spirit:bitOffset", fmt::format("{}", bit.bit));
    xml_.Leaf("spirit:bitWidth", "1", " spirit:format=\"long\"");
    xml_.Leaf("spirit:access", access);
    xml_.Close();
  }
  xml_.Close();
}

void Component::MemoryMaps() {
  xml_.Open("spirit:memoryMaps");
  xml_.Open("spirit:memoryMap");
  xml_.Leaf("spirit:name", kMemoryMap);
  xml_.Open("spirit:addressBlock");
  xml_.Leaf("spirit:name", kAddressBlock);
  xml_.Leaf("spirit:baseAddress", "0", " spirit:format=\"long\"");
  xml_.Leaf("spirit:range", fmt::format("{}", isa::registers::kSize), " spirit:format=\"long\"");
  xml_.Leaf("spirit:width", "32", " spirit:format=\"long\"");
  xml_.Leaf("spirit:usage", "register");
  for (const RegisterWord& word : RegisterWords(spec_)) Register(word);
  xml_.Close();
  xml_.Close();
  xml_.Close();
}

void Component::Views() {
  xml_.Open("spirit:views");
  for (const char* view : {kSynthesis, kSimulation}) {
    xml_.Open("spirit:view");
    xml_.Leaf("spirit:name", view);
    xml_.Leaf("spirit:envIdentifier", view == std::string_view(kSynthesis) ? ":vivado.xilinx.com:synthesis"
                                                                           : ":vivado.xilinx.com:simulation");
    xml_.Leaf("spirit:language", "verilog");
    xml_.Leaf("spirit:modelName", kTopModule);
    xml_.Open("spirit:fileSetRef");
    xml_.Leaf("spirit:localName", FileSetOf(view));
    xml_.Close();
    xml_.Close();
  }
  xml_.Close();
}

void Component::Port(const Signal& signal) {
  xml_.Open("spirit:port");
  xml_.Leaf("spirit:name", signal.port);
  xml_.Open("spirit:wire");
  xml_.Leaf("spirit:direction", signal.is_input ? "in" : "out");
  if (signal.bits > 1) {
    xml_.Open("spirit:vector");
    xml_.Leaf("spirit:left", fmt::format("{}", signal.bits - 1), " spirit:format=\"long\"");
    xml_.Leaf("spirit:right", "0", " spirit:format=\"long\"");
    xml_.Close();
  }
  xml_.Open("spirit:wireTypeDefs");
  xml_.Open("spirit:wireTypeDef");
  xml_.Leaf("spirit:typeName", "wire");
  xml_.Leaf("spirit:viewNameRef", kSynthesis);
  xml_.Leaf("spirit:viewNameRef", kSimulation);
  xml_.Close();
  xml_.Close();
  if (signal.inside == Inside::kUnused) {
    xml_.Open("spirit:driver");
    xml_.Leaf("spirit:defaultValue", "0", " spirit:format=\"long\"");
    xml_.Close();
  }
  xml_.Close();
  xml_.Close();
}

void Component::Ports() {
  xml_.Open("spirit:ports");
  for (const Interface& interface : interfaces_)
    for (const Signal& signal : interface.signals) Port(signal);
  xml_.Close();
}

void Component::FileSet(const char* view, const std::vector<std::filesystem::path>& files) {
  xml_.Open("spirit:fileSet");
  xml_.Leaf("spirit:name", FileSetOf(view));
  for (const std::filesystem::path& file : files) {
    xml_.Open("spirit:file");
    xml_.Leaf("spirit:name", file.generic_string());
    if (file.extension() == ".xdc") {
      xml_.Leaf("spirit:userFileType", "xdc");
      xml_.Leaf("spirit:userFileType", "USED_IN_out_of_context");
    } else {
      xml_.Leaf("spirit:fileType", file.extension() == ".sv" ? "systemVerilogSource" : "verilogSource");
    }
    xml_.Close();
  }
  xml_.Close();
}

void Component::Files(const std::vector<std::filesystem::path>& sources,
                      const std::filesystem::path& constraints) {
  std::vector<std::filesystem::path> synthesized = sources;
  synthesized.push_back(constraints);
  xml_.Open("spirit:fileSets");
  FileSet(kSynthesis, synthesized);
  FileSet(kSimulation, sources);
  xml_.Close();
}

/// For whom the component is, in the words of Vivado's catalog.
void VendorExtensions(XmlText& xml, const isa::BoardFacts& board) {
  xml.Open("spirit:vendorExtensions");
  xml.Open("xilinx:coreExtensions");
  xml.Open("xilinx:supportedFamilies");
  xml.Leaf("xilinx:family", board.family, " xilinx:lifeCycle=\"Production\"");
  xml.Close();
  xml.Open("xilinx:taxonomies");
  xml.Leaf("xilinx:taxonomy", "/UserIP");
  xml.Close();
  xml.Leaf("xilinx:displayName", "cosim accelerator");
  xml.Leaf("xilinx:coreRevision", "1");
  xml.Close();
  xml.Close();
}

}  // namespace

std::string IpXact(const isa::Spec& spec, const isa::BoardFacts& board,
                   const std::vector<Interface>& interfaces,
                   const std::vector<std::filesystem::path>& sources,
                   const std::filesystem::path& constraints) {
  Component component(spec, interfaces);
  XmlText& xml = component.xml();
  xml.Open("spirit:component",
           " xmlns:xilinx=\"http://www.xilinx.com\""
           " xmlns:spirit=\"http://www.spiritconsortium.org/XMLSchema/SPIRIT/1685-2009\"");
  std::string_view rest = kComponent;
  for (const char* part : {"spirit:vendor", "spirit:library", "spirit:name", "spirit:version"}) {
    const size_t end = rest.find(':');
    xml.Leaf(part, rest.substr(0, end));
    rest.remove_prefix(std::min(end, rest.size() - 1) + 1);
  }
  component.BusInterfaces();
  component.AddressSpaces();
  component.MemoryMaps();
  xml.Open("spirit:model");
  component.Views();
  component.Ports();
  xml.Close();
  component.Files(sources, constraints);
  xml.Leaf("spirit:description",
           fmt::format("Neural-network accelerator: isa {}, configuration {}, fingerprint {}", spec.isa,
                       spec.config, spec.FingerprintText()));
  xml.Open("spirit:parameters");
  xml.Open("spirit:parameter");
  xml.Leaf("spirit:name", "Component_Name");
  xml.Leaf("spirit:value", "cosim_ip_v1_0",
           " spirit:resolve=\"user\" spirit:id=\"PARAM_VALUE.Component_Name\" spirit:order=\"1\"");
  xml.Close();
  xml.Close();
  VendorExtensions(xml, board);
  xml.Close();
  return std::move(xml).Take();
}

}  // namespace cosim::board
