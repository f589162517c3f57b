// SPDX-License-Identifier: Apache-2.0
#include "sim/board/interfaces.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>

namespace cosim::board {
namespace {

constexpr int kAccelerator = 32;  ///< bits of the accelerator's own addresses
constexpr int kRegisterAddress = 12, kRegisterBits = 32;

/// Adds AXI signals of one interface, as `manager` or subordinate; names are AXI's in lower case.
class Axi {
 public:
  Axi(std::string name, Kind kind, bool is_manager)
      : interface_{.name = std::move(name), .kind = kind, .signals = {}}, is_manager_(is_manager) {}

  /// A signal that the manager drives, as address, data and strobes.
  Axi& Down(const char* name, int bits = 1, Inside inside = Inside::kSame) {
    return Add(name, bits, inside, !is_manager_);
  }
  /// One that the subordinate drives, as what is read.
  Axi& Up(const char* name, int bits = 1, Inside inside = Inside::kSame) {
    return Add(name, bits, inside, is_manager_);
  }
  Interface Take() { return std::move(interface_); }

 private:
  Axi& Add(const char* name, int bits, Inside inside, bool is_input) {
    std::string logical = name;
    std::ranges::transform(logical, logical.begin(),
                           [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    interface_.signals.push_back({.port = fmt::format("{}_{}", interface_.name, name),
                                  .logical = std::move(logical),
                                  .is_input = is_input,
                                  .bits = bits,
                                  .inside = inside});
    return *this;
  }

  Interface interface_;
  bool is_manager_;
};

/// AXI4-Lite. Everyone may touch the registers: protection is not looked at.
Interface Registers() {
  Axi axi("s_axi", Kind::kRegisters, false);
  axi.Down("awaddr", kRegisterAddress).Down("awprot", 3, Inside::kUnused).Down("awvalid").Up("awready");
  axi.Down("wdata", kRegisterBits).Down("wstrb", kRegisterBits / 8).Down("wvalid").Up("wready");
  axi.Up("bresp", 2).Up("bvalid").Down("bready");
  axi.Down("araddr", kRegisterAddress).Down("arprot", 3, Inside::kUnused).Down("arvalid").Up("arready");
  axi.Up("rdata", kRegisterBits).Up("rresp", 2).Up("rvalid").Down("rready");
  return axi.Take();
}

/// AXI4 with one ID, no locks and no quality of service.
Interface Memory(const std::string& name, int data_bits, int address_bits) {
  Axi axi(name, Kind::kMemory, true);
  const Inside address = address_bits > kAccelerator ? Inside::kNarrower : Inside::kSame;
  axi.Down("awid", 1, Inside::kZero).Down("awaddr", address_bits, address).Down("awlen", 8);
  axi.Down("awsize", 3).Down("awburst", 2).Down("awlock", 1, Inside::kZero).Down("awcache", 4);
  axi.Down("awprot", 3).Down("awqos", 4, Inside::kZero).Down("awvalid").Up("awready");
  axi.Down("wdata", data_bits).Down("wstrb", data_bits / 8).Down("wlast").Down("wvalid").Up("wready");
  axi.Up("bid", 1, Inside::kUnused).Up("bresp", 2).Up("bvalid").Down("bready");
  axi.Down("arid", 1, Inside::kZero).Down("araddr", address_bits, address).Down("arlen", 8);
  axi.Down("arsize", 3).Down("arburst", 2).Down("arlock", 1, Inside::kZero).Down("arcache", 4);
  axi.Down("arprot", 3).Down("arqos", 4, Inside::kZero).Down("arvalid").Up("arready");
  axi.Up("rid", 1, Inside::kUnused).Up("rdata", data_bits).Up("rresp", 2).Up("rlast").Up("rvalid");
  axi.Down("rready");
  return axi.Take();
}

Interface Wire(const char* name, Kind kind, const char* logical, bool is_input) {
  return {.name = name, .kind = kind, .signals = {{.port = name, .logical = logical, .is_input = is_input}}};
}

}  // namespace

std::vector<Interface> Interfaces(const isa::Spec& spec, const isa::BoardFacts& board) {
  std::vector<Interface> all = {Wire("aclk", Kind::kClock, "CLK", true),
                                Wire("aresetn", Kind::kReset, "RST", true),
                                Wire("interrupt", Kind::kInterrupt, "INTERRUPT", false), Registers()};
  for (const std::string& name : MemoryInterfaces(spec))
    all.push_back(Memory(name, spec.dram.port_bits, board.address_bits));
  return all;
}

std::vector<std::string> MemoryInterfaces(const isa::Spec& spec) {
  std::vector<std::string> names = {"m_axi"};
  for (int port = 1; port < spec.ports; ++port) names.push_back(fmt::format("m_axi_{}", port));
  return names;
}

std::string Range(int bits) { return bits == 1 ? "" : fmt::format("[{}:0] ", bits - 1); }

}  // namespace cosim::board
