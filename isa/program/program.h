// SPDX-License-Identifier: Apache-2.0
// A static accelerator program: instructions, and the DRAM contents it needs before it starts. Field values
// are kept decoded; isa/program/codec.h packs them into words. Knows no networks: layers come in by callback
// or from runtime/program.h.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace cosim::isa {

/// One instruction: values[i] belongs to Spec::formats[format].fields[i] (opcode and token flags included).
struct Instruction {
  int format = 0;
  std::vector<int64_t> values;
};

/// Bytes that must be in DRAM before the program starts.
struct Segment {
  enum class Kind { kInstructions, kMicroOps, kConstants } kind = Kind::kConstants;
  std::string name;
  uint64_t address = 0;
  std::vector<uint8_t> bytes;
};

struct Program {
  uint64_t fingerprint = 0;  ///< of the Spec it was made for
  std::vector<Instruction> instructions;
  uint64_t code_address = 0;      ///< where the encoded words stand in DRAM; a multiple of 4096
  std::vector<Segment> segments;  ///< the encoded words among them
  uint64_t dram_bytes = 0;        ///< addresses the program may touch: [0, dram_bytes)
};

}  // namespace cosim::isa
