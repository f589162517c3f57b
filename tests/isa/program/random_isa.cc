// SPDX-License-Identifier: Apache-2.0
// Draws a structure first (which unit executes what), then prints it key by key. What a memory that several
// units touch needs, lock fields, follows from the structure.
#include "tests/isa/program/random_isa.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/isa/program/random_body.h"

namespace cosim::isa::testing {
namespace {

enum Job { kLoads, kGemms, kAlus, kStores, kJobs };

struct UnitShape {
  std::string name;
  bool does[kJobs] = {};
  int64_t port = 0;
  bool Transfers() const { return does[kLoads] || does[kStores]; }
  int Jobs() const { return static_cast<int>(std::count(does, does + kJobs, true)); }
};

struct LoadShape {
  std::string memory;
  int unit;
};

class IsaPrinter {
 public:
  explicit IsaPrinter(Random& random) : random_(random) {}

  std::string Print() {
    DrawUnits();
    DrawMemories();
    DrawPorts();
    PrintHeader();
    PrintMemories();
    PrintUnits();
    PrintQueues();
    PrintInstructions();
    PrintOps();
    return std::move(text_);
  }

 private:
  template <typename... Args>
  void Line(fmt::format_string<Args...> format, Args&&... args) {
    text_ += fmt::format(format, std::forward<Args>(args)...) + "\n";
  }
  int64_t Draw(int64_t low, int64_t high) { return random_.Uniform(low, high); }
  bool Maybe(int percent) { return random_.Percent(percent); }
  int AddUnit(std::string name, std::initializer_list<Job> jobs) {
    UnitShape unit{std::move(name)};
    for (Job job : jobs) unit.does[job] = true;
    units_.push_back(unit);
    return static_cast<int>(units_.size()) - 1;
  }

  void DrawUnits() {
    has_alu_ = Maybe(90);
    merged_ = has_alu_ && Maybe(35);
    std::vector<std::vector<Job>> jobs;
    AddUnit("load", {kLoads});
    if (Maybe(35)) AddUnit("fill", {kLoads});
    if (merged_) {
      AddUnit("compute", {kGemms, kAlus});
      units_.back().does[kLoads] = Maybe(50);
    } else {
      AddUnit("gemm", {kGemms});
      units_.back().does[kLoads] = Maybe(15);
      if (has_alu_) AddUnit("alu", {kAlus});
    }
    if (Maybe(15)) {
      units_[0].does[kStores] = true;
    } else {
      AddUnit("store", {kStores});
    }
    for (size_t i = units_.size(); i > 1; --i) std::swap(units_[i - 1], units_[Draw(0, i - 1)]);
  }

  int AnyLoader() {
    std::vector<int> loaders;
    for (size_t u = 0; u < units_.size(); ++u) {
      if (units_[u].does[kLoads]) loaders.push_back(static_cast<int>(u));
    }
    return loaders[Draw(0, static_cast<int64_t>(loaders.size()) - 1)];
  }

  int UnitThat(Job job) const {
    for (size_t u = 0; u < units_.size(); ++u) {
      if (units_[u].does[job]) return static_cast<int>(u);
    }
    return -1;
  }

  /// Who loads what. Every loading unit loads something.
  void DrawMemories() {
    alu_reads_inp_ = has_alu_ && Maybe(80);
    mirror_ = !has_alu_ || Maybe(30);
    one_uop_ = !has_alu_ || Maybe(merged_ ? 70 : 15);
    has_par_ = has_alu_ && Maybe(60);
    std::vector<std::string> loaded = {"inp", "wgt"};
    if (one_uop_) {
      loaded.push_back("uop");
    } else {
      loaded.insert(loaded.end(), {"gemm_uop", "alu_uop"});
    }
    if (has_par_) loaded.push_back("par");
    if (has_alu_ && Maybe(40)) {
      tables_.push_back({"tab", static_cast<int>(Draw(1, 6)), static_cast<int>(Draw(1, 15))});
      loaded.push_back("tab");
    }
    if (!has_alu_ || Maybe(50)) loaded.push_back("acc");
    for (const std::string& memory : loaded) loads_.push_back({memory, AnyLoader()});
    for (size_t u = 0; u < units_.size(); ++u) {
      const bool busy = std::ranges::any_of(
          loads_, [&](const LoadShape& load) { return load.unit == static_cast<int>(u); });
      if (units_[u].does[kLoads] && !busy) loads_[Draw(0, 1)].unit = static_cast<int>(u);
    }
    // That may have taken another unit's only load: then it loads nothing.
    for (size_t u = 0; u < units_.size(); ++u) {
      units_[u].does[kLoads] = std::ranges::any_of(
          loads_, [&](const LoadShape& load) { return load.unit == static_cast<int>(u); });
    }
    std::erase_if(units_, [](const UnitShape& unit) { return unit.Jobs() == 0; });
  }

