// SPDX-License-Identifier: Apache-2.0
// Gathers the generated files, and says beforehand what the RTL has no module for.
#include "isa/sv_generate.h"

#include <fmt/format.h>

#include <bit>

#include "isa/sv_accelerator.h"
#include "isa/sv_alu.h"
#include "isa/sv_lane.h"
#include "isa/sv_package.h"
#include "isa/sv_plan.h"

namespace cosim::isa {
namespace {

constexpr const char* kNoRtl = "E0601";  ///< a spec that the simulators run but the RTL has no module for
constexpr int kLoadLatency = 2;          ///< stages behind the load unit's writer
constexpr int kGemmLatency = 9;          ///< stages of the gemm unit beside its adder tree
constexpr int kMemoryLatency = 2;        ///< accept, and the register on the way to the bus

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
  }

  void Latency(const SvUnit& planned) {
    const Unit& unit = spec_.units[planned.unit];
    int least = planned.loads ? kLoadLatency : 0;
    if (planned.gemms && planned.gemm.dst == -1) least = kGemmLatency + CeilLog2(planned.gemm.block_in);
    if (unit.latency < least) {
      Error(unit.loc, fmt::format("unit '{}' has a latency of {}", unit.name, unit.latency),
            fmt::format("at least {}, the depth of its pipeline", least));
    }
  }

  void Format(const InstructionFormat& format) {
    if (format.kind == Kind::kGemm) {
      if (MatchSvGemm(spec_, spec_.FormatIndex(format.name)).dst != -1) {
        Error(format.loc,
              fmt::format("'{}' computes {}", format.name, format.intrinsic ? format.intrinsic->text : ""),
              "a product of two matrices, dst[b, o] += x[b, k] * y[o, k]");
      }
      for (const IndexFields& index : format.indices) {
        if (index.uop >= 0) continue;
        Error(format.loc, fmt::format("the micro-ops of '{}' have no field '{}'", format.name, index.index),
              "a micro-op field for each index");
      }
    }
    if (SvPads(format) && spec_.memories[format.memory].fields.size() > 1) {
      Error(format.loc, fmt::format("'{}' pads a memory of records", format.name),
            "padding only for plain elements");
    }
  }

  void OneGemm(const SvUnit& planned) {
    int gemms = 0;
    for (int f : planned.formats) gemms += spec_.formats[f].kind == Kind::kGemm;
    if (gemms > 1) {
      Error(spec_.units[planned.unit].loc,
            fmt::format("unit '{}' has {} gemm instructions", planned.name, gemms), "one");
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
  checker.Port();
  for (const InstructionFormat& format : spec.formats) checker.Format(format);
  for (const SvUnit& unit : SvPlan(spec).units) {
    checker.Latency(unit);
    checker.OneGemm(unit);
  }
}

std::vector<SvFile> GenerateSv(const Spec& spec) {
  const SvPlan plan(spec);
  std::vector<SvFile> files;
  files.push_back({"cosim_pkg.sv", SvPackage(spec, plan)});
  files.push_back({"dispatch.sv", SvDispatch(spec)});
  for (const SvUnit& unit : plan.units) {
    files.push_back({fmt::format("decode_{}.sv", unit.name), SvUnitDecoder(spec, plan, unit)});
  }
  for (const SvUnit& unit : plan.units) {
    if (!unit.alus) continue;
    files.push_back({fmt::format("alu_lane_{}.sv", unit.name), SvAluLane(spec, unit)});
    files.push_back({fmt::format("alu_{}.sv", unit.name), SvAluDatapath(spec, unit)});
  }
  files.push_back({"accelerator.sv", SvAccelerator(spec, plan)});
  return files;
}

}  // namespace cosim::isa
