// SPDX-License-Identifier: Apache-2.0
// Prints the engines that compute: nests of loops over micro-ops.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "isa/sv/engine.h"
#include "isa/sv/engine_parts.h"

namespace cosim::isa {
namespace {

/// What engines with a nest of loops over micro-ops have.
constexpr std::string_view kNestDeclarations = R"(
  logic                                @e@_step, @e@_uop_re;
  logic [cosim_pkg::@Uop@AddrBits-1:0] @e@_uop_addr;
  logic [cosim_pkg::@Uop@Bits-1:0]     @e@_uop_data;
)";

constexpr std::string_view kNestPins = R"(    .sync_i      (~@u@_is_@kind@),
    .step_o      (@e@_step),
    .uop_begin_i (cosim_pkg::@Uop@AddrBits'(@e@_uop_begin)),
    .uop_end_i   ((cosim_pkg::@Uop@AddrBits + 1)'(@e@_uop_end)),
    .iter_out_i  (@iter_bits@'(@e@_iter_out)),
    .iter_in_i   (@iter_bits@'(@e@_iter_in)),
    .base_i      ({@base@}),
    .outer_i     ({@outer@}),
    .inner_i     ({@inner@}),
    .uop_re_o    (@e@_uop_re),
    .uop_addr_o  (@e@_uop_addr),
    .uop_data_i  (@e@_uop_data),
)";

constexpr std::string_view kGemmDeclarations = R"(
  logic                                 @u@_gemm_side_re, @u@_gemm_dst_re, @u@_gemm_we;
  logic [@lines@-1:0]                   @u@_gemm_src_re;
  logic [@lines@*cosim_pkg::@Src@AddrBits-1:0] @u@_gemm_src_addr;
  logic [cosim_pkg::@Side@AddrBits-1:0] @u@_gemm_side_addr;
  logic [cosim_pkg::@Dst@AddrBits-1:0]  @u@_gemm_dst_addr, @u@_gemm_waddr;
  logic [@lines@*cosim_pkg::@Src@Bits-1:0] @u@_gemm_src_data;
  logic [cosim_pkg::@Side@Bits-1:0]     @u@_gemm_side_data;
  logic [cosim_pkg::@Dst@Bits-1:0]      @u@_gemm_dst_data, @u@_gemm_wdata;
)";

constexpr std::string_view kGemm = R"(
  gemm_unit #(
    .Batch    (@batch@),
    .BlockIn  (@block_in@),
    .BlockOut (@block_out@),
    .PerLane  (@per_lane@),
    .InpBits  (cosim_pkg::@Src@LaneBits),
    .WgtBits  (cosim_pkg::@Side@LaneBits),
    .MacsPerDsp(@macs_per_dsp@),
    .LutInputs(@lut_inputs@),
    .Taps     (@taps@),
    .Lines    (@lines@),
    .Group    (@group@),
    .AccBits  (cosim_pkg::@Dst@LaneBits),
    .UopBits  (cosim_pkg::@Uop@AddrBits),
    .IterBits (@iter_bits@),
    .DstBits  (cosim_pkg::@Dst@AddrBits),
    .SrcBits  (cosim_pkg::@Src@AddrBits),
    .SideBits (cosim_pkg::@Side@AddrBits),
    .IndexBits(@index_bits@),
    .UopWidth (cosim_pkg::@Uop@Bits),
    .UopDst   (@uop_dst@),
    .UopSrc   (@uop_src@),
    .UopSide  (@uop_side@),
    .UopDstBits(@uop_dst_bits@), .UopSrcBits(@uop_src_bits@), .UopSideBits(@uop_side_bits@),
    .Latency  (cosim_pkg::@U@Latency),
    .Overlap  (cosim_pkg::@U@Overlap != 0),
    .TagBits  (@tag@)
  ) i_@u@_gemm (
@engine_pins@    .overwrite_i (@u@_gemm_overwrite),
    .zero_i      (@u@_gemm_reset),
    .rows_i      (@rows@),
    .src_row_i   (@src_row@),
@nest_pins@    .src_re_o    (@u@_gemm_src_re),
    .src_addr_o  (@u@_gemm_src_addr),
    .src_data_i  (@u@_gemm_src_data),
    .side_re_o   (@u@_gemm_side_re),
    .side_addr_o (@u@_gemm_side_addr),
    .side_data_i (@u@_gemm_side_data),
    .dst_re_o    (@u@_gemm_dst_re),
    .dst_raddr_o (@u@_gemm_dst_addr),
    .dst_rdata_i (@u@_gemm_dst_data),
    .dst_we_o    (@u@_gemm_we),
    .dst_waddr_o (@u@_gemm_waddr),
    .dst_wdata_o (@u@_gemm_wdata)
  );
)";

constexpr std::string_view kAluDeclarations = R"(
  logic                                @u@_alu_twice, @u@_alu_active, @u@_alu_fire;
  logic [@reads@-1:0]                  @u@_alu_first, @u@_alu_second, @u@_alu_re;
  logic [@reads@*@indices@-1:0]        @u@_alu_first_index, @u@_alu_second_index;
  logic [@indices@-1:0]                @u@_alu_result_index;
  logic [@writes@-1:0]                 @u@_alu_result_memory, @u@_alu_we;
  logic [@reads@*@index_bits@-1:0]     @u@_alu_raddr;
  logic [@index_bits@-1:0]             @u@_alu_waddr;
  logic [@group_bits@-1:0]             @u@_alu_group, @u@_alu_wgroup;
)";

