// SPDX-License-Identifier: Apache-2.0
// See instruction_writer.h: loops, fields and transfers. Transfers are cut by transfers.cc; write_compute.cc
// writes gemm and alu instructions.
#include "compiler/accel/instruction_writer.h"

#include <algorithm>

#include "compiler/accel/capabilities.h"
#include "compiler/accel/linear_access.h"
#include "isa/check.h"

namespace cosim::accel {

InstructionWriter::InstructionWriter(const isa::Spec& spec, InstructionSink* sink,
                                     std::map<int, uint64_t> micro_op_base)
    : spec_(spec), sink_(sink), micro_op_base_(std::move(micro_op_base)) {
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
  for (const LeafRun& run : LeafRuns(*kernel.kernel)) {
    WriteLeaf(run);
    if (refusal_) break;
  }
  return refusal_;
}

void InstructionWriter::Refuse(std::string reason) {
  if (!refusal_) refusal_.reason = std::move(reason);
}

void InstructionWriter::WriteLeaf(const LeafRun& run) {
  env_ = run.env;
  if (const auto* transfer = std::get_if<TransferLeaf>(&run.leaf->node)) {
    WriteTransfer(*transfer);
  } else if (const auto* gemm = std::get_if<GemmLeaf>(&run.leaf->node)) {
    WriteGemm(*gemm);
  } else {
    WriteAlu(std::get<AluLeaf>(run.leaf->node));
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

int64_t InstructionWriter::BaseOf(const Access& access) const {
  const OnChipBuffer& buffer = OnChip(access.buffer);
  return buffer.address + access.copy * buffer.copy_stride + Evaluate(access.offset, env_);
}

isa::Instruction InstructionWriter::Make(int format) const {
  isa::Instruction instruction{format, std::vector<int64_t>(spec_.formats[format].fields.size(), 0)};
  for (const auto& [field, value] : spec_.formats[format].match) instruction.values[field] = value;
  return instruction;
}

void InstructionWriter::SetField(isa::Instruction& instruction, int field, int64_t value) {
  const auto& format = spec_.formats[instruction.format];
  const auto& type = format.fields[field].type;
  if (value < type.Min() || value > type.Max())
    return Refuse(fmt::format("field '{}' of {} holds {} to {} and would need {}", format.fields[field].name,
                              format.name, type.Min(), type.Max(), value));
  instruction.values[field] = value;
}

void InstructionWriter::Set(isa::Instruction& instruction, const char* field, int64_t value) {
  const int index = spec_.formats[instruction.format].FieldIndex(field);
  if (index >= 0) return SetField(instruction, index, value);
  if (value != 0) Refuse(fmt::format("{} has no field '{}'", spec_.formats[instruction.format].name, field));
}

int64_t InstructionWriter::MostOf(int format, const char* field) const {
  const int index = spec_.formats[format].FieldIndex(field);
  return index < 0 ? 0 : spec_.formats[format].fields[index].type.Max();
}

TransferLimits InstructionWriter::LimitsOf(int format) const {
  const auto most = [&](const char* field) { return MostOf(format, field); };
  return {std::max<int64_t>(1, most("rows")),
          std::max<int64_t>(1, most("cols")),
          std::max<int64_t>(1, most("stride")),
          most("pad_top"),
          most("pad_bottom"),
          most("pad_left"),
          most("pad_right")};
}

// The leaf's dims in numbers, and the DRAM offset of the first element that is not padding. Empty if the leaf
// moves nothing.
std::vector<CopyDim> InstructionWriter::CopyDims(const TransferLeaf& leaf, int64_t& dram_offset) const {
  // Positions of the buffer that one step of its dimensions skips: a dim that walks whole such steps, from a
  // whole one, owns what lies between, for a buffer is written by one leaf.
  const isa::Memory& memory = spec_.memories[OnChip(leaf.sram.buffer).memory];
  std::vector<int64_t> pitches = {1, PartsOf(leaf.sram.buffer, memory)};
  const auto& shape = leaf.sram.buffer->shape;
  const size_t lanes = shape.size() - std::min(shape.size(), LaneDims(memory));
  for (size_t i = lanes; i-- > 0;) pitches.push_back(pitches.back() * shape[i]);
  const int64_t sram_offset = Evaluate(leaf.sram.offset, env_);

  std::vector<CopyDim> dims;
  dram_offset = Evaluate(leaf.dram.offset, env_);
  for (size_t d = 0; d < leaf.dims.size(); ++d) {
    const int64_t extent = Evaluate(leaf.dims[d].extent, env_);
    if (extent == 0) return {};
    int64_t low = 0, high = extent;
    for (const Bound& bound : leaf.bounds)
      if (bound.dim == static_cast<int>(d)) {
        low = std::max(low, Evaluate(bound.low, env_));
        high = std::min(high, Evaluate(bound.high, env_));
      }
    const int64_t stride = leaf.sram.strides[d];
    const bool owns_gap =
        stride > 0 && sram_offset % stride == 0 && std::count(pitches.begin(), pitches.end(), stride) > 0;
    dims.push_back({high - low, low, extent - high, stride, leaf.dram.strides[d], owns_gap});
    dram_offset += low * leaf.dram.strides[d];
  }
  if (dims.empty()) dims.push_back({});  // one element
  return dims;
}

void InstructionWriter::WriteGather(const TransferLeaf& leaf) {
  const Gathered& gathered = *kernel_->gathered;
  const int memory = OnChip(leaf.sram.buffer).memory, format = FindGather(spec_, memory);
  if (format < 0) return Refuse(fmt::format("no instruction gathers '{}'", spec_.memories[memory].name));
  int64_t first = 0;
  std::vector<CopyDim> dims = CopyDims(leaf, first);
  if (dims.empty()) return;
  const auto most = [&](const char* field) { return std::max<int64_t>(1, MostOf(format, field)); };
  std::string why;
  const auto loads = CutGather(gathered, std::move(dims), first,
                               {most("rows"), most("cols"), most("stride"), most("row_bytes")}, why);
  if (!loads) return Refuse(fmt::format("{}: {}", leaf.sram.buffer->name, why));
  const int64_t sram = BaseOf(leaf.sram);
  const auto image = static_cast<int64_t>(DramAddress(leaf.dram.buffer));
  for (const PieceLoad& load : *loads) {
    const int64_t row_bytes = (load.cols - 1) * load.step + load.piece.bytes;
    isa::Instruction instruction = Make(format);
    Set(instruction, "sram", sram + load.sram);
    Set(instruction, "dram", image + load.dram);
    Set(instruction, "rows", load.rows);
    Set(instruction, "cols", load.cols);
    Set(instruction, "stride", load.stride);
    Set(instruction, "row_bytes", row_bytes);
    Set(instruction, "piece_bytes", load.piece.bytes);
    Set(instruction, "piece_first", load.piece.first);
    Set(instruction, "piece_step", load.step);
    if (!sink_) continue;
    Footprint footprint;
    Footprint::OnChip on_chip{memory, true, {}};
    for (int64_t e = 0; e < load.rows * load.cols; ++e)
      on_chip.elements.push_back(static_cast<int32_t>(sram + load.sram + e));
    footprint.on_chip.push_back(std::move(on_chip));
    for (int64_t r = 0; r < load.rows; ++r) {
      const auto begin = static_cast<uint64_t>(image + load.dram + r * load.stride);
      footprint.dram.push_back({false, begin, begin + static_cast<uint64_t>(row_bytes)});
    }
    Add(std::move(instruction), footprint);
  }
}

void InstructionWriter::WriteTransfer(const TransferLeaf& leaf) {
  if (kernel_->gathered && leaf.dram.buffer == kernel_->params[kernel_->gathered->param])
    return WriteGather(leaf);
  const int memory = OnChip(leaf.sram.buffer).memory;
  const int format =
      FindTransfer(spec_, memory, leaf.is_store, leaf.is_store ? leaf.dram.buffer->type.bits : 0);
  if (format < 0)
    return Refuse(fmt::format("no instruction {} '{}'", leaf.is_store ? "stores" : "loads",
                              spec_.memories[memory].name));
  int64_t dram_offset = 0;
  std::vector<CopyDim> dims = CopyDims(leaf, dram_offset);
  if (dims.empty()) return;
  std::string why;
  const auto copies = CutCopy(std::move(dims), LimitsOf(format), why);
  if (!copies) return Refuse(fmt::format("{}: {}", leaf.sram.buffer->name, why));
  const int64_t element_bytes = spec_.memories[spec_.formats[format].memory].stored_bytes;
  const int64_t sram = BaseOf(leaf.sram);
  const uint64_t dram = DramAddress(leaf.dram.buffer);
  for (const Copy2d& copy : *copies)
    WriteCopy(leaf, format, sram + copy.sram, dram + (dram_offset + copy.dram) * element_bytes, copy);
}

void InstructionWriter::WriteCopy(const TransferLeaf& leaf, int format, int64_t sram, uint64_t dram,
                                  const Copy2d& copy) {
  isa::Instruction instruction = Make(format);
  Set(instruction, "sram", sram);
  Set(instruction, "dram", static_cast<int64_t>(dram));
  Set(instruction, "rows", copy.rows);
  Set(instruction, "cols", copy.cols);
  Set(instruction, "stride", copy.stride);
  if (!leaf.is_store) {
    const bool padded = copy.pad_top || copy.pad_bottom || copy.pad_left || copy.pad_right;
    Set(instruction, "pad_top", copy.pad_top);
    Set(instruction, "pad_bottom", copy.pad_bottom);
    Set(instruction, "pad_left", copy.pad_left);
    Set(instruction, "pad_right", copy.pad_right);
    Set(instruction, "pad_value", padded ? leaf.pad_value : 0);
  }
  if (!sink_) return;
  const int64_t element_bytes = spec_.memories[spec_.formats[format].memory].stored_bytes;
  Footprint footprint;
  Footprint::OnChip on_chip{OnChip(leaf.sram.buffer).memory, !leaf.is_store, {}};
  for (int64_t e = 0; e < copy.total_rows() * copy.total_cols(); ++e)
    on_chip.elements.push_back(static_cast<int32_t>(sram + e));
  footprint.on_chip.push_back(std::move(on_chip));
  for (int64_t r = 0; r < copy.rows; ++r) {
    const uint64_t begin = dram + r * copy.stride * element_bytes;
    footprint.dram.push_back({leaf.is_store, begin, begin + copy.cols * element_bytes});
  }
  Add(std::move(instruction), footprint);
}

Refusal CheckInstructions(const Kernel& kernel, const isa::Spec& spec) {
  std::map<int, uint64_t> bases;
  for (const auto& format : spec.formats)
    if (format.micro_ops >= 0) bases.emplace(format.micro_ops, 0);
  return InstructionWriter(spec, nullptr, bases)
      .Write({&kernel, std::vector<uint64_t>(kernel.params.size(), 0), 0});
}

}  // namespace cosim::accel
