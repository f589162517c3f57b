// SPDX-License-Identifier: Apache-2.0
// Reads micro-ops into step tables and checks what they reach.
#include "sim/functional/step_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "isa/wide.h"

namespace cosim::sim {
namespace {

void ReadMicroOps(const MemoryStore& store, const isa::Nest& nest, const isa::Index& index,
                  StepColumn& column) {
  const int64_t count = nest.uop_end - nest.uop_begin;
  column.outer = index.outer;
  column.inner = index.inner;
  column.uops.assign(count, index.base);
  if (index.uop_field < 0) return;
  WithStorage(store.fields[index.uop_field], [&](const auto* values) {
    for (int64_t u = 0; u < count; ++u) column.uops[u] += values[nest.uop_begin + u];
  });
}

/// The least and the greatest element of all steps lie at corners of the loops.
std::string Bounds(const StepTable& table, StepColumn& column, Wide parts, const isa::Memory& memory,
                   int64_t depth) {
  const auto [least, greatest] = std::ranges::minmax(column.uops);
  // Products of instruction fields, whatever their widths, stay exact in this.
  const Wide out = Wide{column.outer} * (table.iter_out - 1);
  const Wide in = Wide{column.inner} * (table.iter_in - 1);
  const Wide low = least + std::min<Wide>(out, 0) + std::min<Wide>(in, 0);
  const Wide high = greatest + std::max<Wide>(out, 0) + std::max<Wide>(in, 0) + parts - 1;
  column.low = static_cast<int64_t>(low);
  column.high = static_cast<int64_t>(high);
  if (low >= 0 && high < depth) return {};
  return fmt::format("touches element {} of '{}', which has {}", static_cast<int64_t>(low < 0 ? low : high),
                     memory.name, depth);
}

}  // namespace

std::string StepTable::Resolve(const isa::Spec& spec, const Memories& memories, const isa::Nest& nest,
                               std::span<const StepOperand> operands, bool merge) {
  iter_out = std::max<int64_t>(nest.iter_out, 0);
  iter_in = std::max<int64_t>(nest.iter_in, 0);
  uops = std::max<int64_t>(nest.uop_end - nest.uop_begin, 0);
  if (iter_out == 0 || iter_in == 0 || uops == 0) {
    iter_out = iter_in = uops = 0;
    return {};
  }
  const MemoryStore& micro_ops = memories.Store(nest.micro_ops);
  if (nest.uop_begin < 0 || nest.uop_end > micro_ops.depth) {
    return fmt::format("takes micro-ops {} to {} of '{}', which has {}", nest.uop_begin, nest.uop_end - 1,
                       spec.memories[nest.micro_ops].name, micro_ops.depth);
  }
  columns.resize(operands.size());
  for (size_t n = 0; n < operands.size(); ++n) {
    ReadMicroOps(micro_ops, nest, operands[n].index, columns[n]);
    const int memory = operands[n].memory;
    std::string error =
        Bounds(*this, columns[n], operands[n].parts, spec.memories[memory], memories.Store(memory).depth);
    if (!error.empty()) return error;
  }
  if (merge) MergeLoops();
  return {};
}

void StepTable::MergeLoops() {
  if (iter_in == 1) {
    for (StepColumn& column : columns) column.inner = column.outer;
  } else if (!std::ranges::all_of(
                 columns, [&](const StepColumn& column) { return column.outer == column.inner * iter_in; })) {
    return;
  }
  iter_in *= iter_out;
  iter_out = 1;
}

}  // namespace cosim::sim