constexpr std::string_view kAlu = R"(
  alu_unit #(
    .UopBits  (cosim_pkg::@Uop@AddrBits),
    .IterBits (@iter_bits@),
    .Indices  (@indices@),
    .IndexBits(@index_bits@),
    .UopWidth (cosim_pkg::@Uop@Bits),
    .UopOffset({@uop_offset@}),
    .UopField ({@uop_field@}),
    .Reads    (@reads@),
    .Writes   (@writes@),
    .Groups   (@groups@),
@parts@    .Stages   (@stages@),
    .Latency  (cosim_pkg::@U@Latency),
    .TagBits  (@tag@)
  ) i_@u@_alu (
@engine_pins@@nest_pins@    .twice_i       (@u@_alu_twice),
    .first_i       (@u@_alu_first),
    .second_i      (@u@_alu_second),
    .first_index_i (@u@_alu_first_index),
    .second_index_i(@u@_alu_second_index),
    .result_index_i(@u@_alu_result_index),
    .result_memory_i(@u@_alu_result_memory),
    .re_o          (@u@_alu_re),
    .raddr_o       (@u@_alu_raddr),
    .active_o      (@u@_alu_active),
    .fire_o        (@u@_alu_fire),
    .group_o       (@u@_alu_group),
    .we_o          (@u@_alu_we),
    .wgroup_o      (@u@_alu_wgroup),
    .waddr_o       (@u@_alu_waddr)
  );

  alu_@u@ i_@u@_lanes (
    .clk_i,
    .enable_i       (@u@_alu_active),
    .issue_i        (@u@_alu_issue),
    .op_i           (@u@_alu_op),
@immediates@    .twice_o        (@u@_alu_twice),
    .first_o        (@u@_alu_first),
    .second_o       (@u@_alu_second),
    .first_index_o  (@u@_alu_first_index),
    .second_index_o (@u@_alu_second_index),
    .result_index_o (@u@_alu_result_index),
    .result_memory_o(@u@_alu_result_memory),
    .group_i        (@u@_alu_group)@lane_pins@
  );
)";

std::string Indices(const SvUnit& unit, Kind kind, const std::vector<std::string>& names, const char* part,
                    int bits) {
  std::vector<std::string> items;
  for (const std::string& name : names) {
    items.push_back(fmt::format("{}'({}_{}_{}{})", bits, unit.name, KindName(kind), name, part));
  }
  return SvConcatenation(items);
}

