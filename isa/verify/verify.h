// SPDX-License-Identifier: Apache-2.0
// The program verifier: what must hold before a program may run on any device. Knows no networks; the layer
// an instruction came from is asked for by callback.
//
// Checked, in this order; a later group is looked at only while the ones before have found nothing:
//  1. The program as a whole (fingerprint, segments, code address) and every field: in range, counts at least
//  1, ops
//     exist and are available, no mirror is written.
//  2. Tokens. If every push precedes its pop in program order and no queue is over capacity at any prefix of
//  the program,
//     there is no deadlock whatever the timing; `forward` says so. Otherwise an untimed run with bounded
//     queues, command queues and in-order dispatch decides; its outcome does not depend on timing. No tokens
//     may be left over.
//  3. Accesses: on chip and in DRAM in bounds and aligned, micro-ops known, program memory not stored to,
//  banks named in
//     the lock fields, and an alu instruction reads no element sooner than min_distance steps after writing
//     it.
//  4. Races. Two instructions that touch the same element or DRAM byte, one of them writing, must be ordered.
//  Order is:
//     the k-th pop of a queue issues after the k-th push's instruction has retired; an instruction issues
//     after the one before it in its unit has issued, and if the unit does not overlap after it has retired;
//     an instruction retires after the one before it in its unit. First-retires-before-second-issues is what
//     a conflict needs, but within a unit that overlaps, issue order is enough for load after load (one
//     writer, in order), store after store (data leave in order), gemm after gemm (the pipeline is in order
//     and forwards), and alu after alu unless it reads what the other wrote. Room in queues and banks orders
//     nothing. A mirrored memory is its original.
//  5. Reads of what nothing has written. What on-chip memories hold when a program starts is undefined, also
//  after
//     another program of the same network. With races ruled out, an element is written before it is read or
//     it is not, whatever the timing.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "isa/program/program.h"
#include "isa/spec/spec.h"

namespace cosim::isa {

enum class FindingKind {
  kFingerprint,         ///< made for another spec
  kSegment,             ///< segments or code outside DRAM, overlapping, misplaced, or not the program's words
  kField,               ///< a value does not fit its field, or is not what the format fixes
  kCount,               ///< rows, columns, loop or micro-op count below 1
  kAluOp,               ///< no such op, or not available in this configuration
  kMirrorWritten,       ///< a mirror has no storage of its own
  kDeadlock,            ///< instructions wait for each other, or for a token nobody gives
  kTokensLeft,          ///< tokens nobody takes
  kOnChipBounds,        ///< an element outside its memory
  kDramBounds,          ///< a byte outside [0, dram_bytes)
  kDramAlignment,       ///< an address that starts within an element, or within a beat of a larger one
  kMicroOpUnknown,      ///< uses a micro-op that no load has brought from the program's segments
  kProgramOverwritten,  ///< a store into instructions, micro-ops or constants
  kBankNotLocked,       ///< touches a bank that its lock field does not name
  kReadTooSoon,         ///< an alu step reads what too recent a step wrote
  kReadAfterWrite,      ///< a race: the second instruction reads what the first writes
  kWriteAfterRead,      ///< a race: the second writes what the first reads
  kWriteAfterWrite,     ///< a race: both write
  kUninitializedRead,   ///< reads an on-chip element that nothing before it in the program has written
};
/// "read-after-write" and so on.
std::string_view FindingKindName(FindingKind kind);

struct Finding {
  FindingKind kind = FindingKind::kField;
  /// The instruction at fault first, then the others the message names: a race's earlier one, a deadlock's
  /// chain.
  std::vector<int64_t> instructions;
  int queue = -1;        ///< tokens: which
  int memory = -1;       ///< on-chip accesses: which
  int64_t element = -1;  ///< of the memory: the first that an uninitialized read takes
  std::string message;
};

struct VerifyOptions {
  /// Layer an instruction belongs to, for messages; may be empty, and may return an empty string.
  std::function<std::string(int64_t instruction)> layer;
  int max_findings = 20;  ///< further ones are only counted
  /// What the on-chip memories hold at the start counts as written: for programs that run on memories that
  /// somebody has filled, such as random ones that hold two models against each other.
  bool memories_start_written = false;
};

struct VerifyResult {
  std::vector<Finding> findings;
  int64_t total_findings = 0;
  /// Every push precedes its pop and every queue stays within capacity, in program order: program order is
  /// then a valid order of execution for the data.
  bool forward = false;
  /// A valid order of execution (instruction positions), when there is one and program order is not.
  std::vector<int64_t> order;
  bool ok() const { return total_findings == 0; }
  /// One line a finding.
  std::string Render() const;
};

VerifyResult Verify(const Spec& spec, const Program& program, const VerifyOptions& options = {});

}  // namespace cosim::isa
