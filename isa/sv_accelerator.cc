// SPDX-License-Identifier: Apache-2.0
// Prints the accelerator: text of each part from a template, in the order of the page that says what happens
// when (fetch, issue, units, memory). Declarations are gathered first, because a signal is often driven after
// its use.
#include "isa/sv_accelerator.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "isa/sv_package.h"
#include "isa/sv_template.h"

namespace cosim::isa {
namespace {

constexpr std::string_view kHead = R"(
module accelerator (
  input  logic                           clk_i,
  input  logic                           rst_ni,
  input  logic                           start_i,         // one cycle: cycle 0
  input  logic [31:0]                    code_address_i,  // a multiple of 4096
  input  logic [31:0]                    code_words_i,
  output logic                           done_o,
  // AXI4 read channels.
  output logic                           ar_valid_o,
  input  logic                           ar_ready_i,
  output logic [31:0]                    ar_addr_o,
  output logic [7:0]                     ar_len_o,
  input  logic                           r_valid_i,
  output logic                           r_ready_o,
  input  logic [cosim_pkg::PortBits-1:0] r_data_i,
  input  logic                           r_last_i,
  // What happens in this cycle, for counters and comparison.
  output logic [cosim_pkg::Units-1:0]    issue_o,
  output logic [cosim_pkg::Units-1:0]    retire_o,
  output logic [cosim_pkg::Units-1:0]    busy_o,
  output logic [cosim_pkg::Units-1:0]    wait_push_o,
  output logic [cosim_pkg::Queues-1:0]   wait_token_o,
  output logic [cosim_pkg::Units-1:0]    wait_port_o,
  output logic                           read_blocked_o
);

  localparam int unsigned LenBits = $clog2(cosim_pkg::BurstBeats + 1);

)";

constexpr std::string_view kFetch = R"(
  // ---- Fetch and dispatch.
  fetch #(
    .WordBits(cosim_pkg::WordBits), .PortBits(cosim_pkg::PortBits), .FetchWords(cosim_pkg::FetchWords),
    .BurstBeats(cosim_pkg::BurstBeats)
  ) i_fetch (
    .clk_i,
    .rst_ni,
    .start_i,
    .code_address_i,
    .code_words_i,
    .req_valid_o (req_valid[0]),
    .req_addr_o  (req_addr[31:0]),
    .req_len_o   (req_len[LenBits-1:0]),
    .req_ready_i (req_ready[0]),
    .beat_valid_i(beat_valid[0]),
    .beat_data_i (beat_data),
    .word_valid_o(word_valid),
    .word_o      (word),
    .word_ready_i((word_unit & unit_room) != '0)
  );

  dispatch i_dispatch (
    .word_i(word),
    .unit_o(word_unit)
  );

  completion #(.Units(cosim_pkg::Units)) i_completion (
    .clk_i,
    .rst_ni,
    .start_i,
    .words_i (code_words_i),
    .retire_i(retire_o),
    .done_o
  );
)";

constexpr std::string_view kUnitDeclarations = R"(
  logic                               @u@_head, @u@_ready;
  logic [cosim_pkg::@U@CommandBits-1:0] @u@_word;
  logic [@pops@-1:0]                  @u@_pops, @u@_pop, @u@_tokens, @u@_wait_token;
  logic [@pushes@-1:0]                @u@_pushes, @u@_take, @u@_places;
  logic [cosim_pkg::SharedBanks-1:0]  @u@_banks;
  logic [@tag@-1:0]                   @u@_tag, @u@_retire_tag;
)";