/// What the nests of gemm and alu instructions share. `values` have "Uop" already.
void AddNest(SvValues& values, const Spec& spec, const SvUnit& unit, Kind kind,
             const std::vector<std::string>& names, int index_bits) {
  values.insert(values.end(),
                {{"iter_bits", std::to_string(WidestSvField(spec, unit, kind, {"iter_out", "iter_in"}))},
                 {"index_bits", std::to_string(index_bits)},
                 {"base", Indices(unit, kind, names, "_base", index_bits)},
                 {"outer", Indices(unit, kind, names, "_out", index_bits)},
                 {"inner", Indices(unit, kind, names, "_in", index_bits)}});
  values.emplace_back("nest_pins", FillSvTemplate(kNestPins, values));
}

/// The signals of a nest, and its reading of micro-ops.
void AddMicroOps(SvEngine& engine, const SvValues& values, int micro_ops) {
  engine.declarations += FillSvTemplate(kNestDeclarations, values);
  engine.reads.push_back(
      {micro_ops, engine.name + "_uop_re", engine.name + "_uop_addr", engine.name + "_uop_data", ""});
}

/// Parameters of an alu that reads several elements of some memory side by side; empty: it does not.
std::string Parts(const Spec& spec, const SvUnit& unit) {
  const SvAlu& alu = unit.alu;
  const int together = std::min(spec.units[unit.unit].lanes, alu.element_lanes);
  std::vector<std::string> parts, groups;
  bool any = false;
  for (int memory : alu.reads) {
    const int count = alu.Parts(spec, memory);
    any |= count > 1;
    parts.push_back(fmt::format("32'd{}", count));
    groups.push_back(fmt::format("32'd{}", count > 1 ? spec.memories[memory].lanes.back() / together : 1));
  }
  if (!any) return "";
  return fmt::format("    .Parts    ({{{}}}),\n    .PartGroups({{{}}}),\n", SvConcatenation(parts),
                     SvConcatenation(groups));
}

/// A vector that has each of the `count` bits of `bits` `times` times.
std::string SvRepeatBits(const std::string& bits, int count, int times) {
  std::vector<std::string> items;
  for (int bit = 0; bit < count; ++bit) items.push_back(fmt::format("{{{}{{{}[{}]}}}}", times, bits, bit));
  return fmt::format("{{{}}}", SvConcatenation(items));
}

/// How far the rows lie apart that are read at once.
std::string SourcePitch(const Spec& spec, const SvUnit& unit, int memory) {
  const std::string bits = fmt::format("cosim_pkg::{}AddrBits", SvMemoryConstant(spec, memory));
  if (unit.gemm.lines == 1) return bits + "'(0)";
  return fmt::format("{}'({}_gemm_{})", bits, unit.name, unit.gemm.pitch);
}

}  // namespace

