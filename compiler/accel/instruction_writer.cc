// SPDX-License-Identifier: Apache-2.0
// See instruction_writer.h: loops, fields and transfers. Transfers are cut by transfers.cc; write_compute.cc
// writes gemm and alu instructions.
#include "compiler/accel/instruction_writer.h"

#include <algorithm>

#include "compiler/accel/linear_access.h"
#include "isa/check.h"

namespace cosim::accel {

InstructionWriter::InstructionWriter(const isa::Spec& spec, InstructionSink* sink,
                                     std::map<int, uint64_t> micro_op_base)
    : spec_(spec), sink_(sink), fields_(spec), micro_op_base_(std::move(micro_op_base)) {
  for (const auto& [memory, base] : micro_op_base_)
    stores_.emplace(memory, MicroOpStore(spec.memories[memory], spec.dram.beat_bytes()));
}

void InstructionWriter::Enter(const KernelAt& at) {
  kernel_ = at.kernel;
  tag_ = at.tag;
  on_chip_.clear();
  dram_.clear();
  for (const auto& buffer : kernel_->buffers) on_chip_[buffer.buffer.get()] = &buffer;
  COSIM_CHECK(at.addresses.size() == kernel_->params.size());
  for (size_t i = 0; i < at.addresses.size(); ++i) dram_[kernel_->params[i].get()] = at.addresses[i];
}

Refusal InstructionWriter::Write(const KernelAt& kernel) {
  refusal_ = {};
  Enter(kernel);
  leaves_.clear();
  transfers_.clear();
  VisitLeaves(*kernel.kernel, [&](const Node& leaf, const Environment& env) {
    WriteLeaf(leaf, env);
    return !refusal_;
  });
  return refusal_;
}

void InstructionWriter::Refuse(std::string reason) {
  if (!refusal_) refusal_.reason = std::move(reason);
}

void InstructionWriter::WriteLeaf(const Node& leaf, const Environment& env) {
  env_ = &env;
  if (const auto* transfer = std::get_if<TransferLeaf>(&leaf.node)) {
    WriteTransfer(*transfer);
  } else if (const auto* gemm = std::get_if<GemmLeaf>(&leaf.node)) {
    WriteGemm(*gemm);
  } else {
    WriteAlu(std::get<AluLeaf>(leaf.node));
  }
}

const OnChipBuffer& InstructionWriter::OnChip(const tir::Buffer& buffer) const {
  const auto it = on_chip_.find(buffer.get());
  COSIM_CHECK(it != on_chip_.end(), "buffer {} has no place on chip", buffer->name);
  return *it->second;
}

uint64_t InstructionWriter::DramAddress(const tir::Buffer& buffer) const {
  const auto it = dram_.find(buffer.get());
  COSIM_CHECK(it != dram_.end(), "buffer {} has no place in DRAM", buffer->name);
  return it->second;
}

InstructionWriter::Place InstructionWriter::PlaceOf(const Access& access) const {
  const OnChipBuffer& buffer = OnChip(access.buffer);
  return {buffer.address + access.copy * buffer.copy_stride, IndexFunction(access.offset)};
}

void InstructionWriter::SetField(isa::Instruction& instruction, int field, int64_t value) {
  instruction.values[field] = value;
  if (fields_.Holds(instruction.format, field, value)) return;
  const auto& format = spec_.formats[instruction.format];
  const auto& type = format.fields[field].type;
  Refuse(fmt::format("field '{}' of {} holds {} to {} and would need {}", format.fields[field].name,
                     format.name, type.Min(), type.Max(), value));
}

void InstructionWriter::Set(isa::Instruction& instruction, FieldRole role, int64_t value) {
  const int index = fields_.IndexOf(instruction.format, role);
  if (index >= 0) return SetField(instruction, index, value);
  if (value != 0)
    Refuse(fmt::format("{} has no field '{}'", spec_.formats[instruction.format].name, NameOf(role)));
}

TransferLimits InstructionWriter::LimitsOf(int format) {
  const auto most = [&](FieldRole role) { return fields_.MostOf(format, role); };
  return {std::max<int64_t>(1, most(FieldRole::kRows)),
          std::max<int64_t>(1, most(FieldRole::kCols)),
          std::max<int64_t>(1, most(FieldRole::kStride)),
          most(FieldRole::kPadTop),
          most(FieldRole::kPadBottom),
          most(FieldRole::kPadLeft),
          most(FieldRole::kPadRight)};
}

void InstructionWriter::ClearFootprint() {
  footprint_.on_chip.clear();
  footprint_.dram.clear();
}

void InstructionWriter::AddOnChip(int memory, bool write, int64_t begin, int64_t count) {
  if (count == 0) return;
  footprint_.on_chip.push_back(
      {memory, write, static_cast<int32_t>(begin), static_cast<int32_t>(begin + count)});
}

void InstructionWriter::Add(isa::Instruction instruction) {
  for (const auto& [memory, field] : spec_.formats[instruction.format].locks) {
    const auto& m = spec_.memories[memory];
    const auto bank = static_cast<int32_t>(m.depth / m.banks);
    int64_t mask = 0;
    for (const Footprint::OnChip& run : footprint_.on_chip) {
      if (run.memory != memory) continue;
      for (int32_t b = run.begin / bank; b <= (run.end - 1) / bank; ++b)
        mask |= static_cast<int64_t>(m.LockMask(b, run.write));
    }
    instruction.values[field] = mask;
  }
  sink_->Add(std::move(instruction), footprint_, tag_);
}

InstructionWriter::TransferState InstructionWriter::StateOf(const TransferLeaf& leaf) {
  TransferState state{.sram = PlaceOf(leaf.sram), .dram = IndexFunction(leaf.dram.offset)};
  state.memory = OnChip(leaf.sram.buffer).memory;
  state.format =
      fields_.TransferOf(state.memory, leaf.is_store, leaf.is_store ? leaf.dram.buffer->type.bits : 0);
  if (state.format >= 0) state.limits = LimitsOf(state.format);
  for (const Dim& dim : leaf.dims) state.dims.push_back({IndexFunction(dim.extent), {}});
  for (const Bound& bound : leaf.bounds) state.dims[bound.dim].bounds.emplace_back(bound.low, bound.high);
  const isa::Memory& memory = spec_.memories[state.memory];
  state.pitches = {1, PartsOf(leaf.sram.buffer, memory)};
  const auto& shape = leaf.sram.buffer->shape;
  const size_t lanes = shape.size() - std::min(shape.size(), LaneDims(memory));
  for (size_t i = lanes; i-- > 0;) state.pitches.push_back(state.pitches.back() * shape[i]);
  return state;
}

// The leaf's dims in numbers, and the DRAM offset of the first element that is not padding. Empty if the leaf
// moves nothing.
std::vector<CopyDim> InstructionWriter::CopyDims(const TransferLeaf& leaf, const TransferState& state,
                                                 int64_t& dram_offset) const {
  const int64_t sram_offset = state.sram.offset(*env_);
  std::vector<CopyDim> dims;
  dims.reserve(leaf.dims.size() + 1);
  dram_offset = state.dram(*env_);
  for (size_t d = 0; d < leaf.dims.size(); ++d) {
    const int64_t extent = state.dims[d].extent(*env_);
    if (extent == 0) return {};
    int64_t low = 0, high = extent;
    for (const auto& bound : state.dims[d].bounds) {
      low = std::max(low, bound.first(*env_));
      high = std::min(high, bound.second(*env_));
    }
    // A dim that walks whole steps of the buffer, from a whole one, owns what lies between, for a buffer is
    // written by one leaf.
    const int64_t stride = leaf.sram.strides[d];
    const bool owns_gap =
        stride > 0 && sram_offset % stride == 0 && std::ranges::count(state.pitches, stride) > 0;
    dims.push_back({high - low, low, extent - high, stride, leaf.dram.strides[d], owns_gap, leaf.repeats});
    dram_offset += low * leaf.dram.strides[d];
  }
  if (dims.empty()) dims.push_back({});  // one element
  return dims;
}

void InstructionWriter::WriteGather(const TransferLeaf& leaf, const TransferState& state) {
  const Gathered& gathered = *kernel_->gathered;
  const int memory = state.memory, format = fields_.GatherOf(memory);
  if (format < 0) return Refuse(fmt::format("no instruction gathers '{}'", spec_.memories[memory].name));
  int64_t first = 0;
  std::vector<CopyDim> dims = CopyDims(leaf, state, first);
  if (dims.empty()) return;
  const auto most = [&](FieldRole role) { return std::max<int64_t>(1, fields_.MostOf(format, role)); };
  std::string why;
  const auto loads = CutGather(
      gathered, std::move(dims), first,
      {most(FieldRole::kRows), most(FieldRole::kCols), most(FieldRole::kStride), most(FieldRole::kRowBytes)},
      why);
  if (!loads) return Refuse(fmt::format("{}: {}", leaf.sram.buffer->name, why));
  const int64_t sram = state.sram.base + state.sram.offset(*env_);
  const auto image = static_cast<int64_t>(DramAddress(leaf.dram.buffer));
  for (const PieceLoad& load : *loads) {
    const int64_t row_bytes = (load.cols - 1) * load.step + load.piece.bytes;
    isa::Instruction instruction = fields_.Blank(format);
    Set(instruction, FieldRole::kSram, sram + load.sram);
    Set(instruction, FieldRole::kDram, image + load.dram);
    Set(instruction, FieldRole::kRows, load.rows);
    Set(instruction, FieldRole::kCols, load.cols);
    Set(instruction, FieldRole::kStride, load.stride);
    Set(instruction, FieldRole::kRowBytes, row_bytes);
    Set(instruction, FieldRole::kPieceBytes, load.piece.bytes);
    Set(instruction, FieldRole::kPieceFirst, load.piece.first);
    Set(instruction, FieldRole::kPieceStep, load.step);
    if (!sink_) continue;
    ClearFootprint();
    AddOnChip(memory, true, sram + load.sram, load.rows * load.cols);
    for (int64_t r = 0; r < load.rows; ++r) {
      const auto begin = static_cast<uint64_t>(image + load.dram + r * load.stride);
      footprint_.dram.push_back({false, begin, begin + static_cast<uint64_t>(row_bytes)});
    }
    Add(std::move(instruction));
  }
}

void InstructionWriter::WriteTransfer(const TransferLeaf& leaf) {
  auto known = transfers_.find(&leaf);
  if (known == transfers_.end()) known = transfers_.emplace(&leaf, StateOf(leaf)).first;
  const TransferState& state = known->second;
  if (kernel_->gathered && leaf.dram.buffer == kernel_->params[kernel_->gathered->param])
    return WriteGather(leaf, state);
  if (state.format < 0)
    return Refuse(fmt::format("no instruction {} '{}'", leaf.is_store ? "stores" : "loads",
                              spec_.memories[state.memory].name));
  int64_t dram_offset = 0;
  std::vector<CopyDim> dims = CopyDims(leaf, state, dram_offset);
  if (dims.empty()) return;
  std::string why;
  const auto copies = CutCopy(std::move(dims), state.limits, why);
  if (!copies) return Refuse(fmt::format("{}: {}", leaf.sram.buffer->name, why));
  const int64_t element_bytes = spec_.memories[spec_.formats[state.format].memory].stored_bytes;
  const int64_t sram = state.sram.base + state.sram.offset(*env_);
  const uint64_t dram = DramAddress(leaf.dram.buffer);
  for (const Copy2d& copy : *copies)
    WriteCopy(leaf, state, sram + copy.sram, dram + (dram_offset + copy.dram) * element_bytes, copy);
}

void InstructionWriter::WriteCopy(const TransferLeaf& leaf, const TransferState& state, int64_t sram,
                                  uint64_t dram, const Copy2d& copy) {
  isa::Instruction instruction = fields_.Blank(state.format);
  Set(instruction, FieldRole::kSram, sram);
  Set(instruction, FieldRole::kDram, static_cast<int64_t>(dram));
  Set(instruction, FieldRole::kRows, copy.rows);
  Set(instruction, FieldRole::kCols, copy.cols);
  Set(instruction, FieldRole::kStride, copy.stride);
  if (!leaf.is_store) {
    const bool padded = copy.pad_top || copy.pad_bottom || copy.pad_left || copy.pad_right;
    Set(instruction, FieldRole::kPadTop, copy.pad_top);
    Set(instruction, FieldRole::kPadBottom, copy.pad_bottom);
    Set(instruction, FieldRole::kPadLeft, copy.pad_left);
    Set(instruction, FieldRole::kPadRight, copy.pad_right);
    Set(instruction, FieldRole::kPadValue, padded ? leaf.pad_value : 0);
  }
  if (!sink_) return;
  const int64_t element_bytes = spec_.memories[spec_.formats[state.format].memory].stored_bytes;
  ClearFootprint();
  AddOnChip(state.memory, !leaf.is_store, sram, copy.total_rows() * copy.total_cols());
  for (int64_t r = 0; r < copy.rows; ++r) {
    const uint64_t begin = dram + r * copy.stride * element_bytes;
    footprint_.dram.push_back({leaf.is_store, begin, begin + copy.cols * element_bytes});
  }
  Add(std::move(instruction));
}

Refusal CheckInstructions(const Kernel& kernel, const isa::Spec& spec) {
  std::map<int, uint64_t> bases;
  for (const auto& format : spec.formats)
    if (format.micro_ops >= 0) bases.emplace(format.micro_ops, 0);
  return InstructionWriter(spec, nullptr, bases)
      .Write({&kernel, std::vector<uint64_t>(kernel.params.size(), 0), 0});
}

}  // namespace cosim::accel
