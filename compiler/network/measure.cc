// SPDX-License-Identifier: Apache-2.0
#include "compiler/network/measure.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "compiler/network/program_builder.h"
#include "compiler/tir/rounding.h"
#include "isa/check.h"
#include "sim/cycle/timing_engine.h"

namespace cosim::network {

namespace {

constexpr size_t kMostCached = 2000;  // programs of some kernels each, often less than 100 kilobytes

/// Of a row of kernels `at` and the next.
struct Turns {
  size_t at = 0;
  accel::TurnSize size;
};

bool Stores(const accel::Nodes& nodes, const tir::Buffer& param) {
  return std::ranges::any_of(nodes, [&](const accel::Node& node) {
    if (const auto* loop = std::get_if<accel::Loop>(&node.node)) return Stores(loop->body, param);
    if (const auto* guard = std::get_if<accel::Guard>(&node.node)) return Stores(guard->body, param);
    const auto* transfer = std::get_if<accel::TransferLeaf>(&node.node);
    return transfer != nullptr && transfer->is_store && transfer->dram.buffer == param;
  });
}

std::optional<TimedProgram> ProgramOf(const isa::Spec& spec, std::span<const accel::Kernel* const> kernels,
                                      std::optional<Turns> turns) {
  constexpr uint64_t kPage = 4096;
  std::vector<PlacedKernel> placed;
  std::vector<accel::DramRange> written;
  uint64_t end = 0;
  for (const accel::Kernel* kernel : kernels) {
    PlacedKernel next{kernel, {}, static_cast<int>(placed.size())};
    for (const auto& param : kernel->params) {
      next.addresses.push_back(end);
      uint64_t bytes = 2 * static_cast<uint64_t>(tir::CeilDiv(param->type.bits, 8));  // lanes may be wider
      for (int64_t extent : param->shape) bytes *= static_cast<uint64_t>(extent);
      if (Stores(kernel->body, param)) written.push_back({end, end + bytes});
      end = tir::RoundUp(end + bytes, kPage);
    }
    // What a kernel reads comes first.
    if (!placed.empty()) next.addresses.front() = placed.back().addresses.back();
    placed.push_back(std::move(next));
  }
  if (turns) placed[turns->at].by_turns = turns->size;
  if (kernels.size() == 1) written.clear();  // by itself one reads nothing that it wrote to memory
  uint64_t free_from = end;
  std::string unreachable;
  const auto all = WriteKernels(spec, placed, std::move(written), free_from, unreachable);
  if (!all) return std::nullopt;
  return TimedProgram{.instructions = isa::Decoder(spec).All(all->instructions),
                      .code_address = all->code_address};
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

void Time(const isa::Spec& spec, const std::string& name, runtime::Cycle limit, TimedProgram& program) {
  const auto counters = sim::TimingEngine(spec).Run(program.instructions, program.code_address,
                                                    {.ledger = false, .max_cycles = limit});
  COSIM_CHECK(counters.completed || limit < sim::kNever, "{}: {}", name, counters.error);
  program.at_least = !counters.completed;
  program.cycles = counters.completed ? counters.cycles : limit;
}

std::optional<runtime::Cycle> Measured(const isa::Spec& spec, std::span<const accel::Kernel* const> kernels,
                                       std::optional<Turns> turns, LoweringCache* cache,
                                       runtime::Cycle limit) {
  std::string key = cache != nullptr ? KeyOf(kernels) : "";
  const std::string& name = kernels[turns ? turns->at : kernels.size() - 1]->name;
  if (cache == nullptr || key.empty()) {
    auto made = ProgramOf(spec, kernels, turns);
    if (!made) return std::nullopt;
    Time(spec, name, limit, *made);
    return made->cycles;
  }
  if (turns) key += fmt::format("turns {} {}", turns->at, static_cast<int>(turns->size));
  if (cache->measured.size() >= kMostCached) cache->measured.clear();
  const auto [known, is_new] = cache->measured.try_emplace(key);
  std::optional<TimedProgram>& program = known->second;
  if (is_new) program = ProgramOf(spec, kernels, turns);
  if (!program) return std::nullopt;
  if (program->timed_by != cache->compilation || (program->at_least && program->cycles < limit)) {
    Time(spec, name, limit, *program);
    program->timed_by = cache->compilation;
  }
  return program->cycles;
}

}  // namespace

std::optional<runtime::Cycle> CyclesByTurns(const isa::Spec& spec,
                                            std::span<const accel::Kernel* const> kernels, size_t turns,
                                            accel::TurnSize size, LoweringCache* cache,
                                            runtime::Cycle limit) {
  return Measured(spec, kernels, Turns{turns, size}, cache, limit);
}

std::optional<runtime::Cycle> CyclesInARow(const isa::Spec& spec,
                                           std::span<const accel::Kernel* const> kernels,
                                           LoweringCache* cache, runtime::Cycle limit) {
  return Measured(spec, kernels, std::nullopt, cache, limit);
}

}  // namespace cosim::network
