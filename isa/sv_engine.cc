// SPDX-License-Identifier: Apache-2.0
// Prints the engines of a unit, one template a kind.
#include "isa/sv_engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "isa/sv_template.h"

namespace cosim::isa {
namespace {

/// What all engines have.
constexpr std::string_view kEngineDeclarations = R"(
  logic             @e@_ready, @e@_idle, @e@_busy, @e@_issue, @e@_retire;
  logic [@tag@-1:0] @e@_retire_tag;
)";

constexpr std::string_view kEnginePins = R"(    .clk_i,
    .rst_ni,
    .ready_o     (@e@_ready),
    .idle_o      (@e@_idle),
    .busy_o      (@e@_busy),
    .issue_i     (@e@_issue),
    .tag_i       (@u@_tag),
    .retire_o    (@e@_retire),
    .retire_tag_o(@e@_retire_tag),
)";

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

constexpr std::string_view kLoadDeclarations = R"(
  logic [@memories@-1:0]   @u@_load_we;
  logic [@addr_bits@-1:0]  @u@_load_waddr;
  logic [@data_bits@-1:0]  @u@_load_wdata;
)";

constexpr std::string_view kLoad = R"(
  load_unit #(
    .Memories   (@memories@),
    .ElementBits({@element_bits@}),
    .LaneBits   ({@lane_bits@}),
    .StoredBytes({@stored_bytes@}),
    .DataBits   (@data_bits@),
    .AddrBits   (@addr_bits@),
    .PortBits   (cosim_pkg::PortBits),
    .BurstBeats (cosim_pkg::BurstBeats),
    .BufferBeats(cosim_pkg::@U@BufferBeats),
    .InFlight   (cosim_pkg::@U@Commands),
    .Latency    (cosim_pkg::@U@Latency),
    .Overlap    (cosim_pkg::@U@Overlap != 0),
    .TagBits    (@tag@),
    .DimBits    (@dim_bits@),
    .PadBits    (@pad_bits@),
    .ValueBits  (@value_bits@)
  ) i_@u@_load (
@engine_pins@    .memory_i    (@u@_load_memory),
    .sram_i      (@addr_bits@'(@u@_load_sram)),
    .dram_i      (32'(@u@_load_dram)),
    .rows_i      (@dim_bits@'(@u@_load_rows)),
    .cols_i      (@dim_bits@'(@u@_load_cols)),
    .stride_i    (@dim_bits@'(@u@_load_stride)),
    .pad_top_i   (@pad_bits@'(@u@_load_pad_top)),
    .pad_bottom_i(@pad_bits@'(@u@_load_pad_bottom)),
    .pad_left_i  (@pad_bits@'(@u@_load_pad_left)),
    .pad_right_i (@pad_bits@'(@u@_load_pad_right)),
    .pad_value_i (@u@_load_pad_value),
    .req_valid_o (req_valid[@r@]),
    .req_addr_o  (req_addr[@r@*32 +: 32]),
    .req_len_o   (req_len[@r@*LenBits +: LenBits]),
    .req_ready_i (req_ready[@r@]),
    .beat_valid_i(beat_valid[@r@]),
    .beat_last_i (beat_last[@p@]),
    .beat_data_i (beat_data[@p@*cosim_pkg::PortBits +: cosim_pkg::PortBits]),
    .we_o        (@u@_load_we),
    .waddr_o     (@u@_load_waddr),
    .wdata_o     (@u@_load_wdata)
  );
)";

constexpr std::string_view kGemmDeclarations = R"(
  logic                                 @u@_gemm_src_re, @u@_gemm_side_re, @u@_gemm_dst_re, @u@_gemm_we;
  logic [cosim_pkg::@Src@AddrBits-1:0]  @u@_gemm_src_addr;
  logic [cosim_pkg::@Side@AddrBits-1:0] @u@_gemm_side_addr;
  logic [cosim_pkg::@Dst@AddrBits-1:0]  @u@_gemm_dst_addr, @u@_gemm_waddr;
  logic [cosim_pkg::@Src@Bits-1:0]      @u@_gemm_src_data;
  logic [cosim_pkg::@Side@Bits-1:0]     @u@_gemm_side_data;
  logic [cosim_pkg::@Dst@Bits-1:0]      @u@_gemm_dst_data, @u@_gemm_wdata;
)";

constexpr std::string_view kGemm = R"(
  gemm_unit #(
    .Batch    (@batch@),
    .BlockIn  (@block_in@),
    .BlockOut (@block_out@),
    .InpBits  (cosim_pkg::@Src@LaneBits),
    .WgtBits  (cosim_pkg::@Side@LaneBits),
    .MacsPerDsp(@macs_per_dsp@),
    .LutInputs(@lut_inputs@),
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

constexpr std::string_view kStoreDeclarations = R"(
  logic                                    @u@_store_re;
  logic [cosim_pkg::@Stored@AddrBits-1:0] @u@_store_raddr;
  logic [cosim_pkg::@Stored@Bits-1:0]      @u@_store_rdata;
)";

constexpr std::string_view kStore = R"(
  store_unit #(
    .ElementBits(cosim_pkg::@Stored@Bits),
    .StoredBytes(cosim_pkg::@Stored@StoredBytes),
    .AddrBits   (cosim_pkg::@Stored@AddrBits),
    .PortBits   (cosim_pkg::PortBits),
    .BurstBeats (cosim_pkg::BurstBeats),
    .Outstanding(cosim_pkg::Outstanding),
    .InFlight   (cosim_pkg::@U@Commands),
    .Latency    (cosim_pkg::@U@Latency),
    .Overlap    (cosim_pkg::@U@Overlap != 0),
    .TagBits    (@tag@),
    .DimBits    (@dim_bits@)
  ) i_@u@_store (
@engine_pins@    .sync_i         (~@u@_is_store),
    .sram_i         (cosim_pkg::@Stored@AddrBits'(@u@_store_sram)),
    .dram_i         (32'(@u@_store_dram)),
    .rows_i         (@dim_bits@'(@u@_store_rows)),
    .cols_i         (@dim_bits@'(@u@_store_cols)),
    .stride_i       (@dim_bits@'(@u@_store_stride)),
    .req_valid_o    (write_valid),
    .req_addr_o     (write_addr),
    .req_len_o      (write_len),
    .req_last_o     (write_last),
    .req_ready_i    (write_ready),
    .response_last_i(write_response_last),
    .w_valid_o      (w_valid_o[@p@]),
    .w_ready_i      (w_ready_i[@p@]),
    .w_data_o       (w_data_o[@p@*cosim_pkg::PortBits +: cosim_pkg::PortBits]),
    .w_strb_o       (w_strb_o[@p@*cosim_pkg::PortBits/8 +: cosim_pkg::PortBits/8]),
    .w_last_o       (w_last_o[@p@]),
    .re_o           (@u@_store_re),
    .raddr_o        (@u@_store_raddr),
    .rdata_i        (@u@_store_rdata)
  );
)";

constexpr std::string_view kAluDeclarations = R"(
  logic                                @u@_alu_twice, @u@_alu_fire, @u@_alu_we;
  logic [@reads@-1:0]                  @u@_alu_first, @u@_alu_second, @u@_alu_re;
  logic [@reads@*@indices@-1:0]        @u@_alu_first_index, @u@_alu_second_index;
  logic [@indices@-1:0]                @u@_alu_result_index;
  logic [@writes@-1:0]                 @u@_alu_result_memory;
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
    .Groups   (@groups@),
    .Stages   (@stages@),
    .Latency  (cosim_pkg::@U@Latency),
    .TagBits  (@tag@)
  ) i_@u@_alu (
@engine_pins@@nest_pins@    .twice_i       (@u@_alu_twice),
    .first_i       (@u@_alu_first),
    .second_i      (@u@_alu_second),
    .first_index_i (@u@_alu_first_index),
    .second_index_i(@u@_alu_second_index),
    .result_index_i(@u@_alu_result_index),
    .re_o          (@u@_alu_re),
    .raddr_o       (@u@_alu_raddr),
    .fire_o        (@u@_alu_fire),
    .group_o       (@u@_alu_group),
    .we_o          (@u@_alu_we),
    .wgroup_o      (@u@_alu_wgroup),
    .waddr_o       (@u@_alu_waddr)
  );

  alu_@u@ i_@u@_lanes (
    .clk_i,
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

/// What every template may name.
SvValues EngineValues(const SvUnit& unit, Kind kind) {
  SvValues values = {{"u", unit.name},
                     {"U", unit.constant},
                     {"e", fmt::format("{}_{}", unit.name, KindName(kind))},
                     {"kind", std::string(KindName(kind))},
                     {"p", std::to_string(unit.port)},
                     {"tag", std::to_string(unit.tag_bits)}};
  values.emplace_back("engine_pins", FillSvTemplate(kEnginePins, values));
  return values;
}

std::string MemoryConstant(const Spec& spec, int memory) {
  return "Mem" + SvConstantName(spec.memories[memory].name);
}

/// Fills the templates and gives the engine its name.
SvEngine Fill(const SvUnit& unit, Kind kind, std::string_view declarations, std::string_view body,
              const SvValues& values) {
  SvEngine engine;
  engine.kind = kind;
  engine.name = fmt::format("{}_{}", unit.name, KindName(kind));
  engine.declarations = FillSvTemplate(kEngineDeclarations, values) + FillSvTemplate(declarations, values);
  engine.body = FillSvTemplate(body, values);
  return engine;
}

/// Widest of several fields of a kind, at least 1.
int Widest(const Spec& spec, const SvUnit& unit, Kind kind, const std::vector<std::string>& names) {
  int widest = 1;
  for (const std::string& name : names) widest = std::max(widest, unit.FieldBits(spec, kind, name));
  return widest;
}

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
                {{"iter_bits", std::to_string(Widest(spec, unit, kind, {"iter_out", "iter_in"}))},
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

}  // namespace

std::string SvConcatenation(const std::vector<std::string>& items) {
  std::string text;
  for (size_t i = items.size(); i-- > 0;) text += (text.empty() ? "" : ", ") + items[i];
  return text;
}

SvEngine SvLoadEngine(const Spec& spec, const SvPlan& plan, const SvUnit& unit) {
  std::vector<std::string> element_bits, lane_bits, stored_bytes;
  int64_t data_bits = 0;
  int addr_bits = 1;
  const int64_t port_bits = spec.dram.port_bits;
  for (int m : unit.memories) {
    const Memory& memory = spec.memories[m];
    bool padded = false;
    for (int f : unit.formats) padded |= spec.formats[f].memory == m && SvPads(spec.formats[f]);
    const std::string constant = MemoryConstant(spec, m);
    element_bits.push_back(fmt::format("cosim_pkg::{}Bits", constant));
    lane_bits.push_back(padded ? fmt::format("cosim_pkg::{}LaneBits", constant) : "32'd0");
    stored_bytes.push_back(fmt::format("cosim_pkg::{}StoredBytes", constant));
    data_bits = std::max(data_bits, (memory.stored_bytes * 8 + port_bits - 1) / port_bits * port_bits);
    addr_bits = std::max(addr_bits, SvAddressBits(memory.depth));
  }
  auto bits = [&](const std::vector<std::string>& names) {
    return std::to_string(Widest(spec, unit, Kind::kLoad, names));
  };
  SvValues values = EngineValues(unit, Kind::kLoad);
  values.insert(values.end(), {{"memories", std::to_string(unit.memories.size())},
                               {"element_bits", SvConcatenation(element_bits)},
                               {"lane_bits", SvConcatenation(lane_bits)},
                               {"stored_bytes", SvConcatenation(stored_bytes)},
                               {"data_bits", std::to_string(data_bits)},
                               {"addr_bits", std::to_string(addr_bits)},
                               {"dim_bits", bits({"rows", "cols", "stride"})},
                               {"pad_bits", bits({"pad_top", "pad_bottom", "pad_left", "pad_right"})},
                               {"value_bits", bits({"pad_value"})},
                               {"r", std::to_string(unit.requester)}});
  SvEngine engine = Fill(unit, Kind::kLoad, kLoadDeclarations, kLoad, values);
  engine.select = fmt::format("({}_load_memory != '0)", unit.name);
  const SvReaders& rivals = plan.readers[unit.port];
  engine.lost_turn = fmt::format("(req_valid[{0}] & ~req_ready[{0}] & (req_ready[{1} +: {2}] != '0))",
                                 unit.requester, rivals.first, rivals.count);
  engine.unused = {engine.name + "_wdata"};
  for (size_t k = 0; k < unit.memories.size(); ++k) {
    const std::string constant = MemoryConstant(spec, unit.memories[k]);
    engine.writes.push_back({unit.memories[k], fmt::format("{}_we[{}]", engine.name, k),
                             fmt::format("{}_waddr[cosim_pkg::{}AddrBits-1:0]", engine.name, constant),
                             fmt::format("{}_wdata[cosim_pkg::{}Bits-1:0]", engine.name, constant), ""});
  }
  return engine;
}

SvEngine SvGemmEngine(const Spec& spec, const SvUnit& unit) {
  const InstructionFormat& format = spec.formats[unit.gemm.format];
  const Operand& dst = format.intrinsic->dst;
  const Operand& src = format.intrinsic->sources[unit.gemm.src];
  const Operand& side = format.intrinsic->sources[unit.gemm.side];
  const std::vector<std::string> names = {dst.index, src.index, side.index};
  int index_bits = 1;
  for (const Operand* operand : {&dst, &src, &side}) {
    index_bits =
        std::max({index_bits, SvAddressBits(spec.memories[operand->memory].depth),
                  Widest(spec, unit, Kind::kGemm,
                         {operand->index + "_base", operand->index + "_out", operand->index + "_in"})});
  }
  SvValues values = EngineValues(unit, Kind::kGemm);
  values.insert(values.end(), {{"batch", std::to_string(unit.gemm.batch)},
                               {"block_in", std::to_string(unit.gemm.block_in)},
                               {"block_out", std::to_string(unit.gemm.block_out)},
                               {"macs_per_dsp", std::to_string(unit.gemm.macs_per_dsp)},
                               {"lut_inputs", std::to_string(spec.hardware.lut_inputs)},
                               {"Uop", MemoryConstant(spec, format.micro_ops)},
                               {"Dst", MemoryConstant(spec, dst.memory)},
                               {"Src", MemoryConstant(spec, src.memory)},
                               {"Side", MemoryConstant(spec, side.memory)}});
  const std::pair<const char*, const Operand*> fields[] = {{"dst", &dst}, {"src", &src}, {"side", &side}};
  for (const auto& [name, operand] : fields) {
    const std::string field = MemoryConstant(spec, format.micro_ops) + SvConstantName(operand->index);
    values.emplace_back(fmt::format("uop_{}", name), fmt::format("cosim_pkg::{}Offset", field));
    values.emplace_back(fmt::format("uop_{}_bits", name), fmt::format("cosim_pkg::{}Bits", field));
  }
  AddNest(values, spec, unit, Kind::kGemm, names, index_bits);
  SvEngine engine = Fill(unit, Kind::kGemm, kGemmDeclarations, kGemm, values);
  engine.select = unit.name + "_is_gemm";
  const std::string prefix = engine.name + "_";
  AddMicroOps(engine, values, format.micro_ops);
  engine.reads.insert(engine.reads.end(),
                      {{src.memory, prefix + "src_re", prefix + "src_addr", prefix + "src_data", ""},
                       {side.memory, prefix + "side_re", prefix + "side_addr", prefix + "side_data", ""},
                       {dst.memory, prefix + "dst_re", prefix + "dst_addr", prefix + "dst_data", ""}});
  engine.writes = {{dst.memory, prefix + "we", prefix + "waddr", prefix + "wdata", ""}};
  return engine;
}

SvEngine SvStoreEngine(const Spec& spec, const SvUnit& unit) {
  SvValues values = EngineValues(unit, Kind::kStore);
  values.insert(values.end(),
                {{"Stored", MemoryConstant(spec, unit.stored)},
                 {"dim_bits", std::to_string(Widest(spec, unit, Kind::kStore, {"rows", "cols", "stride"}))}});
  SvEngine engine = Fill(unit, Kind::kStore, kStoreDeclarations, kStore, values);
  engine.select = unit.name + "_is_store";
  engine.reads = {{unit.stored, engine.name + "_re", engine.name + "_raddr", engine.name + "_rdata", ""}};
  return engine;
}

SvEngine SvAluEngine(const Spec& spec, const SvUnit& unit) {
  const SvAlu& alu = unit.alu;
  const InstructionFormat& format = spec.formats[alu.format];
  const std::string uop = MemoryConstant(spec, format.micro_ops);
  std::vector<std::string> names, offsets, fields;
  int index_bits = 1;
  for (const IndexFields& index : format.indices) {
    names.push_back(index.index);
    offsets.push_back(fmt::format("cosim_pkg::{}{}Offset", uop, SvConstantName(index.index)));
    fields.push_back(fmt::format("cosim_pkg::{}{}Bits", uop, SvConstantName(index.index)));
    index_bits = std::max(
        {index_bits, spec.memories[format.micro_ops].fields[index.uop].type.width,
         Widest(spec, unit, Kind::kAlu, {index.index + "_base", index.index + "_out", index.index + "_in"})});
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
    memories += fmt::format("  logic [cosim_pkg::{}Bits-1:0] {}_alu_{}_{};\n", MemoryConstant(spec, memory),
                            unit.name, name, way);
  };
  for (int memory : alu.reads) element(memory, "i");
  for (int memory : alu.writes) element(memory, "o");
  SvValues values = EngineValues(unit, Kind::kAlu);
  values.insert(values.end(), {{"Uop", uop},
                               {"indices", std::to_string(format.indices.size())},
                               {"uop_offset", SvConcatenation(offsets)},
                               {"uop_field", SvConcatenation(fields)},
                               {"reads", std::to_string(alu.reads.size())},
                               {"writes", std::to_string(alu.writes.size())},
                               {"groups", std::to_string(alu.groups)},
                               {"group_bits", std::to_string(alu.groups > 1 ? SvAddressBits(alu.groups) : 1)},
                               {"stages", std::to_string(alu.stages)},
                               {"immediates", immediates},
                               {"lane_pins", pins}});
  AddNest(values, spec, unit, Kind::kAlu, names, index_bits);
  SvEngine engine = Fill(unit, Kind::kAlu, kAluDeclarations, kAlu, values);
  engine.declarations += memories;
  engine.select = unit.name + "_is_alu";
  // Whether lanes fire makes no difference to them, only to what is written.
  engine.unused = {engine.name + "_fire", engine.name + "_wgroup", engine.name + "_raddr",
                   engine.name + "_waddr"};
  AddMicroOps(engine, values, format.micro_ops);
  for (size_t m = 0; m < alu.reads.size(); ++m) {
    engine.reads.push_back({alu.reads[m], fmt::format("{}_re[{}]", engine.name, m),
                            fmt::format("{}_raddr[{} +: cosim_pkg::{}AddrBits]", engine.name, m * index_bits,
                                        MemoryConstant(spec, alu.reads[m])),
                            fmt::format("{}_{}_i", engine.name, spec.memories[alu.reads[m]].name), ""});
  }
  for (size_t w = 0; w < alu.writes.size(); ++w) {
    const std::string constant = MemoryConstant(spec, alu.writes[w]);
    SvAccess access{alu.writes[w], fmt::format("{0}_we & {0}_result_memory[{1}]", engine.name, w),
                    fmt::format("{}_waddr[cosim_pkg::{}AddrBits-1:0]", engine.name, constant),
                    fmt::format("{}_{}_o", engine.name, spec.memories[alu.writes[w]].name), ""};
    if (alu.groups > 1) access.lanes = engine.name + "_wlanes";
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
