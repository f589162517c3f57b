// SPDX-License-Identifier: Apache-2.0
// What lane.h's lane is printed with: signals (lane.cc), what is shared (lane_shared.cc),
// expressions (lane_expr.cc).
#pragma once

#include <fmt/format.h>

#include <initializer_list>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "isa/spec/spec.h"
#include "isa/sv/lane.h"
#include "isa/sv/plan.h"

namespace cosim::isa {

/// A signal. Static ones (constants, immediates) hold in every stage.
struct LaneValue {
  std::string name;
  ScalarType type;
  int stage = 0;
  bool is_static = false;
};

/// A product of two values that are not constants.
bool IsProduct(const AluOp& op, const ScalarNode& node);

/// Registers that may stand inside a node, because nothing reads it for so many stages.
int StagesInside(const AluOp& op, const ScalarNode& node);

/// How many of a node's low bits suffice, because all that read it wrap it to so many or, if `may_saturate`,
/// bring it into their range.
int BitsNeeded(const AluOp& op, const ScalarNode& node, bool may_saturate);

/// The low `width` bits of `name`, which has type `type`, extended by its sign if it is wider.
std::string SvExtended(const std::string& name, ScalarType type, int width);

/// `value` in `width` bits, as a literal.
std::string SvLiteral(int64_t value, int width);

class LanePrinter {
 public:
  LanePrinter(const Spec& spec, const SvUnit& unit) : spec_(spec), unit_(unit), alu_(unit.alu) {}

  std::string Print();
  /// Of what has been printed.
  SvLaneSize Size() const;

 private:
  /// What a use of an adder takes from it: a sum, a difference, or one of the operands: the smaller, the
  /// larger, the first or second whatever they are.
  enum class Role { kSum, kDifference, kSmaller, kLarger, kFirst, kSecond };
  /// A multiplier, shifter, adder or copy of a table in one stage, and the operands of each op that uses it.
  struct SharedUnit {
    int stage = 0;
    int common = -1;  ///< adders: the value that all uses have as their first, where that is asked; look-ups:
                      ///< the memory
    struct Use {
      std::vector<int> ops;
      int a, b;  ///< values; -1: none is needed
      Role role = Role::kSum;
    };
    std::vector<Use> uses;
  };

  void PrintOp(int slot);
  int Node(const AluOp& op, const ScalarNode& node, const std::vector<int>& values, int delay, int slot);
  int Input(const AluOp& op, const ScalarInput& input);
  int Multiply(int slot, int a, int b, ScalarType type, int stage);
  int RoundShift(int slot, int a, int b, ScalarType type, int stage, bool is_static);
  int Lookup(const AluOp& op, const ScalarNode& node, int slot, int index, int stage);
  /// A sum, difference, minimum or maximum, by an adder that may be shared.
  int Combine(const AluOp& op, const ScalarNode& node, int slot, int a, int b, int stage);
  bool IsCombined(const AluOp& op, const ScalarNode& node, bool is_static) const;
  /// Append them; return the declarations of their results, which come before all else.
  std::string PrintMultipliers();
  bool HasThreeParts(int a_bits, int b_bits, int stages) const;
  std::string PrintShifters();
  std::string PrintLookups();
  std::string PrintAdders();
  static std::vector<int> SlotsOf(const SharedUnit& unit, std::initializer_list<Role> roles);
  std::string SumText(const SharedUnit& unit, size_t number, int width);
  std::string PickedText(const SharedUnit& unit, size_t number, int width);
  /// Says in which stages products and shifts fall, and how many stages the multipliers and shifters of each
  /// may take: as many as every op there has.
  void PlanSharing();
  void PlanWidths(const AluOp& op);
  /// Lets results that are there before the last stage pass an adder of the last stage that their ops do not
  /// use.
  void PlanResults();
  void PrintResults();