  /// Any units on any ports, of which none below the highest is left out.
  void DrawPorts() {
    const int64_t highest = Maybe(30) ? 0 : Draw(1, kMaxPorts - 1);
    std::set<int64_t> used = {0};  // by fetch
    for (UnitShape& unit : units_) {
      if (unit.Transfers()) used.insert(unit.port = Draw(0, highest));
    }
    for (UnitShape& unit : units_) unit.port = std::distance(used.begin(), used.find(unit.port));
  }

  std::string Uop(Job job) const { return one_uop_ ? "uop" : job == kGemms ? "gemm_uop" : "alu_uop"; }

  /// The lock fields an instruction of `job` needs; `loaded`: the memory that a load writes.
  std::string Locks(Job job, const std::string& loaded = "") {
    std::string locks;
    for (const char* memory : {"inp", "acc", "uop"}) {
      const bool reads = Reads(job, memory), writes = Writes(job, memory) || loaded == memory;
      const auto several = [&](auto touches) {
        return std::ranges::count_if(units_, [&](const UnitShape& unit) { return touches(unit); }) > 1;
      };
      const bool many_readers = several([&](const UnitShape& unit) {
        return (unit.does[kGemms] && Reads(kGemms, memory)) || (unit.does[kAlus] && Reads(kAlus, memory)) ||
               (unit.does[kStores] && Reads(kStores, memory));
      });
      const bool many_writers = several([&](const UnitShape& unit) {
        const bool fills = std::ranges::any_of(loads_, [&](const LoadShape& load) {
          return load.memory == memory && units_[load.unit].name == unit.name;
        });
        return fills || (unit.does[kGemms] && Writes(kGemms, memory)) ||
               (unit.does[kAlus] && Writes(kAlus, memory));
      });
      if ((reads && many_readers) || (writes && many_writers)) {
        locks += fmt::format(", lock_{0}: uint({0}.banks)", memory);
      }
    }
    return locks;
  }
  bool Reads(Job job, std::string_view memory) const {
    if (memory == "uop") return one_uop_ && (job == kGemms || job == kAlus);
    if (memory == "inp") return job == kGemms || (job == kAlus && alu_reads_inp_);
    return job == kGemms || job == kAlus;
  }
  bool Writes(Job job, std::string_view memory) const {
    return memory == "acc" && (job == kGemms || job == kAlus);
  }

  void PrintHeader() {
    Line("# SPDX-License-Identifier: Apache-2.0\nisa: random\ndoc: Drawn at random.\nword_bits: {}",
         Maybe(80) ? 256 : 512);
    Line("parameters:");
    auto parameter = [&](const char* name, int64_t value, int64_t min, int64_t max) {
      Line("  {}: {{default: {}, min: {}, max: {}, doc: Drawn.}}", name, value, min, max);
    };
    parameter("batch", 1, 1, 4);
    parameter("block_in", 4, 1, 16);
    parameter("block_out", 4, 1, 16);
    parameter("inp_bits", 8, 4, 16);
    parameter("wgt_bits", 8, 2, 16);
    parameter("acc_bits", 32, 16, 32);
    parameter("out_bits", 8, 4, 16);
    parameter("inp_rows", 24, 4, 256);
    parameter("wgt_depth", 20, 4, 256);
    parameter("acc_rows", 20, 4, 256);
    parameter("out_depth", 24, 4, 256);
    parameter("par_depth", 8, 4, 64);
    parameter("uop_depth", 40, 8, 256);
    parameter("inp_banks", 2, 1, 8);
    parameter("acc_banks", 2, 1, 8);
    parameter("alu_lanes", 4, 1, 64);
    parameter("tokens", 3, 1, 16);
    parameter("commands", 4, 2, 32);
    parameter("fetch_words", 8, 4, 64);
    parameter("load_beats", 32, 16, 512);
    parameter("slack", 0, 0, 9);
    parameter("taps", 2, 1, 4);
    parameter("group", 2, 1, 3);
  }

  /// Width of a micro-op's index: the whole, or an offset to a base.
  std::string UopField(const std::string& index, const std::string& depth, bool has_base) {
    if (has_base && Maybe(30)) return fmt::format("{}: uint({})", index, Draw(1, 3));
    return fmt::format("{}: \"uint(index_bits({}))\"", index, depth);
  }

