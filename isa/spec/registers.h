// SPDX-License-Identifier: Apache-2.0
// The accelerator's registers as a processor sees them, for everyone who has to know them: the RTL (as
// constants of the generated package), the virtual platform, drivers, and docs/reference/registers.md. What
// they do, the RTL (hw/rtl/registers.sv, hw/rtl/run_control.sv) and sim/tlm/accelerator_module.h both
// implement.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "isa/spec/spec.h"

namespace cosim::isa::registers {

enum class Access { kReadWrite, kReadOnly };

/// One line a register: name, byte offset, bits (64: two words, the low one first), access, meaning.
#define COSIM_REGISTERS(X)                                                                               \
  X(Control, 0x00, 32, kReadWrite, "what to do; see its bits")                                           \
  X(Status, 0x04, 32, kReadWrite, "how it goes; see its bits")                                           \
  X(Error, 0x08, 32, kReadOnly, "why the last run failed, until the next start; see the codes")          \
  X(Version, 0x0C, 32, kReadOnly, "of this map: its upper half changes when old drivers no longer work") \
  X(Fingerprint, 0x10, 64, kReadOnly, "of the ISA and configuration; a program carries the same")        \
  X(Program, 0x18, 32, kReadWrite, "byte address of the program's first word, a multiple of 4096")       \
  X(Base, 0x1C, 32, kReadWrite, "added to every address on the bus, Program's too; a multiple of 4096")  \
  X(Length, 0x20, 32, kReadWrite, "instructions of the program")                                         \
  X(Watchdog, 0x24, 32, kReadWrite, "cycles that memory may owe an answer and do nothing; 0: for ever")  \
  X(Cycles, 0x28, 64, kReadOnly, "of the last run: from its cycle 0 to done")                            \
  X(ReadBytes, 0x30, 64, kReadOnly, "read from memory, whole beats, the program included")               \
  X(WriteBytes, 0x38, 64, kReadOnly, "written to memory, whole beats")                                   \
  X(GemmSteps, 0x40, 64, kReadOnly, "steps of gemm instructions")                                        \
  X(AluSteps, 0x48, 64, kReadOnly, "steps of alu instructions")                                          \
  X(Ledger, 0x800, 64, kReadOnly, "the first of the ledger's counters")

/// One line a bit: register, name, bit, meaning.
#define COSIM_REGISTER_BITS(X)                                                                         \
  X(Control, Start, 0, "writing 1 runs the program; ignored while busy; reads as 0")                   \
  X(Control, InterruptEnable, 1, "the interrupt line is this and Interrupt; every write sets it anew") \
  X(Control, Abort, 2, "writing 1 ends a run with Aborted; reads as 0")                                \
  X(Status, Busy, 0, "a program runs, or what is left of one that failed comes to rest")               \
  X(Status, Done, 1, "the last run ended, well or not; a start clears it")                             \
  X(Status, Failed, 2, "it ended with an error: Error says which; a start clears it")                  \
  X(Status, Interrupt, 3, "pending since a run ended; writing 1 or a start clears it")

/// One line an error code: name, code, meaning.
#define COSIM_REGISTER_ERRORS(X)                                                                          \
  X(None, 0, "none")                                                                                      \
  X(BadProgramAddress, 1, "Program or Base is not a multiple of 4096")                                    \
  X(BusError, 2, "memory answered a read or write with an error")                                         \
  X(BadInstruction, 3, "a word that no instruction format claims")                                        \
  X(Stuck, 4, "nothing can happen any more: a token that nobody pushes")                                  \
  X(BadAccess, 5, "an instruction beyond an on-chip memory; only simulators tell, hardware wraps around") \
  X(Timeout, 6, "memory owed an answer for Watchdog cycles and did nothing")                              \
  X(Aborted, 7, "Abort was written")

// kControl = 0x00 and so on: byte offsets.
#define COSIM_DECLARE_OFFSET(name, offset, bits, access, doc) inline constexpr uint32_t k##name = (offset);
COSIM_REGISTERS(COSIM_DECLARE_OFFSET)
#undef COSIM_DECLARE_OFFSET

// kStart = 1 << 0 and so on: masks.
#define COSIM_DECLARE_BIT(reg, name, bit, doc) inline constexpr uint32_t k##name = 1u << (bit);
COSIM_REGISTER_BITS(COSIM_DECLARE_BIT)
#undef COSIM_DECLARE_BIT

#define COSIM_DECLARE_ERROR(name, code, doc) k##name = (code),
enum class ErrorCode : uint32_t { COSIM_REGISTER_ERRORS(COSIM_DECLARE_ERROR) };
#undef COSIM_DECLARE_ERROR

/// Bytes of the block. What is not listed reads as 0 and ignores writes; so do registers that are read only.
inline constexpr uint32_t kSize = 0x1000;
inline constexpr uint32_t kVersionValue = 0x0002'0000;
/// Watchdog after a reset: ten milliseconds at 100 MHz.
inline constexpr uint32_t kWatchdogReset = 1'000'000;
/// Counters wrap at this many bits: three hours of cycles at 100 MHz. They read as 64.
inline constexpr int kCounterBits = 40;

/// The ledger has a row a unit, in the Spec's order; a row has LedgerColumns counters: busy, wait_push, one
/// wait_token a queue, wait_port, wait_memory, idle. Rows begin at multiples of a power of two.
inline size_t LedgerColumns(const Spec& spec) { return 5 + spec.queues.size(); }
/// Counters that a row has room for.
inline size_t LedgerStride(const Spec& spec) { return std::bit_ceil(LedgerColumns(spec)); }
inline uint32_t LedgerOffset(const Spec& spec, size_t unit, size_t column) {
  return kLedger + static_cast<uint32_t>(8 * (unit * LedgerStride(spec) + column));
}
/// Bytes of all rows; with more than kSize - kLedger the map has no room for them.
inline size_t LedgerBytes(const Spec& spec) { return 8 * LedgerStride(spec) * spec.units.size(); }

}  // namespace cosim::isa::registers