constexpr std::string_view kUnitFront = R"(
  // ---- Unit @u@: @doc@
  fifo #(.Width(cosim_pkg::@U@CommandBits), .Depth(cosim_pkg::@U@Commands)) i_@u@_commands (
    .clk_i,
    .rst_ni,
    .push_valid_i(word_valid & word_unit[@i@]),
    .push_ready_o(unit_room[@i@]),
    .push_data_i (word[cosim_pkg::@U@CommandBits-1:0]),
    .pop_valid_o (@u@_head),
    .pop_ready_i (issue_o[@i@]),
    .pop_data_o  (@u@_word)
  );

  decode_@u@ i_@u@_decode (
    .word_i      (@u@_word),
@roles@    .pops_o      (@u@_pops),
    .pushes_o    (@u@_pushes),
    .banks_o     (@u@_banks)
  );

  issue #(.Pops(@pops@), .Pushes(@pushes@)) i_@u@_issue (
    .head_valid_i(@u@_head),
    .ready_i     (@u@_ready),
    .pops_i      (@u@_pops),
    .tokens_i    (@u@_tokens),
    .pushes_i    (@u@_pushes),
    .places_i    (@u@_places),
    .granted_i   (unit_granted[@i@]),
    .could_o     (unit_could[@i@]),
    .issue_o     (issue_o[@i@]),
    .pop_o       (@u@_pop),
    .take_o      (@u@_take),
    .wait_push_o (wait_push_o[@i@]),
    .wait_token_o(@u@_wait_token),
    .wait_port_o (wait_port_o[@i@])
  );

  assign @u@_tag = {@u@_banks, @u@_pushes};
)";

