// SPDX-License-Identifier: Apache-2.0
// The accelerator's registers as a processor sees them: an AXI4-Lite block of 32-bit words. What they do is
// sim/tlm/accelerator_module.h's business.
#pragma once

#include <cstddef>
#include <cstdint>

#include "isa/spec.h"

namespace cosim::sim::registers {

// Byte offsets. A 64-bit value is two words, the low one first. R: read only, writes have no effect.
inline constexpr uint32_t kControl = 0x00;      ///< kStart, kInterruptEnable; kStart reads as 0
inline constexpr uint32_t kStatus = 0x04;       ///< the status bits; writing kInterrupt as 1 clears it
inline constexpr uint32_t kError = 0x08;        ///< R: an ErrorCode, kept until the next start
inline constexpr uint32_t kVersion = 0x0C;      ///< R: kVersionValue
inline constexpr uint32_t kFingerprint = 0x10;  ///< R, 64 bits: of the Spec; programs carry the same
inline constexpr uint32_t kProgram = 0x18;    ///< 64 bits: byte address of the first word, a multiple of 4096
inline constexpr uint32_t kLength = 0x20;     ///< instructions of the program
inline constexpr uint32_t kCycles = 0x28;     ///< R, 64 bits: from the write of kStart to done
inline constexpr uint32_t kReadBytes = 0x30;  ///< R, 64 bits: read from memory, whole beats, program included
inline constexpr uint32_t kWriteBytes = 0x38;  ///< R, 64 bits: written to memory, whole beats
inline constexpr uint32_t kGemmSteps = 0x40;   ///< R, 64 bits
inline constexpr uint32_t kAluSteps = 0x48;    ///< R, 64 bits
inline constexpr uint32_t kLedger = 0x100;     ///< R, 64 bits an entry, see LedgerOffset
inline constexpr uint32_t kSize = 0x1000;      ///< bytes of the block; what is not listed reads as 0

inline constexpr uint32_t kVersionValue = 0x0001'0000;

// Bits of kControl.
inline constexpr uint32_t kStart = 1u << 0;  ///< run the program; ignored while busy
inline constexpr uint32_t kInterruptEnable = 1u << 1;

// Bits of kStatus. A start clears all but kBusy.
inline constexpr uint32_t kBusy = 1u << 0;
inline constexpr uint32_t kDone = 1u << 1;       ///< the last run ended, well or not
inline constexpr uint32_t kFailed = 1u << 2;     ///< it ended with an error: kError says which
inline constexpr uint32_t kInterrupt = 1u << 3;  ///< pending; the interrupt line is this and kInterruptEnable

enum class ErrorCode : uint32_t {
  kNone = 0,
  kBadProgramAddress = 1,  ///< not a multiple of 4096
  kBusError = 2,           ///< memory answered a read or write with an error
  kBadInstruction = 3,     ///< a word that no format claims
  kStuck = 4,              ///< nothing can happen any more: a token that nobody pushes
  kBadAccess = 5,          ///< an instruction beyond an on-chip memory, or with an op that does not exist
};

/// The ledger has a row a unit, in the Spec's order; a row has LedgerColumns entries: busy, wait_push, one
/// wait_token a queue, wait_port, wait_memory, idle.
inline size_t LedgerColumns(const isa::Spec& spec) { return 5 + spec.queues.size(); }
inline uint32_t LedgerOffset(const isa::Spec& spec, size_t unit, size_t column) {
  return kLedger + static_cast<uint32_t>(8 * (unit * LedgerColumns(spec) + column));
}

}  // namespace cosim::sim::registers
