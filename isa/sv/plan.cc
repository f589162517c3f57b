// SPDX-License-Identifier: Apache-2.0
// Gathers from a Spec's tables what each unit's hardware needs.
#include "isa/sv/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cctype>
#include <optional>

#include "isa/spec/row_product.h"

namespace cosim::isa {
namespace {

constexpr int kNoMatch = -2;

void AddOnce(std::vector<int>& list, int value) {
  if (std::ranges::count(list, value) == 0) list.push_back(value);
}

SvAlu PlanAlu(const Spec& spec, int format) {
  SvAlu alu;
  alu.format = format;
  for (size_t o = 0; o < spec.alu_ops.size(); ++o) {
    const AluOp& op = spec.alu_ops[o];
    if (op.format != format || !op.available) continue;
    alu.ops.push_back(static_cast<int>(o));
    for (const Operand& operand : op.operands) AddOnce(alu.reads, operand.memory);
    AddOnce(alu.writes, op.result.memory);
    for (const ScalarTable& table : op.program.tables) AddOnce(alu.tables, table.memory);
    for (const ScalarInput& input : op.program.inputs) {
      if (input.kind == ScalarInput::Kind::kImmediate) AddOnce(alu.immediates, input.instruction_field);
    }
    alu.element_lanes =
        std::max(alu.element_lanes, static_cast<int>(spec.memories[op.result.memory].LaneCount()));
    alu.stages = std::max(alu.stages, op.program.stages);
  }
  const int lanes = std::max(1, spec.units[spec.formats[format].unit].lanes);
  alu.groups = std::max(1, (alu.element_lanes + lanes - 1) / lanes);
  return alu;
}

/// One along rows stands beside a product of matrices.
void AddGemm(const Spec& spec, int format, SvGemm& gemm) {
  const auto rows = spec.formats[format].intrinsic ? MatchRowProduct(*spec.formats[format].intrinsic)
                                                   : std::optional<RowProduct>();
  if (!rows) {
    SvGemm product = MatchSvGemm(spec, format);
    product.rows = gemm.rows;
    product.taps = gemm.taps;
    product.group = gemm.group;
    product.lines = gemm.lines;
    product.pitch = gemm.pitch;
    gemm = product;
    return;
  }
  if (gemm.format < 0) gemm.format = format;
  gemm.rows = format;
  gemm.taps = rows->taps;
  gemm.group = rows->group;
  gemm.lines = rows->lines;
  if (rows->lines > 1) {
    const Operand& source = spec.formats[format].intrinsic->sources[rows->src];
    gemm.pitch = spec.formats[format].fields[source.pitch_field].name;
  }
}

SvUnit PlanUnit(const Spec& spec, int index, int bank_bits) {
  SvUnit unit;
  unit.unit = index;
  unit.name = spec.units[index].name;
  unit.constant = "Unit" + SvConstantName(unit.name);
  unit.port = spec.units[index].port;
  for (size_t f = 0; f < spec.formats.size(); ++f) {
    const InstructionFormat& format = spec.formats[f];
    if (format.unit != index) continue;
    unit.formats.push_back(static_cast<int>(f));
    for (const Field& field : format.fields) {
      unit.command_bits = std::max(unit.command_bits, field.offset + field.type.width);
    }
    unit.loads |= format.kind == Kind::kLoad;
    unit.stores |= format.kind == Kind::kStore;
    unit.alus |= format.kind == Kind::kAlu;
    if (format.kind == Kind::kLoad) AddOnce(unit.memories, format.memory);
    if (format.Gathers())
      unit.piece_bytes = std::max(unit.piece_bytes, spec.memories[format.memory].stored_bytes);
    if (format.kind == Kind::kStore) unit.stored = format.memory;
    if (format.kind == Kind::kAlu) unit.alu = PlanAlu(spec, static_cast<int>(f));
    if (format.kind == Kind::kGemm) {
      unit.gemms = true;
      AddGemm(spec, static_cast<int>(f), unit.gemm);
    }
  }
  for (size_t q = 0; q < spec.queues.size(); ++q) {
    if (spec.queues[q].to == index) unit.pops.push_back(static_cast<int>(q));
    if (spec.queues[q].from == index) unit.pushes.push_back(static_cast<int>(q));
  }
  unit.pop_offset = spec.opcode_bits;
  unit.push_offset = unit.pop_offset + static_cast<int>(unit.pops.size());
  unit.tag_bits = static_cast<int>(std::max<size_t>(1, unit.pushes.size())) + bank_bits;
  return unit;
}

}  // namespace

bool SvGathersInto(const Spec& spec, int memory) {
  return std::ranges::any_of(spec.formats, [&](const InstructionFormat& format) {
    return format.Gathers() && format.memory == memory;
  });
}

bool SvPads(const InstructionFormat& format) {
  constexpr std::string_view kPads[] = {"pad_top", "pad_bottom", "pad_left", "pad_right"};
  return format.kind == Kind::kLoad &&
         std::ranges::any_of(kPads, [&](auto pad) { return format.FieldIndex(pad) >= 0; });
}

bool SvIsTable(const SvPlan& plan, int memory) {
  return std::ranges::any_of(
      plan.units, [&](const SvUnit& unit) { return std::ranges::count(unit.alu.tables, memory) > 0; });
}

int SvCopies(const Spec& spec, const SvPlan& plan, int memory) {
  int copies = 1;
  for (const SvUnit& unit : plan.units) {
    if (!unit.gemms || unit.gemm.lines == 1) continue;
    const Intrinsic& intrinsic = *spec.formats[unit.gemm.rows].intrinsic;
    if (intrinsic.sources[intrinsic.RowSource()].memory == memory) copies = std::max(copies, unit.gemm.lines);
  }
  return copies;
}

std::string SvConstantName(std::string_view name) {
  std::string out;
  bool upper = true;
  for (char c : name) {
    if (c == '_') {
      upper = true;
    } else {
      out += upper ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
      upper = false;
    }
  }
  return out;
}

std::vector<int> SvAlu::Operands(const Spec& spec, int op, int memory) const {
  std::vector<int> operands;
  for (size_t i = 0; i < spec.alu_ops[op].operands.size(); ++i) {
    if (spec.alu_ops[op].operands[i].memory == memory) operands.push_back(static_cast<int>(i));
  }
  return operands;
}

int SvAlu::Parts(const Spec& spec, int memory) const {
  int parts = 1;
  for (int op : ops) {
    for (int operand : Operands(spec, op, memory))
      parts = std::max(parts, spec.alu_ops[op].operands[operand].parts);
  }
  return parts;
}

int SvAddressBits(int64_t depth) {
  return std::max(1, static_cast<int>(std::bit_width(static_cast<uint64_t>(depth - 1))));
}

bool SvPairsFit(int src_bits, int side_bits) {
  constexpr int kWideFactor = 25, kNarrowFactor = 18;  // of a DSP48E1; a DSP48E2's is wider
  return src_bits <= kNarrowFactor && src_bits + 1 + 2 * side_bits <= kWideFactor;
}

SvGemm MatchSvGemm(const Spec& spec, int index) {
  const InstructionFormat& format = spec.formats[index];
  SvGemm gemm{.format = index, .dst = kNoMatch};
  if (!format.intrinsic || format.intrinsic->sources.size() != 2) return gemm;
  const Intrinsic& intrinsic = *format.intrinsic;
  if (intrinsic.dst.axes.size() != 2) return gemm;
  const int b = intrinsic.dst.axes[0], o = intrinsic.dst.axes[1];
  for (int src = 0; src < 2; ++src) {
    const std::vector<int>& src_axes = intrinsic.sources[src].axes;
    const std::vector<int>& side_axes = intrinsic.sources[1 - src].axes;
    if (intrinsic.axes.size() == 2 && src_axes == intrinsic.dst.axes && side_axes == std::vector<int>{o}) {
      gemm.per_lane = true;
      gemm.dst = -1;
      gemm.src = src;
      gemm.side = 1 - src;
      gemm.batch = intrinsic.axes[b].extent;
      gemm.block_in = 1;
      gemm.block_out = intrinsic.axes[o].extent;
      return gemm;
    }
    if (intrinsic.axes.size() != 3) continue;
    if (src_axes.size() != 2 || side_axes.size() != 2) continue;
    const int k = src_axes[1];
    if (src_axes[0] != b || side_axes[0] != o || side_axes[1] != k || !intrinsic.axes[k].reduce) continue;
    gemm.dst = -1;
    gemm.src = src;
    gemm.side = 1 - src;
    gemm.batch = intrinsic.axes[b].extent;
    gemm.block_in = intrinsic.axes[k].extent;
    gemm.block_out = intrinsic.axes[o].extent;
    const auto bits = [&](int source) { return spec.memories[intrinsic.sources[source].memory].record_bits; };
    gemm.macs_per_dsp = spec.hardware.macs_per_dsp;
    if (gemm.macs_per_dsp == 0) gemm.macs_per_dsp = SvPairsFit(bits(gemm.src), bits(gemm.side)) ? 2 : 1;
    return gemm;
  }
  return gemm;
}

bool SvUnit::GathersInto(const Spec& spec, int memory) const {
  return std::ranges::any_of(
      formats, [&](int f) { return spec.formats[f].Gathers() && spec.formats[f].memory == memory; });
}

int SvUnit::FieldBits(const Spec& spec, Kind kind, std::string_view field_name) const {
  int bits = 0;
  for (int f : formats) {
    const InstructionFormat& format = spec.formats[f];
    const int field = format.FieldIndex(field_name);
    if (format.kind == kind && field >= 0) bits = std::max(bits, format.fields[field].type.width);
  }
  return bits;
}

std::vector<SvRole> SvRoles(const Spec& spec, const SvUnit& unit) {
  std::vector<SvRole> roles;
  auto add = [&](Kind kind, const std::string& field) {
    roles.push_back({fmt::format("{}_{}", KindName(kind), field), field, kind,
                     std::max(1, unit.FieldBits(spec, kind, field))});
  };
  auto add_nest = [&](Kind kind, int format) {
    for (const char* field : {"uop_begin", "uop_end", "iter_out", "iter_in"}) add(kind, field);
    for (const IndexFields& index : spec.formats[format].indices) {
      for (const char* part : {"_base", "_out", "_in"}) add(kind, index.index + part);
    }
  };
  for (Kind kind : {Kind::kLoad, Kind::kStore}) {
    if (!(kind == Kind::kLoad ? unit.loads : unit.stores)) continue;
    for (const char* field : {"sram", "dram", "rows", "cols", "stride"}) add(kind, field);
  }
  if (unit.loads) {
    for (const char* field : {"pad_top", "pad_bottom", "pad_left", "pad_right", "pad_value"}) {
      add(Kind::kLoad, field);
    }
  }
  if (unit.piece_bytes > 0) {
    for (const char* field : {"row_bytes", "piece_bytes", "piece_first", "piece_step"}) {
      add(Kind::kLoad, field);
      roles.back().of_pieces = true;
    }
  }
  if (unit.gemms) {
    add(Kind::kGemm, "overwrite");
    add(Kind::kGemm, "reset");
    add_nest(Kind::kGemm, unit.gemm.format);
    if (unit.gemm.lines > 1) add(Kind::kGemm, unit.gemm.pitch);
  }
  if (unit.alus) {
    add(Kind::kAlu, "op");
    add_nest(Kind::kAlu, unit.alu.format);
    for (int field : unit.alu.immediates) add(Kind::kAlu, spec.formats[unit.alu.format].fields[field].name);
  }
  return roles;
}

SvPlan::SvPlan(const Spec& spec) : bank_offset(spec.memories.size(), -1) {
  for (const InstructionFormat& format : spec.formats) {
    for (auto [memory, field] : format.locks) {
      if (bank_offset[memory] >= 0) continue;
      bank_offset[memory] = bank_bits;
      bank_bits += spec.memories[memory].LockBits();
    }
  }
  bank_bits = std::max(bank_bits, 1);
  for (size_t u = 0; u < spec.units.size(); ++u) {
    units.push_back(PlanUnit(spec, static_cast<int>(u), bank_bits));
  }
  for (int port = 0, next = 1; port < spec.ports; ++port) {  // requester 0 is fetch
    const int first = port == 0 ? 0 : next;
    for (SvUnit& unit : units) {
      if (unit.loads && unit.port == port) unit.requester = next++;
    }
    readers.push_back({first, next - first});
  }
}

}  // namespace cosim::isa