  void PrintMemories() {
    for (auto* bases : {&gemm_bases_, &alu_bases_}) {
      for (bool& base : *bases) base = Maybe(70);
    }
    const std::string result_depth = mirror_ ? "acc.depth" : "max(acc.depth, out.depth)";
    const std::string aux_depth = has_par_ ? "max(inp.depth, par.depth)" : "inp.depth";
    Line("memories:");
    Line(
        "  inp: {{doc: In., lanes: [batch, block_in], type: int(inp_bits), depth: inp_rows * inp_banks, "
        "banks: inp_banks}}");
    Line("  wgt: {{doc: Weights., lanes: [block_out, block_in], type: int(wgt_bits), depth: wgt_depth}}");
    Line(
        "  acc: {{doc: Sums., lanes: [batch, block_out], type: int(acc_bits), depth: acc_rows * acc_banks, "
        "banks: acc_banks}}");
    if (mirror_) {
      Line("  out: {{doc: Low bits., mirrors: acc, type: int(out_bits)}}");
    } else {
      Line("  out: {{doc: Results., lanes: [batch, block_out], type: int(out_bits), depth: out_depth}}");
    }
    if (has_par_) {
      Line(
          "  par: {{doc: Records., lanes: [block_out], fields: {{bias: int(acc_bits), mult: int({}), shift: "
          "uint({})}}, depth: par_depth}}",
          Draw(8, 32), Draw(3, 6));
    }
    for (const BodyTable& table : tables_)
      Line("  {}: {{doc: A function., type: {}({}), depth: {}}}", table.name, Maybe(50) ? "int" : "uint",
           table.bits, 1 << table.index_bits);
    const bool gemm_all = gemm_bases_[0] && gemm_bases_[1] && gemm_bases_[2];
    if (one_uop_) {
      // dst, src and the third field serve both instructions.
      const bool bases = gemm_all && alu_bases_[0] && alu_bases_[1] && alu_bases_[2];
      Line("  uop: {{doc: Micro-ops., fields: {{{}, {}, {}{}}}, depth: uop_depth}}",
           UopField("dst", result_depth, bases), UopField("src", "max(acc.depth, inp.depth)", bases),
           UopField("wgt", "wgt.depth", bases), has_alu_ ? ", " + UopField("aux", aux_depth, bases) : "");
      return;
    }
    Line("  gemm_uop: {{doc: Micro-ops., fields: {{{}, {}, {}}}, depth: uop_depth}}",
         UopField("dst", "acc.depth", gemm_bases_[0]), UopField("src", "inp.depth", gemm_bases_[1]),
         UopField("wgt", "wgt.depth", gemm_bases_[2]));
    Line("  alu_uop: {{doc: Micro-ops., fields: {{{}, {}, {}}}, depth: uop_depth}}",
         UopField("dst", result_depth, alu_bases_[0]),
         UopField("src", "max(acc.depth, inp.depth)", alu_bases_[1]),
         UopField("aux", aux_depth, alu_bases_[2]));
  }

  void PrintUnits() {
    Line("units:");
    for (const UnitShape& unit : units_) {
      std::vector<std::string> least;
      if (unit.does[kLoads] || unit.does[kStores]) least.push_back("2");
      if (unit.does[kGemms]) least.push_back("9 + log2ceil(block_in)");
      if (unit.does[kAlus]) least.push_back("6 + alu_stages");
      std::string latency = least[0];
      for (size_t i = 1; i < least.size(); ++i) latency = fmt::format("max({}, {})", latency, least[i]);
      const bool overlap = unit.Jobs() == 1 && !unit.does[kAlus] && Maybe(70);
      Line("  {}: {{doc: Drawn., commands: {}, overlap: {}, latency: \"{}{}\"{}{}{}}}", unit.name,
           Maybe(70) ? "commands" : std::to_string(Draw(2, 12)), overlap, latency,
           Maybe(40) ? " + slack" : "", unit.does[kAlus] ? ", lanes: alu_lanes" : "",
           unit.does[kLoads] ? ", buffer_beats: load_beats" : "",
           unit.port > 0 ? fmt::format(", port: {}", unit.port) : "");
    }
  }

  /// A ring, so that every unit can be ordered after every other one, and some chords.
  void PrintQueues() {
    Line("queues:");
    for (size_t from = 0; from < units_.size(); ++from) {
      for (size_t to = 0; to < units_.size(); ++to) {
        if (from == to || (to != (from + 1) % units_.size() && Maybe(40))) continue;
        Line("  {0}_to_{1}: {{from: {0}, to: {1}, capacity: {2}}}", units_[from].name, units_[to].name,
             Maybe(60) ? "tokens" : std::to_string(Draw(1, 5)));
      }
    }
  }

