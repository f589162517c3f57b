// SPDX-License-Identifier: Apache-2.0
// Gemm and alu instructions, and the micro-ops they bring along. See instruction_writer.h. What stands in
// them is planned by leaf_plan.cc, once for all iterations that differ only in where they begin.
#include <algorithm>

#include "compiler/accel/instruction_writer.h"
#include "isa/check.h"

namespace cosim::accel {
namespace {

bool AllAtZero(const std::vector<tir::Var>& vars, const Environment& env) {
  return std::all_of(vars.begin(), vars.end(), [&](const tir::Var& v) { return env.Lookup(v.get()) == 0; });
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

}  // namespace

int64_t InstructionWriter::MicroOpLimit(const isa::InstructionFormat& format) {
  const int load = fields_.TransferOf(format.micro_ops, false);
  const int64_t movable = load < 0 ? 1 : LimitsOf(load).cols;
  return std::max<int64_t>(1, std::min(spec_.memories[format.micro_ops].depth / 2, movable));
}

void InstructionWriter::SetRules(LeafState& state, const std::vector<Dim>& dims) {
  const auto& format = spec_.formats[state.format];
  const size_t indices = spec_.memories[format.micro_ops].fields.size();
  state.strides.assign(indices, std::vector<int64_t>(dims.size(), 0));
  state.places.assign(indices, std::nullopt);
  for (const Dim& dim : dims) state.extents.emplace_back(dim.extent);
  state.rules.iterations = fields_.MostOf(state.format, FieldRole::kIterOut);
  state.rules.micro_ops = MicroOpLimit(format);
  state.rules.bases_in_micro_ops = !HasBases(format);
}

void InstructionWriter::AddOperand(LeafState& state, const isa::Operand& operand, const Access& access,
                                   bool write) {
  const int index = UopField(spec_, state.format, operand.index);
  state.rules.operands.push_back(
      {operand.memory, write, index, write ? 1 : operand.parts, operand.lines, state.pitch});
  if (state.places[index]) return;  // of several by one index, the first says where it is
  state.places[index] = PlaceOf(access);
  state.strides[index] = access.strides;
  if (write) state.result = index;
}

InstructionWriter::LeafState InstructionWriter::StateOf(const GemmLeaf& leaf) {
  LeafState state;
  state.format = leaf.format;
  SetRules(state, leaf.dims);
  state.rules.rows = RowsOf(spec_, leaf.format);
  state.pitch = leaf.pitch;
  const isa::Intrinsic& intrinsic = *spec_.formats[leaf.format].intrinsic;
  AddOperand(state, intrinsic.dst, leaf.dst, true);
  for (size_t s = 0; s < leaf.sources.size(); ++s)
    AddOperand(state, intrinsic.sources[s], leaf.sources[s], false);
  return state;
}

InstructionWriter::LeafState InstructionWriter::StateOf(const AluLeaf& leaf) {
  LeafState state;
  const isa::AluOp& op = spec_.alu_ops[leaf.op];
  state.format = op.format;
  SetRules(state, leaf.dims);
  state.rules.apart = op.min_distance;
  AddOperand(state, op.result, leaf.result, true);
  for (size_t o = 0; o < leaf.operands.size(); ++o)
    AddOperand(state, op.operands[o], leaf.operands[o], false);
  return state;
}

std::vector<LeafPart>& InstructionWriter::PlanOf(LeafState& state, Bases& bases) {
  key_.clear();
  for (const IndexFunction& extent : state.extents) key_.push_back(extent(*env_));
  bases.clear();
  for (const auto& place : state.places) bases.push_back(place ? place->base + place->offset(*env_) : 0);
  if (state.rules.bases_in_micro_ops) key_.insert(key_.end(), bases.begin(), bases.end());
  const auto [known, is_new] = state.plans.try_emplace(key_);
  if (!is_new) return known->second;
  const auto dims = static_cast<std::ptrdiff_t>(state.extents.size());
  const IndexSpace space{{key_.begin(), key_.begin() + dims}, bases, state.strides, state.result};
  return known->second = PlanLeaf(state.rules, space, sink_ != nullptr);
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

int64_t InstructionWriter::Require(int memory, LeafPart& part) {
  const HardwareNest& nest = part.nest;
  auto& store = stores_.at(memory);
  if (part.list == nullptr) {
    if (!FitMicroOps(spec_.memories[memory], nest)) return 0;
    part.list = store.Store(nest.micro_ops, nest.micro_op_count);
  }
  const auto place = store.Get(part.list, nest.micro_op_count);
  if (!place.load) return place.begin;
  const int format = fields_.TransferOf(memory, false);
  if (format < 0) {
    Refuse(fmt::format("no instruction loads '{}'", spec_.memories[memory].name));
    return 0;
  }
  const int64_t bytes = spec_.memories[memory].stored_bytes;
  const uint64_t dram = micro_op_base_.at(memory) + place.dram_begin * bytes;
  isa::Instruction load = fields_.Blank(format);
  Set(load, FieldRole::kSram, place.begin);
  Set(load, FieldRole::kDram, static_cast<int64_t>(dram));
  Set(load, FieldRole::kRows, 1);
  Set(load, FieldRole::kCols, nest.micro_op_count);
  Set(load, FieldRole::kStride, std::min(nest.micro_op_count, LimitsOf(format).stride));
  if (!sink_) return place.begin;
  ClearFootprint();
  AddOnChip(memory, true, place.begin, nest.micro_op_count);
  footprint_.dram.push_back({false, dram, dram + nest.micro_op_count * bytes});
  Add(std::move(load));
  return place.begin;
}

void InstructionWriter::SetNest(isa::Instruction& instruction, const LeafState& state, const LeafPart& part,
                                const Bases& bases, int64_t uop_begin, int64_t uop_count) {
  const HardwareNest& nest = part.nest;
  Set(instruction, FieldRole::kUopBegin, uop_begin);
  Set(instruction, FieldRole::kUopEnd, uop_begin + uop_count);
  Set(instruction, FieldRole::kIterOut, nest.iter_out);
  Set(instruction, FieldRole::kIterIn, nest.iter_in);
  const auto put = [&](int field, int64_t value) {
    if (field >= 0) return SetField(instruction, field, value);
    COSIM_CHECK(value == 0);  // bases are the micro-ops' where there are no fields for them
  };
  for (const auto& index : spec_.formats[instruction.format].indices) {
    const int i = index.uop;
    put(index.base, state.rules.bases_in_micro_ops ? 0 : bases[i] + part.shift[i]);
    put(index.outer, nest.outer[i]);
    put(index.inner, nest.inner[i]);
  }
}

void InstructionWriter::SetPitch(isa::Instruction& instruction, int64_t pitch) {
  const isa::Intrinsic& intrinsic = *spec_.formats[instruction.format].intrinsic;
  const int row = intrinsic.RowSource();
  if (row >= 0 && intrinsic.sources[row].pitch_field >= 0)
    SetField(instruction, intrinsic.sources[row].pitch_field, pitch);
}

void InstructionWriter::Touch(const LeafState& state, const LeafPart& part, const Bases& bases,
                              int64_t uops) {
  ClearFootprint();
  for (size_t o = 0; o < state.rules.operands.size(); ++o) {
    const LeafOperand& operand = state.rules.operands[o];
    const int64_t base = bases[operand.index] + part.shift[operand.index];
    for (const ElementRun& run : part.reach[o])
      AddOnChip(operand.memory, operand.write, base + run.begin, run.end - run.begin);
  }
  AddOnChip(spec_.formats[state.format].micro_ops, false, uops, part.nest.micro_op_count);
}

void InstructionWriter::WriteGemm(const GemmLeaf& leaf) {
  const auto [known, is_new] = leaves_.try_emplace(&leaf);
  LeafState& state = known->second;
  if (is_new) state = StateOf(leaf);
  Bases bases;
  const bool first = leaf.initialize && AllAtZero(leaf.outer_reduction, *env_);
  for (LeafPart& part : PlanOf(state, bases)) WriteGemmPart(leaf, state, part, bases, first && part.first);
}

void InstructionWriter::WriteGemmPart(const GemmLeaf& leaf, const LeafState& state, LeafPart& part,
                                      const Bases& bases, bool first) {
  const auto& format = spec_.formats[leaf.format];
  const HardwareNest& nest = part.nest;
  const int64_t uops = Require(format.micro_ops, part);
  if (sink_) Touch(state, part, bases, uops);

  // The first point of the reduction replaces the accumulators (or is preceded by a reset), the others add.
  const auto add = [&](int64_t begin, int64_t count, std::optional<FieldRole> flag) {
    if (count == 0) return;
    isa::Instruction instruction = fields_.Blank(leaf.format);
    SetNest(instruction, state, part, bases, begin, count);
    SetPitch(instruction, leaf.pitch);
    if (flag) Set(instruction, *flag, 1);
    if (sink_) Add(std::move(instruction));
  };
  if (!first) {
    add(uops, nest.micro_op_count, std::nullopt);
  } else if (fields_.IndexOf(leaf.format, FieldRole::kOverwrite) >= 0) {
    add(uops, nest.first_count, FieldRole::kOverwrite);
    add(uops + nest.first_count, nest.micro_op_count - nest.first_count, std::nullopt);
  } else {
    add(uops, nest.first_count, FieldRole::kReset);
    add(uops, nest.micro_op_count, std::nullopt);
  }
}

void InstructionWriter::WriteAlu(const AluLeaf& leaf) {
  const auto [known, is_new] = leaves_.try_emplace(&leaf);
  LeafState& state = known->second;
  if (is_new) state = StateOf(leaf);
  Bases bases;
  for (LeafPart& part : PlanOf(state, bases)) WriteAluPart(leaf, state, part, bases);
}

void InstructionWriter::WriteAluPart(const AluLeaf& leaf, const LeafState& state, LeafPart& part,
                                     const Bases& bases) {
  const int64_t uops = Require(spec_.formats[state.format].micro_ops, part);
  isa::Instruction instruction = fields_.Blank(state.format);
  Set(instruction, FieldRole::kOp, spec_.alu_ops[leaf.op].code);
  for (const auto& [field, value] : leaf.immediates) SetField(instruction, field, value);
  SetNest(instruction, state, part, bases, uops, part.nest.micro_op_count);
  if (!sink_) return;
  Touch(state, part, bases, uops);
  for (const isa::ScalarTable& table : spec_.alu_ops[leaf.op].program.tables)
    AddOnChip(table.memory, false, 0, table.depth);
  Add(std::move(instruction));
}

}  // namespace cosim::accel