SvEngine SvGemmEngine(const Spec& spec, const SvUnit& unit) {
  const InstructionFormat& format = spec.formats[unit.gemm.format];
  const Operand& dst = format.intrinsic->dst;
  const Operand& src = format.intrinsic->sources[unit.gemm.src];
  const Operand& side = format.intrinsic->sources[unit.gemm.side];
  const std::vector<std::string> names = {dst.index, src.index, side.index};
  int index_bits = 1;
  for (const Operand* operand : {&dst, &src, &side}) {
    index_bits = std::max(
        {index_bits, SvAddressBits(spec.memories[operand->memory].depth),
         WidestSvField(spec, unit, Kind::kGemm,
                       {operand->index + "_base", operand->index + "_out", operand->index + "_in"})});
  }
  SvValues values = SvEngineValues(unit, Kind::kGemm);
  values.insert(values.end(),
                {{"batch", std::to_string(unit.gemm.batch)},
                 {"block_in", std::to_string(unit.gemm.block_in)},
                 {"block_out", std::to_string(unit.gemm.block_out)},
                 {"per_lane", unit.gemm.per_lane ? "1'b1" : "1'b0"},
                 {"macs_per_dsp", std::to_string(unit.gemm.macs_per_dsp)},
                 {"taps", std::to_string(unit.gemm.taps)},
                 {"lines", std::to_string(unit.gemm.lines)},
                 {"group", std::to_string(unit.gemm.group)},
                 {"rows", unit.gemm.rows >= 0 ? unit.name + "_gemm_rows" : "1'b0"},
                 {"src_row", SourcePitch(spec, unit, src.memory)},
                 {"lut_inputs", std::to_string(unit.gemm.per_lane ? 0 : spec.hardware.lut_inputs)},
                 {"Uop", SvMemoryConstant(spec, format.micro_ops)},
                 {"Dst", SvMemoryConstant(spec, dst.memory)},
                 {"Src", SvMemoryConstant(spec, src.memory)},
                 {"Side", SvMemoryConstant(spec, side.memory)}});
  const std::pair<const char*, const Operand*> fields[] = {{"dst", &dst}, {"src", &src}, {"side", &side}};
  for (const auto& [name, operand] : fields) {
    const std::string field = SvMemoryConstant(spec, format.micro_ops) + SvConstantName(operand->index);
    values.emplace_back(fmt::format("uop_{}", name), fmt::format("cosim_pkg::{}Offset", field));
    values.emplace_back(fmt::format("uop_{}_bits", name), fmt::format("cosim_pkg::{}Bits", field));
  }
  AddNest(values, spec, unit, Kind::kGemm, names, index_bits);
  SvEngine engine = FillSvEngine(unit, Kind::kGemm, kGemmDeclarations, kGemm, values);
  engine.select = unit.name + "_is_gemm";
  const std::string prefix = engine.name + "_";
  AddMicroOps(engine, values, format.micro_ops);
  for (int line = 0; line < unit.gemm.lines; ++line) {
    const std::string memory = "cosim_pkg::" + SvMemoryConstant(spec, src.memory);
    engine.reads.push_back(
        {.memory = src.memory,
         .enable = fmt::format("{}src_re[{}]", prefix, line),
         .addr = fmt::format("{0}src_addr[{1}*{2}AddrBits +: {2}AddrBits]", prefix, line, memory),
         .data = fmt::format("{0}src_data[{1}*{2}Bits +: {2}Bits]", prefix, line, memory),
         .slices = "",
         .copy = line});
  }
  engine.reads.insert(engine.reads.end(),
                      {{side.memory, prefix + "side_re", prefix + "side_addr", prefix + "side_data", ""},
                       {dst.memory, prefix + "dst_re", prefix + "dst_addr", prefix + "dst_data", ""}});
  engine.writes = {{dst.memory, prefix + "we", prefix + "waddr", prefix + "wdata", ""}};
  return engine;
}

