// SPDX-License-Identifier: Apache-2.0
// Typed views of an instruction's fields by the role they play, so that simulators, verifier and compiler
// need no field names. Reads the Spec's tables; checks nothing about the values (isa/verify/verify.h does).
#pragma once

#include <boost/container/small_vector.hpp>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "isa/program/program.h"
#include "isa/spec/spec.h"
#include "isa/wide.h"

namespace cosim::isa {

/// rows x cols elements between DRAM and `memory`. Row r of the DRAM side starts at dram + r * stride *
/// stored_bytes. A load writes (pad_top + rows + pad_bottom) x (pad_left + cols + pad_right) consecutive
/// elements from `sram` on, row-major, pads holding pad_value in every lane; a store reads rows x cols
/// consecutive elements.
///
/// A load that gathers fills a part of each element: element c of row r has its stored bytes [piece_first,
/// piece_first + piece_bytes) from DRAM bytes dram + r * stride + c * piece_step on, and keeps its others.
/// There dram and stride are any number of bytes, a row takes row_bytes = (cols - 1) * piece_step +
/// piece_bytes, and there are no pads.
struct Transfer {
  int memory = -1;
  bool is_store = false;
  uint64_t dram = 0;  ///< bytes (as the `dram` field holds them); a multiple of the memory's stored_bytes or,
                      ///< if that is larger, of a beat
  int64_t sram = 0;   ///< element
  int64_t rows = 0, cols = 0, stride = 0;  ///< elements
  int64_t pad_top = 0, pad_bottom = 0, pad_left = 0, pad_right = 0, pad_value = 0;
  bool gathers = false;
  int64_t piece_bytes = 0, piece_first = 0, piece_step = 0, row_bytes = 0;  ///< bytes
  int64_t SramRows() const { return pad_top + rows + pad_bottom; }
  int64_t SramCols() const { return pad_left + cols + pad_right; }
  int64_t SramElements() const { return SramRows() * SramCols(); }
  /// Bytes of DRAM that a row takes, and from a row's first to the next one's; `stored`: of an element. A
  /// stride that no row follows may be anything: it wraps.
  int64_t RowBytes(int64_t stored) const { return gathers ? row_bytes : cols * stored; }
  int64_t StrideBytes(int64_t stored) const {
    return gathers ? stride
                   : static_cast<int64_t>(static_cast<uint64_t>(stride) * static_cast<uint64_t>(stored));
  }
};

/// What is wrong with the pieces of a load, for a message that begins with the instruction; empty if nothing
/// is, or if it gathers none. Bounds are not looked at.
std::string PieceError(const Spec& spec, const Transfer& transfer);

/// DRAM bytes from the first row's first to behind the last row's last; `stored`: bytes of an element.
Wide ReachOf(const Transfer& transfer, int64_t stored);

/// Element index of step (i, j, u): base + uop[u].field + i * outer + j * inner, modulo nothing: it must be
/// in bounds.
struct Index {
  int64_t base = 0, outer = 0, inner = 0;
  int uop_field = -1;
};

/// As many as instructions have as a rule need no memory of their own: a program has many thousands.
using Indices = boost::container::small_vector<Index, 3>;

/// The banks an instruction names: (memory, mask).
using BankMasks = boost::container::small_vector<std::pair<int, uint32_t>, 2>;

/// for i < iter_out, for j < iter_in, for u in [uop_begin, uop_end): one step.
struct Nest {
  int micro_ops = -1;  ///< memory
  int64_t uop_begin = 0, uop_end = 0, iter_out = 0, iter_in = 0;
  int64_t Steps() const { return iter_out * iter_in * (uop_end - uop_begin); }
};

/// Where a source has a row axis (Intrinsic::RowSource), its elements are read one a cycle: the iterations of
/// the inner loop lie `inner` elements apart along a row, which takes (iter_in - 1) * inner + taps cycles,
/// and the micro-ops are walked outside of it. They lie at most `taps` apart: no element of a row is left
/// out.
///
/// Where such a source has several rows (Operand::lines), each of them is read so at once, `pitch` elements
/// behind the one before.
struct Gemm {
  Nest nest;
  Index dst;
  Indices sources;  ///< as Intrinsic::sources
  bool overwrite = false, reset = false;
  int row_source = -1;  ///< the one read along rows; -1: none
  int taps = 1;         ///< of its elements, those of a row that a step takes
  int lines = 1;        ///< rows that a step takes
  int64_t pitch = 0;    ///< elements from one of them to the next
  /// Elements from the first row to the last one of a source.
  Wide LastLine(size_t source) const {
    return static_cast<int>(source) == row_source ? Wide{lines - 1} * pitch : Wide{0};
  }
  /// Elements of a source that are read one a cycle, which is what the instruction takes.
  int64_t Cycles() const {
    if (row_source < 0 || nest.Steps() == 0) return nest.Steps();
    return nest.iter_out * (nest.uop_end - nest.uop_begin) *
           ((nest.iter_in - 1) * sources[row_source].inner + taps);
  }
};

/// What is wrong with the rows of a gemm, for a message that begins with the instruction; empty if nothing
/// is.
std::string RowError(const Gemm& gemm);

struct Alu {
  Nest nest;
  int op = -1;  ///< index into Spec::alu_ops; -1 when no op has the code
  Index result;
  Indices operands;  ///< as AluOp::operands
};

struct Sync {};

struct Decoded {
  int format = -1, unit = -1;
  uint64_t pops = 0, pushes = 0;  ///< bit q: queue q
  BankMasks locks;
  std::variant<Sync, Transfer, Gemm, Alu> body;
};

/// Decodes many instructions of one spec: looks field names up once. Keeps a pointer to `spec`.
class Decoder {
 public:
  explicit Decoder(const Spec& spec);
  Decoded operator()(const Instruction& instruction) const;
  /// All of a program's, in order.
  std::vector<Decoded> All(std::span<const Instruction> instructions) const;

 private:
  friend Decoded Decode(const Spec& spec, const Instruction& instruction);
  // Field numbers, and positions in InstructionFormat::indices; -1: absent.
  struct TransferFields {
    int sram = -1, dram = -1, rows = -1, cols = -1, stride = -1;
    int pad_top = -1, pad_bottom = -1, pad_left = -1, pad_right = -1, pad_value = -1;
    int piece_bytes = -1, piece_first = -1, piece_step = -1, row_bytes = -1;
  };
  struct NestFields {
    int uop_begin = -1, uop_end = -1, iter_out = -1, iter_in = -1;
  };
  struct OpTable {
    int code = 0, op = -1, result = -1;
    std::vector<int> operands;
  };
  struct Table {
    TransferFields transfer;
    NestFields nest;
    int op = -1, overwrite = -1, reset = -1, dst = -1;
    std::vector<int> sources;
    int row_source = -1, taps = 1, lines = 1, pitch = -1;
    std::vector<OpTable> ops;
  };
  static Table MakeTable(const Spec& spec, int format);
  /// Into one that is as it was made.
  void DecodeInto(const Instruction& instruction, Decoded& out) const;
  static void DecodeWith(const Table& table, const InstructionFormat& format, const Instruction& instruction,
                         Decoded& out);

  const Spec* spec_;
  std::vector<Table> formats_;
};

/// One instruction; slower than a Decoder, which many should share.
Decoded Decode(const Spec& spec, const Instruction& instruction);

}  // namespace cosim::isa
