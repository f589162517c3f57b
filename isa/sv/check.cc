// SPDX-License-Identifier: Apache-2.0
// Says what the RTL has no module for, before anything is generated.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <iterator>
#include <set>
#include <string>

#include "isa/spec/registers.h"
#include "isa/spec/row_product.h"
#include "isa/sv/diagnostic_codes.h"
#include "isa/sv/generate.h"
#include "isa/sv/plan.h"

namespace cosim::isa {
namespace {

constexpr int kLoadLatency = 2;    ///< stages behind the load unit's writer
constexpr int kStoreLatency = 2;   ///< stages before a store's beats leave
constexpr int kAluLatency = 6;     ///< stages of the alu unit beside those of its ops
constexpr int kGemmLatency = 9;    ///< stages of the gemm unit beside its adder tree
constexpr int kMemoryLatency = 2;  ///< accept, and the register on the way to the bus
constexpr int kWriteLatency = 3;   ///< from a beat's leaving to the bus, and the response
constexpr size_t kMostReads = 2;   ///< of one memory by a step of an op
constexpr int kAddressBits = 32;   ///< on the bus

int CeilLog2(int64_t value) { return std::bit_width(static_cast<uint64_t>(value - 1)); }

class Checker {
 public:
  Checker(const Spec& spec, Diagnostics& diags) : spec_(spec), diags_(diags) {}

  void Port() {
    const MemorySystem& dram = spec_.dram;
    if (!std::has_single_bit(static_cast<unsigned>(spec_.word_bits))) {
      Error({}, fmt::format("word_bits is {}", spec_.word_bits), "a power of two");
    }
    if (dram.latency < kMemoryLatency) {
      Error({}, fmt::format("memory.latency is {}", dram.latency),
            fmt::format("at least {}", kMemoryLatency));
    }
    const bool stores = std::ranges::any_of(spec_.units, &Unit::writes_dram);
    if (stores && dram.write_latency < kWriteLatency) {
      Error({}, fmt::format("memory.write_latency is {}", dram.write_latency),
            fmt::format("at least {}", kWriteLatency));
    }
  }

  void MacsPerDsp(const SvUnit& planned) {
    if (!planned.gemms || planned.gemm.dst != -1 || planned.gemm.macs_per_dsp == 1) return;
    const Intrinsic& intrinsic = *spec_.formats[planned.gemm.format].intrinsic;
    const int src = spec_.memories[intrinsic.sources[planned.gemm.src].memory].record_bits;
    const int side = spec_.memories[intrinsic.sources[planned.gemm.side].memory].record_bits;
    if (SvPairsFit(src, side)) return;
    Error(spec_.hardware.macs_per_dsp_loc,
          fmt::format("hardware.macs_per_dsp is 2, with {} bits by {}", src, side),
          "at most 24 bits for an activation and two weights, and 18 for the activation");
  }

  /// What multiplies along rows is the array of the product of matrices beside it.
  void Rows(const SvUnit& planned) {
    const SvGemm& gemm = planned.gemm;
    if (!planned.gemms || gemm.rows < 0) return;
    const InstructionFormat& format = spec_.formats[gemm.rows];
    const RowProduct rows = *MatchRowProduct(*format.intrinsic);
    const auto error = [&](const std::string& what, const std::string& right) {
      Error(format.loc, fmt::format("'{}' multiplies along rows{}", format.name, what), right);
    };
    const InstructionFormat& other = spec_.formats[gemm.format];
    if (gemm.format == gemm.rows || gemm.dst != -1 || gemm.per_lane) {
      error(", and its unit has no product of matrices", "one that goes over the same memories");
      return;
    }
    const auto same = [](const Operand& a, const Operand& b) {
      return a.memory == b.memory && a.index == b.index;
    };
    if (other.micro_ops != format.micro_ops || !same(other.intrinsic->dst, format.intrinsic->dst) ||
        !same(other.intrinsic->sources[gemm.src], format.intrinsic->sources[rows.src]) ||
        !same(other.intrinsic->sources[gemm.side], format.intrinsic->sources[rows.side]))
      error(fmt::format(" of other operands than '{}'", other.name),
            "the same memories, indices and micro-ops");
    const int channels = rows.group * (gemm.Halves() ? 2 : 1);
    if (gemm.block_in != gemm.block_out || gemm.block_in % channels != 0) {
      error(fmt::format(", {} channels together, of tiles of {} by {}", channels, gemm.block_in,
                        gemm.block_out),
            "as many outputs as inputs, and whole groups");
      return;
    }
    if (gemm.macs_per_dsp == 2 && rows.group != 1 && rows.group % 2 != 0)
      error(fmt::format(", {} channels together", rows.group),
            "single channels or pairs of channels where two products share a DSP");
    const int most = gemm.block_in / channels + (gemm.Halves() && gemm.block_in > 2 ? 1 : 0);
    if (gemm.AllTaps() > most)
      error(
          fmt::format(": {} taps of {} channels, of elements of {}", gemm.AllTaps(), channels, gemm.block_in),
          fmt::format("at most {} taps in all", most));
  }