  std::string Transfer(const std::string& memory) {
    const int64_t dims = Draw(6, 12);
    return fmt::format(
        "sram: uint(index_bits({}.depth)), dram: uint(32), rows: uint({}), cols: uint({}), stride: uint({})",
        memory, dims, Draw(6, 12), Draw(6, 12));
  }

  std::string Pads(const std::string& memory) {
    if (memory != "inp" && memory != "acc") return "";
    std::string pads;
    for (const char* side : {"top", "bottom", "left", "right"}) {
      if (Maybe(60)) pads += fmt::format(", pad_{}: uint({})", side, Draw(1, 5));
    }
    if (!pads.empty() && Maybe(70)) pads += fmt::format(", pad_value: int({})", Draw(2, 4));
    return pads;
  }

  std::string Index(const std::string& index, const std::string& depth, bool base) {
    return fmt::format("{}{}_out: uint({}), {}_in: uint({})",
                       base ? fmt::format("{}_base: \"uint(index_bits({}))\", ", index, depth) : "", index,
                       Draw(1, 8), index, Draw(1, 8));
  }

  std::string Nest(Job job) {
    return fmt::format(
        "uop_begin: uint(index_bits({0}.depth)), uop_end: uint(index_bits({0}.depth) + 1), "
        "iter_out: uint({1}), iter_in: uint({2})",
        Uop(job), Draw(3, 10), Draw(3, 10));
  }

  void Instruction(const std::string& name, int unit, const char* kind, const std::string& more) {
    Line("  {}: {{doc: Drawn., opcode: {}, unit: {}, kind: {}{}}}", name, opcodes_.back(), units_[unit].name,
         kind, more);
    opcodes_.pop_back();
  }

  /// By the unit that loads whole elements too, so that one alone writes them.
  void PrintGather() {
    if (!Maybe(60)) return;
    const auto load = std::ranges::find(loads_, "inp", &LoadShape::memory);
    const std::string bytes = "uint(log2ceil(floor_div(inp.stored_bits, 8) + 1))";
    Instruction(
        "gather_inp", load->unit, "load",
        fmt::format(", memory: inp, fields: {{{}, row_bytes: uint({}), piece_bytes: \"{}\", piece_first: "
                    "\"{}\", piece_step: uint({}){}}}",
                    Transfer("inp"), Draw(7, 12), bytes, bytes, Draw(1, 9), Locks(kLoads, "inp")));
  }

  void PrintRows(const std::string& flags) {
    if (!Maybe(70)) return;
    Instruction(
        "gemm_rows", UnitThat(kGemms), "gemm",
        fmt::format(
            ", where: \"(block_in == block_out) * (taps * group <= block_in) * (group * floor_div(block_in, "
            "group) == block_in)\", micro_ops: {}, axes: {{t: taps, g: group}}, computes: \"acc[dst][b, o] "
            "+= "
            "inp[src + t][b, group * floor_div(o, group) + g] * wgt[wgt][o, group * t + g]\", "
            "fields: {{{}, {}, {}, {}{}{}}}",
            Uop(kGemms), Nest(kGemms), Index("dst", "acc.depth", gemm_bases_[0]),
            Index("src", "inp.depth", gemm_bases_[1]), Index("wgt", "wgt.depth", gemm_bases_[2]), flags,
            Locks(kGemms)));
  }

