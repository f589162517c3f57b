// SPDX-License-Identifier: Apache-2.0
#include "compiler/network/measure.h"

#include "compiler/network/program_builder.h"
#include "compiler/tir/rounding.h"
#include "isa/check.h"
#include "sim/cycle/timing_engine.h"

namespace cosim::network {

namespace {

constexpr size_t kMostCached = 2000;  // programs of some kernels each, often less than 100 kilobytes

std::optional<TimedProgram> ProgramOf(const isa::Spec& spec, std::span<const accel::Kernel* const> kernels,
                                      std::optional<size_t> turns = std::nullopt) {
  constexpr uint64_t kPage = 4096;
  std::vector<AcceleratorGroup> groups(kernels.size());
  std::vector<PlacedKernel> placed;
  uint64_t end = 0;
  for (size_t i = 0; i < kernels.size(); ++i) {
    groups[i].kernel = *kernels[i];
    PlacedKernel next{&groups[i], {}, 0};
    for (const auto& param : kernels[i]->params) {
      next.addresses.push_back(end);
      uint64_t bytes = 2 * static_cast<uint64_t>(tir::CeilDiv(param->type.bits, 8));  // lanes may be wider
      for (int64_t extent : param->shape) bytes *= static_cast<uint64_t>(extent);
      end = tir::RoundUp(end + bytes, kPage);
    }
    if (i > 0) next.addresses.front() = placed.back().addresses.back();  // what a kernel reads comes first
    placed.push_back(std::move(next));
  }
  if (turns) placed[*turns].by_turns = true;
  // One kernel by itself reads nothing that it wrote to memory.
  const uint64_t shared_end = kernels.size() == 1 ? 0 : end;
  uint64_t free_from = end;
  std::string unreachable;
  const auto step = BuildProgram(spec, placed, {}, shared_end, free_from, unreachable);
  if (!step) return std::nullopt;
  return TimedProgram{sim::DecodeAll(spec, step->program), step->program.code_address};
}

/// "" when not all are known.
std::string KeyOf(std::span<const accel::Kernel* const> kernels) {
  std::string key;
  for (const accel::Kernel* kernel : kernels) {
    if (kernel->identity == 0) return "";
    key += std::to_string(kernel->identity) + ' ';
  }
  return key;
}

runtime::Cycle CyclesOf(const isa::Spec& spec, const TimedProgram& program, const std::string& name) {
  const auto counters = sim::TimingEngine(spec).Run(program.instructions, program.code_address);
  COSIM_CHECK(counters.completed, "{}: {}", name, counters.error);
  return counters.cycles;
}

}  // namespace

std::optional<runtime::Cycle> CyclesByTurns(const isa::Spec& spec,
                                            std::span<const accel::Kernel* const> kernels, size_t turns) {
  const auto program = ProgramOf(spec, kernels, turns);
  return program ? std::optional(CyclesOf(spec, *program, kernels[turns]->name)) : std::nullopt;
}

std::optional<runtime::Cycle> CyclesInARow(const isa::Spec& spec,
                                           std::span<const accel::Kernel* const> kernels,
                                           LoweringCache* cache) {
  const std::string key = cache != nullptr ? KeyOf(kernels) : "";
  std::optional<TimedProgram> made;
  const std::optional<TimedProgram>* program = &made;
  if (cache == nullptr || key.empty()) {
    made = ProgramOf(spec, kernels);
  } else {
    if (cache->measured.size() >= kMostCached) cache->measured.clear();
    const auto [known, is_new] = cache->measured.try_emplace(key);
    if (is_new) known->second = ProgramOf(spec, kernels);
    program = &known->second;
  }
  if (!*program) return std::nullopt;
  return CyclesOf(spec, **program, kernels.back()->name);
}

}  // namespace cosim::network
