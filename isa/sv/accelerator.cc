// SPDX-License-Identifier: Apache-2.0
// Prints the accelerator: text of each part from a template, in the order of the page that says what happens
// when (fetch, issue, units, memory). Declarations are gathered first, because a signal is often driven after
// its use.
#include "isa/sv/accelerator.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "isa/sv/engine.h"
#include "isa/sv/memory.h"
#include "isa/sv/package.h"
#include "isa/sv/port.h"
#include "isa/sv/template.h"
#include "isa/text_escape.h"

namespace cosim::isa {
namespace {

constexpr std::string_view kHead = R"(
module accelerator (
  input  logic                           clk_i,
  input  logic                           rst_ni,
  input  logic                           start_i,         // one cycle: cycle 0
  input  logic [31:0]                    code_address_i,  // a multiple of 4096
  input  logic [31:0]                    code_words_i,
  input  logic [31:0]                    base_i,          // added to every address; a multiple of 4096
  output logic                           done_o,
  input  logic                           stop_i,          // dispatch, issue and ask for nothing more
  // AXI4 read channels, over the memory ports.
  output logic [cosim_pkg::Ports-1:0]    ar_valid_o,
  input  logic [cosim_pkg::Ports-1:0]    ar_ready_i,
  output logic [cosim_pkg::Ports*32-1:0] ar_addr_o,
  output logic [cosim_pkg::Ports*8-1:0]  ar_len_o,
  input  logic [cosim_pkg::Ports-1:0]    r_valid_i,
  output logic [cosim_pkg::Ports-1:0]    r_ready_o,
  input  logic [cosim_pkg::Ports*cosim_pkg::PortBits-1:0] r_data_i,
  input  logic [cosim_pkg::Ports-1:0]    r_last_i,
  // AXI4 write channels, over the memory ports.
  output logic [cosim_pkg::Ports-1:0]    aw_valid_o,
  input  logic [cosim_pkg::Ports-1:0]    aw_ready_i,
  output logic [cosim_pkg::Ports*32-1:0] aw_addr_o,
  output logic [cosim_pkg::Ports*8-1:0]  aw_len_o,
  output logic [cosim_pkg::Ports-1:0]    w_valid_o,
  input  logic [cosim_pkg::Ports-1:0]    w_ready_i,
  output logic [cosim_pkg::Ports*cosim_pkg::PortBits-1:0] w_data_o,
  output logic [cosim_pkg::Ports*cosim_pkg::PortBits/8-1:0] w_strb_o,
  output logic [cosim_pkg::Ports-1:0]    w_last_o,
  input  logic [cosim_pkg::Ports-1:0]    b_valid_i,
  output logic [cosim_pkg::Ports-1:0]    b_ready_o,
  // What happens in this cycle, for counters and comparison.
  output logic [cosim_pkg::Units-1:0]    issue_o,
  output logic [cosim_pkg::Units-1:0]    retire_o,
  output logic [cosim_pkg::Units-1:0]    in_flight_o,
  output logic [cosim_pkg::Units-1:0]    busy_o,
  output logic [cosim_pkg::Units-1:0]    wait_push_o,
  output logic [cosim_pkg::QueueBits-1:0] wait_token_o,
  output logic [cosim_pkg::Units-1:0]    wait_port_o,
  output logic [cosim_pkg::Units-1:0]    gemm_step_o,
  output logic [cosim_pkg::Units-1:0]    alu_step_o,
  output logic                           illegal_o,       // the next word is no instruction
  output logic                           quiet_o,         // memory owes nothing
  output logic                           still_o          // nothing moves, is in flight, or is asked of memory
);

  localparam int unsigned LenBits = $clog2(cosim_pkg::BurstBeats + 1);

  logic                           word_valid, dispatches;
  logic [cosim_pkg::WordBits-1:0] word;
  logic [cosim_pkg::Units-1:0]    word_unit, unit_room, unit_could, unit_granted;
  logic [cosim_pkg::Units*cosim_pkg::SharedBanks-1:0] unit_banks, unit_retire_banks;
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
    .beat_data_i (beat_data[cosim_pkg::PortBits-1:0]),
    .word_valid_o(word_valid),
    .word_o      (word),
    .word_ready_i(dispatches)
  );

  dispatch i_dispatch (
    .word_i(word),
    .unit_o(word_unit)
  );