  /// A new signal with this expression, or the one that has it already.
  int Define(const std::string& expression, ScalarType type, int stage, bool is_static = false);
  /// The value's name in `stage`, through as many registers as that takes.
  std::string At(int value, int stage);
  int Shifted(int value, int stage);
  std::string Delayed(int value, int stage);
  /// Counts what the expression of a node takes.
  void Count(const AluOp& op, const ScalarNode& node, int a, int b);
  std::string At(int value, int stage, int width) {
    return SvExtended(At(value, stage), values_[value].type, width);
  }
  std::string SignedAt(int value, int stage, int width) {
    return fmt::format("$signed({})", At(value, stage, width));
  }
  std::string Expression(const ScalarNode& node, int a, int b, int c, int stage);
  std::string Saturated(const std::string& name, ScalarType from, ScalarType to);
  std::string SaturatedShift(int value, int stage, ScalarType to);
  /// Value `x` between two bounds; with `inside` registers, the first after bringing x into the bounds' type.
  int Clamp(const ScalarNode& node, int x, int low, int high, int stage, int inside, bool is_static);
  /// The unit of `units` that is like `wanted` and that the op does not use otherwise; a new one if there is
  /// none.
  static size_t UnitFor(std::vector<SharedUnit>& units, const SharedUnit& wanted, const SharedUnit::Use& use);
  /// The value of whichever op runs, in `stage`; of any of them if it is another. Those that are there before
  /// may be chosen among as soon as they are, so that one value waits instead of several.
  std::string Chosen(const std::map<int, std::vector<int>>& ops, int stage, int width, bool may_choose_early);
  struct Source {
    int value;
    std::vector<int> ops;
  };
  /// Those of `sources` that are there before `stage`, as one, registered.
  Source ChosenEarly(std::vector<Source> sources, int stage, int width);
  std::string Choice(const std::vector<Source>& sources, int stage, int width);
  /// The same for an operand of a shared unit.
  std::string Operand(const SharedUnit& unit, int SharedUnit::Use::* operand, int width,
                      bool may_choose_early);
  /// Any op of `slots` runs: a register, since an op's code stands still before and while it runs.
  std::string Selected(const std::vector<int>& slots);
  /// A new register; its name.
  std::string Register(const std::string& name, int width, const std::string& value);
  std::string Smaller(int a, int b, int width, int stage);
  /// A wire of `width` bits for part of an expression.
  std::string Wire(int width, const std::string& expression);
  /// So many cycles late an op starts, so that its product, or else its last rounding shift, falls where
  /// those of the others do.
  int CyclesLate(const AluOp& op) const;
  /// The same for each of its nodes: what comes in a later stage than the last product or shift ends in is as
  /// late as the results, and so is what is added to that in the same stage.
  std::vector<int> NodesLate(const AluOp& op) const;

  const Spec& spec_;
  const SvUnit& unit_;
  const SvAlu& alu_;
  std::vector<LaneValue> values_;
  std::map<std::string, int> known_;          // by expression, type and stage
  std::map<std::string, std::string> wires_;  // by expression and width
  std::map<std::pair<int, int>, std::string> delayed_;
  std::vector<SharedUnit> multipliers_, shifters_, adders_, lookups_;
  std::map<std::string, std::string> selects_;        // by the bits of op_i
  std::map<int, int> product_stages_, shift_stages_;  // inside, by the stage where the operands are
  std::map<int, int> shift_bits_, sum_bits_;          // that are needed of results, by the same
  std::map<int, std::pair<int, int>> shifted_range_;  // of a shifted value: whether it fits, and its sign
  std::map<int, std::pair<int, int>> shifts_;         // of a value: which it is, shifted left by which
  std::vector<int> results_;                          // by slot: value
  int shared_product_ = 0, shared_shift_ = -1;        // their stages
  int chosen_ = 0;                                    // operands chosen early
  std::string body_, registers_;
  SvLaneSize size_;                    // but for what is counted at the end
  std::map<int, std::set<int>> read_;  // by value: stages in which it is read
};

}  // namespace cosim::isa
