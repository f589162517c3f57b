// SPDX-License-Identifier: Apache-2.0
// Says what the RTL has no module for, before anything is generated.
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "isa/sv_generate.h"
#include "isa/sv_plan.h"

namespace cosim::isa {
namespace {

constexpr const char* kNoRtl = "E0701";  ///< a spec that the simulators run but the RTL has no module for
constexpr int kLoadLatency = 2;          ///< stages behind the load unit's writer
constexpr int kStoreLatency = 2;         ///< stages before a store's beats leave
constexpr int kAluLatency = 6;           ///< stages of the alu unit beside those of its ops
constexpr int kGemmLatency = 9;          ///< stages of the gemm unit beside its adder tree
constexpr int kMemoryLatency = 2;        ///< accept, and the register on the way to the bus
constexpr int kWriteLatency = 3;         ///< from a beat's leaving to the bus, and the response
constexpr size_t kMostReads = 2;         ///< of one memory by a step of an op

int CeilLog2(int64_t value) { return std::bit_width(static_cast<uint64_t>(value - 1)); }

class Checker {
 public:
  Checker(const Spec& spec, Diagnostics& diags) : spec_(spec), diags_(diags) {}

  void Port() {
    const MemorySystem& dram = spec_.dram;
    if (dram.port_bits < 16 || !std::has_single_bit(static_cast<unsigned>(dram.port_bits))) {
      Error({}, fmt::format("memory.port_bits is {}", dram.port_bits), "a power of two, at least 16");
    }
    if (!std::has_single_bit(static_cast<unsigned>(spec_.word_bits))) {
      Error({}, fmt::format("word_bits is {}", spec_.word_bits), "a power of two");
    }
    if (dram.burst_beats > 256) {
      Error({}, fmt::format("memory.burst_beats is {}", dram.burst_beats), "at most 256, AXI4's limit");
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
          "at most 25 bits for an activation and two weights, and 18 for the activation");
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
    if (format.kind == Kind::kGemm) {
      if (MatchSvGemm(spec_, spec_.FormatIndex(format.name)).dst != -1) {
        Error(format.loc,
              fmt::format("'{}' computes {}", format.name, format.intrinsic ? format.intrinsic->text : ""),
              "a product of two matrices, dst[b, o] += x[b, k] * y[o, k]");
      }
    }
    for (const IndexFields& index : format.indices) {
      if (index.uop >= 0) continue;
      Error(format.loc, fmt::format("the micro-ops of '{}' have no field '{}'", format.name, index.index),
            "a micro-op field for each index");
    }
    if (SvPads(format) && spec_.memories[format.memory].fields.size() > 1) {
      Error(format.loc, fmt::format("'{}' pads a memory of records", format.name),
            "padding only for plain elements");
    }
  }

  /// The engines of a unit take one instruction of their kind; loads take any number.
  void OneOfAKind(const SvUnit& planned) {
    for (Kind kind : {Kind::kGemm, Kind::kAlu, Kind::kStore}) {
      const auto count =
          std::ranges::count_if(planned.formats, [&](int f) { return spec_.formats[f].kind == kind; });
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
    for (int number : planned.alu.ops) {
      const AluOp& op = spec_.alu_ops[number];
      for (int memory : planned.alu.reads) {
        if (planned.alu.Operands(spec_, number, memory).size() <= kMostReads) continue;
        Error(op.loc,
              fmt::format("'{}' reads '{}' more than twice a step", op.name, spec_.memories[memory].name),
              "at most two operands of one memory");
      }
      if (spec_.memories[op.result.memory].LaneCount() != planned.alu.element_lanes) {
        Error(op.loc, fmt::format("the result of '{}' has fewer lanes than that of another op", op.name),
              "results of equally many lanes");
      }
    }
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
  void Error(const SourceLoc& loc, const std::string& what, const std::string& right) {
    diags_.Error(kNoRtl, loc, "no RTL for this: " + what).hint = "the RTL needs " + right;
  }

  const Spec& spec_;
  Diagnostics& diags_;
};

}  // namespace

void CheckSv(const Spec& spec, Diagnostics& diags) {
  Checker checker(spec, diags);
  const SvPlan plan(spec);
  checker.Port();
  for (const InstructionFormat& format : spec.formats) checker.Format(format);
  for (const SvUnit& unit : plan.units) {
    checker.MacsPerDsp(unit);
    checker.Latency(unit);
    checker.OneOfAKind(unit);
    if (unit.alus) checker.Alu(unit);
  }
  checker.OneStoringUnit(plan);
}

}  // namespace cosim::isa