  assign dispatches = ((word_unit & unit_room) != '0) & ~stop_i;
  assign illegal_o  = word_valid & (word_unit == '0);
  assign quiet_o    = (&read_idle) & write_idle;
  assign still_o    = (in_flight_o == '0) & quiet_o & ~req_valid[0] & ~(word_valid & dispatches);

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
  logic                               @u@_head, @u@_ready, @u@_wait_bank;
  logic                               @u@_load;
  logic [cosim_pkg::@U@CommandBits-1:0] @u@_next;
  logic [@pops@-1:0]                  @u@_pops, @u@_pop, @u@_tokens, @u@_wait_token;
  logic [@pushes@-1:0]                @u@_pushes, @u@_take, @u@_places;
  logic [cosim_pkg::SharedBanks-1:0]  @u@_banks;
  logic [@tag@-1:0]                   @u@_tag, @u@_retire_tag;
)";

constexpr std::string_view kUnitFront = R"(
  // ---- Unit @u@: @doc@
  command_queue #(.Width(cosim_pkg::@U@CommandBits), .Depth(cosim_pkg::@U@Commands)) i_@u@_commands (
    .clk_i,
    .rst_ni,
    .push_valid_i(word_valid & word_unit[@i@] & ~stop_i),
    .push_ready_o(unit_room[@i@]),
    .push_data_i (word[cosim_pkg::@U@CommandBits-1:0]),
    .pop_valid_o (@u@_head),
    .pop_ready_i (issue_o[@i@]),
    .load_o      (@u@_load),
    .next_o      (@u@_next)
  );

  decode_@u@ i_@u@_decode (
    .clk_i,
    .load_i      (@u@_load),
    .word_i      (@u@_next),
@roles@    .pops_o      (@u@_pops),
    .pushes_o    (@u@_pushes),
    .banks_o     (@u@_banks)
  );

  issue #(.Pops(@pops@), .Pushes(@pushes@)) i_@u@_issue (
    .head_valid_i(@u@_head & ~stop_i),
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
    .wait_bank_o (@u@_wait_bank)
  );

  assign @u@_tag = {@u@_banks, @u@_pushes};
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

class AcceleratorPrinter {
 public:
  AcceleratorPrinter(const Spec& spec, const SvPlan& plan)
      : spec_(spec), plan_(plan), reads_(spec.memories.size()), writes_(spec.memories.size()) {}

  std::string Print();

 private:
  void PrintUnit(const SvUnit& unit);
  void PrintEngines(const SvUnit& unit, std::vector<SvEngine> engines);
  void PrintQueues();
  void PrintLocks();
  void PrintMemories();
  void PrintTableWrites(const SvUnit& unit, int memory);
  void Declare(std::string_view text, const SvValues& values) {
    declarations_ += FillSvTemplate(text, values);
  }
  void Body(std::string_view text, const SvValues& values) { body_ += FillSvTemplate(text, values); }
  void Assign(const std::string& to, const std::string& from) {
    body_ += fmt::format("  assign {} = {};\n", to, from);
  }

