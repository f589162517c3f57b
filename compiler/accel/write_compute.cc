// SPDX-License-Identifier: Apache-2.0
// Gemm and alu instructions, and the micro-ops they bring along. See instruction_writer.h. Nests are planned
// by micro_ops.cc.
#include <algorithm>
#include <cstdlib>
#include <map>

#include "compiler/accel/capabilities.h"
#include "compiler/accel/instruction_writer.h"
#include "isa/check.h"

namespace cosim::accel {
namespace {

// Every element an index of the space reaches, `parts` at a time, once each, ascending. From the smallest
// stride on: what a larger one repeats mostly lies behind it, and then nothing needs sorting.
void Reach(const IndexSpace& space, int index, int64_t parts, std::vector<int32_t>& out) {
  int64_t first = space.bases[index];
  std::map<int64_t, int64_t> last;  // of each stride, the largest multiple: dims of one stride add up
  if (parts > 1) last[1] = parts - 1;
  for (size_t d = 0; d < space.extents.size(); ++d) {
    const int64_t stride = space.strides[index][d], steps = space.extents[d] - 1;
    if (stride == 0 || steps <= 0) continue;
    if (stride < 0) first += stride * steps;
    last[std::abs(stride)] += steps;
  }
  out = {static_cast<int32_t>(first)};
  for (const auto& [stride, multiple] : last) {
    const size_t count = out.size();
    const bool overlaps = stride <= out.back() - out.front();
    out.reserve(count * static_cast<size_t>(multiple + 1));
    for (int64_t v = 1; v <= multiple; ++v)
      for (size_t i = 0; i < count; ++i) out.push_back(static_cast<int32_t>(out[i] + v * stride));
    if (!overlaps) continue;
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
  }
}

bool AllAtZero(const std::vector<tir::Var>& vars, const Environment& env) {
  return std::all_of(vars.begin(), vars.end(), [&](const tir::Var& v) { return env.Lookup(v) == 0; });
}

int UopField(const isa::Spec& spec, int format, const std::string& index) {
  const auto& fields = spec.memories[spec.formats[format].micro_ops].fields;
  for (size_t f = 0; f < fields.size(); ++f)
    if (fields[f].name == index) return static_cast<int>(f);
  COSIM_CHECK(false, "micro-ops of {} have no field {}", spec.formats[format].name, index);
}

std::optional<RowRead> RowsOf(const isa::Spec& spec, int format) {
  const isa::Intrinsic& intrinsic = *spec.formats[format].intrinsic;
  const int row = intrinsic.RowSource();
  if (row < 0) return std::nullopt;
  const isa::Operand& source = intrinsic.sources[row];
  return RowRead{UopField(spec, format, source.index), source.parts};
}

bool HasBases(const isa::InstructionFormat& format) {
  return std::all_of(format.indices.begin(), format.indices.end(), [](const auto& i) { return i.base >= 0; });
}

// Calls `write` once with the whole space, or, while `fits` says no, once for each index of the largest dim
// among `candidates`.
template <typename Fits, typename WritePart>
void SplitUntil(const IndexSpace& space, const Fits& fits, const WritePart& write, bool first = true) {
  if (fits(space)) {
    write(space, first);
    return;
  }
  const size_t d = std::max_element(space.extents.begin(), space.extents.end()) - space.extents.begin();
  COSIM_CHECK(space.extents[d] > 1);
  const bool reduction = space.strides[space.result][d] == 0;
  IndexSpace low = space, high = space;
  low.extents[d] = space.extents[d] / 2;
  high.extents[d] = space.extents[d] - low.extents[d];
  for (size_t i = 0; i < space.bases.size(); ++i) high.bases[i] += low.extents[d] * space.strides[i][d];
  SplitUntil(low, fits, write, first);
  SplitUntil(high, fits, write, first && !reduction);
}

}  // namespace

template <typename AccessOf>
IndexSpace InstructionWriter::MakeSpace(int format, const std::vector<Dim>& dims, const std::string& result,
                                        AccessOf access_of) const {
  IndexSpace space;
  space.result = UopField(spec_, format, result);
  for (const Dim& dim : dims) space.extents.push_back(Evaluate(dim.extent, env_));
  for (const auto& field : spec_.memories[spec_.formats[format].micro_ops].fields) {
    const Access* access = access_of(field.name);
    space.bases.push_back(access ? BaseOf(*access) : 0);
    space.strides.push_back(access ? access->strides : std::vector<int64_t>(dims.size(), 0));
  }
  return space;
}

int64_t InstructionWriter::MicroOpLimit(const isa::InstructionFormat& format) const {
  const int load = FindTransfer(spec_, format.micro_ops, false);
  const int64_t movable = load < 0 ? 1 : LimitsOf(load).cols;
  return std::max<int64_t>(1, std::min(spec_.memories[format.micro_ops].depth / 2, movable));
}

// A field of micro-ops may be narrower than the memory it indexes: instructions have bases besides.
bool InstructionWriter::FitMicroOps(const isa::Memory& memory, const HardwareNest& nest) {
  for (size_t i = 0; i < nest.micro_ops.size(); ++i) {
    const isa::Field& field = memory.fields[i % memory.fields.size()];
    const int64_t value = nest.micro_ops[i];
    if (value >= field.type.Min() && value <= field.type.Max()) continue;
    Refuse(fmt::format("field '{}' of '{}' holds {} to {} and would need {}", field.name, memory.name,
                       field.type.Min(), field.type.Max(), value));
    return false;
  }
  return true;
}

int64_t InstructionWriter::Require(int memory, const HardwareNest& nest) {
  if (!FitMicroOps(spec_.memories[memory], nest)) return 0;
  auto& store = stores_.at(memory);
  const auto place = store.Get(nest.micro_ops, nest.micro_op_count);
  if (!place.load) return place.begin;
  const int format = FindTransfer(spec_, memory, false);
  if (format < 0) {
    Refuse(fmt::format("no instruction loads '{}'", spec_.memories[memory].name));
    return 0;
  }
  const int64_t bytes = spec_.memories[memory].stored_bytes;
  const uint64_t dram = micro_op_base_.at(memory) + place.dram_begin * bytes;
  isa::Instruction load = Make(format);
  Set(load, "sram", place.begin);
  Set(load, "dram", static_cast<int64_t>(dram));
  Set(load, "rows", 1);
  Set(load, "cols", nest.micro_op_count);
  Set(load, "stride", std::min(nest.micro_op_count, LimitsOf(format).stride));
  if (!sink_) return place.begin;
  Footprint footprint;
  AddMicroOps(footprint, memory, place.begin, nest.micro_op_count);
  footprint.on_chip.back().write = true;
  footprint.dram.push_back({false, dram, dram + nest.micro_op_count * bytes});
  Add(std::move(load), footprint);
  return place.begin;
}

void InstructionWriter::SetNest(isa::Instruction& instruction, const HardwareNest& nest, int64_t uop_begin,
                                int64_t uop_count) {
  Set(instruction, "uop_begin", uop_begin);
  Set(instruction, "uop_end", uop_begin + uop_count);
  Set(instruction, "iter_out", nest.iter_out);
  Set(instruction, "iter_in", nest.iter_in);
  const auto put = [&](int field, int64_t value) {
    if (field >= 0) return SetField(instruction, field, value);
    COSIM_CHECK(value == 0);  // PlanNest leaves bases to the micro-ops where there are no fields for them
  };
  for (const auto& index : spec_.formats[instruction.format].indices) {
    put(index.base, nest.bases[index.uop]);
    put(index.outer, nest.outer[index.uop]);
    put(index.inner, nest.inner[index.uop]);
  }
}

void InstructionWriter::Add(isa::Instruction instruction, const Footprint& footprint) {
  for (const auto& [memory, field] : spec_.formats[instruction.format].locks) {
    const auto& m = spec_.memories[memory];
    const auto bank = static_cast<int32_t>(m.depth / m.banks);
    int64_t mask = 0;
    for (const auto& part : footprint.on_chip) {
      if (part.memory != memory) continue;
      int32_t begin = 0, end = 0;  // of the bank seen last: neighbours share it
      for (int32_t element : part.elements) {
        if (element >= begin && element < end) continue;
        mask |= int64_t{1} << (element / bank);
        begin = element / bank * bank;
        end = begin + bank;
      }
    }
    instruction.values[field] = mask;
  }
  sink_->Add(std::move(instruction), footprint, tag_);
}

void InstructionWriter::AddOnChip(Footprint& footprint, int memory, bool write, const IndexSpace& space,
                                  int index, int64_t parts) const {
  Footprint::OnChip part{memory, write, {}};
  Reach(space, index, parts, part.elements);
  footprint.on_chip.push_back(std::move(part));
}

void InstructionWriter::AddMicroOps(Footprint& footprint, int memory, int64_t begin, int64_t count) const {
  Footprint::OnChip part{memory, false, {}};
  for (int64_t u = 0; u < count; ++u) part.elements.push_back(static_cast<int32_t>(begin + u));
  footprint.on_chip.push_back(std::move(part));
}

void InstructionWriter::WriteGemm(const GemmLeaf& leaf) {
  const auto& format = spec_.formats[leaf.format];
  const auto& intrinsic = *format.intrinsic;
  const IndexSpace space =
      MakeSpace(leaf.format, leaf.dims, intrinsic.dst.index, [&](const std::string& name) -> const Access* {
        if (intrinsic.dst.index == name) return &leaf.dst;
        for (size_t s = 0; s < leaf.sources.size(); ++s)
          if (intrinsic.sources[s].index == name) return &leaf.sources[s];
        return nullptr;
      });
  if (std::count(space.extents.begin(), space.extents.end(), 0)) return;
  const bool first = leaf.initialize && AllAtZero(leaf.outer_reduction, env_);
  const int64_t limit = MicroOpLimit(format);
  const int64_t iterations = MostOf(leaf.format, "iter_out");
  SplitUntil(
      space,
      [&](const IndexSpace& s) {
        return PlanNest(s, iterations, !HasBases(format), RowsOf(spec_, leaf.format)).micro_op_count <= limit;
      },
      [&](const IndexSpace& s, bool first_part) { WriteGemmSpace(leaf, s, first && first_part); });
}

void InstructionWriter::WriteGemmSpace(const GemmLeaf& leaf, const IndexSpace& space, bool first) {
  const auto& format = spec_.formats[leaf.format];
  const auto& intrinsic = *format.intrinsic;
  const HardwareNest nest =
      PlanNest(space, MostOf(leaf.format, "iter_out"), !HasBases(format), RowsOf(spec_, leaf.format));
  const int64_t uops = Require(format.micro_ops, nest);

  Footprint footprint;
  if (sink_) {
    AddOnChip(footprint, intrinsic.dst.memory, true, space, space.result);
    for (const auto& source : intrinsic.sources)
      AddOnChip(footprint, source.memory, false, space, UopField(spec_, leaf.format, source.index),
                source.parts);
    AddMicroOps(footprint, format.micro_ops, uops, nest.micro_op_count);
  }

  // The first point of the reduction replaces the accumulators (or is preceded by a reset), the others add.
  const auto add = [&](int64_t begin, int64_t count, const char* flag) {
    if (count == 0) return;
    isa::Instruction instruction = Make(leaf.format);
    SetNest(instruction, nest, begin, count);
    if (flag) Set(instruction, flag, 1);
    if (sink_) Add(std::move(instruction), footprint);
  };
  if (!first) {
    add(uops, nest.micro_op_count, nullptr);
  } else if (format.FieldIndex("overwrite") >= 0) {
    add(uops, nest.first_count, "overwrite");
    add(uops + nest.first_count, nest.micro_op_count - nest.first_count, nullptr);
  } else {
    add(uops, nest.first_count, "reset");
    add(uops, nest.micro_op_count, nullptr);
  }
}

void InstructionWriter::WriteAlu(const AluLeaf& leaf) {
  const auto& op = spec_.alu_ops[leaf.op];
  const auto& format = spec_.formats[op.format];
  IndexSpace space =
      MakeSpace(op.format, leaf.dims, op.result.index, [&](const std::string& name) -> const Access* {
        if (op.result.index == name) return &leaf.result;
        for (size_t o = 0; o < leaf.operands.size(); ++o)
          if (op.operands[o].index == name) return &leaf.operands[o];
        return nullptr;
      });
  if (std::count(space.extents.begin(), space.extents.end(), 0)) return;
  // A reduction updates one element again and again: the updates are far enough apart when a row of others
  // stands between, or by an instruction a point.
  if (const auto nest =
          PlanRepeatedNest(space, MostOf(op.format, "iter_out"), !HasBases(format), op.min_distance))
    return WriteAluNest(leaf, space, *nest);
  for (size_t d = 0; d < space.extents.size(); ++d) {
    if (space.extents[d] == 1 || space.strides[space.result][d] != 0) continue;
    const int64_t extent = space.extents[d];
    AluLeaf rest = leaf;
    rest.dims[d].extent = tir::Int(1);
    for (int64_t v = 0; v < extent; ++v) {
      const auto move = [&](Access& to, const Access& from) {
        to.offset = from.offset + tir::Int(v * from.strides[d]);
      };
      move(rest.result, leaf.result);
      for (size_t o = 0; o < leaf.operands.size(); ++o) move(rest.operands[o], leaf.operands[o]);
      WriteAlu(rest);
    }
    return;
  }
  const int64_t limit = MicroOpLimit(format);
  const int64_t iterations = MostOf(op.format, "iter_out");
  SplitUntil(
      space,
      [&](const IndexSpace& s) { return PlanNest(s, iterations, !HasBases(format)).micro_op_count <= limit; },
      [&](const IndexSpace& s, bool) { WriteAluSpace(leaf, s); });
}

void InstructionWriter::WriteAluSpace(const AluLeaf& leaf, const IndexSpace& space) {
  const auto& op = spec_.alu_ops[leaf.op];
  WriteAluNest(leaf, space,
               PlanNest(space, MostOf(op.format, "iter_out"), !HasBases(spec_.formats[op.format])));
}

void InstructionWriter::WriteAluNest(const AluLeaf& leaf, const IndexSpace& space, const HardwareNest& nest) {
  const auto& op = spec_.alu_ops[leaf.op];
  const auto& format = spec_.formats[op.format];
  const int64_t uops = Require(format.micro_ops, nest);
  isa::Instruction instruction = Make(op.format);
  Set(instruction, "op", op.code);
  for (const auto& [field, value] : leaf.immediates) SetField(instruction, field, value);
  SetNest(instruction, nest, uops, nest.micro_op_count);
  if (!sink_) return;
  Footprint footprint;
  AddOnChip(footprint, op.result.memory, true, space, space.result);
  for (const auto& operand : op.operands)
    AddOnChip(footprint, operand.memory, false, space, UopField(spec_, op.format, operand.index),
              operand.parts);
  AddMicroOps(footprint, format.micro_ops, uops, nest.micro_op_count);
  Add(std::move(instruction), footprint);
}

}  // namespace cosim::accel