  void PrintInstructions() {
    for (int opcode = 0; opcode < 32; ++opcode) opcodes_.push_back(opcode);
    for (size_t i = opcodes_.size(); i > 1; --i) std::swap(opcodes_[i - 1], opcodes_[Draw(0, i - 1)]);
    Line("opcode_bits: 5\ninstructions:");
    for (const LoadShape& load : loads_) {
      Instruction("load_" + load.memory, load.unit, "load",
                  fmt::format(", memory: {0}, fields: {{{1}{2}{3}}}", load.memory, Transfer(load.memory),
                              Pads(load.memory), Locks(kLoads, load.memory)));
    }
    PrintGather();
    std::string flags;
    if (Maybe(60)) flags += ", overwrite: uint(1)";
    if (Maybe(60)) flags += ", reset: uint(1)";
    Instruction(
        "gemm", UnitThat(kGemms), "gemm",
        fmt::format(", micro_ops: {}, computes: \"acc[dst][b, o] += inp[src][b, k] * wgt[wgt][o, k]\", "
                    "fields: {{{}, {}, {}, {}{}{}}}",
                    Uop(kGemms), Nest(kGemms), Index("dst", "acc.depth", gemm_bases_[0]),
                    Index("src", "inp.depth", gemm_bases_[1]), Index("wgt", "wgt.depth", gemm_bases_[2]),
                    flags, Locks(kGemms)));
    PrintRows(flags);
    if (has_alu_) {
      Instruction(
          "alu", UnitThat(kAlus), "alu",
          fmt::format(
              ", micro_ops: {}, fields: {{op: uint(5), {}, {}, {}, {}, imm: int({}), shift: uint({}), "
              "lo: int(4), hi: int(4){}}}",
              Uop(kAlus), Nest(kAlus),
              Index("dst", mirror_ ? "acc.depth" : "max(acc.depth, out.depth)", alu_bases_[0]),
              Index("src", "max(acc.depth, inp.depth)", alu_bases_[1]),
              Index("aux", has_par_ ? "max(inp.depth, par.depth)" : "inp.depth", alu_bases_[2]), Draw(4, 32),
              Draw(3, 6), Locks(kAlus)));
    }
    Instruction("store_out", UnitThat(kStores), "store",
                fmt::format(", memory: out, fields: {{{}{}}}", Transfer("out"), Locks(kStores)));
    for (size_t u = 0; u < units_.size(); ++u)
      Instruction("sync_" + units_[u].name, static_cast<int>(u), "sync", "");
  }

  void PrintOps() {
    if (!has_alu_) return Line("alu_ops: {{}}");
    Line("alu_ops:");
    int code = 0;
    auto op = [&](const std::string& operands, const std::string& result,
                  const std::vector<std::string>& body) {
      Line("  op{}: {{code: {}, doc: Drawn., operands: {{{}}}, result: \"{}\", body: [\"{}\"]}}", code, code,
           operands, result, fmt::join(body, "\", \""));
      ++code;
    };
    // So that every index and memory has a use whatever else is drawn.
    op(alu_reads_inp_ ? "a: \"acc[src]\", x: \"inp[aux]\"" : "a: \"acc[dst]\", b: \"acc[src]\"", "acc[dst]",
       {alu_reads_inp_ ? "wrap(a + x, acc_bits)" : "wrap(a - b, acc_bits)"});
    if (!mirror_) op("a: \"acc[src]\"", "out[dst]", {"sat(a, out_bits)"});
    if (has_par_) op("a: \"acc[dst]\", p: \"par[aux]\"", "acc[dst]", {"wrap(a + p.bias, acc_bits)"});
    for (const BodyTable& table : tables_)
      op("a: \"acc[src]\"", "acc[dst]",
         {fmt::format("lookup({}, uwrap(a, {}))", table.name, table.index_bits)});
    for (int64_t more = Draw(1, 5); more > 0; --more) {
      std::string operands;
      std::vector<std::string> values, amounts = {"shift"};
      auto take = [&](const char* name, const char* from) {
        operands += fmt::format("{}{}: \"{}\"", operands.empty() ? "" : ", ", name, from);
        values.push_back(name == std::string("p") ? Maybe(50) ? "p.bias" : "p.mult" : name);
      };
      if (Maybe(50)) take("a", "acc[dst]");
      if (Maybe(70)) take("b", "acc[src]");
      if (alu_reads_inp_ && Maybe(40)) take("x", Maybe(30) ? "inp[src]" : "inp[aux]");
      if (has_par_ && Maybe(40)) take("p", "par[aux]"), amounts.push_back("p.shift");
      const bool out = !mirror_ && Maybe(30);
      op(operands, out ? "out[dst]" : "acc[dst]",
         RandomBody(random_, values, {"imm", "lo", "hi"}, amounts, out ? "out_bits" : "acc_bits", tables_));
    }
  }

  Random& random_;
  std::string text_;
  bool has_alu_ = true, merged_ = false, mirror_ = false, one_uop_ = false, has_par_ = false;
  bool alu_reads_inp_ = false;
  bool gemm_bases_[3] = {}, alu_bases_[3] = {};
  std::vector<UnitShape> units_;
  std::vector<LoadShape> loads_;
  std::vector<BodyTable> tables_;
  std::vector<int> opcodes_;
};

}  // namespace

SourceText RandomIsa(Random& random) { return {"random_isa.yaml", IsaPrinter(random).Print()}; }

}  // namespace cosim::isa::testing