  const Spec& spec_;
  const SvPlan& plan_;
  std::vector<std::vector<SvAccess>> reads_, writes_;  // by memory
  std::string declarations_, body_;
};

void AcceleratorPrinter::PrintUnit(const SvUnit& unit) {
  const std::string pops = std::to_string(std::max<size_t>(1, unit.pops.size()));
  const std::string pushes = std::to_string(std::max<size_t>(1, unit.pushes.size()));
  SvValues values = {{"u", unit.name},
                     {"U", unit.constant},
                     {"i", std::to_string(unit.unit)},
                     {"pops", pops},
                     {"pushes", pushes},
                     {"tag", std::to_string(unit.tag_bits)},
                     {"doc", CommentText(spec_.units[unit.unit].doc)}};
  Declare(kUnitDeclarations, values);
  std::string roles;
  auto take = [&](const std::string& name, int bits) {
    declarations_ += fmt::format("  logic [{}:0] {}_{};\n", bits - 1, unit.name, name);
    roles += fmt::format("    .{}_o({}_{}),\n", name, unit.name, name);
  };
  if (unit.loads) take("load_memory", static_cast<int>(unit.memories.size()));
  if (unit.piece_bytes > 0) take("load_gathers", 1);
  if (unit.gemms && unit.gemm.rows >= 0) take("gemm_rows", 1);
  if (unit.stores) take("is_store", 1);
  if (unit.gemms) take("is_gemm", 1);
  if (unit.alus) take("is_alu", 1);
  for (const SvRole& role : SvRoles(spec_, unit)) take(role.name, role.bits);
  values.emplace_back("roles", roles);
  Body(kUnitFront, values);
  // The first one takes what is for no other: the syncs.
  std::vector<SvEngine> engines;
  if (unit.gemms) engines.push_back(SvGemmEngine(spec_, unit));
  if (unit.alus) engines.push_back(SvAluEngine(spec_, unit));
  if (unit.loads) engines.push_back(SvLoadEngine(spec_, plan_, unit));
  if (unit.stores) engines.push_back(SvStoreEngine(spec_, unit));
  PrintEngines(unit, std::move(engines));
}

/// The engines, which of them issues, and the unit's readiness and retirement from theirs.
void AcceleratorPrinter::PrintEngines(const SvUnit& unit, std::vector<SvEngine> engines) {
  std::string ready, idle, busy, retire, tag, others;
  std::string waits = unit.name + "_wait_bank", gemm_step = "1'b0", alu_step = "1'b0";
  for (size_t e = 0; e < engines.size(); ++e) {
    const SvEngine& engine = engines[e];
    declarations_ += engine.declarations;
    body_ += engine.body;
    ready += fmt::format("{}{}_{}", ready.empty() ? "" : " & ", engine.name,
                         engines.size() > 1 ? "idle" : "ready");
    idle += fmt::format("{}{}_idle", idle.empty() ? "" : " & ", engine.name);
    busy += fmt::format("{}{}", busy.empty() ? "" : " | ", engine.name + "_busy");
    retire += fmt::format("{}{}_retire", retire.empty() ? "" : " | ", engine.name);
    if (!engine.lost_turn.empty()) waits += " | " + engine.lost_turn;
    if (engine.kind == Kind::kGemm) gemm_step = engine.name + "_step";
    if (engine.kind == Kind::kAlu) alu_step = engine.name + "_step";
    tag +=
        fmt::format("{}({}_retire ? {}_retire_tag : '0)", tag.empty() ? "" : " | ", engine.name, engine.name);
    if (e > 0) {
      others += fmt::format(" & ~{}", engine.select);
      Assign(engine.name + "_issue", fmt::format("issue_o[{}] & {}", unit.unit, engine.select));
    }
    for (const SvAccess& read : engine.reads) reads_[read.memory].push_back(read);
    for (const SvAccess& write : engine.writes) writes_[write.memory].push_back(write);
    std::string unused = engine.name + "_ready";
    for (const std::string& signal : engine.unused) unused += ", " + signal;
    Assign("unused_" + engine.name, fmt::format("^{{{}}}", unused));
    declarations_ += fmt::format("  logic unused_{};\n", engine.name);
  }
  Assign(engines[0].name + "_issue", fmt::format("issue_o[{}]{}", unit.unit, others));
  Assign(unit.name + "_ready", ready);
  const auto assign_bit = [&](const char* of_units, const std::string& value) {
    Assign(fmt::format("{}[{}]", of_units, unit.unit), value);
  };
  assign_bit("retire_o", retire);
  assign_bit("in_flight_o", fmt::format("issue_o[{}] | ~({})", unit.unit, idle));
  assign_bit("busy_o", busy);
  assign_bit("wait_port_o", waits);
  assign_bit("gemm_step_o", gemm_step);
  assign_bit("alu_step_o", alu_step);
  Assign(unit.name + "_retire_tag", tag);
}

void AcceleratorPrinter::PrintQueues() {
  body_ += "\n  // ---- Dependency queues.\n";
  if (spec_.queues.empty()) Assign("wait_token_o", "1'b0");
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
  Assign("unit_banks", "{" + SvConcatenation(want) + "}");
  Assign("unit_retire_banks", "{" + SvConcatenation(retire) + "}");
}

void AcceleratorPrinter::PrintMemories() {
  body_ += "\n  // ---- Memories.";
  for (size_t m = 0; m < spec_.memories.size(); ++m) {
    const int original = spec_.memories[m].mirrors;
    const SvMemoryText memory =
        SvMemory(spec_, static_cast<int>(m), reads_[m], writes_[original >= 0 ? original : m],
                 SvCopies(spec_, plan_, static_cast<int>(m)));
    if (!SvIsTable(plan_, static_cast<int>(m))) {
      declarations_ += memory.declarations;
      body_ += memory.body;
      continue;
    }
    for (const SvUnit& unit : plan_.units)
      if (std::ranges::count(unit.alu.tables, static_cast<int>(m)) > 0)
        PrintTableWrites(unit, static_cast<int>(m));
  }
}

/// What units write to a table, as its copies take it: one of them at a time.
void AcceleratorPrinter::PrintTableWrites(const SvUnit& unit, int memory) {
  const std::string to = fmt::format("{}_alu_{}", unit.name, spec_.memories[memory].name);
  std::string enables, address, data;
  for (const SvAccess& write : writes_[memory]) {
    const bool is_last = &write == &writes_[memory].back();
    enables += fmt::format("{}({})", enables.empty() ? "" : " | ", write.enable);
    address += is_last ? write.addr : fmt::format("({}) ? {} : ", write.enable, write.addr);
    data += is_last ? write.data : fmt::format("({}) ? {} : ", write.enable, write.data);
  }
  Assign(to + "_we", enables);
  Assign(to + "_waddr", address);
  Assign(to + "_wdata", data);
}

std::string AcceleratorPrinter::Print() {
  body_ += kFetch;
  for (const SvUnit& unit : plan_.units) PrintUnit(unit);
  PrintQueues();
  PrintLocks();
  PrintMemories();
  const SvPortText ports = SvPorts(plan_);
  declarations_ += ports.declarations;
  body_ += ports.body;
  return SvBanner(spec_, "The accelerator: hand-written modules, connected as the spec says.") +
         std::string(kHead) + declarations_ + body_ + "\nendmodule\n";
}

}  // namespace

std::string SvAccelerator(const Spec& spec, const SvPlan& plan) {
  return AcceleratorPrinter(spec, plan).Print();
}

}  // namespace cosim::isa
