// SPDX-License-Identifier: Apache-2.0
// See instruction_writer.h. Transfers are cut by transfers.cc, nests are planned by micro_ops.cc.
#include "compiler/accel/instruction_writer.h"

#include <algorithm>

#include "compiler/accel/transfers.h"
#include "isa/check.h"

namespace cosim::accel {
namespace {

// Every element an index of the space reaches, each once or more.
void Reach(const IndexSpace& space, int index, std::vector<int32_t>& out) {
  std::vector<int32_t> at = {static_cast<int32_t>(space.bases[index])};
  for (size_t d = 0; d < space.extents.size(); ++d) {
    const int64_t stride = space.strides[index][d];
    if (stride == 0 || space.extents[d] == 1) continue;
    const size_t count = at.size();
    for (int64_t v = 1; v < space.extents[d]; ++v)
      for (size_t i = 0; i < count; ++i) at.push_back(static_cast<int32_t>(at[i] + v * stride));
  }
  std::sort(at.begin(), at.end());
  at.erase(std::unique(at.begin(), at.end()), at.end());
  out = std::move(at);
}

int64_t MaxOf(const isa::Field& field) { return field.type.Max(); }

bool AllAtZero(const std::vector<tir::Var>& vars, const Environment& env) {
  return std::all_of(vars.begin(), vars.end(), [&](const tir::Var& v) { return env.Lookup(v) == 0; });
}

}  // namespace

InstructionWriter::InstructionWriter(const isa::Spec& spec, TokenInserter& tokens,
                                     std::map<int, uint64_t> micro_op_base)
    : spec_(spec), tokens_(tokens), micro_op_base_(std::move(micro_op_base)) {
  for (const auto& [memory, base] : micro_op_base_)
    stores_.emplace(memory, MicroOpStore(spec.memories[memory], spec.dram.beat_bytes()));
}

void InstructionWriter::Write(const Kernel& kernel, const std::vector<uint64_t>& addresses, int tag) {
  kernel_ = &kernel;
  tag_ = tag;
  on_chip_.clear();
  dram_.clear();
  for (const auto& buffer : kernel.buffers) on_chip_[buffer.buffer.get()] = &buffer;
  COSIM_CHECK(addresses.size() == kernel.params.size());
  for (size_t i = 0; i < addresses.size(); ++i) dram_[kernel.params[i].get()] = addresses[i];
  Run(kernel.body);
}

void InstructionWriter::Run(const Nodes& nodes) {
  for (const Node& node : nodes) {
    if (const auto* loop = std::get_if<Loop>(&node.node)) {
      const int64_t min = Evaluate(loop->min, env_), extent = Evaluate(loop->extent, env_);
      for (int64_t v = min; v < min + extent; ++v) {
        env_.Push(loop->var, v);
        Run(loop->body);
        env_.Pop();
      }
    } else if (const auto* guard = std::get_if<Guard>(&node.node)) {
      if (Evaluate(guard->condition, env_)) Run(guard->body);
    } else if (const auto* transfer = std::get_if<TransferLeaf>(&node.node)) {
      WriteTransfer(*transfer);
    } else if (const auto* gemm = std::get_if<GemmLeaf>(&node.node)) {
      WriteGemm(*gemm);
    } else {
      WriteAlu(std::get<AluLeaf>(node.node));
    }
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

void InstructionWriter::Set(isa::Instruction& instruction, const char* field, int64_t value) const {
  const int index = spec_.formats[instruction.format].FieldIndex(field);
  if (index < 0) {
    COSIM_CHECK(value == 0, "{} has no field {}", spec_.formats[instruction.format].name, field);
    return;
  }
  const auto& type = spec_.formats[instruction.format].fields[index].type;
  COSIM_CHECK(value >= type.Min() && value <= type.Max(), "{}.{} cannot hold {}",
              spec_.formats[instruction.format].name, field, value);
  instruction.values[index] = value;
}

void InstructionWriter::WriteTransfer(const TransferLeaf& leaf) {
  const int memory = OnChip(leaf.sram.buffer).memory;
  int format = -1;
  for (size_t f = 0; f < spec_.formats.size() && format < 0; ++f) {
    const auto& candidate = spec_.formats[f];
    const bool kind_fits = candidate.kind == (leaf.is_store ? isa::Kind::kStore : isa::Kind::kLoad);
    if (kind_fits && (candidate.memory == memory || spec_.memories[candidate.memory].mirrors == memory))
      format = static_cast<int>(f);
  }
  COSIM_CHECK(format >= 0, "no instruction moves memory {}", spec_.memories[memory].name);
  const int64_t element_bytes = spec_.memories[spec_.formats[format].memory].stored_bytes;

  std::vector<CopyDim> dims;
  int64_t dram_offset = Evaluate(leaf.dram.offset, env_);
  for (size_t d = 0; d < leaf.dims.size(); ++d) {
    const int64_t extent = Evaluate(leaf.dims[d].extent, env_);
    if (extent == 0) return;
    int64_t low = 0, high = extent;
    for (const Bound& bound : leaf.bounds)
      if (bound.dim == static_cast<int>(d)) {
        low = std::max(low, Evaluate(bound.low, env_));
        high = std::min(high, Evaluate(bound.high, env_));
      }
    dims.push_back({high - low, low, extent - high, leaf.sram.strides[d], leaf.dram.strides[d]});
    dram_offset += low * leaf.dram.strides[d];
  }
  const int64_t sram_base = BaseOf(leaf.sram);
  for (const Copy2d& copy : CutCopy(dims)) {
    isa::Instruction instruction = Make(format);
    const int64_t sram = sram_base + copy.sram;
    const uint64_t dram = DramAddress(leaf.dram.buffer) + (dram_offset + copy.dram) * element_bytes;
    Set(instruction, "sram", sram);
    Set(instruction, "dram", static_cast<int64_t>(dram));
    Set(instruction, "rows", copy.rows);
    Set(instruction, "cols", copy.cols);
    Set(instruction, "stride", copy.stride);
    Footprint footprint;
    Footprint::OnChip on_chip{memory, !leaf.is_store, {}};
    int64_t elements = copy.rows * copy.cols;
    if (!leaf.is_store) {
      const bool padded = copy.pad_top || copy.pad_bottom || copy.pad_left || copy.pad_right;
      Set(instruction, "pad_top", copy.pad_top);
      Set(instruction, "pad_bottom", copy.pad_bottom);
      Set(instruction, "pad_left", copy.pad_left);
      Set(instruction, "pad_right", copy.pad_right);
      Set(instruction, "pad_value", padded ? leaf.pad_value : 0);
      elements = (copy.pad_top + copy.rows + copy.pad_bottom) * (copy.pad_left + copy.cols + copy.pad_right);
    }
    for (int64_t e = 0; e < elements; ++e) on_chip.elements.push_back(static_cast<int32_t>(sram + e));
    footprint.on_chip.push_back(std::move(on_chip));
    for (int64_t r = 0; r < copy.rows; ++r) {
      const uint64_t begin = dram + r * copy.stride * element_bytes;
      footprint.dram.push_back({leaf.is_store, begin, begin + copy.cols * element_bytes});
    }
    tokens_.Add(std::move(instruction), footprint, tag_);
  }
}

template <typename AccessOf>
IndexSpace InstructionWriter::MakeSpace(int format, const std::vector<Dim>& dims, AccessOf access_of) const {
  IndexSpace space;
  for (const Dim& dim : dims) space.extents.push_back(Evaluate(dim.extent, env_));
  for (const auto& field : spec_.memories[spec_.formats[format].micro_ops].fields) {
    const Access* access = access_of(field.name);
    space.bases.push_back(access ? BaseOf(*access) : 0);
    space.strides.push_back(access ? access->strides : std::vector<int64_t>(dims.size(), 0));
  }
  return space;
}

int64_t InstructionWriter::Require(int memory, const HardwareNest& nest) {
  auto& store = stores_.at(memory);
  const auto place = store.Get(nest.micro_ops, nest.micro_op_count);
  if (!place.load) return place.begin;
  int format = -1;
  for (size_t f = 0; f < spec_.formats.size(); ++f)
    if (spec_.formats[f].kind == isa::Kind::kLoad && spec_.formats[f].memory == memory)
      format = static_cast<int>(f);
  COSIM_CHECK(format >= 0, "no instruction loads {}", spec_.memories[memory].name);
  const int64_t bytes = spec_.memories[memory].stored_bytes;
  const uint64_t dram = micro_op_base_.at(memory) + place.dram_begin * bytes;
  isa::Instruction load = Make(format);
  Set(load, "sram", place.begin);
  Set(load, "dram", static_cast<int64_t>(dram));
  Set(load, "rows", 1);
  Set(load, "cols", nest.micro_op_count);
  Set(load, "stride", nest.micro_op_count);
  Footprint footprint;
  Footprint::OnChip on_chip{memory, true, {}};
  for (int64_t e = 0; e < nest.micro_op_count; ++e)
    on_chip.elements.push_back(static_cast<int32_t>(place.begin + e));
  footprint.on_chip.push_back(std::move(on_chip));
  footprint.dram.push_back({false, dram, dram + nest.micro_op_count * bytes});
  tokens_.Add(std::move(load), footprint, tag_);
  return place.begin;
}

void InstructionWriter::SetNest(isa::Instruction& instruction, const HardwareNest& nest, int64_t uop_begin,
                                int64_t uop_count) const {
  const auto& format = spec_.formats[instruction.format];
  Set(instruction, "uop_begin", uop_begin);
  Set(instruction, "uop_end", uop_begin + uop_count);
  Set(instruction, "iter_out", nest.iter_out);
  Set(instruction, "iter_in", nest.iter_in);
  const auto put = [&](int field, int64_t value) {
    if (field < 0) {
      COSIM_CHECK(value == 0);
      return;
    }
    const auto& type = format.fields[field].type;
    COSIM_CHECK(value >= type.Min() && value <= type.Max(), "{}.{} cannot hold {}", format.name,
                format.fields[field].name, value);
    instruction.values[field] = value;
  };
  for (const auto& index : format.indices) {
    put(index.base, nest.bases[index.uop]);
    put(index.outer, nest.outer[index.uop]);
    put(index.inner, nest.inner[index.uop]);
  }
}

void InstructionWriter::SetLocks(isa::Instruction& instruction, const Footprint& footprint) const {
  for (const auto& [memory, field] : spec_.formats[instruction.format].locks) {
    const auto& m = spec_.memories[memory];
    const int64_t bank = m.depth / m.banks;
    int64_t mask = 0;
    for (const auto& part : footprint.on_chip)
      if (part.memory == memory)
        for (int32_t element : part.elements) mask |= int64_t{1} << (element / bank);
    instruction.values[field] = mask;
  }
}

void InstructionWriter::AddOnChip(Footprint& footprint, int memory, bool write, const IndexSpace& space,
                                  int index) const {
  Footprint::OnChip part{memory, write, {}};
  Reach(space, index, part.elements);
  footprint.on_chip.push_back(std::move(part));
}

namespace {

int UopField(const isa::Spec& spec, int format, const std::string& index) {
  const auto& fields = spec.memories[spec.formats[format].micro_ops].fields;
  for (size_t f = 0; f < fields.size(); ++f)
    if (fields[f].name == index) return static_cast<int>(f);
  COSIM_CHECK(false, "micro-ops of {} have no field {}", spec.formats[format].name, index);
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
  const bool reduction = space.strides[0][d] == 0;
  IndexSpace low = space, high = space;
  low.extents[d] = space.extents[d] / 2;
  high.extents[d] = space.extents[d] - low.extents[d];
  for (size_t i = 0; i < space.bases.size(); ++i) high.bases[i] += low.extents[d] * space.strides[i][d];
  SplitUntil(low, fits, write, first);
  SplitUntil(high, fits, write, first && !reduction);
}

}  // namespace

void InstructionWriter::WriteGemm(const GemmLeaf& leaf) {
  const auto& format = spec_.formats[leaf.format];
  const auto& intrinsic = *format.intrinsic;
  const IndexSpace space = MakeSpace(leaf.format, leaf.dims, [&](const std::string& name) -> const Access* {
    if (intrinsic.dst.index == name) return &leaf.dst;
    for (size_t s = 0; s < leaf.sources.size(); ++s)
      if (intrinsic.sources[s].index == name) return &leaf.sources[s];
    return nullptr;
  });
  if (std::count(space.extents.begin(), space.extents.end(), 0)) return;
  const bool first = leaf.initialize && AllAtZero(leaf.outer_reduction, env_);
  const int64_t limit = spec_.memories[format.micro_ops].depth / 2;
  const int64_t iterations = MaxOf(format.fields[format.FieldIndex("iter_out")]);
  SplitUntil(
      space,
      [&](const IndexSpace& s) { return PlanNest(s, iterations, !HasBases(format)).micro_op_count <= limit; },
      [&](const IndexSpace& s, bool first_part) { WriteGemmSpace(leaf, s, first && first_part); });
}

void InstructionWriter::WriteGemmSpace(const GemmLeaf& leaf, const IndexSpace& space, bool first) {
  const auto& format = spec_.formats[leaf.format];
  const auto& intrinsic = *format.intrinsic;
  const HardwareNest nest =
      PlanNest(space, MaxOf(format.fields[format.FieldIndex("iter_out")]), !HasBases(format));
  const int64_t uops = Require(format.micro_ops, nest);

  Footprint footprint;
  AddOnChip(footprint, intrinsic.dst.memory, true, space, UopField(spec_, leaf.format, intrinsic.dst.index));
  for (const auto& source : intrinsic.sources)
    AddOnChip(footprint, source.memory, false, space, UopField(spec_, leaf.format, source.index));
  Footprint::OnChip read{format.micro_ops, false, {}};
  for (int64_t u = 0; u < nest.micro_op_count; ++u) read.elements.push_back(static_cast<int32_t>(uops + u));
  footprint.on_chip.push_back(std::move(read));

  // The first point of the reduction replaces the accumulators (or is preceded by a reset), the others add.
  const auto add = [&](int64_t begin, int64_t count, const char* flag) {
    if (count == 0) return;
    isa::Instruction instruction = Make(leaf.format);
    SetNest(instruction, nest, begin, count);
    SetLocks(instruction, footprint);
    if (flag) Set(instruction, flag, 1);
    tokens_.Add(std::move(instruction), footprint, tag_);
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
  IndexSpace space = MakeSpace(op.format, leaf.dims, [&](const std::string& name) -> const Access* {
    if (op.result.index == name) return &leaf.result;
    for (size_t o = 0; o < leaf.operands.size(); ++o)
      if (op.operands[o].index == name) return &leaf.operands[o];
    return nullptr;
  });
  if (std::count(space.extents.begin(), space.extents.end(), 0)) return;
  // A reduction updates one element again and again: one instruction a point keeps the updates far enough
  // apart.
  for (size_t d = 0; d < space.extents.size(); ++d) {
    if (space.extents[d] == 1 || space.strides[UopField(spec_, op.format, op.result.index)][d] != 0) continue;
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
  const int64_t limit = spec_.memories[format.micro_ops].depth / 2;
  const int64_t iterations = MaxOf(format.fields[format.FieldIndex("iter_out")]);
  SplitUntil(
      space,
      [&](const IndexSpace& s) { return PlanNest(s, iterations, !HasBases(format)).micro_op_count <= limit; },
      [&](const IndexSpace& s, bool) { WriteAluSpace(leaf, s); });
}

void InstructionWriter::WriteAluSpace(const AluLeaf& leaf, const IndexSpace& space) {
  const auto& op = spec_.alu_ops[leaf.op];
  const auto& format = spec_.formats[op.format];
  const HardwareNest nest =
      PlanNest(space, MaxOf(format.fields[format.FieldIndex("iter_out")]), !HasBases(format));
  const int64_t uops = Require(format.micro_ops, nest);
  Footprint footprint;
  AddOnChip(footprint, op.result.memory, true, space, UopField(spec_, op.format, op.result.index));
  for (const auto& operand : op.operands)
    AddOnChip(footprint, operand.memory, false, space, UopField(spec_, op.format, operand.index));
  Footprint::OnChip read{format.micro_ops, false, {}};
  for (int64_t u = 0; u < nest.micro_op_count; ++u) read.elements.push_back(static_cast<int32_t>(uops + u));
  footprint.on_chip.push_back(std::move(read));
  isa::Instruction instruction = Make(op.format);
  Set(instruction, "op", op.code);
  for (const auto& [field, value] : leaf.immediates) {
    const auto& type = format.fields[field].type;
    COSIM_CHECK(value >= type.Min() && value <= type.Max(), "{}.{} cannot hold {}", format.name,
                format.fields[field].name, value);
    instruction.values[field] = value;
  }
  SetNest(instruction, nest, uops, nest.micro_op_count);
  SetLocks(instruction, footprint);
  tokens_.Add(std::move(instruction), footprint, tag_);
}

}  // namespace cosim::accel
