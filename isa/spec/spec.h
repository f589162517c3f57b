// SPDX-License-Identifier: Apache-2.0
// The elaborated spec: one ISA (isa/*.yaml) under one configuration (configs/*.yaml), every width and depth a
// number, everything checked. Immutable; all other parts read it. isa/spec/loader.h makes it.
//
// Units: depths in elements, lengths in bits or bytes as named, times in cycles.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "isa/diagnostics.h"
#include "isa/expr/expr.h"

namespace cosim::isa {

/// A named field of an element's record, or of an instruction word. `offset` counts bits from the lowest.
struct Field {
  std::string name;
  ScalarType type;
  int offset = 0;
  std::string doc;
  SourceLoc loc;
};

/// An on-chip memory. An element has product(lanes) records; a record has one unnamed field or several named
/// ones. In DRAM an element is packed lowest bits first: lanes in row-major order, within a lane the fields
/// in order. It takes `stored_bytes`: the packed bytes rounded up to a power of two if that is at most a
/// beat, else to whole beats.
struct Memory {
  std::string name, doc;
  std::vector<int> lanes;     ///< extents, e.g. {batch, block_out}; empty: one lane
  std::vector<Field> fields;  ///< size 1 and empty name for a plain element
  int64_t depth = 0;          ///< elements
  int banks = 1;              ///< bank of element i: i / (depth / banks)
  /// What units hold of a bank: all of it, or its read port and its write port each for itself.
  bool locks_ports = false;
  int record_bits = 0;       ///< sum of the fields' widths
  int64_t element_bits = 0;  ///< record_bits * product(lanes)
  int64_t stored_bytes = 0;  ///< bytes an element takes in DRAM
  int mirrors = -1;  ///< >= 0: no storage of its own; reads memory `mirrors`, wrapped to fields[0].type
  bool is_micro_ops = false;  ///< some instruction takes its micro-ops from here
  /// Units that read or write it while executing. More than one reader, or more than one writer, makes it
  /// shared: instructions touching a shared memory's contended side name the banks they use in a
  /// `lock_<memory>` field.
  std::vector<int> readers, writers;
  bool shared = false;
  SourceLoc loc;
  int64_t LaneCount() const;
  /// Several units read, or write, through its ports. A mirror is written along with the memory behind it,
  /// whose locks then hold for it too.
  bool ReadsContend() const { return readers.size() > 1; }
  bool WritesContend() const { return writers.size() > 1 && mirrors < 0; }
  /// Bits of a `lock_<memory>` field.
  int LockBits() const { return locks_ports ? 2 * banks : banks; }
  /// Those of them that are to be set for an access of `bank`: where ports are held apart, the read ports
  /// are the low half, and a side that nobody contends for need not be named.
  uint64_t LockMask(int64_t bank, bool write) const {
    if (!locks_ports) return uint64_t{1} << bank;
    if (!(write ? WritesContend() : ReadsContend())) return 0;
    return uint64_t{1} << (write ? banks + bank : bank);
  }
};

struct Unit {
  std::string name, doc;
  int commands = 0;      ///< capacity of the command queue, instructions
  bool overlap = false;  ///< the next instruction may issue before this one has retired
  int latency = 0;       ///< cycles, see docs/rationale/microarchitecture.md
  int lanes = 0;         ///< ALU lanes a cycle; 0: no alu instructions
  int buffer_beats = 0;  ///< beats of read data it can hold; 0: it never loads
  int port = 0;          ///< the memory port its loads and stores go through; fetch is at port 0
  bool reads_dram = false, writes_dram = false;
  SourceLoc loc;
};

/// A queue of dependency tokens.
struct Queue {
  std::string name;
  int from = -1, to = -1;  ///< units
  int capacity = 0;        ///< tokens
  SourceLoc loc;
};

enum class Kind { kLoad, kStore, kGemm, kAlu, kSync };
std::string_view KindName(Kind kind);

/// What an axis of an intrinsic adds to the number of a lane: scale * floor(axis / divisor).
struct LaneTerm {
  int axis = -1;
  int64_t scale = 1, divisor = 1;
  friend bool operator==(const LaneTerm&, const LaneTerm&) = default;
};

/// One tensor operand of an intrinsic or ALU op: element of `memory` at index `index`, lanes by `axes`.
struct Operand {
  std::string name;  ///< ALU: as the body names it; intrinsic: empty
  int memory = -1;
  std::string index;  ///< "dst", "src", "wgt", "aux": prefix of the instruction's _base/_out/_in fields and
                      ///< micro-op field
  /// Intrinsic: axis of each lane dimension; empty where some dimension is walked by more than an axis. ALU:
  /// empty.
  std::vector<int> axes;
  std::vector<std::vector<LaneTerm>> lanes;  ///< intrinsic: of each lane dimension, summed up
  int row_axis = -1;  ///< intrinsic: the axis that counts elements from the index on; -1: there is one
  /// Elements from the index on. Intrinsic: extent of `row_axis`; ALU: those that side by side have the
  /// result's lanes.
  int parts = 1;
  /// Intrinsic: the axis that counts rows of `parts` elements, its extent, and the instruction's field that
  /// holds the elements from one row to the next; -1: there is one row.
  int line_axis = -1, lines = 1, pitch_field = -1;
};

/// dst[axes] += product of sources, summed over the axes that dst lacks; wraps to dst's type.
///
/// At most one source has a row axis. The instruction then reads that source's elements one a cycle, along
/// rows (isa::Gemm), and its steps come in the order out, micro-op, in.
struct Intrinsic {
  struct Axis {
    std::string name;
    int extent = 0;
    bool reduce = false;
  };
  std::vector<Axis> axes;
  Operand dst;
  std::vector<Operand> sources;
  std::string text;  ///< as written
  /// The source with a row axis; -1: none.
  int RowSource() const;
};

/// Bit positions of the roles a kind's fields play; -1: absent.
struct IndexFields {
  std::string index;
  int base = -1, outer = -1, inner = -1, uop = -1;
};

struct InstructionFormat {
  std::string name, doc;
  Kind kind = Kind::kSync;
  int unit = -1;
  int opcode = 0;
  /// fields[0] is `opcode`, then pop flags (`pop_<queue>`), push flags (`push_<queue>`), then the format's
  /// own.
  std::vector<Field> fields;
  std::vector<std::pair<int, int64_t>> match;     ///< (field, value) fixed by this format, the opcode first
  std::vector<std::pair<int, int>> pops, pushes;  ///< (queue, field)
  int memory = -1;                                ///< load, store: the on-chip side
  int micro_ops = -1;                             ///< gemm, alu: memory the micro-ops come from
  std::optional<Intrinsic> intrinsic;             ///< gemm
  std::vector<IndexFields> indices;        ///< gemm, alu: dst, src, … in the order of the micro-op's fields
  std::vector<std::pair<int, int>> locks;  ///< (memory, field)
  SourceLoc loc;
  /// Index of a field by name, -1 if there is none.
  int FieldIndex(std::string_view name) const;
  /// load: fills parts of elements from overlapping pieces of rows of bytes. See isa::Transfer.
  bool Gathers() const { return FieldIndex("piece_bytes") >= 0; }
};

struct AluOp {
  std::string name, doc;
  int code = 0;
  int format = -1;  ///< the alu instruction whose `op` field carries the code
  std::vector<Operand> operands;
  Operand result;
  ScalarProgram program;
  std::vector<std::string> body;  ///< the program as written, line by line
  /// Cycles a step takes: max over memories of its reads (one read port) or writes, times ceil(lanes / unit
  /// lanes).
  int initiation_interval = 1;
  /// Least distance in steps between a write of an element and its next read within one instruction.
  int min_distance = 1;
  /// False when this configuration cannot execute it (lanes of operands do not go together); `unavailable`
  /// says why.
  bool available = true;
  std::string unavailable;
  SourceLoc loc;
};

/// The memory ports an accelerator may have, at most.
inline constexpr int kMaxPorts = 4;

/// The memory system, from the configuration. Ports are all alike, and what is said of one holds for each.
struct MemorySystem {
  int port_bits = 64;
  int burst_beats = 16;
  int latency = 0;        ///< cycles from an accepted read address to the first beat
  int write_latency = 0;  ///< cycles from a burst's last written beat to its response
  int outstanding = 1;    ///< bursts in flight, in each direction
  int jitter = 0;         ///< 0..jitter further cycles for each read burst
  uint64_t seed = 1;
  /// Bytes a cycle, read and written, that all ports share, in whole 1 / kDramSteps; 0: as much as they take.
  double dram_bytes = 0;
  static constexpr int kDramSteps = 64;
  int beat_bytes() const { return port_bits / 8; }
};

/// Choices of the RTL that change neither programs nor cycles, from the configuration.
struct Hardware {
  /// Multiply-accumulates that share a DSP: 1, 2, or 0: as many as the operands' widths allow.
  int macs_per_dsp = 0;
  SourceLoc macs_per_dsp_loc;
  /// Inputs of a gemm tile (of its reduced extent) whose products are made of LUTs instead of DSPs.
  int lut_inputs = 0;
  SourceLoc lut_inputs_loc;
  /// DSPs of a product in a lane of an ALU whose factors are wider than a DSP's and have at most 32 bits: 4,
  /// or 3 and more adders.
  int wide_product_dsps = 4;
};

struct Parameter {
  std::string name, doc;
  int64_t value = 0;
  SourceLoc loc; /* of the value */
};

struct Spec {
  std::string isa, doc, config, config_doc, board;  ///< names: "cosim", …, "pynq"
  double clock_mhz = 0;
  int word_bits = 0;
  int opcode_bits = 0;
  int fetch_words = 0;  ///< instructions the fetch buffer holds (parameter fetch_words)
  int ports = 1;        ///< memory ports, 1 to kMaxPorts
  std::vector<Parameter> parameters;
  std::vector<Memory> memories;
  std::vector<Unit> units;
  std::vector<Queue> queues;
  std::vector<InstructionFormat> formats;
  std::vector<AluOp> alu_ops;
  MemorySystem dram;
  Hardware hardware;
  /// Hash of all that programs and the RTL's behaviour depend on: not of clock, latencies of the memory
  /// system, seed, hardware choices, board and docs.
  uint64_t fingerprint = 0;

  int64_t Param(std::string_view name) const;    ///< CHECKs that it exists
  int MemoryIndex(std::string_view name) const;  ///< -1 if there is none; likewise below
  int UnitIndex(std::string_view name) const;
  int QueueIndex(std::string_view name) const;
  int FormatIndex(std::string_view name) const;
  int AluOpIndex(std::string_view name) const;
  int word_bytes() const { return word_bits / 8; }
  /// Multiply-accumulates a cycle of the largest intrinsic, the product of its axis extents, in all units
  /// that have one as large.
  int64_t MacsPerCycle() const;
  std::string FingerprintText() const;  ///< 16 hex digits
};

/// What a transfer's DRAM address must be a multiple of, in bytes: an element, or a beat if an element is
/// larger.
inline int64_t DramAlignment(const Spec& spec, const Memory& memory) {
  return std::min<int64_t>(memory.stored_bytes, spec.dram.beat_bytes());
}

/// The longest piece that a load gathers into an element, in bytes: two beats, or the whole element.
inline int64_t LongestPiece(const Spec& spec, const Memory& memory) {
  return std::min<int64_t>(memory.stored_bytes, 2 * spec.dram.beat_bytes());
}

}  // namespace cosim::isa
