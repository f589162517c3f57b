// SPDX-License-Identifier: Apache-2.0
// The interpreter: a function is turned into closures over variable and buffer slots, then run.
#include "compiler/tir/interpreter.h"

#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <unordered_map>
#include <vector>

#include "compiler/tir/arithmetic.h"
#include "compiler/tir/visitor.h"
#include "isa/check.h"

namespace cosim::tir {
namespace {

// Integers live in i, floats in f.
struct Value {
  int64_t i = 0;
  double f = 0;
};

struct Storage {
  std::byte* data = nullptr;
  std::vector<std::byte> owned;
  std::vector<bool> defined;  // per element; empty for parameters
};

struct State {
  std::vector<int64_t> vars;
  std::vector<Storage> buffers;
};

using ExprFn = std::function<Value(State&)>;
using StmtFn = std::function<void(State&)>;

template <typename T>
T Read(const std::byte* data, int64_t element) {
  T value;
  std::memcpy(&value, data + element * sizeof(T), sizeof(T));
  return value;
}

template <typename T>
void Write(std::byte* data, int64_t element, T value) {
  std::memcpy(data + element * sizeof(T), &value, sizeof(T));
}

Value ReadElement(DataType type, const std::byte* data, int64_t element) {
  if (type.is_float()) {
    return {0, type.bits == 32 ? Read<float>(data, element) : Read<double>(data, element)};
  }
  const bool is_signed = type.is_signed();
  switch (ByteSize(type)) {
    case 1:
      return {is_signed ? int64_t{Read<int8_t>(data, element)} : int64_t{Read<uint8_t>(data, element)}};
    case 2:
      return {is_signed ? int64_t{Read<int16_t>(data, element)} : int64_t{Read<uint16_t>(data, element)}};
    case 4:
      return {is_signed ? int64_t{Read<int32_t>(data, element)} : int64_t{Read<uint32_t>(data, element)}};
    default:
      return {Read<int64_t>(data, element)};
  }
}

void WriteElement(DataType type, std::byte* data, int64_t element, Value value) {
  if (type.is_float()) {
    return type.bits == 32 ? Write(data, element, static_cast<float>(value.f))
                           : Write(data, element, value.f);
  }
  switch (ByteSize(type)) {
    case 1:
      return Write(data, element, static_cast<int8_t>(value.i));
    case 2:
      return Write(data, element, static_cast<int16_t>(value.i));
    case 4:
      return Write(data, element, static_cast<int32_t>(value.i));
    default:
      return Write(data, element, value.i);
  }
}

double RoundTo(DataType type, double value) { return type.bits == 32 ? static_cast<float>(value) : value; }

double EvaluateFloat(BinaryOp op, double a, double b) {
  switch (op) {
    case BinaryOp::kAdd:
      return a + b;
    case BinaryOp::kSub:
      return a - b;
    case BinaryOp::kMul:
      return a * b;
    case BinaryOp::kDiv:
      return a / b;
    case BinaryOp::kPow:
      return std::pow(a, b);
    case BinaryOp::kFMod:
      return std::fmod(a, b);
    case BinaryOp::kMin:
      return b < a ? b : a;
    case BinaryOp::kMax:
      return a < b ? b : a;
    default:
      COSIM_CHECK(false, "'{}' has no float form", ToString(op));
  }
}

bool CompareFloat(BinaryOp op, double a, double b) {
  switch (op) {
    case BinaryOp::kLt:
      return a < b;
    case BinaryOp::kLe:
      return a <= b;
    case BinaryOp::kEq:
      return a == b;
    case BinaryOp::kNe:
      return a != b;
    default:
      COSIM_CHECK(false, "'{}' does not compare floats", ToString(op));
  }
}

double EvaluateMath(MathFn fn, double x) {
  switch (fn) {
    case MathFn::kExp:
      return std::exp(x);
    case MathFn::kSqrt:
      return std::sqrt(x);
    case MathFn::kTanh:
      return std::tanh(x);
    case MathFn::kErf:
      return std::erf(x);
    case MathFn::kRound:
      return std::nearbyint(x);
    case MathFn::kFloor:
      return std::floor(x);
    case MathFn::kCeil:
      return std::ceil(x);
    case MathFn::kAbs:
      return std::abs(x);
    case MathFn::kLog:
      return std::log(x);
    case MathFn::kExpm1:
      return std::expm1(x);
    case MathFn::kLog1p:
      return std::log1p(x);
    case MathFn::kSin:
      return std::sin(x);
    case MathFn::kCos:
      return std::cos(x);
    case MathFn::kTan:
      return std::tan(x);
    case MathFn::kAsin:
      return std::asin(x);
    case MathFn::kAcos:
      return std::acos(x);
    case MathFn::kAtan:
      return std::atan(x);
    case MathFn::kSinh:
      return std::sinh(x);
    case MathFn::kCosh:
      return std::cosh(x);
    case MathFn::kAsinh:
      return std::asinh(x);
    case MathFn::kAcosh:
      return std::acosh(x);
    case MathFn::kAtanh:
      return std::atanh(x);
  }
  COSIM_CHECK(false);
}

int64_t FloatToInt(double value, DataType type) {
  if (std::isnan(value)) return 0;
  const bool is_signed = type.is_signed();
  const double most = std::ldexp(1.0, type.bits - (is_signed ? 1 : 0)), least = is_signed ? -most : 0;
  if (value <= least) return is_signed ? WrapTo(int64_t{1} << (type.bits - 1), type) : 0;
  if (value >= most) return WrapTo(is_signed ? ~(int64_t{1} << (type.bits - 1)) : int64_t{-1}, type);
  return is_signed ? static_cast<int64_t>(value) : static_cast<int64_t>(static_cast<uint64_t>(value));
}

class Compiler {
 public:
  explicit Compiler(const InterpretOptions& options) : options_(options) {}

