// SPDX-License-Identifier: Apache-2.0
#include "compiler/accel/match_intrinsic.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "compiler/accel/capabilities.h"
#include "compiler/accel/exact_expr.h"

namespace cosim::accel {
namespace {

// Sums, differences and products modulo 2^bits are the same whether or not a part of them is wrapped to
// `bits` or more.
const Exact& Modulo(const Exact& e, int bits) {
  return e->op == ExactOp::kWrap && e->type.width >= bits ? Modulo(e->args[0], bits) : e;
}

// The loads whose product `e` is; `why` says what else it does to them.
bool Factors(const Exact& expr, int bits, std::vector<const tir::Load*>& out, std::string& why) {
  const Exact& e = Modulo(expr, bits);
  if (e->op == ExactOp::kLeaf) {
    out.push_back(&std::get<tir::Load>(e->load->node));
    return true;
  }
  if (e->op == ExactOp::kMul)
    return Factors(e->args[0], bits, out, why) && Factors(e->args[1], bits, out, why);
  why =
      e->op == ExactOp::kWrap
          ? fmt::format("a factor or product wraps to {} bits before it is summed to {}", e->type.width, bits)
          : "what it sums is no product of loads";
  return false;
}

bool SameIndices(const std::vector<tir::Expr>& a, const std::vector<tir::Expr>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const tir::Expr& x, const tir::Expr& y) {
    return x == y || tir::ToString(x) == tir::ToString(y);
  });
}

// The factors of the products that the store adds to its own element.
std::optional<std::vector<const tir::Load*>> AccumulatedProduct(const tir::Store& store, std::string& why) {
  const Exact value = FromLowered(store.value);
  if (!value) {
    why = "it is not integer arithmetic of up to 64 bits";
    return std::nullopt;
  }
  const int bits = store.buffer->type.bits;
  const Exact& sum = Modulo(value, bits);
  why = "it does not add to its own element";
  if (sum->op != ExactOp::kAdd) return std::nullopt;
  for (const size_t own : {0, 1}) {
    const Exact& old = Modulo(sum->args[own], bits);
    const auto* load = old->op == ExactOp::kLeaf ? &std::get<tir::Load>(old->load->node) : nullptr;
    if (!load || load->buffer != store.buffer || !SameIndices(load->indices, store.indices)) continue;
    std::vector<const tir::Load*> factors;
    if (Factors(sum->args[1 - own], bits, factors, why)) return factors;
    return std::nullopt;
  }
  return std::nullopt;
}

std::optional<int64_t> ExtentOf(const tir::Var& var, const std::vector<NestLoop>& nest) {
  for (const NestLoop& loop : nest) {
    if (loop.var != var) continue;
    const auto* extent = std::get_if<tir::IntImm>(&loop.extent->node);
    const auto* min = std::get_if<tir::IntImm>(&loop.min->node);
    if (extent && min && min->value == 0) return extent->value;
  }
  return std::nullopt;
}

std::string TypeText(tir::DataType::Code code, int bits) {
  const char* name = code == tir::DataType::Code::kInt    ? "int"
                     : code == tir::DataType::Code::kUInt ? "uint"
                                                          : "float";
  return fmt::format("{}{}", name, bits);
}

std::string TypeMisfit(const tir::Buffer& buffer, const isa::Memory& memory) {
  const isa::ScalarType& lane = memory.fields[0].type;
  const auto code = lane.is_signed ? tir::DataType::Code::kInt : tir::DataType::Code::kUInt;
  if (buffer->type == tir::DataType{code, lane.width}) return {};
  return fmt::format("'{}' has lanes of {}, and {} is {}", memory.name, TypeText(code, lane.width),
                     buffer->name, TypeText(buffer->type.code, buffer->type.bits));
}

// A part of a lane's number: scale * floor(var / divisor).
struct LoopTerm {
  tir::Var var;
  int64_t scale, divisor;
};

