// SPDX-License-Identifier: Apache-2.0
// Prints the engines that move data between a memory port and a memory on chip.
#include <fmt/format.h>

#include <algorithm>

#include "isa/sv/engine.h"
#include "isa/sv/engine_parts.h"

namespace cosim::isa {
namespace {

constexpr std::string_view kLoadDeclarations = R"(
  logic [@memories@-1:0]   @u@_load_we;
  logic [@slices@-1:0]     @u@_load_wslices;
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
    .ValueBits  (@value_bits@)@piece_parameters@
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
@piece_pins@    .req_valid_o (req_valid[@r@]),
    .req_addr_o  (req_addr[@r@*32 +: 32]),
    .req_len_o   (req_len[@r@*LenBits +: LenBits]),
    .req_ready_i (req_ready[@r@]),
    .beat_valid_i(beat_valid[@r@]),
    .beat_last_i (beat_last[@p@]),
    .beat_data_i (beat_data[@p@*cosim_pkg::PortBits +: cosim_pkg::PortBits]),
    .we_o        (@u@_load_we),
    .wslices_o   (@u@_load_wslices),
    .waddr_o     (@u@_load_waddr),
    .wdata_o     (@u@_load_wdata)
  );
)";

constexpr std::string_view kPieceParameters = R"(,
    .PieceBytes (@slices@),
    .StepBits   (@step_bits@))";

constexpr std::string_view kPiecePins = R"(    .gathers_i   (@u@_load_gathers),
    .row_bytes_i (32'(@u@_load_row_bytes)),
    .piece_first_i(@byte_bits@'(@u@_load_piece_first)),
    .piece_bytes_i(@byte_bits@'(@u@_load_piece_bytes)),
    .piece_step_i(@u@_load_piece_step),
)";

constexpr std::string_view kNoPiecePins = R"(    .gathers_i   (1'b0),
    .row_bytes_i ('0),
    .piece_first_i('0),
    .piece_bytes_i('0),
    .piece_step_i('0),
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

}  // namespace

SvEngine SvLoadEngine(const Spec& spec, const SvPlan& plan, const SvUnit& unit) {
  std::vector<std::string> element_bits, lane_bits, stored_bytes;
  int64_t data_bits = 0;
  int addr_bits = 1;
  const int64_t port_bits = spec.dram.port_bits;
  for (int m : unit.memories) {
    const Memory& memory = spec.memories[m];
    bool padded = false;
    for (int f : unit.formats) padded |= spec.formats[f].memory == m && SvPads(spec.formats[f]);
    const std::string constant = SvMemoryConstant(spec, m);
    element_bits.push_back(fmt::format("cosim_pkg::{}Bits", constant));
    lane_bits.push_back(padded ? fmt::format("cosim_pkg::{}LaneBits", constant) : "32'd0");
    stored_bytes.push_back(fmt::format("cosim_pkg::{}StoredBytes", constant));
    data_bits = std::max(data_bits, (memory.stored_bytes * 8 + port_bits - 1) / port_bits * port_bits);
    addr_bits = std::max(addr_bits, SvAddressBits(memory.depth));
  }
  auto bits = [&](const std::vector<std::string>& names) {
    return std::to_string(WidestSvField(spec, unit, Kind::kLoad, names));
  };
  SvValues values = SvEngineValues(unit, Kind::kLoad);
  values.insert(values.end(), {{"memories", std::to_string(unit.memories.size())},
                               {"element_bits", SvConcatenation(element_bits)},
                               {"lane_bits", SvConcatenation(lane_bits)},
                               {"stored_bytes", SvConcatenation(stored_bytes)},
                               {"data_bits", std::to_string(data_bits)},
                               {"addr_bits", std::to_string(addr_bits)},
                               {"dim_bits", bits({"rows", "cols", "stride"})},
                               {"pad_bits", bits({"pad_top", "pad_bottom", "pad_left", "pad_right"})},
                               {"value_bits", bits({"pad_value"})},
                               {"slices", std::to_string(std::max<int64_t>(1, unit.piece_bytes))},
                               {"byte_bits", std::to_string(SvAddressBits(unit.piece_bytes + 1))},
                               {"step_bits", bits({"piece_step"})},
                               {"r", std::to_string(unit.requester)}});
  const bool gathers = unit.piece_bytes > 0;
  values.emplace_back("piece_parameters", gathers ? FillSvTemplate(kPieceParameters, values) : "");
  values.emplace_back("piece_pins", FillSvTemplate(gathers ? kPiecePins : kNoPiecePins, values));
  SvEngine engine = FillSvEngine(unit, Kind::kLoad, kLoadDeclarations, kLoad, values);
  engine.select = fmt::format("({}_load_memory != '0)", unit.name);
  const SvReaders& rivals = plan.readers[unit.port];
  engine.lost_turn = fmt::format("(req_valid[{0}] & ~req_ready[{0}] & (req_ready[{1} +: {2}] != '0))",
                                 unit.requester, rivals.first, rivals.count);
  engine.unused = {engine.name + "_wdata", engine.name + "_wslices"};
  for (size_t k = 0; k < unit.memories.size(); ++k) {
    const Memory& memory = spec.memories[unit.memories[k]];
    const std::string constant = SvMemoryConstant(spec, unit.memories[k]);
    SvAccess access{unit.memories[k], fmt::format("{}_we[{}]", engine.name, k),
                    fmt::format("{}_waddr[cosim_pkg::{}AddrBits-1:0]", engine.name, constant),
                    fmt::format("{}_wdata[cosim_pkg::{}Bits-1:0]", engine.name, constant), ""};
    if (unit.GathersInto(spec, unit.memories[k])) {
      const int64_t slices = (memory.element_bits + kSvPieceBits - 1) / kSvPieceBits;
      access.slices = fmt::format("{}_wslices[{}:0]", engine.name, slices - 1);
      access.slice_bits = kSvPieceBits;
    }
    engine.writes.push_back(std::move(access));
  }
  return engine;
}

SvEngine SvStoreEngine(const Spec& spec, const SvUnit& unit) {
  SvValues values = SvEngineValues(unit, Kind::kStore);
  values.insert(
      values.end(),
      {{"Stored", SvMemoryConstant(spec, unit.stored)},
       {"dim_bits", std::to_string(WidestSvField(spec, unit, Kind::kStore, {"rows", "cols", "stride"}))}});
  SvEngine engine = FillSvEngine(unit, Kind::kStore, kStoreDeclarations, kStore, values);
  engine.select = unit.name + "_is_store";
  engine.reads = {{unit.stored, engine.name + "_re", engine.name + "_raddr", engine.name + "_rdata", ""}};
  return engine;
}

}  // namespace cosim::isa