  size_t SlotOf(const Buffer& buffer) {
    return buffer_slots_.emplace(buffer.get(), buffer_slots_.size()).first->second;
  }
  size_t num_vars() const { return var_slots_.size(); }
  size_t num_buffers() const { return buffer_slots_.size(); }

  ExprFn Compile(const Expr& expr) {
    return std::visit([&](const auto& node) { return CompileNode(node, expr->type); }, expr->node);
  }
  StmtFn Compile(const Stmt& stmt) {
    return std::visit([&](const auto& node) { return CompileNode(node); }, stmt->node);
  }

 private:
  ExprFn CompileNode(const IntImm& node, DataType) {
    return [value = node.value](State&) { return Value{value}; };
  }
  ExprFn CompileNode(const FloatImm& node, DataType) {
    return [value = node.value](State&) { return Value{0, value}; };
  }
  ExprFn CompileNode(const VarRef& node, DataType) {
    auto it = var_slots_.find(node.var.get());
    COSIM_CHECK(it != var_slots_.end(), "variable '{}' is not bound", node.var->name);
    return [slot = it->second](State& state) { return Value{state.vars[slot]}; };
  }
  ExprFn CompileNode(const Binary& node, DataType type) {
    ExprFn a = Compile(node.a), b = Compile(node.b);
    const DataType operands = node.a->type;
    const BinaryOp op = node.op;
    if (op == BinaryOp::kLogicalAnd) return [a, b](State& s) { return Value{a(s).i && b(s).i}; };
    if (op == BinaryOp::kLogicalOr) return [a, b](State& s) { return Value{a(s).i || b(s).i}; };
    if (!operands.is_float()) {
      return [=](State& s) {
        const int64_t left = a(s).i, right = b(s).i;
        const std::optional<int64_t> value = EvaluateBinary(op, left, right, operands);
        COSIM_CHECK(value.has_value(), "{} {} {} is undefined", left, ToString(op), right);
        return Value{*value};
      };
    }
    if (type == DataType::Bool()) return [=](State& s) { return Value{CompareFloat(op, a(s).f, b(s).f)}; };
    return [=](State& s) { return Value{0, RoundTo(type, EvaluateFloat(op, a(s).f, b(s).f))}; };
  }
  ExprFn CompileNode(const Select& node, DataType) {
    return [condition = Compile(node.condition), a = Compile(node.a), b = Compile(node.b)](State& s) {
      return condition(s).i ? a(s) : b(s);
    };
  }
  ExprFn CompileNode(const Cast& node, DataType type) {
    ExprFn value = Compile(node.value);
    const bool from_float = node.value->type.is_float();
    if (from_float && type.is_float()) return [=](State& s) { return Value{0, RoundTo(type, value(s).f)}; };
    if (from_float) return [=](State& s) { return Value{FloatToInt(value(s).f, type)}; };
    if (type.is_float()) {
      return [=](State& s) {
        const int64_t i = value(s).i;
        return Value{0, type.bits == 32 ? static_cast<float>(i) : static_cast<double>(i)};
      };
    }
    return [=](State& s) { return Value{WrapTo(value(s).i, type)}; };
  }
  ExprFn CompileNode(const Load& node, DataType type) {
    const size_t slot = SlotOf(node.buffer);
    auto element = CompileIndices(node.buffer, node.indices);
    return [=, buffer = node.buffer](State& s) {
      const int64_t at = element(s);
      const Storage& storage = s.buffers[slot];
      COSIM_CHECK(storage.data != nullptr, "'{}' is read outside its allocation", buffer->name);
      COSIM_CHECK(storage.defined.empty() || storage.defined[at],
                  "'{}' is read at element {} before it is written", buffer->name, at);
      return ReadElement(type, storage.data, at);
    };
  }
  ExprFn CompileNode(const Math& node, DataType type) {
    return [=, fn = node.fn, value = Compile(node.value)](State& s) {
      return Value{0, RoundTo(type, EvaluateMath(fn, value(s).f))};
    };
  }