constexpr std::string_view kLoadDeclarations = R"(
  logic                    @u@_load_ready, @u@_load_idle, @u@_load_retire, @u@_load_busy;
  logic [@tag@-1:0]        @u@_load_retire_tag;
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
    .clk_i,
    .rst_ni,
    .ready_o     (@u@_load_ready),
    .idle_o      (@u@_load_idle),
    .issue_i     (issue_o[@i@]@load_only@),
    .memory_i    (@u@_memory),
    .sram_i      (@addr_bits@'(@u@_sram)),
    .dram_i      (32'(@u@_dram)),
    .rows_i      (@dim_bits@'(@u@_rows)),
    .cols_i      (@dim_bits@'(@u@_cols)),
    .stride_i    (@dim_bits@'(@u@_stride)),
    .pad_top_i   (@pad_bits@'(@u@_pad_top)),
    .pad_bottom_i(@pad_bits@'(@u@_pad_bottom)),
    .pad_left_i  (@pad_bits@'(@u@_pad_left)),
    .pad_right_i (@pad_bits@'(@u@_pad_right)),
    .pad_value_i (@u@_pad_value),
    .tag_i       (@u@_tag),
    .retire_o    (@u@_load_retire),
    .retire_tag_o(@u@_load_retire_tag),
    .req_valid_o (req_valid[@r@]),
    .req_addr_o  (req_addr[@r@*32 +: 32]),
    .req_len_o   (req_len[@r@*LenBits +: LenBits]),
    .req_ready_i (req_ready[@r@]),
    .beat_valid_i(beat_valid[@r@]),
    .beat_last_i (beat_last),
    .beat_data_i (beat_data),
    .we_o        (@u@_load_we),
    .waddr_o     (@u@_load_waddr),
    .wdata_o     (@u@_load_wdata),
    .busy_o      (@u@_load_busy)
  );
)";

constexpr std::string_view kGemmDeclarations = R"(
  logic                                 @u@_gemm_ready, @u@_gemm_idle, @u@_gemm_retire;
  logic [@tag@-1:0]                     @u@_gemm_retire_tag;
  logic                                 @u@_gemm_uop_re, @u@_gemm_src_re, @u@_gemm_side_re, @u@_gemm_dst_re, @u@_gemm_we;
  logic [cosim_pkg::@Uop@AddrBits-1:0]  @u@_gemm_uop_addr;
  logic [cosim_pkg::@Src@AddrBits-1:0]  @u@_gemm_src_addr;
  logic [cosim_pkg::@Side@AddrBits-1:0] @u@_gemm_side_addr;
  logic [cosim_pkg::@Dst@AddrBits-1:0]  @u@_gemm_dst_addr, @u@_gemm_waddr;
  logic [cosim_pkg::@Uop@Bits-1:0]      @u@_gemm_uop_data;
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
    .Latency  (cosim_pkg::@U@Latency),
    .Overlap  (cosim_pkg::@U@Overlap != 0),
    .TagBits  (@tag@)
  ) i_@u@_gemm (
    .clk_i,
    .rst_ni,
    .ready_o     (@u@_gemm_ready),
    .idle_o      (@u@_gemm_idle),
    .issue_i     (issue_o[@i@]@gemm_only@),
    .sync_i      (~@u@_gemm),
    .overwrite_i (@u@_overwrite),
    .zero_i      (@u@_reset),
    .uop_begin_i (cosim_pkg::@Uop@AddrBits'(@u@_uop_begin)),
    .uop_end_i   ((cosim_pkg::@Uop@AddrBits + 1)'(@u@_uop_end)),
    .iter_out_i  (@iter_bits@'(@u@_iter_out)),
    .iter_in_i   (@iter_bits@'(@u@_iter_in)),
    .base_i      ({@base@}),
    .outer_i     ({@outer@}),
    .inner_i     ({@inner@}),
    .tag_i       (@u@_tag),
    .retire_o    (@u@_gemm_retire),
    .retire_tag_o(@u@_gemm_retire_tag),
    .uop_re_o    (@u@_gemm_uop_re),
    .uop_addr_o  (@u@_gemm_uop_addr),
    .uop_data_i  (@u@_gemm_uop_data),
    .src_re_o    (@u@_gemm_src_re),
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

constexpr std::string_view kQueue = R"(
  token_queue #(.Capacity(cosim_pkg::Queue@Q@Capacity)) i_queue_@q@ (
    .clk_i,
    .rst_ni,
    .take_i (@take@),
    .push_i (@push@),
    .pop_i  (@pop@),
    .place_o(@place@),
    .token_o(@token@)
  );
)";

constexpr std::string_view kLocks = R"(
  // ---- Banks of the shared memories.
  lock_manager #(.Units(cosim_pkg::Units), .Banks(cosim_pkg::SharedBanks), .InFlight(@in_flight@)) i_locks (
    .clk_i,
    .rst_ni,
    .could_i      (unit_could),
    .want_i       (unit_banks),
    .granted_o    (unit_granted),
    .retire_i     (retire_o),
    .retire_mask_i(unit_retire_banks)
  );
)";

constexpr std::string_view kMemory = R"(
  memory #(
    .Width(cosim_pkg::@M@Bits), .Depth(cosim_pkg::@M@Depth), .Banks(cosim_pkg::@M@Banks), .Readers(@readers@),
    .Writers(@writers@), .BankRegister(@bank_register@)
  ) i_mem_@m@ (
    .clk_i,
    .re_i   ({@re@}),
    .raddr_i({@raddr@}),
    .rdata_o({@rdata@}),
    .we_i   ({@we@}),
    .waddr_i({@waddr@}),
    .wdata_i({@wdata@})
  );
)";

constexpr std::string_view kReadPort = R"(
  // ---- Memory port. Requesters: fetch, then the loading units in the order of the spec.
  read_port #(
    .Requesters(@requesters@), .PortBits(cosim_pkg::PortBits), .BurstBeats(cosim_pkg::BurstBeats),
    .Outstanding(cosim_pkg::Outstanding)
  ) i_read_port (
    .clk_i,
    .rst_ni,
    .req_valid_i (req_valid),
    .req_addr_i  (req_addr),
    .req_len_i   (req_len),
    .req_ready_o (req_ready),
    .blocked_o   (read_blocked_o),
    .beat_valid_o(beat_valid),
    .beat_last_o (beat_last),
    .beat_data_o (beat_data),
    .ar_valid_o,
    .ar_ready_i,
    .ar_addr_o,
    .ar_len_o,
    .r_valid_i,
    .r_ready_o,
    .r_data_i,
    .r_last_i
  );
)";

/// A unit's use of a memory port: the names of its signals.
struct Access {
  std::string enable, addr, data;
};

class AcceleratorPrinter {
 public:
  AcceleratorPrinter(const Spec& spec, const SvPlan& plan)
      : spec_(spec), plan_(plan), reads_(spec.memories.size()), writes_(spec.memories.size()) {}

  std::string Print();

 private:
  void PrintUnit(const SvUnit& unit);
  void PrintLoad(const SvUnit& unit, SvValues values);
  void PrintGemm(const SvUnit& unit, SvValues values);
  void PrintBack(const SvUnit& unit);
  void PrintQueues();
  void PrintLocks();
  void PrintMemory(int memory);
  void Declare(std::string_view text, const SvValues& values) {
    declarations_ += FillSvTemplate(text, values);
  }
  void Body(std::string_view text, const SvValues& values) { body_ += FillSvTemplate(text, values); }
  void Assign(const std::string& to, const std::string& from) {
    body_ += fmt::format("  assign {} = {};\n", to, from);
  }
  std::string MemoryConstant(int memory) const { return "Mem" + SvConstantName(spec_.memories[memory].name); }

  const Spec& spec_;
  const SvPlan& plan_;
  std::vector<std::vector<Access>> reads_, writes_;  // by memory
  int requesters_ = 1;                               // fetch
  std::string declarations_, body_;
};

/// "a, b, c": a concatenation's list, the last item lowest.
std::string Reversed(const std::vector<std::string>& items) {
  std::string text;
  for (size_t i = items.size(); i-- > 0;) text += (text.empty() ? "" : ", ") + items[i];
  return text;
}

void AcceleratorPrinter::PrintUnit(const SvUnit& unit) {
  const std::string pops = std::to_string(std::max<size_t>(1, unit.pops.size()));
  const std::string pushes = std::to_string(std::max<size_t>(1, unit.pushes.size()));
  SvValues values = {{"u", unit.name},
                     {"U", unit.constant},
                     {"i", std::to_string(unit.unit)},
                     {"pops", pops},
                     {"pushes", pushes},
                     {"tag", std::to_string(unit.tag_bits)},
                     {"doc", spec_.units[unit.unit].doc}};
  Declare(kUnitDeclarations, values);
  std::string roles;
  auto take = [&](const std::string& name, int bits) {
    declarations_ += fmt::format("  logic [{}:0] {}_{};\n", bits - 1, unit.name, name);
    roles += fmt::format("    .{}_o({}_{}),\n", name, unit.name, name);
  };
  if (unit.loads) take("memory", static_cast<int>(unit.memories.size()));
  if (unit.gemms) take("gemm", 1);
  for (const SvRole& role : SvRoles(spec_, unit)) take(role.name, role.bits);
  values.emplace_back("roles", roles);
  Body(kUnitFront, values);
  if (unit.loads) PrintLoad(unit, values);
  if (unit.gemms) PrintGemm(unit, values);
  PrintBack(unit);
}

void AcceleratorPrinter::PrintLoad(const SvUnit& unit, SvValues values) {
  std::vector<std::string> element_bits, lane_bits, stored_bytes;
  int64_t data_bits = 0;
  int addr_bits = 1;
  const int64_t port_bits = spec_.dram.port_bits;
  for (int m : unit.memories) {
    const Memory& memory = spec_.memories[m];
    bool padded = false;
    for (int f : unit.formats) {
      padded |= spec_.formats[f].memory == m && SvPads(spec_.formats[f]);
    }
    const std::string constant = MemoryConstant(m);
    element_bits.push_back(fmt::format("cosim_pkg::{}Bits", constant));
    lane_bits.push_back(padded ? fmt::format("cosim_pkg::{}LaneBits", constant) : "32'd0");
    stored_bytes.push_back(fmt::format("cosim_pkg::{}StoredBytes", constant));
    data_bits = std::max(data_bits, (memory.stored_bytes * 8 + port_bits - 1) / port_bits * port_bits);
    addr_bits = std::max(addr_bits, SvAddressBits(memory.depth));
  }
  auto bits = [&](std::initializer_list<const char*> names) {
    int widest = 1;
    for (const char* name : names) widest = std::max(widest, unit.FieldBits(spec_, Kind::kLoad, name));
    return std::to_string(widest);
  };
  values.insert(values.end(),
                {{"memories", std::to_string(unit.memories.size())},
                 {"element_bits", Reversed(element_bits)},
                 {"lane_bits", Reversed(lane_bits)},
                 {"stored_bytes", Reversed(stored_bytes)},
                 {"data_bits", std::to_string(data_bits)},
                 {"addr_bits", std::to_string(addr_bits)},
                 {"dim_bits", bits({"rows", "cols", "stride"})},
                 {"pad_bits", bits({"pad_top", "pad_bottom", "pad_left", "pad_right"})},
                 {"value_bits", bits({"pad_value"})},
                 {"load_only", unit.gemms ? fmt::format(" & ({}_memory != '0)", unit.name) : ""},
                 {"r", std::to_string(requesters_++)}});
  Declare(kLoadDeclarations, values);
  Body(kLoad, values);
  for (size_t k = 0; k < unit.memories.size(); ++k) {
    const std::string constant = MemoryConstant(unit.memories[k]);
    writes_[unit.memories[k]].push_back(
        {fmt::format("{}_load_we[{}]", unit.name, k),
         fmt::format("{}_load_waddr[cosim_pkg::{}AddrBits-1:0]", unit.name, constant),
         fmt::format("{}_load_wdata[cosim_pkg::{}Bits-1:0]", unit.name, constant)});
  }
}

void AcceleratorPrinter::PrintGemm(const SvUnit& unit, SvValues values) {
  const InstructionFormat& format = spec_.formats[unit.gemm.format];
  const Operand& dst = format.intrinsic->dst;
  const Operand& src = format.intrinsic->sources[unit.gemm.src];
  const Operand& side = format.intrinsic->sources[unit.gemm.side];
  int index_bits = 1;
  for (const Operand* operand : {&dst, &src, &side}) {
    index_bits = std::max(index_bits, SvAddressBits(spec_.memories[operand->memory].depth));
    for (const char* part : {"_base", "_out", "_in"}) {
      index_bits = std::max(index_bits, unit.FieldBits(spec_, Kind::kGemm, operand->index + part));
    }
  }
  auto indices = [&](const char* part) {
    std::vector<std::string> items;
    for (const Operand* operand : {&dst, &src, &side}) {
      items.push_back(fmt::format("{}'({}_{}{})", index_bits, unit.name, operand->index, part));
    }
    return Reversed(items);
  };
  auto uop_offset = [&](const Operand& operand) {
    return fmt::format("cosim_pkg::{}{}Offset", MemoryConstant(format.micro_ops),
                       SvConstantName(operand.index));
  };
  const int iter_bits =
      std::max(unit.FieldBits(spec_, Kind::kGemm, "iter_out"), unit.FieldBits(spec_, Kind::kGemm, "iter_in"));
  values.insert(values.end(),
                {{"batch", std::to_string(unit.gemm.batch)},
                 {"block_in", std::to_string(unit.gemm.block_in)},
                 {"block_out", std::to_string(unit.gemm.block_out)},
                 {"Uop", MemoryConstant(format.micro_ops)},
                 {"Dst", MemoryConstant(dst.memory)},
                 {"Src", MemoryConstant(src.memory)},
                 {"Side", MemoryConstant(side.memory)},
                 {"iter_bits", std::to_string(iter_bits)},
                 {"index_bits", std::to_string(index_bits)},
                 {"uop_dst", uop_offset(dst)},
                 {"uop_src", uop_offset(src)},
                 {"uop_side", uop_offset(side)},
                 {"base", indices("_base")},
                 {"outer", indices("_out")},
                 {"inner", indices("_in")},
                 {"gemm_only", unit.loads ? fmt::format(" & ({}_memory == '0)", unit.name) : ""}});
  Declare(kGemmDeclarations, values);
  Body(kGemm, values);
  const std::string prefix = unit.name + "_gemm_";
  reads_[format.micro_ops].push_back({prefix + "uop_re", prefix + "uop_addr", prefix + "uop_data"});
  reads_[src.memory].push_back({prefix + "src_re", prefix + "src_addr", prefix + "src_data"});
  reads_[side.memory].push_back({prefix + "side_re", prefix + "side_addr", prefix + "side_data"});
  reads_[dst.memory].push_back({prefix + "dst_re", prefix + "dst_addr", prefix + "dst_data"});
  writes_[dst.memory].push_back({prefix + "we", prefix + "waddr", prefix + "wdata"});
}

/// Readiness, retirement and busy of a unit from those of its engines.
void AcceleratorPrinter::PrintBack(const SvUnit& unit) {
  std::vector<std::string> engines;
  if (unit.loads) engines.push_back(unit.name + "_load");
  if (unit.gemms) engines.push_back(unit.name + "_gemm");
  std::string ready, retire, tag;
  for (const std::string& engine : engines) {
    ready +=
        fmt::format("{}{}_{}", ready.empty() ? "" : " & ", engine, engines.size() > 1 ? "idle" : "ready");
    retire += fmt::format("{}{}_retire", retire.empty() ? "" : " | ", engine);
    tag += fmt::format("{}({}_retire ? {}_retire_tag : '0)", tag.empty() ? "" : " | ", engine, engine);
  }
  body_ += "\n";
  Assign(unit.name + "_ready", ready);
  Assign(fmt::format("retire_o[{}]", unit.unit), retire);
  Assign(unit.name + "_retire_tag", tag);
  for (const std::string& engine : engines) {
    // Only a unit with several engines asks whether one is idle, and an element may have more bits in DRAM
    // than on chip.
    Assign("unused_" + engine, fmt::format("^{{{0}_idle, {0}_wdata}}", engine));
    declarations_ += fmt::format("  logic unused_{};\n", engine);
  }
  const std::string busy = unit.gemms ? fmt::format("~{}_gemm_idle", unit.name) : "";
  const std::string writes = unit.loads ? fmt::format("{}_load_busy", unit.name) : "";
  Assign(fmt::format("busy_o[{}]", unit.unit), busy + (busy.empty() || writes.empty() ? "" : " | ") + writes);
}

void AcceleratorPrinter::PrintQueues() {
  body_ += "\n  // ---- Dependency queues.\n";
  for (size_t q = 0; q < spec_.queues.size(); ++q) {
    const Queue& queue = spec_.queues[q];
    const SvUnit& from = plan_.units[queue.from];
    const SvUnit& to = plan_.units[queue.to];
    const auto slot = [&](const std::vector<int>& queues) {
      return std::ranges::find(queues, static_cast<int>(q)) - queues.begin();
    };
    const auto pushed = slot(from.pushes), popped = slot(to.pops);
    Body(kQueue, {{"q", queue.name},
                  {"Q", SvConstantName(queue.name)},
                  {"take", fmt::format("{}_take[{}]", from.name, pushed)},
                  {"push", fmt::format("retire_o[{}] & {}_retire_tag[{}]", from.unit, from.name, pushed)},
                  {"pop", fmt::format("{}_pop[{}]", to.name, popped)},
                  {"place", fmt::format("{}_places[{}]", from.name, pushed)},
                  {"token", fmt::format("{}_tokens[{}]", to.name, popped)}});
    Assign(fmt::format("wait_token_o[{}]", q), fmt::format("{}_wait_token[{}]", to.name, popped));
  }
}

void AcceleratorPrinter::PrintLocks() {
  int in_flight = 1;
  std::vector<std::string> want, retire;
  for (const SvUnit& unit : plan_.units) {
    const Unit& described = spec_.units[unit.unit];
    in_flight = std::max({in_flight, described.commands, described.latency + 2});
    const size_t pushes = std::max<size_t>(1, unit.pushes.size());
    want.push_back(unit.name + "_banks");
    retire.push_back(fmt::format("{}_retire_tag[{} +: {}]", unit.name, pushes, plan_.bank_bits));
  }
  Body(kLocks, {{"in_flight", std::to_string(in_flight)}});
  Assign("unit_banks", "{" + Reversed(want) + "}");
  Assign("unit_retire_banks", "{" + Reversed(retire) + "}");
}

void AcceleratorPrinter::PrintMemory(int index) {
  const Memory& memory = spec_.memories[index];
  std::vector<Access> reads = reads_[index];
  const std::vector<Access>& writes = writes_[index];
  if (writes.empty()) return;
  const std::string constant = MemoryConstant(index);
  if (reads.empty()) {
    const std::string unused = fmt::format("unused_{}_data", memory.name);
    declarations_ += fmt::format("  logic [cosim_pkg::{}Bits-1:0] {};\n", constant, unused);
    reads.push_back({"1'b0", fmt::format("cosim_pkg::{}AddrBits'(0)", constant), unused});
  }
  auto list = [](const std::vector<Access>& accesses, std::string Access::* part) {
    std::vector<std::string> items;
    for (const Access& access : accesses) items.push_back(access.*part);
    return Reversed(items);
  };
  Body(kMemory, {{"m", memory.name},
                 {"M", constant},
                 {"readers", std::to_string(reads.size())},
                 {"writers", std::to_string(writes.size())},
                 {"bank_register", memory.is_micro_ops ? "1'b0" : "1'b1"},
                 {"re", list(reads, &Access::enable)},
                 {"raddr", list(reads, &Access::addr)},
                 {"rdata", list(reads, &Access::data)},
                 {"we", list(writes, &Access::enable)},
                 {"waddr", list(writes, &Access::addr)},
                 {"wdata", list(writes, &Access::data)}});
}

std::string AcceleratorPrinter::Print() {
  body_ += kFetch;
  for (const SvUnit& unit : plan_.units) PrintUnit(unit);
  PrintQueues();
  PrintLocks();
  body_ += "\n  // ---- Memories.";
  for (size_t m = 0; m < spec_.memories.size(); ++m) PrintMemory(static_cast<int>(m));
  Body(kReadPort, {{"requesters", std::to_string(requesters_)}});
  const std::string common = fmt::format(
      "  logic                           word_valid;\n"
      "  logic [cosim_pkg::WordBits-1:0] word;\n"
      "  logic [cosim_pkg::Units-1:0]    word_unit, unit_room, unit_could, unit_granted;\n"
      "  logic [cosim_pkg::Units*cosim_pkg::SharedBanks-1:0] unit_banks, unit_retire_banks;\n"
      "  logic [{0}-1:0]                 req_valid, req_ready, beat_valid;\n"
      "  logic [{0}*32-1:0]              req_addr;\n"
      "  logic [{0}*LenBits-1:0]         req_len;\n"
      "  logic                           beat_last;\n"
      "  logic [cosim_pkg::PortBits-1:0] beat_data;\n",
      requesters_);
  return SvBanner(spec_, "The accelerator: hand-written modules, connected as the spec says.") +
         std::string(kHead) + common + declarations_ + body_ + "\nendmodule\n";
}

}  // namespace

std::string SvAccelerator(const Spec& spec, const SvPlan& plan) {
  return AcceleratorPrinter(spec, plan).Print();
}

}  // namespace cosim::isa
