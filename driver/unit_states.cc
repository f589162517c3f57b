// SPDX-License-Identifier: Apache-2.0
#include "driver/unit_states.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "isa/spec/registers.h"

namespace cosim::driver {
namespace {

/// In the order of a ledger row.
std::string ColumnText(const isa::Spec& spec, size_t column) {
  const size_t queues = spec.queues.size();
  if (column == 0) return "is busy";
  if (column == 1) return "waits for room in a queue";
  if (column < 2 + queues) return "waits for a token of " + spec.queues[column - 2].name;
  if (column == 2 + queues) return "waits for a memory port";
  if (column == 3 + queues) return "waits for memory";
  return "has nothing to do";
}

std::vector<uint32_t> Row(const isa::Spec& spec, size_t unit, AcceleratorRegisters& registers) {
  std::vector<uint32_t> row(isa::registers::LedgerColumns(spec));
  for (size_t column = 0; column < row.size(); ++column)
    row[column] = registers.Read(isa::registers::LedgerOffset(spec, unit, column));
  return row;
}

}  // namespace

std::string UnitStates(const isa::Spec& spec, AcceleratorRegisters& registers) {
  std::vector<std::vector<uint32_t>> before;
  for (size_t unit = 0; unit < spec.units.size(); ++unit) before.push_back(Row(spec, unit, registers));
  std::string text;
  for (size_t unit = 0; unit < spec.units.size(); ++unit) {
    std::vector<uint32_t> grown = Row(spec, unit, registers);
    for (size_t column = 0; column < grown.size(); ++column) grown[column] -= before[unit][column];
    const auto most = std::ranges::max_element(grown);
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", spec.units[unit].name,
                        *most == 0 ? "stands still: its counters do not move"
                                   : ColumnText(spec, static_cast<size_t>(most - grown.begin())));
  }
  return text;
}

}  // namespace cosim::driver