  void LutInputs(const SvUnit& planned) {
    if (!planned.gemms || planned.gemm.dst != -1 || planned.gemm.per_lane ||
        spec_.hardware.lut_inputs <= planned.gemm.block_in)
      return;
    Error(spec_.hardware.lut_inputs_loc,
          fmt::format("hardware.lut_inputs is {}, with tiles of {} inputs", spec_.hardware.lut_inputs,
                      planned.gemm.block_in),
          "at most the inputs of a tile");
  }

  void Latency(const SvUnit& planned) {
    const Unit& unit = spec_.units[planned.unit];
    int least = planned.loads ? kLoadLatency : 0;
    if (planned.stores) least = std::max(least, kStoreLatency);
    if (planned.gemms && planned.gemm.dst == -1)
      least = std::max(least, kGemmLatency + CeilLog2(planned.gemm.block_in));
    if (planned.alus) least = std::max(least, kAluLatency + planned.alu.stages);
    if (unit.latency < least) {
      Error(unit.loc, fmt::format("unit '{}' has a latency of {}", unit.name, unit.latency),
            fmt::format("at least {}, the depth of its pipeline", least));
    }
  }

  void Format(const InstructionFormat& format) {
    if (format.micro_ops >= 0 && spec_.memories[format.micro_ops].banks > 1) {
      Error(format.loc, fmt::format("'{}' takes its micro-ops from a memory of several banks", format.name),
            "one bank");
    }
    if (format.kind == Kind::kGemm && format.intrinsic && MatchRowProduct(*format.intrinsic)) {
      for (const Operand& source : format.intrinsic->sources) SignedLanes(format, source.memory);
    } else if (format.kind == Kind::kGemm) {
      if (MatchSvGemm(spec_, spec_.FormatIndex(format.name)).dst != -1) {
        Error(format.loc,
              fmt::format("'{}' computes {}", format.name, format.intrinsic ? format.intrinsic->text : ""),
              "a product of two matrices, dst[b, o] += x[b, k] * y[o, k], of lanes, dst[b, o] += x[b, o] * "
              "y[o], "
              "or along rows, dst[b, o] += x[+ t + P * r][b, G * floor_div(o, G) + g] * y[o, (T * r + t) * G "
              "+ g]");
      } else {
        for (const Operand& source : format.intrinsic->sources) SignedLanes(format, source.memory);
      }
    }
    for (const IndexFields& index : format.indices) {
      if (index.uop >= 0) continue;
      Error(format.loc, fmt::format("the micro-ops of '{}' have no field '{}'", format.name, index.index),
            "a micro-op field for each index");
    }
    const int dram = format.FieldIndex("dram");
    if (dram >= 0 && format.fields[dram].type.width > kAddressBits) {
      Error(format.fields[dram].loc,
            fmt::format("field 'dram' of '{}' has {} bits", format.name, format.fields[dram].type.width),
            fmt::format("at most {}, an address on the bus", kAddressBits));
    }
    if (SvPads(format) && spec_.memories[format.memory].fields.size() > 1) {
      Error(format.loc, fmt::format("'{}' pads a memory of records", format.name),
            "padding only for plain elements");
    }
  }

  /// Bytes of an element are written on their own, lanes only where they are whole bytes, and a mirror knows
  /// only lanes.
  void Gather(const InstructionFormat& format, const SvPlan& plan) {
    const Memory& memory = spec_.memories[format.memory];
    for (const SvUnit& unit : plan.units) {
      if (!unit.alus || unit.alu.groups == 1 || memory.record_bits % kSvPieceBits == 0 ||
          std::ranges::count(unit.alu.writes, format.memory) == 0)
        continue;
      Error(format.loc,
            fmt::format("'{}' gathers pieces into '{}', which '{}' writes lane by lane", format.name,
                        memory.name, unit.name),
            "lanes of whole bytes, a memory of its own for each, or as many lanes as an element has");
    }
    for (const Memory& mirror : spec_.memories) {
      if (mirror.mirrors < 0 || &spec_.memories[mirror.mirrors] != &memory) continue;
      Error(format.loc,
            fmt::format("'{}' gathers pieces into '{}', which '{}' mirrors", format.name, memory.name,
                        mirror.name),
            "a memory without a mirror");
    }
  }

