// SPDX-License-Identifier: Apache-2.0
// See select_alu.h. Match unifies one op's expression with the top of a tree; Cover tries all ops and
// recurses into what an op leaves open.
#include "compiler/accel/select_alu.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>

#include "compiler/accel/capabilities.h"
#include "isa/check.h"

namespace cosim::accel {
namespace {

struct Binding {
  std::map<int, AluSource> operands;  // by operand of the op
  std::map<int, int64_t> immediates;  // by instruction field
  std::map<int, tir::Buffer> tables;  // by table of the op
  Exact open;                         // the subtree left for other ops, through `open_operand`
  int open_operand = -1;
};

// The clamp around what is being unified, with nothing but nodes that do nothing in between: clamping to
// wider bounds inside it makes no difference.
struct OuterClamp {
  int64_t low = std::numeric_limits<int64_t>::min(), high = std::numeric_limits<int64_t>::max();
  bool any = false;
};

class Matcher {
 public:
  Matcher(const isa::AluOp& op, const AluTarget& target, bool writes_intermediate)
      : op_(op), target_(target), writes_intermediate_(writes_intermediate) {}

  std::vector<Binding> Match(const Exact& expr) { return Unify(FromProgram(op_.program), expr, {}); }

 private:
  using Bindings = std::vector<Binding>;

  Bindings Unify(const Exact& pattern, const Exact& expr, const Binding& binding,
                 const OuterClamp& around = {}) {
    if (pattern->op == ExactOp::kLeaf) return UnifyLeaf(pattern, expr, binding);
    Bindings out;
    if (pattern->op == ExactOp::kConst) {
      if (expr->op == ExactOp::kConst && expr->value == pattern->value) out.push_back(binding);
      return out;
    }
    if (pattern->op == ExactOp::kLookup) return UnifyLookup(pattern, expr, binding);
    if (pattern->op == expr->op && pattern->args.size() == expr->args.size() &&
        (pattern->op != ExactOp::kWrap || pattern->type == expr->type)) {
      OuterClamp inside;
      if (IsClamp(expr) && pattern->args[0]->op == ExactOp::kMin)
        inside = {expr->args[1]->value, expr->args[0]->args[1]->value, true};
      else if (pattern->op == ExactOp::kMin)
        inside = around;
      Append(out, UnifyArgs(pattern->args, expr->args, binding, inside));
      const bool commutes = pattern->op == ExactOp::kAdd || pattern->op == ExactOp::kMul ||
                            pattern->op == ExactOp::kMin || pattern->op == ExactOp::kMax;
      if (commutes) Append(out, UnifyArgs(pattern->args, {expr->args[1], expr->args[0]}, binding));
    }
    const bool takes_from_const = pattern->op == ExactOp::kSub && pattern->args[0]->op == ExactOp::kConst;
    int64_t taken = 0;
    if (out.empty() && takes_from_const && expr->op == ExactOp::kConst &&
        !__builtin_sub_overflow(pattern->args[0]->value, expr->value, &taken))
      Append(out, Unify(pattern->args[1], ExactConst(taken), binding));
    if (out.empty() && pattern->op == ExactOp::kSelect) Append(out, UnifyBranches(pattern, expr, binding));
    if (out.empty()) Append(out, UnifyIdentity(pattern, expr, binding, around));
    return out;
  }

  Bindings UnifyLookup(const Exact& pattern, const Exact& expr, Binding binding) {
    if (expr->op != ExactOp::kLookup) return {};
    const tir::Buffer& buffer = std::get<tir::Load>(expr->load->node).buffer;
    if (target_.info(expr->load).memory != op_.program.tables[pattern->input].memory) return {};
    const auto [known, is_new] = binding.tables.try_emplace(pattern->input, buffer);
    if (!is_new && known->second != buffer) return {};
    return Unify(pattern->args[0], expr->args[0], binding);
  }

  // Immediates can decide which branch an op takes: then it computes what that branch does.
  Bindings UnifyBranches(const Exact& select, const Exact& expr, const Binding& binding) {
    Bindings out;
    for (const int64_t taken : {1, 0}) {
      for (Binding& b : Unify(select->args[taken ? 1 : 2], expr, binding))
        if (DecidedBy(b, select->args[0]) == taken) out.push_back(std::move(b));
    }
    return out;
  }

  // The value of a comparison between immediates that are bound, and constants; nothing if it holds anything
  // else.
  std::optional<int64_t> DecidedBy(const Binding& binding, const Exact& e) const {
    if (e->op == ExactOp::kConst) return e->value;
    if (e->op == ExactOp::kLeaf) {
      const isa::ScalarInput& input = op_.program.inputs[e->input];
      const auto bound = binding.immediates.find(input.instruction_field);
      if (input.kind != isa::ScalarInput::Kind::kImmediate || bound == binding.immediates.end()) return {};
      return bound->second;
    }
    if (e->args.size() != 2) return {};
    const std::optional<int64_t> a = DecidedBy(binding, e->args[0]), b = DecidedBy(binding, e->args[1]);
    if (!a || !b) return {};
    switch (e->op) {
      case ExactOp::kLt:
        return *a < *b;
      case ExactOp::kLe:
        return *a <= *b;
      case ExactOp::kEq:
        return *a == *b;
      case ExactOp::kNe:
        return *a != *b;
      default:
        return {};
    }
  }

