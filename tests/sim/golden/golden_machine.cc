// SPDX-License-Identifier: Apache-2.0
// Loops exactly as the spec words them; slow on purpose.
#include "tests/sim/golden/golden_machine.h"

#include <algorithm>
#include <utility>

namespace cosim::testing {

int64_t Truncate(int64_t value, isa::ScalarType type) {
  int64_t result = 0;
  for (int bit = 0; bit < 64; ++bit) {
    const int from = bit < type.width ? bit : type.width - 1;
    const bool set =
        (bit < type.width || type.is_signed) && ((static_cast<uint64_t>(value) >> from) & 1) != 0;
    if (set) result = static_cast<int64_t>(static_cast<uint64_t>(result) | uint64_t{1} << bit);
  }
  return result;
}

GoldenMachine::GoldenMachine(const isa::Spec& spec, std::vector<uint8_t> dram)
    : spec_(spec), dram_(std::move(dram)) {
  for (const isa::Memory& memory : spec.memories) {
    const int64_t values = memory.depth * memory.LaneCount() * static_cast<int64_t>(memory.fields.size());
    values_.emplace_back(memory.mirrors >= 0 ? 0 : values, 0);
  }
}

int64_t GoldenMachine::Value(int memory, int64_t element, int64_t lane, int field) const {
  const isa::Memory& info = spec_.memories[memory];
  if (info.mirrors >= 0) return Truncate(Value(info.mirrors, element, lane, field), info.fields[field].type);
  return values_[memory].at((element * info.LaneCount() + lane) * info.fields.size() + field);
}

void GoldenMachine::Set(int memory, int64_t element, int64_t lane, int field, int64_t value) {
  const isa::Memory& info = spec_.memories[memory];
  values_[memory].at((element * info.LaneCount() + lane) * info.fields.size() + field) = value;
}

int64_t GoldenMachine::BitsAt(uint64_t byte, int64_t bit, isa::ScalarType type) const {
  uint64_t value = 0;
  for (int n = 0; n < type.width; ++n) {
    const int64_t at = bit + n;
    value |= static_cast<uint64_t>((dram_.at(byte + at / 8) >> (at % 8)) & 1) << n;
  }
  return Truncate(static_cast<int64_t>(value), type);
}

void GoldenMachine::Execute(const isa::Instruction& instruction, const isa::Decoded& decoded) {
  if (const auto* transfer = std::get_if<isa::Transfer>(&decoded.body)) {
    transfer->gathers ? Gather(*transfer) : Move(*transfer);
  }
  if (const auto* gemm = std::get_if<isa::Gemm>(&decoded.body)) {
    Multiply(*gemm, *spec_.formats[decoded.format].intrinsic);
  }
  if (const auto* alu = std::get_if<isa::Alu>(&decoded.body)) Calculate(*alu, instruction);
}

void GoldenMachine::Move(const isa::Transfer& t) {
  const isa::Memory& memory = spec_.memories[t.memory];
  const int64_t rows = t.is_store ? t.rows : t.SramRows();
  const int64_t cols = t.is_store ? t.cols : t.SramCols();
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t c = 0; c < cols; ++c) {
      const int64_t element = t.sram + r * cols + c;
      const int64_t row = r - t.pad_top, col = c - t.pad_left;
      const bool pad = !t.is_store && (row < 0 || row >= t.rows || col < 0 || col >= t.cols);
      const uint64_t address = t.dram + (row * t.stride + col) * memory.stored_bytes;
      if (t.is_store) {
        for (int64_t byte = 0; byte < memory.stored_bytes; ++byte) dram_.at(address + byte) = 0;
      }
      for (int64_t lane = 0; lane < memory.LaneCount(); ++lane) {
        for (int f = 0; f < static_cast<int>(memory.fields.size()); ++f) {
          const isa::Field& field = memory.fields[f];
          const int64_t bit = lane * memory.record_bits + field.offset;
          if (t.is_store) {
            const uint64_t value = static_cast<uint64_t>(Value(t.memory, element, lane, f));
            for (int n = 0; n < field.type.width; ++n) {
              dram_.at(address + (bit + n) / 8) |=
                  static_cast<uint8_t>(((value >> n) & 1) << ((bit + n) % 8));
            }
          } else {
            Set(t.memory, element, lane, f,
                pad ? Truncate(t.pad_value, field.type) : BitsAt(address, bit, field.type));
          }
        }
      }
    }
  }
}

void GoldenMachine::Gather(const isa::Transfer& t) {
  const isa::Memory& memory = spec_.memories[t.memory];
  for (int64_t n = 0; n < t.rows * t.cols; ++n) {
    const uint64_t piece = t.dram + n / t.cols * t.stride + n % t.cols * t.piece_step;
    for (int64_t lane = 0; lane < memory.LaneCount(); ++lane) {
      for (int f = 0; f < static_cast<int>(memory.fields.size()); ++f) {
        const isa::Field& field = memory.fields[f];
        auto value = static_cast<uint64_t>(Value(t.memory, t.sram + n, lane, f));
        for (int b = 0; b < field.type.width; ++b) {
          const int64_t bit = lane * memory.record_bits + field.offset + b;
          const int64_t at = bit - 8 * t.piece_first;  // of the piece
          if (at < 0 || at >= 8 * t.piece_bytes) continue;
          const uint64_t one = uint64_t{1} << b;
          value = dram_.at(piece + at / 8) >> (at % 8) & 1 ? value | one : value & ~one;
        }
        Set(t.memory, t.sram + n, lane, f, Truncate(static_cast<int64_t>(value), field.type));
      }
    }
  }
}