  void SignedLanes(const InstructionFormat& format, int index) {
    const Memory& memory = spec_.memories[index];
    if (memory.fields.size() == 1 && memory.fields[0].type.is_signed) return;
    Error(memory.loc, fmt::format("'{}' multiplies elements of '{}'", format.name, memory.name),
          "signed numbers in its lanes");
  }

  void HasEngine(const SvUnit& unit) {
    if (unit.loads || unit.stores || unit.gemms || unit.alus) return;
    Error(spec_.units[unit.unit].loc, fmt::format("unit '{}' executes nothing but syncs", unit.name),
          "a unit that loads, stores or computes");
  }

  /// Names that would give two signals or modules of the RTL one name.
  void Names(const SvPlan& plan) {
    for (const SvUnit& unit : plan.units) {
      const bool has[] = {unit.loads, unit.gemms, unit.alus, unit.stores};
      const Kind kinds[] = {Kind::kLoad, Kind::kGemm, Kind::kAlu, Kind::kStore};
      for (const SvUnit& other : plan.units) {
        for (size_t k = 0; k < std::size(kinds); ++k) {
          if (has[k] && other.name == fmt::format("{}_{}", unit.name, KindName(kinds[k])))
            TakenName(spec_.units[other.unit].loc, "unit", other.name);
        }
        if (unit.alus && other.alus && other.name == "lane_" + unit.name)
          TakenName(spec_.units[other.unit].loc, "unit", other.name);
      }
      if (unit.alus) {
        if (unit.name == "unit") TakenName(spec_.units[unit.unit].loc, "unit", unit.name);
        AluNames(unit.alu);
      }
    }
    DistinctConstants("memory", spec_.memories);
    DistinctConstants("unit", spec_.units);
    DistinctConstants("queue", spec_.queues);
    DistinctConstants("instruction", spec_.formats);
  }

  void Ledger() {
    const size_t bytes = registers::LedgerBytes(spec_), room = registers::kSize - registers::kLedger;
    if (bytes <= room) return;
    Error(spec_.queues.back().loc,
          fmt::format("the ledger of {} units and {} queues takes {} bytes of registers", spec_.units.size(),
                      spec_.queues.size(), bytes),
          fmt::format("at most {}: fewer units or queues", room));
  }

  /// The engines of a unit take one instruction of their kind; loads take any number.
  void OneOfAKind(const SvUnit& planned) {
    for (Kind kind : {Kind::kGemm, Kind::kAlu, Kind::kStore}) {
      const auto count = std::ranges::count_if(
          planned.formats, [&](int f) { return spec_.formats[f].kind == kind && f != planned.gemm.rows; });
      if (count > 1) {
        Error(spec_.units[planned.unit].loc,
              fmt::format("unit '{}' has {} instructions of kind {}", planned.name, count, KindName(kind)),
              "one");
      }
    }
  }

  void Alu(const SvUnit& planned) {
    const Unit& unit = spec_.units[planned.unit];
    if (unit.overlap && !planned.gemms && !planned.loads && !planned.stores) {
      Error(unit.loc, fmt::format("unit '{}' overlaps alu instructions", planned.name), "overlap: false");
    }
    if (planned.alu.ops.empty()) {
      Error(unit.loc, fmt::format("unit '{}' has no op that this configuration can execute", planned.name),
            "one");
    }
    for (const int memory : planned.alu.tables) Table(planned, memory);
    for (int number : planned.alu.ops) {
      const AluOp& op = spec_.alu_ops[number];
      for (int memory : planned.alu.reads) {
        if (planned.alu.Operands(spec_, number, memory).size() <= kMostReads) continue;
        Error(op.loc,
              fmt::format("'{}' reads '{}' more than twice a step", op.name, spec_.memories[memory].name),
              "at most two operands of one memory");
      }
      for (const Operand& operand : op.operands) {
        if (operand.parts == planned.alu.Parts(spec_, operand.memory)) continue;
        Error(op.loc,
              fmt::format("'{}' reads fewer elements of '{}' at once than another op", op.name,
                          spec_.memories[operand.memory].name),
              "equally many");
      }
      if (spec_.memories[op.result.memory].LaneCount() != planned.alu.element_lanes) {
        Error(op.loc, fmt::format("the result of '{}' has fewer lanes than that of another op", op.name),
              "results of equally many lanes");
      }
    }
  }

