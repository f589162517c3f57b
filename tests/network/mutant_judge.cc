// SPDX-License-Identifier: Apache-2.0
// Runs a mutant in many orders of effects and compares what they leave.
#include "tests/network/mutant_judge.h"

#include <fmt/format.h>

#include <numeric>
#include <set>
#include <string_view>
#include <variant>

#include "isa/check.h"
#include "isa/program/decode.h"
#include "tests/isa/program/random_program.h"
#include "tests/network/timings.h"

namespace cosim::testing {
namespace {

constexpr uint64_t kPoison = 11, kOtherPoison = 12;
constexpr int kRandomSchedules = 6, kCycleRuns = 6;

uint64_t Hash(const sim::Memories& memories) {
  uint64_t hash = 0;
  for (int m = 0; m < memories.size(); ++m) {
    for (const sim::LaneArray& array : memories.Store(m).fields) {
      sim::WithStorage(array, [&](const auto* values) {
        const std::string_view bytes(reinterpret_cast<const char*>(values),
                                     static_cast<size_t>(array.count()) * sizeof(*values));
        hash = hash * 0x9E3779B97F4A7C15u + std::hash<std::string_view>{}(bytes);
      });
    }
  }
  return hash;
}

uint64_t Hash(const std::vector<int64_t>& order) {
  return std::hash<std::string_view>{}(
      {reinterpret_cast<const char*>(order.data()), order.size() * sizeof(order[0])});
}

std::vector<int64_t> InOrder(const isa::Program& program) {
  std::vector<int64_t> order(program.instructions.size());
  std::iota(order.begin(), order.end(), int64_t{0});
  return order;
}

}  // namespace

MutantJudge::MutantJudge(const isa::Spec& spec, const isa::Program& program, uint64_t seed)
    : spec_(spec), engine_(spec) {
  isa::testing::Random random(seed);
  data_.resize(program.dram_bytes);
  for (uint8_t& byte : data_) byte = static_cast<uint8_t>(random.Next());
  engine_.Reserve(program.dram_bytes);
  const std::string broken = Break(program, {InOrder(program)}, seed);
  COSIM_CHECK(broken.empty(), "the program itself breaks: {}", broken);
  expected_ = first_.dram;
}

MutantJudge::Result MutantJudge::Run(const isa::Program& program, std::span<const isa::Decoded> decoded,
                                     std::span<const int64_t> order, uint64_t poison) {
  engine_.WriteDram(0, data_);
  for (const isa::Segment& segment : program.segments) {
    if (segment.kind != isa::Segment::Kind::kInstructions) engine_.WriteDram(segment.address, segment.bytes);
  }
  engine_.PoisonOnChip(poison);
  for (const int64_t i : order) {
    const std::string error = engine_.Execute(program.instructions[i], decoded[i]);
    if (!error.empty()) return {fmt::format("instruction {} {}", i, error), {}, 0};
  }
  const auto dram = engine_.dram().first(data_.size());
  return {"", {dram.begin(), dram.end()}, Hash(engine_.memories())};
}

std::string MutantJudge::Break(const isa::Program& program, std::vector<std::vector<int64_t>> orders,
                               uint64_t seed) {
  const std::vector<isa::Decoded> decoded = isa::Decoder(spec_).All(program.instructions);
  isa::testing::Random random(seed);
  const std::vector<Schedule> schedules = Schedules(spec_, kRandomSchedules);
  const EffectOrder base = RunSchedule(spec_, decoded, schedules[0], random);
  if (base.stuck) return "stuck";
  first_ = Run(program, decoded, base.instructions, kPoison);
  if (!first_.error.empty()) return first_.error;
  if (Run(program, decoded, base.instructions, kOtherPoison).dram != first_.dram)
    return "the result depends on what was on chip before";

  std::set<uint64_t> tried = {Hash(base.instructions)};
  auto differs = [&](const EffectOrder& effects, const std::string& how) -> std::string {
    if (effects.stuck) return "stuck " + how;
    if (!tried.insert(Hash(effects.instructions)).second) return "";
    const Result result = Run(program, decoded, effects.instructions, kPoison);
    if (!result.error.empty()) return fmt::format("{}: {}", how, result.error);
    if (result.dram != first_.dram) return "another result " + how;
    return result.on_chip == first_.on_chip ? "" : "something else is on chip " + how;
  };
  for (std::vector<int64_t>& order : orders) {
    if (auto why = differs({std::move(order), false}, "in the verifier's order"); !why.empty()) return why;
  }
  for (size_t s = 1; s < schedules.size(); ++s) {
    const EffectOrder effects = RunSchedule(spec_, decoded, schedules[s], random);
    if (auto why = differs(effects, fmt::format("under schedule {}", s)); !why.empty()) return why;
  }
  for (int run = 0; run < kCycleRuns; ++run) {
    const EffectOrder effects = RunCycles(spec_, decoded, program.code_address, random);
    if (auto why = differs(effects, fmt::format("in cycle run {}", run)); !why.empty()) return why;
  }
  return "";
}

MutantVerdict MutantJudge::Judge(const isa::Program& mutant, uint64_t seed) {
  const isa::VerifyResult verified = isa::Verify(spec_, mutant);
  MutantVerdict verdict;
  std::vector<std::vector<int64_t>> orders;
  if (verified.forward) orders.push_back(InOrder(mutant));
  if (!verified.order.empty()) orders.push_back(verified.order);
  verdict.why = Break(mutant, std::move(orders), seed);
  if (!verified.ok()) {
    verdict.finding = verified.findings.at(0).kind;
    verdict.kind = verdict.why.empty() ? MutantKind::kRefusedUnbroken : MutantKind::kRefusedBroken;
  } else if (!verdict.why.empty()) {
    verdict.kind = MutantKind::kHole;
  } else {
    verdict.kind = first_.dram == expected_ ? MutantKind::kEquivalent : MutantKind::kOtherResult;
  }
  return verdict;
}

}  // namespace cosim::testing
