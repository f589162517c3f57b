// SPDX-License-Identifier: Apache-2.0
// The interfaces of `cosim_ip`, the module that a board's tools see, signal by signal: the Verilog top and
// IP-XACT are both printed from this list.
#pragma once

#include <string>
#include <vector>

#include "isa/spec/board_facts.h"
#include "isa/spec/spec.h"

namespace cosim::board {

/// What `cosim_top`, which is inside, has to do with a signal.
enum class Inside {
  kSame,      ///< has it under the same name and with the same width
  kNarrower,  ///< has it with 32 bits; those above are 0 (outputs only)
  kZero,      ///< does not have it: it is 0 (outputs only)
  kUnused,    ///< does not have it: nobody looks (inputs only), and tools may leave it open
};

struct Signal {
  std::string port;     ///< "m_axi_awaddr"
  std::string logical;  ///< what it is to its interface: "AWADDR"
  bool is_input = false;
  int bits = 1;
  Inside inside = Inside::kSame;
};

enum class Kind { kClock, kReset, kInterrupt, kRegisters, kMemory };

struct Interface {
  std::string name;  ///< "m_axi"
  Kind kind = Kind::kClock;
  std::vector<Signal> signals;
};

/// Clock, reset, interrupt, registers, then the memory ports, port 0 first.
std::vector<Interface> Interfaces(const isa::Spec& spec, const isa::BoardFacts& board);

/// Names of the memory ports' interfaces, port 0 first.
std::vector<std::string> MemoryInterfaces(const isa::Spec& spec);

/// A vector's range with a blank behind it: "[7:0] "; empty for one bit.
std::string Range(int bits);

}  // namespace cosim::board
