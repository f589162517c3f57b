// SPDX-License-Identifier: Apache-2.0
// What hardware a Spec asks for, as the SystemVerilog printers need it: units with their kinds and memories,
// widths of the roles their instructions play, and how token and bank flags stand side by side. Prints
// nothing itself.
#pragma once

#include <string>
#include <vector>

#include "isa/spec/spec.h"

namespace cosim::isa {

/// A gemm instruction as dst[b, o] += src[b, k] * side[o, k], or lane by lane as dst[b, o] += src[b, o] *
/// side[o]: the shapes the array has a template for.
struct SvGemm {
  int format = -1;
  int dst = -1, src = -1,
      side = -1;  ///< operands: -1 dst is Intrinsic::dst; src and side index Intrinsic::sources
  int batch = 0, block_in = 0, block_out = 0;
  bool per_lane = false;  ///< then block_in is 1
  int macs_per_dsp = 1;   ///< as the configuration says, else as many as fit
  /// The instruction of the same unit that multiplies along rows (isa::RowProduct); -1: there is none.
  int rows = -1;
  int taps = 0, group = 1, lines = 1;
  std::string pitch;  ///< its field that says how far lines lie apart; empty: there is one line
  /// Elements whose products one sum of it takes.
  int AllTaps() const { return lines * taps; }
  /// Where products share DSPs, two channels that are multiplied each for itself have their places side by
  /// side.
  bool Halves() const { return rows >= 0 && group == 1 && macs_per_dsp == 2; }
  /// Channels whose activations are registered side by side along rows.
  int Members() const { return Halves() ? 2 : group; }
  /// Whether the last tap has no place among the inputs of a tile, but multipliers of its own.
  bool HasExtraTap() const { return AllTaps() * Members() > block_in; }
};

/// What the alu instructions of a unit need. All ops of one format; results of equally many lanes.
struct SvAlu {
  int format = -1;
  std::vector<int> ops;            ///< into Spec::alu_ops; available ones only
  std::vector<int> reads, writes;  ///< memories
  std::vector<int> tables;         ///< memories that ops look up: each lane has a copy
  std::vector<int> immediates;     ///< fields of the format that some op reads
  int element_lanes = 0;           ///< of a result
  int groups = 1;                  ///< of unit lanes, one after the other
  int stages = 0;                  ///< registers in the datapath: the most of any op
  /// Elements of `memory` that one of a result takes side by side (Operand::parts).
  int Parts(const Spec& spec, int memory) const;
  /// Operands of `op` that read memory `memory`, in order.
  std::vector<int> Operands(const Spec& spec, int op, int memory) const;
};

struct SvUnit {
  int unit = -1;
  std::string name;                     ///< as in the spec
  std::string constant;                 ///< as its constants begin: "UnitLoad"
  std::vector<int> formats;             ///< of this unit, in the order of the spec
  std::vector<int> memories;            ///< written by its loads, in the order of their first load
  std::vector<int> pops, pushes;        ///< queues, in the order of their flags
  int pop_offset = 0, push_offset = 0;  ///< first pop and push flag in the word
  int command_bits = 0;                 ///< bits of the word that its formats use
  bool loads = false, gemms = false, alus = false, stores = false;
  SvGemm gemm;              ///< when gemms
  SvAlu alu;                ///< when alus
  int64_t piece_bytes = 0;  ///< when it gathers pieces: of the widest element they are gathered into
  int stored = -1;          ///< when stores: the memory
  int port = 0;             ///< memory port of its loads and stores
  int requester = -1;       ///< when loads: its number among all requesters of the read ports
  int tag_bits = 0;         ///< what comes back at retirement: pushes (lowest), then banks
  /// Whether some load of its gathers pieces into `memory`.
  bool GathersInto(const Spec& spec, int memory) const;
  /// Width of the widest field of this name among its formats of `kind`; 0 when none has it.
  int FieldBits(const Spec& spec, Kind kind, std::string_view name) const;
};

/// One output of a unit's decoder, `<name>_o`: field `field` of its formats of `kind`, as "load_sram".
struct SvRole {
  std::string name, field;
  Kind kind;
  int bits;
  bool of_pieces = false;  ///< read only of instructions that gather pieces
};

/// The fields that the unit's engines take. Fields that no format has are one bit, and 0.
std::vector<SvRole> SvRoles(const Spec& spec, const SvUnit& unit);

/// Who reads through a memory port: so many requesters, side by side among all of them. Of port 0 the first
/// is fetch; units follow in the order of the spec.
struct SvReaders {
  int first = 0, count = 0;
};

struct SvPlan {
  explicit SvPlan(const Spec& spec);
  /// Number of requesters, over all ports.
  int Requesters() const { return readers.back().first + readers.back().count; }
  std::vector<SvUnit> units;       ///< as Spec::units
  std::vector<SvReaders> readers;  ///< of each memory port
  /// Of each memory in the mask of all shared memories' banks (or of their ports, where those are held
  /// apart); -1: not shared.
  std::vector<int> bank_offset;
  int bank_bits = 0;  ///< width of that mask, at least 1
};

/// Bits of an element whose bytes are written on their own, because some load gathers pieces into `memory`.
inline constexpr int kSvPieceBits = 8;

/// True if some load gathers pieces into `memory`.
bool SvGathersInto(const Spec& spec, int memory);

/// True if a load of this format can write padding.
bool SvPads(const InstructionFormat& format);

/// True if ops of an alu look `memory` up: then it stands in that unit's lanes.
bool SvIsTable(const SvPlan& plan, int memory);

/// How often `memory` stands side by side, written alike: so that as many rows of it are read at once as some
/// gemm instruction takes.
int SvCopies(const Spec& spec, const SvPlan& plan, int memory);

/// "gemm_uop" as constants are named: "GemmUop".
std::string SvConstantName(std::string_view name);

/// Bits of an address of `depth` elements, at least 1.
int SvAddressBits(int64_t depth);

/// True if two sums of two products of a `src_bits` and a `side_bits` factor fit two DSP48
/// (hw/rtl/multiplier_quad.sv).
bool SvPairsFit(int src_bits, int side_bits);

/// The template's view of a gemm format; `dst` < -1 when its intrinsic is of another shape.
SvGemm MatchSvGemm(const Spec& spec, int format);

}  // namespace cosim::isa
