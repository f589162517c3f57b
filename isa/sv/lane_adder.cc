// SPDX-License-Identifier: Apache-2.0
// Adders of a lane: sums, differences, minima and maxima of all ops in one stage, by one chain of carries.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "isa/sv/lane_printer.h"

namespace cosim::isa {

std::vector<int> LanePrinter::SlotsOf(const SharedUnit& unit, std::initializer_list<Role> roles) {
  std::vector<int> slots;
  for (const SharedUnit::Use& use : unit.uses) {
    if (std::ranges::count(roles, use.role) > 0) slots.insert(slots.end(), use.ops.begin(), use.ops.end());
  }
  return slots;
}

/// sum: addend + other, or addend - other for the ops that subtract or compare.
std::string LanePrinter::SumText(const SharedUnit& unit, size_t number, int width) {
  const std::vector<int> adding = SlotsOf(unit, {Role::kSum});
  const std::vector<int> subtracting = SlotsOf(unit, {Role::kDifference, Role::kSmaller, Role::kLarger});
  if (subtracting.empty()) return fmt::format("  assign sum{0} = addend{0} + other{0};\n", number);
  if (adding.empty()) return fmt::format("  assign sum{0} = addend{0} - other{0};\n", number);
  return fmt::format(
      "  logic [0:0] below{0};\n"
      "  assign {{sum{0}, below{0}}} = {{addend{0}, 1'b1}} + {{other{0} ^ {{{1}{{{2}}}}}, {2}}};\n",
      number, width, Selected(subtracting));
}

/// picked: the smaller of both, the larger, or the one that the op wants in any case.
std::string LanePrinter::PickedText(const SharedUnit& unit, size_t number, int width) {
  const std::vector<int> smaller = SlotsOf(unit, {Role::kSmaller}), larger = SlotsOf(unit, {Role::kLarger});
  const std::vector<int> first = SlotsOf(unit, {Role::kFirst}), second = SlotsOf(unit, {Role::kSecond});
  const bool is_one = smaller.empty() + larger.empty() + first.empty() + second.empty() == 3;
  std::string takes_addend;
  const auto add = [&](const std::vector<int>& slots, const std::string& condition) {
    if (slots.empty()) return;
    takes_addend += takes_addend.empty() ? "" : " | ";
    takes_addend += is_one ? condition : fmt::format("({} & {})", Selected(slots), condition);
  };
  add(smaller, fmt::format("sum{}[{}]", number, width - 1));
  add(larger, fmt::format("~sum{}[{}]", number, width - 1));
  add(first, "1'b1");
  if (takes_addend.empty()) takes_addend = "1'b0";
  size_.selects += width;
  return fmt::format(
      "  logic [0:0] takes_addend{0};\n  assign takes_addend{0} = {1};\n"
      "  assign picked{0} = takes_addend{0} ? addend{0} : other{0};\n",
      number, takes_addend);
}

std::string LanePrinter::PrintAdders() {
  std::string text, declarations;
  for (size_t s = 0; s < adders_.size(); ++s) {
    const SharedUnit& unit = adders_[s];
    const int width = sum_bits_[unit.stage];
    size_.adders += width;
    const bool picks = !SlotsOf(unit, {Role::kSmaller, Role::kLarger, Role::kFirst, Role::kSecond}).empty();
    fmt::format_to(std::back_inserter(declarations), "  logic [{}:0] sum{}{};\n", width - 1, s,
                   picks ? fmt::format(", picked{}", s) : "");
    fmt::format_to(
        std::back_inserter(text),
        "  logic [{0}:0] addend{1}, other{1};\n  assign addend{1} = {2};\n  assign other{1} = {3};\n",
        width - 1, s, Operand(unit, &SharedUnit::Use::a, width, true),
        Operand(unit, &SharedUnit::Use::b, width, true));
    text += SumText(unit, s, width);
    if (picks) text += PickedText(unit, s, width);
  }
  if (!text.empty())
    body_ += "\n  // Adders, shared by all ops that add or compare in the same stage.\n" + text;
  return declarations;
}

void LanePrinter::PlanResults() {
  const auto last = std::ranges::find(adders_, alu_.stages, &SharedUnit::stage);
  if (last == adders_.end() || alu_.stages == 0) return;
  const std::string picked = fmt::format("picked{}", last - adders_.begin());
  const int bits = sum_bits_[last->stage];
  std::set<int> firsts, seconds, used, written;
  for (const SharedUnit::Use& use : last->uses) {
    firsts.insert(use.a);
    seconds.insert(use.b);
    used.insert(use.ops.begin(), use.ops.end());
  }
  for (const int slot : used) written.insert(spec_.alu_ops[alu_.ops[slot]].result.memory);
  const bool is_first = firsts.size() > seconds.size();  // on the side where a choice is made anyway
  for (int slot = 0; slot < static_cast<int>(results_.size()); ++slot) {
    const int result = results_[slot], memory = spec_.alu_ops[alu_.ops[slot]].result.memory;
    const bool is_early = values_[result].is_static || values_[result].stage < alu_.stages;
    if (!is_early || used.contains(slot) || !written.contains(memory)) continue;
    if (spec_.memories[memory].record_bits > bits) continue;
    if (is_first) {
      last->uses.push_back({{slot}, result, -1, Role::kFirst});
    } else {
      last->uses.push_back({{slot}, -1, result, Role::kSecond});
    }
    results_[slot] = Define(picked, {bits, true}, last->stage);
  }
}

}  // namespace cosim::isa