int64_t GoldenMachine::Element(const isa::Nest& nest, const isa::Index& index, int64_t i, int64_t j,
                               int64_t u) const {
  const int64_t from_uop = index.uop_field < 0 ? 0 : Value(nest.micro_ops, u, 0, index.uop_field);
  return index.base + from_uop + i * index.outer + j * index.inner;
}

namespace {

int64_t Lane(const isa::Memory& memory, const isa::Operand& operand, const std::vector<int>& at) {
  int64_t lane = 0;
  for (size_t d = 0; d < operand.lanes.size(); ++d) {
    lane *= memory.lanes[d];
    for (const isa::LaneTerm& term : operand.lanes[d]) lane += term.scale * (at[term.axis] / term.divisor);
  }
  return lane;
}

/// The next combination of axis values; false after the last.
bool Advance(const isa::Intrinsic& intrinsic, std::vector<int>& at) {
  for (size_t axis = 0; axis < at.size(); ++axis) {
    if (++at[axis] < intrinsic.axes[axis].extent) return true;
    at[axis] = 0;
  }
  return false;
}

}  // namespace

void GoldenMachine::Multiply(const isa::Gemm& gemm, const isa::Intrinsic& intrinsic) {
  const bool rows =
      std::ranges::any_of(intrinsic.sources, [](const isa::Operand& source) { return source.row_axis >= 0; });
  const int64_t uops = gemm.nest.uop_end - gemm.nest.uop_begin;
  for (int64_t i = 0; i < gemm.nest.iter_out; ++i) {
    if (rows) {
      for (int64_t u = 0; u < uops; ++u)
        for (int64_t j = 0; j < gemm.nest.iter_in; ++j)
          MultiplyOnce(gemm, intrinsic, i, j, gemm.nest.uop_begin + u);
    } else {
      for (int64_t j = 0; j < gemm.nest.iter_in; ++j)
        for (int64_t u = 0; u < uops; ++u) MultiplyOnce(gemm, intrinsic, i, j, gemm.nest.uop_begin + u);
    }
  }
}

void GoldenMachine::MultiplyOnce(const isa::Gemm& gemm, const isa::Intrinsic& intrinsic, int64_t i, int64_t j,
                                 int64_t u) {
  const isa::Memory& dst = spec_.memories[intrinsic.dst.memory];
  const int64_t target = Element(gemm.nest, gemm.dst, i, j, u);
  for (int64_t lane = 0; lane < dst.LaneCount() && (gemm.reset || gemm.overwrite); ++lane) {
    Set(intrinsic.dst.memory, target, lane, 0, 0);
  }
  if (gemm.reset) return;
  std::vector<int> at(intrinsic.axes.size(), 0);
  do {
    int64_t product = 1;
    for (size_t s = 0; s < intrinsic.sources.size(); ++s) {
      const isa::Operand& source = intrinsic.sources[s];
      int64_t element = Element(gemm.nest, gemm.sources[s], i, j, u);
      if (source.row_axis >= 0) element += at[source.row_axis];
      if (source.line_axis >= 0) element += at[source.line_axis] * gemm.pitch;
      product *= Value(source.memory, element, Lane(spec_.memories[source.memory], source, at), 0);
    }
    const int64_t lane = Lane(dst, intrinsic.dst, at);
    const int64_t sum = Value(intrinsic.dst.memory, target, lane, 0) + product;
    Set(intrinsic.dst.memory, target, lane, 0, Truncate(sum, dst.fields[0].type));
  } while (Advance(intrinsic, at));
}

namespace {

/// Which element from the index on, and which of its lanes, of extents `own`, lane number `lane` of a result
/// with extents `result` reads: columns beyond its own are the next element's, rows beyond its own its own
/// again.
std::pair<int64_t, int64_t> ReadBy(int64_t lane, const std::vector<int>& result,
                                   const std::vector<int>& own) {
  if (own.empty()) return {0, 0};
  std::vector<int64_t> at;  // of the lane, from the last dimension on
  for (size_t d = result.size(); d-- > 0; lane /= result[d]) at.push_back(lane % result[d]);
  const int64_t behind = at[0] / own.back();
  at[0] %= own.back();
  int64_t from = 0;
  for (size_t d = own.size(); d-- > 0;) from = from * own[own.size() - 1 - d] + at[d];
  return {behind, from};
}

}  // namespace

void GoldenMachine::Calculate(const isa::Alu& alu, const isa::Instruction& instruction) {
  const isa::AluOp& op = spec_.alu_ops[alu.op];
  const int64_t lanes = spec_.memories[op.result.memory].LaneCount();
  for (int64_t i = 0; i < alu.nest.iter_out; ++i) {
    for (int64_t j = 0; j < alu.nest.iter_in; ++j) {
      for (int64_t u = alu.nest.uop_begin; u < alu.nest.uop_end; ++u) {
        for (int64_t lane = 0; lane < lanes; ++lane) {
          std::vector<int64_t> inputs;
          for (const isa::ScalarInput& input : op.program.inputs) {
            if (input.kind == isa::ScalarInput::Kind::kImmediate) {
              inputs.push_back(instruction.values[input.instruction_field]);
              continue;
            }
            const int memory = op.operands[input.operand].memory;
            const int64_t element = Element(alu.nest, alu.operands[input.operand], i, j, u);
            const auto [behind, from] =
                ReadBy(lane, spec_.memories[op.result.memory].lanes, spec_.memories[memory].lanes);
            inputs.push_back(Value(memory, element + behind, from, input.field < 0 ? 0 : input.field));
          }
          Set(op.result.memory, Element(alu.nest, alu.result, i, j, u), lane, 0,
              isa::Evaluate(op.program, inputs, [&](const isa::ScalarTable& table, int64_t index) {
                return Value(table.memory, index, 0, 0);
              }));
        }
      }
    }
  }
}

}  // namespace cosim::testing