  // The element number of an access, checked to be in bounds.
  std::function<int64_t(State&)> CompileIndices(const Buffer& buffer, const std::vector<Expr>& indices) {
    std::vector<ExprFn> fns;
    for (const Expr& index : indices) fns.push_back(Compile(index));
    return [fns, buffer](State& s) {
      int64_t element = 0;
      for (size_t i = 0; i < fns.size(); ++i) {
        const int64_t index = fns[i](s).i;
        COSIM_CHECK(index >= 0 && index < buffer->shape[i], "index {} of '{}' is {}, out of [0, {})", i,
                    buffer->name, index, buffer->shape[i]);
        element = element * buffer->shape[i] + index;
      }
      return element;
    };
  }

  StmtFn CompileNode(const For& node) {
    ExprFn min = Compile(node.min), extent = Compile(node.extent);
    const size_t slot = var_slots_.emplace(node.var.get(), var_slots_.size()).first->second;
    StmtFn body = Compile(node.body);
    const bool backwards = options_.reverse_independent_loops && node.kind != LoopKind::kSerial &&
                           node.kind != LoopKind::kTensorized;
    return [=](State& s) {
      const int64_t first = min(s).i, count = extent(s).i;
      for (int64_t i = 0; i < count; ++i) {
        s.vars[slot] = first + (backwards ? count - 1 - i : i);
        body(s);
      }
    };
  }
  StmtFn CompileNode(const Store& node) {
    const size_t slot = SlotOf(node.buffer);
    auto element = CompileIndices(node.buffer, node.indices);
    return [=, buffer = node.buffer, value = Compile(node.value)](State& s) {
      const Value stored = value(s);
      const int64_t at = element(s);
      Storage& storage = s.buffers[slot];
      COSIM_CHECK(storage.data != nullptr, "'{}' is written outside its allocation", buffer->name);
      if (!storage.defined.empty()) storage.defined[at] = true;
      WriteElement(buffer->type, storage.data, at, stored);
    };
  }
  StmtFn CompileNode(const Seq& node) {
    std::vector<StmtFn> fns;
    for (const Stmt& stmt : node.stmts) fns.push_back(Compile(stmt));
    return [fns](State& s) {
      for (const StmtFn& fn : fns) fn(s);
    };
  }
  StmtFn CompileNode(const IfThen& node) {
    return [condition = Compile(node.condition), body = Compile(node.body)](State& s) {
      if (condition(s).i) body(s);
    };
  }
  StmtFn CompileNode(const Allocate& node) {
    int64_t elements = 1;
    for (int64_t extent : node.buffer->shape) elements *= extent;
    const int64_t bytes = elements * ByteSize(node.buffer->type);
    return [=, slot = SlotOf(node.buffer), body = Compile(node.body)](State& s) {
      Storage& storage = s.buffers[slot];
      storage.owned.assign(bytes, std::byte{0});
      storage.defined.assign(elements, false);
      storage.data = storage.owned.data();
      body(s);
      storage = {};
    };
  }
  StmtFn CompileNode(const Stage& node) { return Compile(node.body); }

  const InterpretOptions& options_;
  std::unordered_map<const VarNode*, size_t> var_slots_;
  std::unordered_map<const BufferNode*, size_t> buffer_slots_;
};

}  // namespace

int ByteSize(DataType type) { return type.bits <= 8 ? 1 : type.bits <= 16 ? 2 : type.bits <= 32 ? 4 : 8; }

void Interpret(const Function& function, std::span<void* const> args, const InterpretOptions& options) {
  COSIM_CHECK(args.size() == function.params.size(), "'{}' takes {} arguments, not {}", function.name,
              function.params.size(), args.size());
  Compiler compiler(options);
  for (const Buffer& param : function.params) compiler.SlotOf(param);
  const StmtFn run = compiler.Compile(function.body);
  State state;
  state.vars.resize(compiler.num_vars());
  state.buffers.resize(compiler.num_buffers());
  for (size_t i = 0; i < args.size(); ++i) {
    state.buffers[compiler.SlotOf(function.params[i])].data = static_cast<std::byte*>(args[i]);
  }
  run(state);
}

}  // namespace cosim::tir