// Appends the terms whose sum `expr` is, times `scale`; false where it is no such sum.
bool SplitLane(const tir::Expr& expr, int64_t scale, std::vector<LoopTerm>& out) {
  if (const auto* ref = std::get_if<tir::VarRef>(&expr->node)) {
    out.push_back({ref->var, scale, 1});
    return true;
  }
  const auto* binary = std::get_if<tir::Binary>(&expr->node);
  if (!binary) return false;
  const auto* number = std::get_if<tir::IntImm>(&binary->b->node);
  switch (binary->op) {
    case tir::BinaryOp::kAdd:
      return SplitLane(binary->a, scale, out) && SplitLane(binary->b, scale, out);
    case tir::BinaryOp::kMul:
      return number && SplitLane(binary->a, scale * number->value, out);
    case tir::BinaryOp::kFloorDiv: {
      const auto* ref = std::get_if<tir::VarRef>(&binary->a->node);
      if (!number || !ref) return false;
      out.push_back({ref->var, scale, number->value});
      return true;
    }
    default:
      return false;
  }
}

// One instruction against one store.
class IntrinsicMatcher {
 public:
  IntrinsicMatcher(const isa::Spec& spec, const std::vector<NestLoop>& nest, const isa::Intrinsic& intrinsic)
      : spec_(spec), nest_(nest), intrinsic_(intrinsic) {}

  bool Run(const tir::Store& store, const std::vector<const tir::Load*>& factors, IntrinsicMatch& match) {
    match.axes.assign(intrinsic_.axes.size(), nullptr);
    if (!Access(intrinsic_.dst, store.buffer, store.indices, match.dst, match.axes)) return false;
    std::vector<bool> taken(factors.size(), false);
    return TakeFactors(factors, taken, match) && AxesStayInside(match);
  }
  const std::string& why() const { return why_; }

 private:
  // Gives each source that is left a factor of its own.
  bool TakeFactors(const std::vector<const tir::Load*>& factors, std::vector<bool>& taken,
                   IntrinsicMatch& match) {
    if (match.sources.size() == intrinsic_.sources.size()) return true;
    const isa::Operand& source = intrinsic_.sources[match.sources.size()];
    for (size_t f = 0; f < factors.size(); ++f) {
      const tir::Load& load = *factors[f];
      if (taken[f] || load.buffer->scope != spec_.memories[source.memory].name) continue;
      const std::vector<tir::Var> axes = match.axes;
      ElementAccess access;
      if (Access(source, load.buffer, load.indices, access, match.axes)) {
        taken[f] = true;
        match.sources.push_back(std::move(access));
        if (TakeFactors(factors, taken, match)) return true;
        match.sources.pop_back();
        taken[f] = false;
      }
      match.axes = axes;
    }
    return false;
  }

  bool Access(const isa::Operand& operand, const tir::Buffer& buffer, const std::vector<tir::Expr>& indices,
              ElementAccess& access, std::vector<tir::Var>& axes) {
    const isa::Memory& memory = spec_.memories[operand.memory];
    if (why_ = TypeMisfit(buffer, memory); !why_.empty()) return false;
    auto linear = LinearAccess(buffer, indices, LaneDims(memory), nest_, /*any_lanes=*/true);
    if (!linear || !BindAxes(*linear, operand, axes)) {
      why_ = fmt::format("it walks lanes of '{}' in another way than {}", memory.name, intrinsic_.text);
      return false;
    }
    access = std::move(*linear);
    return true;
  }

  // Binds the operand's lanes to the intrinsic's axes; false if they are walked in any other way.
  bool BindAxes(const ElementAccess& access, const isa::Operand& operand, std::vector<tir::Var>& axes) const {
    if (access.lanes.size() != operand.lanes.size()) return false;
    for (size_t i = 0; i < operand.lanes.size(); ++i)
      if (!BindLane(access.lanes[i], operand.lanes[i], axes)) return false;
    return true;
  }

