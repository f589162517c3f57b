// SPDX-License-Identifier: Apache-2.0
// What the ops of a lane share: multipliers, rounding shifters, adders and tables, and the choice of their
// operands. Which stages they stand in is lane_plan.cc's, signals of values are lane.cc's.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "isa/sv/lane_printer.h"

namespace cosim::isa {
namespace {

/// Registers that a value may wait in for others to be chosen among with it: fewer than make a shift
/// register.
constexpr int kMostWaiting = 2;

/// When to choose among values of which the last is there in stage `last`, and the others `waited` stages
/// before or so long that more does not matter, if the choice is wanted in stage `next`: later, where that
/// keeps the choice itself from waiting in a shift register.
int ChoosingStage(int last, int next, int waited) {
  const int least = next - kMostWaiting;  // it is registered itself
  return least > last && waited + least - last <= kMostWaiting ? least : last;
}

}  // namespace

size_t LanePrinter::UnitFor(std::vector<SharedUnit>& units, const SharedUnit& wanted,
                            const SharedUnit::Use& use) {
  const int slot = use.ops.front();
  for (size_t u = 0; u < units.size(); ++u) {
    SharedUnit& unit = units[u];
    if (unit.stage != wanted.stage || unit.common != wanted.common) continue;
    const auto is_same = [&](const SharedUnit::Use& other) {
      return other.a == use.a && other.b == use.b && other.role == use.role;
    };
    const auto has_slot = [&](const SharedUnit::Use& other) {
      return std::ranges::count(other.ops, slot) > 0;
    };
    if (std::ranges::any_of(unit.uses,
                            [&](const auto& other) { return has_slot(other) && !is_same(other); })) {
      continue;
    }
    const auto same = std::ranges::find_if(unit.uses, is_same);
    if (same == unit.uses.end()) {
      unit.uses.push_back(use);
    } else if (!has_slot(*same)) {
      same->ops.push_back(slot);
    }
    return u;
  }
  units.push_back(wanted);
  units.back().uses = {use};
  return units.size() - 1;
}

/// Ops that add or compare in the same stage take turns at one adder.
int LanePrinter::Combine(const AluOp& op, const ScalarNode& node, int slot, int a, int b, int stage) {
  const Role role = node.op == ScalarOp::kAdd   ? Role::kSum
                    : node.op == ScalarOp::kSub ? Role::kDifference
                    : node.op == ScalarOp::kMin ? Role::kSmaller
                                                : Role::kLarger;
  // Behind a product or shift without a register, and before others, an adder that both used would be a loop.
  const bool is_bare = std::ranges::any_of(op.program.nodes, [&](const ScalarNode& deep) {
    const std::map<int, int>& planned = IsProduct(op, deep) ? product_stages_ : shift_stages_;
    const auto plan = planned.find(stage);
    return (IsProduct(op, deep) || deep.op == ScalarOp::kRoundShift) && plan != planned.end() &&
           plan->second == 0;
  });
  if (role != Role::kDifference) {
    const auto reads = [&](int value, int SharedUnit::Use::* operand) {
      return std::ranges::any_of(adders_, [&](const SharedUnit& unit) {
        return unit.stage == stage &&
               std::ranges::any_of(unit.uses, [&](const auto& use) { return use.*operand == value; });
      });
    };
    const int kept = reads(a, &SharedUnit::Use::a) + reads(b, &SharedUnit::Use::b);
    const int turned = reads(b, &SharedUnit::Use::a) + reads(a, &SharedUnit::Use::b);
    if (turned > kept || (turned == kept && values_[b].is_static)) std::swap(a, b);
  }
  const size_t adder = UnitFor(adders_, {stage, is_bare ? a : -1, {}}, {{slot}, a, b, role});
  const bool is_sum = role == Role::kSum || role == Role::kDifference;
  return Define(fmt::format("{}{}", is_sum ? "sum" : "picked", adder), {sum_bits_[stage], true}, stage);
}

int LanePrinter::Multiply(int slot, int a, int b, ScalarType type, int stage) {
  const size_t multiplier = UnitFor(multipliers_, {stage, -1, {}}, {{slot}, a, b});
  return Define(fmt::format("product{}[{}:0]", multiplier, type.width - 1), type,
                stage + product_stages_[stage]);
}

int LanePrinter::RoundShift(int slot, int a, int b, ScalarType type, int stage, bool is_static) {
  const size_t shifter = UnitFor(shifters_, {stage, -1, {}}, {{slot}, a, b});
  const int bits = shift_bits_[stage], end = stage + shift_stages_[stage];
  if (type.width < bits)
    return Define(fmt::format("rounded{}[{}:0]", shifter, type.width - 1), type, end, is_static);
  const bool is_whole = type.width == bits;
  const int value =
      Define(fmt::format("rounded{}", shifter), is_whole ? type : ScalarType{bits, true}, end, is_static);
  if (is_whole) return value;
  shifted_range_[value] = {Define(fmt::format("fits{}", shifter), {1, false}, end, is_static),
                           Define(fmt::format("negative{}", shifter), {1, false}, end, is_static)};
  return value;
}

int LanePrinter::Lookup(const AluOp& op, const ScalarNode& node, int slot, int index, int stage) {
  const int memory = op.program.tables[node.input].memory;
  const size_t table = UnitFor(lookups_, {stage, memory, {}}, {{slot}, index, -1});
  return Define(fmt::format("looked_up{}", table), node.type, stage);
}

std::string LanePrinter::Register(const std::string& name, int width, const std::string& value) {
  size_.registers += width;
  fmt::format_to(std::back_inserter(body_), "  logic [{}:0] {};\n", width - 1, name);
  fmt::format_to(std::back_inserter(registers_), "    {} <= {};\n", name, value);
  return name;
}

std::string LanePrinter::Selected(const std::vector<int>& slots) {
  std::string any;
  for (int slot : slots) any += fmt::format("{}op_i[{}]", any.empty() ? "" : " | ", slot);
  std::string& name = selects_[any];
  if (name.empty()) name = Register(fmt::format("select{}_q", selects_.size()), 1, any);
  return name;
}

std::string LanePrinter::Choice(const std::vector<Source>& sources, int stage, int width) {
  if (sources.size() > 1) size_.choices += static_cast<int64_t>(sources.size()) * width;
  std::string text;
  for (size_t s = 0; s + 1 < sources.size(); ++s) {
    fmt::format_to(std::back_inserter(text), "{} ? {}\n    : ", Selected(sources[s].ops),
                   At(sources[s].value, stage, width));
  }
  return text + At(sources.back().value, stage, width);
}

LanePrinter::Source LanePrinter::ChosenEarly(std::vector<Source> sources, int stage, int width) {
  const auto ready = [&](const Source& source) {
    return values_[source.value].is_static ? -1 : values_[source.value].stage;
  };
  std::ranges::stable_sort(sources, {}, ready);
  const auto first = std::ranges::find_if(sources, [&](const Source& s) { return ready(s) >= 0; });
  const std::vector<Source> standing(sources.begin(), first);  // in every stage
  sources.erase(sources.begin(), first);
  bool stands = !standing.empty();
  while (sources.size() > 1 || stands) {
    // Those that come soon after the second, or else the only one; what stands joins the first.
    size_t count = std::min<size_t>(2, sources.size());
    const int from = sources.size() > 1 ? ready(sources[1]) : 0;
    while (count < sources.size() && ready(sources[count]) <= from + kMostWaiting) ++count;
    const int last = sources.size() > 1 ? ready(sources[count - 1]) : stage - 1;
    const int next = count < sources.size() ? ready(sources[count]) : stage;
    const int at = ChoosingStage(last, next, sources.size() > 1 ? last - from : 0);
    std::vector<Source> chosen(sources.begin(), sources.begin() + static_cast<std::ptrdiff_t>(count));
    if (stands) chosen.insert(chosen.end(), standing.begin(), standing.end());
    stands = false;
    Source one{static_cast<int>(values_.size()), {}};
    for (const Source& source : chosen) one.ops.insert(one.ops.end(), source.ops.begin(), source.ops.end());
    const std::string name = fmt::format("chosen{}_q", chosen_++);
    Register(name, width, Choice(chosen, at, width));
    values_.push_back({name, {width, true}, at + 1, false});
    sources.erase(sources.begin(), sources.begin() + static_cast<std::ptrdiff_t>(count));
    sources.insert(sources.begin(), one);
  }
  return sources.front();
}

std::string LanePrinter::Chosen(const std::map<int, std::vector<int>>& ops, int stage, int width,
                                bool may_choose_early) {
  std::vector<Source> early, now;
  for (const auto& [value, slots] : ops) {
    const bool is_early =
        may_choose_early && stage > 0 && (values_[value].is_static || values_[value].stage < stage);
    (is_early ? early : now).push_back({value, slots});
  }
  if (early.size() > 1) early = {ChosenEarly(early, stage, width)};
  now.insert(now.end(), early.begin(), early.end());
  return Choice(now, stage, width);
}

std::string LanePrinter::Operand(const SharedUnit& unit, int SharedUnit::Use::* operand, int width,
                                 bool may_choose_early) {
  std::map<int, std::vector<int>> ops;  // by value
  for (const SharedUnit::Use& use : unit.uses) {
    if (use.*operand < 0) continue;
    std::vector<int>& all = ops[use.*operand];
    all.insert(all.end(), use.ops.begin(), use.ops.end());
  }
  return Chosen(ops, unit.stage, width, may_choose_early);
}

/// As hw/rtl/pipelined_multiplier.sv decides.
bool LanePrinter::HasThreeParts(int a_bits, int b_bits, int stages) const {
  constexpr int kWide = 25, kNarrow = 18, kMost = 32;
  return spec_.hardware.wide_product_dsps == 3 && stages >= 2 && a_bits > kWide && b_bits > kNarrow &&
         std::max(a_bits, b_bits) <= kMost;
}

std::string LanePrinter::PrintMultipliers() {
  std::string text, products;
  for (size_t m = 0; m < multipliers_.size(); ++m) {
    const SharedUnit& unit = multipliers_[m];
    int a_bits = 1, b_bits = 1;
    for (const SharedUnit::Use& use : unit.uses) {
      a_bits = std::max(a_bits, values_[use.a].type.width + (values_[use.a].type.is_signed ? 0 : 1));
      b_bits = std::max(b_bits, values_[use.b].type.width + (values_[use.b].type.is_signed ? 0 : 1));
    }
    size_.multipliers.push_back({a_bits, b_bits, product_stages_[unit.stage],
                                 HasThreeParts(a_bits, b_bits, product_stages_[unit.stage])});
    products += fmt::format("  logic signed [{}:0] product{};\n", a_bits + b_bits - 1, m);
    fmt::format_to(
        std::back_inserter(text),
        "  logic signed [{0}:0] factor_a{2};\n  logic signed [{1}:0] factor_b{2};\n"
        "  assign factor_a{2} = {3};\n  assign factor_b{2} = {4};\n"
        "  pipelined_multiplier #(.ABits({5}), .BBits({6}), .Stages({7}){8}) i_multiplier{2} (\n"
        "    .clk_i, .enable_i, .a_i(factor_a{2}), .b_i(factor_b{2}), .product_o(product{2})\n  );\n",
        a_bits - 1, b_bits - 1, m, Operand(unit, &SharedUnit::Use::a, a_bits, false),
        Operand(unit, &SharedUnit::Use::b, b_bits, false), a_bits, b_bits, product_stages_[unit.stage],
        spec_.hardware.wide_product_dsps == 3 ? ", .ThreeParts(1'b1)" : "");
  }
  if (!text.empty())
    body_ += "\n  // Multipliers, shared by all ops that multiply in the same stage.\n" + text;
  return products;
}

std::string LanePrinter::PrintShifters() {
  std::string text, declarations;
  for (size_t s = 0; s < shifters_.size(); ++s) {
    const SharedUnit& unit = shifters_[s];
    int width = 1, amount = 1;
    for (const SharedUnit::Use& use : unit.uses) {
      width = std::max(width, values_[use.a].type.width + (values_[use.a].type.is_signed ? 0 : 1));
      amount = std::max(amount, values_[use.b].type.width);
    }
    const int bits = std::min(width, shift_bits_[unit.stage]);
    size_.shifters.push_back({width, bits, amount, shift_stages_[unit.stage]});
    fmt::format_to(std::back_inserter(declarations),
                   "  logic [{0}:0] rounded{1};\n  logic [0:0] fits{1}, negative{1};\n", bits - 1, s);
    fmt::format_to(
        std::back_inserter(text),
        "  logic [{0}:0] unshifted{2};\n  logic [{1}:0] amount{2};\n"
        "  assign unshifted{2} = {3};\n  assign amount{2} = {4};\n"
        "  rounding_shifter #(.Width({5}), .OutBits({6}), .AmountBits({7}), .Stages({8})) i_shifter{2} (\n"
        "    .clk_i, .enable_i, .value_i(unshifted{2}), .amount_i(amount{2}),\n"
        "    .rounded_o(rounded{2}), .fits_o(fits{2}), .negative_o(negative{2})\n  );\n",
        width - 1, amount - 1, s, Operand(unit, &SharedUnit::Use::a, width, true),
        Operand(unit, &SharedUnit::Use::b, amount, true), width, bits, amount, shift_stages_[unit.stage]);
  }
  if (!text.empty())
    body_ += "\n  // Rounding shifters, shared by all ops that shift in the same stage.\n" + text;
  return declarations;
}

std::string LanePrinter::PrintLookups() {
  std::string text, declarations;
  for (size_t t = 0; t < lookups_.size(); ++t) {
    const SharedUnit& unit = lookups_[t];
    const Memory& memory = spec_.memories[unit.common];
    const int index_bits = SvAddressBits(memory.depth);
    size_.tables.push_back({unit.common, memory.record_bits, memory.depth});
    fmt::format_to(std::back_inserter(declarations),
                   "  logic [{0}:0] looked_up{1};\n  assign looked_up{1} = "
                   "looked_up{1}_i;\n",
                   memory.record_bits - 1, t);
    fmt::format_to(std::back_inserter(text), "  assign index{}_o = {};\n", t,
                   Operand(unit, &SharedUnit::Use::a, index_bits, true));
  }
  if (!text.empty()) body_ += "\n  // Look-ups, one for all ops that look up in the same stage.\n" + text;
  return declarations;
}

}  // namespace cosim::isa