  /// It stands beside the lanes of one unit, where nothing else gets at it.
  void Table(const SvUnit& planned, int index) {
    const Memory& memory = spec_.memories[index];
    bool is_read =
        std::ranges::count(planned.alu.reads, index) + std::ranges::count(planned.alu.writes, index) > 0;
    for (const InstructionFormat& format : spec_.formats) {
      is_read |= format.kind == Kind::kStore && format.memory == index;
      for (const Operand& source : format.intrinsic ? format.intrinsic->sources : std::vector<Operand>())
        is_read |= source.memory == index;
    }
    if (!is_read) return;
    Error(memory.loc, fmt::format("'{}' is looked up, and read or written besides", memory.name),
          "a memory for look-ups alone, which loads fill");
  }

  void OwnTables(const SvPlan& plan) {
    std::set<int> taken;
    for (const SvUnit& unit : plan.units)
      for (const int memory : unit.alu.tables)
        if (!taken.insert(memory).second)
          Error(spec_.memories[memory].loc,
                fmt::format("'{}' is looked up by two units", spec_.memories[memory].name),
                "a table of its own for each");
  }

  void OneStoringUnit(const SvPlan& plan) {
    int storing = 0;
    for (const SvUnit& unit : plan.units) {
      if (unit.stores && ++storing == 2) {
        Error(spec_.units[unit.unit].loc, fmt::format("'{}' is the second unit that stores", unit.name),
              "one");
      }
    }
  }

 private:
  void TakenName(const SourceLoc& loc, std::string_view what, const std::string& name) {
    Error(loc, fmt::format("the {} '{}' would give two things one name", what, name), "another name");
  }

  /// Ports of an alu's datapath are called after memories and fields.
  void AluNames(const SvAlu& alu) {
    std::set<std::string> taken = {"clk",         "issue",        "op",           "group",
                                   "twice",       "first",        "second",       "fire",
                                   "first_index", "second_index", "result_index", "result_memory"};
    for (size_t table = 0; table < alu.tables.size(); ++table) {
      taken.insert(fmt::format("index{}", table));
      taken.insert(fmt::format("looked_up{}", table));
    }
    const std::set<int> memories = [&] {
      std::set<int> all(alu.reads.begin(), alu.reads.end());
      all.insert(alu.writes.begin(), alu.writes.end());
      return all;
    }();
    for (const int memory : memories) {
      const std::string& name = spec_.memories[memory].name;
      if (!taken.insert(name).second || !taken.insert(name + "_before").second)
        TakenName(spec_.memories[memory].loc, "memory", name);
    }
    for (const int memory : alu.tables) {
      const std::string& name = spec_.memories[memory].name;
      for (const char* part : {"_we", "_waddr", "_wdata"})
        if (!taken.insert(name + part).second) TakenName(spec_.memories[memory].loc, "memory", name);
    }
    for (const int index : alu.immediates) {
      const Field& field = spec_.formats[alu.format].fields[index];
      if (!taken.insert(field.name).second) TakenName(field.loc, "field", field.name);
    }
  }

  template <typename Item>
  void DistinctConstants(std::string_view what, const std::vector<Item>& items) {
    std::set<std::string> taken;
    for (const Item& item : items) {
      if (!taken.insert(SvConstantName(item.name)).second) TakenName(item.loc, what, item.name);
    }
  }

  void Error(const SourceLoc& loc, const std::string& what, const std::string& right) {
    diags_.Error(codes::kNoRtl, loc, "no RTL for this: " + what).hint = "the RTL needs " + right;
  }

  const Spec& spec_;
  Diagnostics& diags_;
};

}  // namespace

void CheckSv(const Spec& spec, Diagnostics& diags) {
  Checker checker(spec, diags);
  const SvPlan plan(spec);
  checker.Port();
  checker.Names(plan);
  checker.Ledger();
  for (const InstructionFormat& format : spec.formats) {
    checker.Format(format);
    if (format.Gathers()) checker.Gather(format, plan);
  }
  for (const SvUnit& unit : plan.units) {
    checker.HasEngine(unit);
    checker.MacsPerDsp(unit);
    checker.Rows(unit);
    checker.LutInputs(unit);
    checker.Latency(unit);
    checker.OneOfAKind(unit);
    if (unit.alus) checker.Alu(unit);
  }
  checker.OneStoringUnit(plan);
  checker.OwnTables(plan);
}

}  // namespace cosim::isa