  bool BindLane(const LaneIndex& lane, const std::vector<isa::LaneTerm>& terms,
                std::vector<tir::Var>& axes) const {
    std::vector<LoopTerm> walked;
    if (lane.var) walked.push_back({lane.var, 1, 1});
    if (lane.constant != 0 || (lane.other && !SplitLane(lane.other, 1, walked))) return false;
    for (const isa::LaneTerm& term : terms) {
      const int64_t extent = intrinsic_.axes[term.axis].extent;
      const auto at = std::ranges::find_if(walked, [&](const LoopTerm& w) {
        return w.scale == term.scale && w.divisor == term.divisor && ExtentOf(w.var, nest_) == extent &&
               (!axes[term.axis] || axes[term.axis] == w.var);
      });
      if (at != walked.end()) {
        axes[term.axis] = at->var;
        walked.erase(at);
      } else if ((extent - 1) / term.divisor != 0) {
        return false;  // what moves nothing may be left out
      }
    }
    return walked.empty();
  }

  // Two axes are two loops, and an axis must not move the element as well, but for those that count elements.
  bool AxesStayInside(IntrinsicMatch& match) {
    why_ = "a loop over lanes leads to other elements too";
    for (size_t d = 0; d < nest_.size(); ++d) {
      const auto uses = std::count(match.axes.begin(), match.axes.end(), nest_[d].var);
      if (uses == 0) continue;
      if (uses > 1 || match.dst.strides[d] != 0) return false;
      for (size_t s = 0; s < match.sources.size(); ++s) {
        const auto walks = [&](int axis) { return axis >= 0 && match.axes[axis] == nest_[d].var; };
        const int64_t stride = match.sources[s].strides[d];
        if (walks(intrinsic_.sources[s].line_axis) && stride >= 0) {
          match.pitch = stride;
        } else if (stride != (walks(intrinsic_.sources[s].row_axis) ? 1 : 0)) {
          return false;
        }
      }
    }
    return true;
  }

  const isa::Spec& spec_;
  const std::vector<NestLoop>& nest_;
  const isa::Intrinsic& intrinsic_;
  std::string why_;
};

std::multiset<std::string> MemoriesOf(const isa::Spec& spec, const isa::Intrinsic& intrinsic) {
  std::multiset<std::string> names;
  for (const isa::Operand& source : intrinsic.sources) names.insert(spec.memories[source.memory].name);
  return names;
}

}  // namespace

std::optional<IntrinsicMatch> MatchIntrinsic(const isa::Spec& spec, const std::vector<NestLoop>& nest,
                                             const tir::Store& store, std::string& why) {
  const auto factors = AccumulatedProduct(store, why);
  if (!factors) return std::nullopt;
  std::multiset<std::string> memories;
  for (const tir::Load* factor : *factors) memories.insert(factor->buffer->scope);
  why = fmt::format("no instruction of isa '{}' adds products of '{}' to '{}'", spec.isa,
                    fmt::join(memories, "' and '"), store.buffer->scope);
  bool near = false;
  for (size_t f = 0; f < spec.formats.size(); ++f) {
    const auto& format = spec.formats[f];
    if (!format.intrinsic || MemoriesOf(spec, *format.intrinsic) != memories ||
        spec.memories[format.intrinsic->dst.memory].name != store.buffer->scope)
      continue;
    IntrinsicMatch match;
    match.format = static_cast<int>(f);
    std::string misfit = Misfit(spec, format);
    if (misfit.empty()) {
      IntrinsicMatcher matcher(spec, nest, *format.intrinsic);
      if (matcher.Run(store, *factors, match)) return match;
      misfit = matcher.why();
    }
    if (!near) why = fmt::format("instruction '{}': {}", format.name, misfit);
    near = true;
  }
  return std::nullopt;
}

}  // namespace cosim::accel