  Bindings UnifyArgs(const std::vector<Exact>& patterns, const std::vector<Exact>& exprs,
                     const Binding& binding, const OuterClamp& around_first = {}) {
    Bindings now = {binding};
    for (size_t i = 0; i < patterns.size(); ++i) {
      Bindings next;
      for (const Binding& b : now)
        Append(next, Unify(patterns[i], exprs[i], b, i == 0 ? around_first : OuterClamp{}));
      now = std::move(next);
    }
    return now;
  }

  // The pattern's node does nothing to this expression: it stays in range, or its second operand can be made
  // neutral.
  Bindings UnifyIdentity(const Exact& pattern, const Exact& expr, const Binding& binding,
                         const OuterClamp& around) {
    Bindings out;
    if (pattern->op == ExactOp::kWrap) {
      if (expr->low >= pattern->type.Min() && expr->high <= pattern->type.Max())
        return Unify(pattern->args[0], expr, binding, around);
      return out;
    }
    if (pattern->args.size() != 2) return out;
    const Exact& second = pattern->args[1];
    int64_t neutral = 0;
    switch (pattern->op) {
      case ExactOp::kAdd:
      case ExactOp::kSub:
      case ExactOp::kShr:
      case ExactOp::kShl:
      case ExactOp::kRoundShift:
        neutral = 0;
        break;
      case ExactOp::kMul:
        neutral = 1;
        break;
      case ExactOp::kMax:
        neutral = second->low;
        break;
      case ExactOp::kMin:
        neutral = second->high;
        break;
      default:
        return out;
    }
    const bool hidden =
        around.any && (pattern->op == ExactOp::kMax ? neutral <= around.low : neutral >= around.high);
    if (pattern->op == ExactOp::kMax && expr->low < neutral && !hidden) return out;
    if (pattern->op == ExactOp::kMin && expr->high > neutral && !hidden) return out;
    for (const Binding& b : Unify(second, ExactConst(neutral), binding))
      Append(out, Unify(pattern->args[0], expr, b, around));
    return out;
  }

  Bindings UnifyLeaf(const Exact& pattern, const Exact& expr, Binding binding) {
    const isa::ScalarInput& input = op_.program.inputs[pattern->input];
    if (input.kind == isa::ScalarInput::Kind::kImmediate) {
      if (expr->op != ExactOp::kConst || expr->value < pattern->low || expr->value > pattern->high) return {};
      const auto [it, added] = binding.immediates.try_emplace(input.instruction_field, expr->value);
      if (!added && it->second != expr->value) return {};
      return {binding};
    }
    const isa::Operand& operand = op_.operands[input.operand];
    const bool tied = operand.index == op_.result.index && operand.memory == op_.result.memory;
    if (expr->op == ExactOp::kLeaf) {
      const LoadInfo info = target_.info(expr->load);
      if (info.memory == operand.memory && info.field == input.field && (!tied || IsWritten(expr->load))) {
        const auto [it, added] =
            binding.operands.try_emplace(input.operand, AluSource{expr->load, input.field});
        if (added || (it->second.load && target_.same_element(it->second.load, expr->load))) return {binding};
      }
    }
    // A body may read its operand more than once.
    if (binding.open && binding.open_operand == input.operand)
      return SameExact(binding.open, expr) ? Bindings{binding} : Bindings{};
    // Anything else can be worked out before and left in the accumulators, once an op.
    const bool can_hold = operand.memory == target_.intermediate_memory && input.field < 0 &&
                          expr->op != ExactOp::kConst && expr->low >= pattern->low &&
                          expr->high <= pattern->high;
    if (!can_hold || (tied && !writes_intermediate_) || binding.operands.count(input.operand) || binding.open)
      return {};
    binding.open = expr;
    binding.open_operand = input.operand;
    binding.operands[input.operand] = {};
    return {binding};
  }

  bool SameExact(const Exact& a, const Exact& b) const {
    if (a == b) return true;
    if (a->op != b->op || a->value != b->value || a->args.size() != b->args.size()) return false;
    if (a->op == ExactOp::kWrap && a->type != b->type) return false;
    if (a->op == ExactOp::kLookup &&
        std::get<tir::Load>(a->load->node).buffer != std::get<tir::Load>(b->load->node).buffer)
      return false;
    if (a->op == ExactOp::kLeaf)
      return a->load && b->load && target_.info(a->load).field == target_.info(b->load).field &&
             target_.same_element(a->load, b->load);
    for (size_t i = 0; i < a->args.size(); ++i)
      if (!SameExact(a->args[i], b->args[i])) return false;
    return true;
  }

  bool IsWritten(const tir::Expr& load) const {
    return writes_intermediate_ ? target_.is_intermediate(load) : target_.is_result(load);
  }

  static void Append(Bindings& to, Bindings from) {
    to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
  }