SvEngine SvAluEngine(const Spec& spec, const SvUnit& unit) {
  const SvAlu& alu = unit.alu;
  const InstructionFormat& format = spec.formats[alu.format];
  const std::string uop = SvMemoryConstant(spec, format.micro_ops);
  std::vector<std::string> names, offsets, fields;
  int index_bits = 1;
  for (const IndexFields& index : format.indices) {
    names.push_back(index.index);
    offsets.push_back(fmt::format("cosim_pkg::{}{}Offset", uop, SvConstantName(index.index)));
    fields.push_back(fmt::format("cosim_pkg::{}{}Bits", uop, SvConstantName(index.index)));
    index_bits =
        std::max({index_bits, spec.memories[format.micro_ops].fields[index.uop].type.width,
                  WidestSvField(spec, unit, Kind::kAlu,
                                {index.index + "_base", index.index + "_out", index.index + "_in"})});
  }
  for (int memory : alu.reads) index_bits = std::max(index_bits, SvAddressBits(spec.memories[memory].depth));
  for (int memory : alu.writes) index_bits = std::max(index_bits, SvAddressBits(spec.memories[memory].depth));
  std::string immediates, pins, memories;
  for (int field : alu.immediates) {
    immediates += fmt::format("    .{0}_i({1}_alu_{0}),\n", format.fields[field].name, unit.name);
  }
  auto element = [&](int memory, const char* way) {
    const std::string& name = spec.memories[memory].name;
    pins += fmt::format(",\n    .{}_{}({}_alu_{}_{})", name, way, unit.name, name, way);
    memories += fmt::format("  logic [cosim_pkg::{}Bits-1:0] {}_alu_{}_{};\n", SvMemoryConstant(spec, memory),
                            unit.name, name, way);
  };
  for (int memory : alu.reads) element(memory, "i");
  for (int memory : alu.writes) element(memory, "o");
  for (int memory : alu.tables) {
    const std::string& name = spec.memories[memory].name;
    for (const char* part : {"we", "waddr", "wdata"})
      pins += fmt::format(",\n    .{0}_{1}_i({2}_alu_{0}_{1})", name, part, unit.name);
    memories += fmt::format(
        "  logic {0}_alu_{1}_we;\n  logic [cosim_pkg::{2}AddrBits-1:0] {0}_alu_{1}_waddr;\n"
        "  logic [cosim_pkg::{2}Bits-1:0] {0}_alu_{1}_wdata;\n",
        unit.name, name, SvMemoryConstant(spec, memory));
  }
  SvValues values = SvEngineValues(unit, Kind::kAlu);
  values.insert(values.end(), {{"Uop", uop},
                               {"indices", std::to_string(format.indices.size())},
                               {"uop_offset", SvConcatenation(offsets)},
                               {"uop_field", SvConcatenation(fields)},
                               {"reads", std::to_string(std::max<size_t>(1, alu.reads.size()))},
                               {"writes", std::to_string(alu.writes.size())},
                               {"groups", std::to_string(alu.groups)},
                               {"parts", Parts(spec, unit)},
                               {"group_bits", std::to_string(alu.groups > 1 ? SvAddressBits(alu.groups) : 1)},
                               {"stages", std::to_string(alu.stages)},
                               {"immediates", immediates},
                               {"lane_pins", pins}});
  AddNest(values, spec, unit, Kind::kAlu, names, index_bits);
  SvEngine engine = FillSvEngine(unit, Kind::kAlu, kAluDeclarations, kAlu, values);
  engine.declarations += memories;
  engine.select = unit.name + "_is_alu";
  // Whether lanes fire makes no difference to them, only to what is written.
  engine.unused = {engine.name + "_fire", engine.name + "_wgroup", engine.name + "_raddr",
                   engine.name + "_waddr"};
  if (alu.reads.empty()) engine.unused.push_back(engine.name + "_re");
  AddMicroOps(engine, values, format.micro_ops);
  for (size_t m = 0; m < alu.reads.size(); ++m) {
    engine.reads.push_back({alu.reads[m], fmt::format("{}_re[{}]", engine.name, m),
                            fmt::format("{}_raddr[{} +: cosim_pkg::{}AddrBits]", engine.name, m * index_bits,
                                        SvMemoryConstant(spec, alu.reads[m])),
                            fmt::format("{}_{}_i", engine.name, spec.memories[alu.reads[m]].name), ""});
  }
  for (size_t w = 0; w < alu.writes.size(); ++w) {
    const std::string constant = SvMemoryConstant(spec, alu.writes[w]);
    SvAccess access{alu.writes[w], fmt::format("{}_we[{}]", engine.name, w),
                    fmt::format("{}_waddr[cosim_pkg::{}AddrBits-1:0]", engine.name, constant),
                    fmt::format("{}_{}_o", engine.name, spec.memories[alu.writes[w]].name), ""};
    if (alu.groups > 1) {
      const int lane_bits = spec.memories[alu.writes[w]].record_bits;
      access.slices = engine.name + "_wlanes";
      access.slice_bits = lane_bits;
      if (SvGathersInto(spec, alu.writes[w]) && lane_bits != kSvPieceBits) {  // a lane is several bytes
        access.slices = SvRepeatBits(access.slices, alu.element_lanes, lane_bits / kSvPieceBits);
        access.slice_bits = kSvPieceBits;
      }
    }
    engine.writes.push_back(std::move(access));
  }
  if (alu.groups > 1) {
    const int lanes = std::min(spec.units[unit.unit].lanes, alu.element_lanes);
    engine.declarations += fmt::format("  logic [{}:0] {}_wlanes;\n", alu.element_lanes - 1, engine.name);
    for (int lane = 0; lane < alu.element_lanes; ++lane) {
      engine.body += fmt::format("  assign {0}_wlanes[{1}] = {0}_wgroup == {2}'d{3};\n", engine.name, lane,
                                 SvAddressBits(alu.groups), lane / lanes);
    }
  }
  return engine;
}

}  // namespace cosim::isa
