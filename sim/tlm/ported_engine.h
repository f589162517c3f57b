// SPDX-License-Identifier: Apache-2.0
// The functional engine over a memory behind a port: a load fetches its rows through the port, a store sends
// its rows through it; nothing of the memory is kept. What instructions do is sim/functional's business.
#pragma once

#include <cstdint>
#include <string>

#include "isa/program/decode.h"
#include "isa/program/program.h"
#include "isa/spec/registers.h"
#include "isa/spec/spec.h"
#include "sim/dram/memory_port.h"
#include "sim/functional/functional_engine.h"

namespace cosim::sim {

namespace registers = isa::registers;

/// Why something failed; kNone when it did not.
struct Failure {
  registers::ErrorCode code = registers::ErrorCode::kNone;
  std::string message;
  bool ok() const { return code == registers::ErrorCode::kNone; }
};

class PortedEngine {
 public:
  /// `spec` and `port` must outlive the engine; `level` must be supported by this machine.
  PortedEngine(const isa::Spec& spec, SimdLevel level, MemoryPort& port)
      : spec_(spec), port_(port), engine_(spec, level) {}

  /// Executes one instruction; `decoded` is its Decode. After a kBadAccess nothing has changed.
  Failure Execute(const isa::Instruction& instruction, const isa::Decoded& decoded);
  void PoisonOnChip(uint64_t seed) { engine_.PoisonOnChip(seed); }

 private:
  Failure Execute(const isa::Instruction& instruction, const isa::Decoded& decoded,
                  const isa::Transfer& transfer);
  /// Moves the transfer's rows between the port and the engine's memory, where they stand densely from 0 on.
  Failure MoveRows(const isa::Transfer& transfer);

  const isa::Spec& spec_;
  MemoryPort& port_;
  FunctionalEngine engine_;  ///< its DRAM holds the rows of one transfer
};

}  // namespace cosim::sim
