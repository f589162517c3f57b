// SPDX-License-Identifier: Apache-2.0
// Typed views of an instruction's fields. Names are looked up once a format, when the Decoder is made; what
// the values may be is the verifier's business.
#include "isa/program/decode.h"

#include <fmt/format.h>

#include <string_view>

#include "isa/check.h"

namespace cosim::isa {
namespace {

constexpr int kNoField = -1;

int64_t Value(const Instruction& instruction, int field) {
  return field == kNoField ? 0 : instruction.values[field];
}

Index ReadIndex(const InstructionFormat& format, int which, const Instruction& instruction) {
  if (which < 0) return {};
  const IndexFields& fields = format.indices[which];
  return {Value(instruction, fields.base), Value(instruction, fields.outer), Value(instruction, fields.inner),
          fields.uop};
}

int FindIndex(const InstructionFormat& format, std::string_view name) {
  for (size_t i = 0; i < format.indices.size(); ++i) {
    if (format.indices[i].index == name) return static_cast<int>(i);
  }
  return -1;
}

}  // namespace

std::string PieceError(const Spec& spec, const Transfer& transfer) {
  if (!transfer.gathers) return {};
  const Memory& memory = spec.memories[transfer.memory];
  const int64_t longest = LongestPiece(spec, memory);
  if (transfer.piece_bytes < 1 || transfer.piece_bytes > longest)
    return fmt::format("gathers pieces of {} bytes; they have 1 to {}", transfer.piece_bytes, longest);
  if (transfer.piece_first + transfer.piece_bytes > memory.stored_bytes)
    return fmt::format("gathers into bytes {} to {} of elements of '{}', which have {}", transfer.piece_first,
                       transfer.piece_first + transfer.piece_bytes - 1, memory.name, memory.stored_bytes);
  const Wide row = Wide{transfer.cols - 1} * transfer.piece_step + transfer.piece_bytes;
  if (row != transfer.row_bytes)
    return fmt::format("has row_bytes={}, but {} pieces of {} bytes with a step of {} take {}",
                       transfer.row_bytes, transfer.cols, transfer.piece_bytes, transfer.piece_step,
                       static_cast<int64_t>(row));
  return {};
}

Wide ReachOf(const Transfer& transfer, int64_t stored) {
  if (transfer.gathers) return Wide{transfer.rows - 1} * transfer.stride + transfer.row_bytes;
  return (Wide{transfer.rows - 1} * transfer.stride + transfer.cols) * stored;
}

std::string RowError(const Gemm& gemm) {
  if (gemm.row_source < 0 || gemm.nest.iter_in <= 1) return {};
  const int64_t apart = gemm.sources[gemm.row_source].inner;
  if (apart >= 1 && apart <= gemm.taps) return {};
  return fmt::format("has iterations {} elements apart along a row; 1 to {} are possible", apart, gemm.taps);
}

Decoder::Decoder(const Spec& spec) : spec_(&spec), formats_(spec.formats.size()) {
  for (size_t i = 0; i < spec.formats.size(); ++i) formats_[i] = MakeTable(spec, static_cast<int>(i));
}

Decoder::Table Decoder::MakeTable(const Spec& spec, int index) {
  const InstructionFormat& format = spec.formats[index];
  Table table;
  auto field = [&](std::string_view name) { return format.FieldIndex(name); };
  switch (format.kind) {
    case Kind::kSync:
      break;
    case Kind::kLoad:
    case Kind::kStore:
      table.transfer = {.sram = field("sram"),
                        .dram = field("dram"),
                        .rows = field("rows"),
                        .cols = field("cols"),
                        .stride = field("stride"),
                        .pad_top = field("pad_top"),
                        .pad_bottom = field("pad_bottom"),
                        .pad_left = field("pad_left"),
                        .pad_right = field("pad_right"),
                        .pad_value = field("pad_value"),
                        .piece_bytes = field("piece_bytes"),
                        .piece_first = field("piece_first"),
                        .piece_step = field("piece_step"),
                        .row_bytes = field("row_bytes")};
      break;
    case Kind::kAlu:
      table.op = field("op");
      for (size_t i = 0; i < spec.alu_ops.size(); ++i) {
        const AluOp& op = spec.alu_ops[i];
        if (op.format != index) continue;
        OpTable entry{
            .code = op.code, .op = static_cast<int>(i), .result = FindIndex(format, op.result.index)};
        for (const Operand& operand : op.operands) entry.operands.push_back(FindIndex(format, operand.index));
        table.ops.push_back(std::move(entry));
      }
      break;
    case Kind::kGemm:
      table.overwrite = field("overwrite");
      table.reset = field("reset");
      if (format.intrinsic) {
        table.dst = FindIndex(format, format.intrinsic->dst.index);
        for (const Operand& source : format.intrinsic->sources) {
          table.sources.push_back(FindIndex(format, source.index));
        }
        table.row_source = format.intrinsic->RowSource();
        if (table.row_source >= 0) {
          const Operand& rows = format.intrinsic->sources[table.row_source];
          table.taps = rows.parts;
          table.lines = rows.lines;
          table.pitch = rows.pitch_field;
        }
      }
      break;
  }
  if (format.micro_ops >= 0) {
    table.nest = {field("uop_begin"), field("uop_end"), field("iter_out"), field("iter_in")};
  }
  return table;
}

void Decoder::DecodeInto(const Instruction& instruction, Decoded& out) const {
  COSIM_CHECK(instruction.format >= 0 && static_cast<size_t>(instruction.format) < formats_.size(),
              "instruction format {}", instruction.format);
  const InstructionFormat& format = spec_->formats[instruction.format];
  COSIM_CHECK(instruction.values.size() == format.fields.size(), "{} has {} fields, not {}", format.name,
              format.fields.size(), instruction.values.size());
  DecodeWith(formats_[instruction.format], format, instruction, out);
}

Decoded Decoder::operator()(const Instruction& instruction) const {
  Decoded out;
  DecodeInto(instruction, out);
  return out;
}

std::vector<Decoded> Decoder::All(std::span<const Instruction> instructions) const {
  std::vector<Decoded> all;
  all.reserve(instructions.size());
  for (const Instruction& instruction : instructions) DecodeInto(instruction, all.emplace_back());
  return all;
}

void Decoder::DecodeWith(const Table& table, const InstructionFormat& format, const Instruction& instruction,
                         Decoded& out) {
  out.format = instruction.format;
  out.unit = format.unit;
  for (auto [queue, field] : format.pops) {
    if (instruction.values[field] != 0) out.pops |= uint64_t{1} << queue;
  }
  for (auto [queue, field] : format.pushes) {
    if (instruction.values[field] != 0) out.pushes |= uint64_t{1} << queue;
  }
  for (auto [memory, field] : format.locks) {
    out.locks.emplace_back(memory, static_cast<uint32_t>(instruction.values[field]));
  }
  auto value = [&](int field) { return Value(instruction, field); };
  auto nest = [&] {
    return Nest{format.micro_ops, value(table.nest.uop_begin), value(table.nest.uop_end),
                value(table.nest.iter_out), value(table.nest.iter_in)};
  };
  switch (format.kind) {
    case Kind::kSync:
      break;
    case Kind::kLoad:
    case Kind::kStore: {
      const TransferFields& f = table.transfer;
      out.body = Transfer{.memory = format.memory,
                          .is_store = format.kind == Kind::kStore,
                          .dram = static_cast<uint64_t>(value(f.dram)),
                          .sram = value(f.sram),
                          .rows = value(f.rows),
                          .cols = value(f.cols),
                          .stride = value(f.stride),
                          .pad_top = value(f.pad_top),
                          .pad_bottom = value(f.pad_bottom),
                          .pad_left = value(f.pad_left),
                          .pad_right = value(f.pad_right),
                          .pad_value = value(f.pad_value),
                          .gathers = f.piece_bytes >= 0,
                          .piece_bytes = value(f.piece_bytes),
                          .piece_first = value(f.piece_first),
                          .piece_step = value(f.piece_step),
                          .row_bytes = value(f.row_bytes)};
      break;
    }
    case Kind::kGemm: {
      Gemm& gemm = out.body.emplace<Gemm>();
      gemm.nest = nest();
      gemm.dst = ReadIndex(format, table.dst, instruction);
      for (int source : table.sources) gemm.sources.push_back(ReadIndex(format, source, instruction));
      gemm.overwrite = value(table.overwrite) != 0;
      gemm.reset = value(table.reset) != 0;
      gemm.row_source = table.row_source;
      gemm.taps = table.taps;
      gemm.lines = table.lines;
      gemm.pitch = value(table.pitch);
      break;
    }
    case Kind::kAlu: {
      Alu& alu = out.body.emplace<Alu>();
      alu.nest = nest();
      const int64_t code = value(table.op);
      for (const OpTable& op : table.ops) {
        if (op.code != code) continue;
        alu.op = op.op;
        alu.result = ReadIndex(format, op.result, instruction);
        for (int operand : op.operands) alu.operands.push_back(ReadIndex(format, operand, instruction));
      }
      break;
    }
  }
}

Decoded Decode(const Spec& spec, const Instruction& instruction) {
  COSIM_CHECK(instruction.format >= 0 && static_cast<size_t>(instruction.format) < spec.formats.size(),
              "instruction format {}", instruction.format);
  Decoded out;
  Decoder::DecodeWith(Decoder::MakeTable(spec, instruction.format), spec.formats[instruction.format],
                      instruction, out);
  return out;
}

}  // namespace cosim::isa