  const isa::AluOp& op_;
  const AluTarget& target_;
  bool writes_intermediate_;
};

using Cover = std::optional<std::vector<SelectedOp>>;

class Selector {
 public:
  Selector(const isa::Spec& spec, const AluTarget& target) : spec_(spec), target_(target) {
    for (const isa::AluOp& op : spec.alu_ops)
      usable_.push_back(!IndicesAreShared(op) && Misfit(spec, op).empty());
  }

  // Fewest ops that leave `expr` in `memory`, using at most `budget` of them.
  Cover Find(const Exact& expr, int memory, bool intermediate, int budget) {
    Cover best;
    if (budget <= 0) return best;
    for (size_t o = 0; o < spec_.alu_ops.size(); ++o) {
      const isa::AluOp& op = spec_.alu_ops[o];
      if (!usable_[o] || op.result.memory != memory) continue;
      const auto& type = spec_.memories[memory].fields[0].type;
      if (expr->low < type.Min() || expr->high > type.Max()) continue;
      for (const Binding& binding : Matcher(op, target_, intermediate).Match(expr)) {
        const int left = (best ? static_cast<int>(best->size()) - 1 : budget) - 1;
        Cover before = std::vector<SelectedOp>{};
        if (binding.open) {
          if (binding.open == expr || ReadsIntermediate(binding)) continue;
          before = Find(binding.open, target_.intermediate_memory, true, left);
        }
        if (!before || left < static_cast<int>(before->size())) continue;
        before->push_back(MakeOp(static_cast<int>(o), op, binding));
        best = std::move(before);
      }
    }
    return best;
  }

 private:
  // One index cannot lead to two places; an operand that is the result's own element is one place.
  static bool IndicesAreShared(const isa::AluOp& op) {
    for (size_t a = 0; a < op.operands.size(); ++a) {
      const isa::Operand& x = op.operands[a];
      if (x.index == op.result.index && x.memory != op.result.memory) return true;
      for (size_t b = 0; b < a; ++b)
        if (op.operands[b].index == x.index) return true;
    }
    return false;
  }

  // What is left open overwrites the intermediate's element before this op could read it.
  bool ReadsIntermediate(const Binding& binding) const {
    return std::any_of(binding.operands.begin(), binding.operands.end(), [&](const auto& operand) {
      return operand.second.load && target_.is_intermediate(operand.second.load);
    });
  }

  static SelectedOp MakeOp(int index, const isa::AluOp& op, const Binding& binding) {
    SelectedOp selected{index, std::vector<AluSource>(op.operands.size()), {}, {}};
    for (const auto& [table, buffer] : binding.tables) selected.tables.push_back(buffer);
    for (const auto& [operand, source] : binding.operands) selected.operands[operand] = source;
    for (const auto& [field, value] : binding.immediates) selected.immediates.emplace_back(field, value);
    return selected;
  }

  const isa::Spec& spec_;
  const AluTarget& target_;
  std::vector<bool> usable_;  // of spec_.alu_ops
};

void CollectLeaves(const Exact& expr, std::vector<tir::Expr>& loads) {
  if (expr->op == ExactOp::kLeaf && expr->load) loads.push_back(expr->load);
  for (const Exact& arg : expr->args) CollectLeaves(arg, loads);
}

}  // namespace

std::vector<SelectedOp> SelectAluOps(const isa::Spec& spec, const Exact& expr, const AluTarget& target,
                                     std::string& why) {
  constexpr int kMostOps = 8;
  if (!expr) {
    why = "it is not integer arithmetic";
    return {};
  }
  // Iterative deepening keeps the search small: most stages need one or two ops.
  for (int budget = 1; budget <= kMostOps; ++budget)
    if (auto cover = Selector(spec, target).Find(expr, target.memory, false, budget)) return *cover;
  if (expr->op == ExactOp::kConst) {
    why = fmt::format("no ALU op of isa '{}' sets '{}' to a constant", spec.isa,
                      spec.memories[target.memory].name);
    return {};
  }
  std::vector<tir::Expr> loads;
  CollectLeaves(expr, loads);
  for (const tir::Expr& load : loads) {
    const int memory = target.info(load).memory;
    const bool readable = std::any_of(spec.alu_ops.begin(), spec.alu_ops.end(), [&](const isa::AluOp& op) {
      return std::any_of(op.operands.begin(), op.operands.end(),
                         [&](const auto& o) { return o.memory == memory; });
    });
    if (readable) continue;
    why = fmt::format("no ALU op of isa '{}' reads '{}'", spec.isa, spec.memories[memory].name);
    return {};
  }
  why = fmt::format("no sequence of up to {} ALU ops of isa '{}' computes it into '{}'", kMostOps, spec.isa,
                    spec.memories[target.memory].name);
  // Lanes that differ are the configuration's, and no secret.
  for (const isa::AluOp& op : spec.alu_ops)
    if (const std::string misfit = Misfit(spec, op); op.available && !misfit.empty())
      return why += fmt::format(" (ALU op '{}' cannot be used: {})", op.name, misfit),
             std::vector<SelectedOp>{};
  return {};
}

}  // namespace cosim::accel
