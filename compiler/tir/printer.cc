// SPDX-License-Identifier: Apache-2.0
// The loop IR as text: indented blocks, C's operators with // and % for floor division. Different variables
// or buffers of one name get a suffix within one printed piece.
#include <fmt/format.h>

#include <map>
#include <set>

#include "compiler/tir/ir.h"
#include "compiler/tir/visitor.h"

namespace cosim::tir {
namespace {

// How tightly an operator binds; operands that bind less are parenthesized. 0: written as a call.
int Precedence(BinaryOp op) {
  switch (op) {
    case BinaryOp::kMul:
    case BinaryOp::kFloorDiv:
    case BinaryOp::kFloorMod:
    case BinaryOp::kDiv:
      return 9;
    case BinaryOp::kAdd:
    case BinaryOp::kSub:
      return 8;
    case BinaryOp::kShl:
    case BinaryOp::kShr:
      return 7;
    case BinaryOp::kAnd:
      return 6;
    case BinaryOp::kXor:
      return 5;
    case BinaryOp::kOr:
      return 4;
    case BinaryOp::kLt:
    case BinaryOp::kLe:
    case BinaryOp::kEq:
    case BinaryOp::kNe:
      return 3;
    case BinaryOp::kLogicalAnd:
      return 2;
    case BinaryOp::kLogicalOr:
      return 1;
    case BinaryOp::kMin:
    case BinaryOp::kMax:
    case BinaryOp::kRoundShift:
    case BinaryOp::kPow:
    case BinaryOp::kFMod:
      return 0;
  }
  return 0;
}

const char* SuffixOf(LoopKind kind) {
  switch (kind) {
    case LoopKind::kSerial:
      return "";
    case LoopKind::kParallel:
      return " parallel";
    case LoopKind::kVectorized:
      return " vectorized";
    case LoopKind::kUnrolled:
      return " unrolled";
    case LoopKind::kVirtualThread:
      return " virtual_thread";
    case LoopKind::kTensorized:
      return " tensorized";
  }
  return "?";
}

class Printer {
 public:
  std::string Print(const Expr& expr, int context = 0) {
    return std::visit([&](const auto& node) { return PrintNode(node, expr->type, context); }, expr->node);
  }

  void Print(const Stmt& stmt, int depth) {
    std::visit([&](const auto& node) { PrintNode(node, depth); }, stmt->node);
  }

  std::string Declaration(const Buffer& buffer) {
    std::string text = fmt::format("{}: {}[{}]", NameOfBuffer(buffer), ToString(buffer->type),
                                   fmt::join(buffer->shape, ", "));
    return buffer->scope.empty() ? text : text + " in " + buffer->scope;
  }

  std::string out;

 private:
  std::string PrintNode(const IntImm& node, DataType type, int) {
    if (type == DataType::Bool()) return node.value ? "true" : "false";
    return fmt::format("{}", node.value);
  }
  std::string PrintNode(const FloatImm& node, DataType type, int) {
    std::string text =
        type.bits == 32 ? fmt::format("{}", static_cast<float>(node.value)) : fmt::format("{}", node.value);
    return text.find_first_of(".en") == std::string::npos ? text + ".0" : text;
  }
  std::string PrintNode(const VarRef& node, DataType, int) { return NameOfVar(node.var); }
  std::string PrintNode(const Binary& node, DataType, int context) {
    const int precedence = Precedence(node.op);
    if (precedence == 0) return fmt::format("{}({}, {})", ToString(node.op), Print(node.a), Print(node.b));
    std::string text =
        fmt::format("{} {} {}", Print(node.a, precedence), ToString(node.op), Print(node.b, precedence + 1));
    return precedence < context ? "(" + text + ")" : text;
  }
  std::string PrintNode(const Select& node, DataType, int) {
    return fmt::format("select({}, {}, {})", Print(node.condition), Print(node.a), Print(node.b));
  }
  std::string PrintNode(const Cast& node, DataType type, int) {
    return fmt::format("{}({})", ToString(type), Print(node.value));
  }
  std::string PrintNode(const Load& node, DataType, int) { return Access(node.buffer, node.indices); }
  std::string PrintNode(const Math& node, DataType, int) {
    return fmt::format("{}({})", NameOf(node.fn), Print(node.value));
  }

  void PrintNode(const For& node, int depth) {
    const bool from_zero = AsInt(node.min) == 0;
    const Expr end = from_zero ? node.extent : node.min + node.extent;
    Line(depth, fmt::format("for {} in {}..{}{}:", NameOfVar(node.var), Print(node.min, 9), Print(end, 9),
                            SuffixOf(node.kind)));
    Print(node.body, depth + 1);
  }
  void PrintNode(const Store& node, int depth) {
    Line(depth, fmt::format("{} = {}", Access(node.buffer, node.indices), Print(node.value)));
  }
  void PrintNode(const Seq& node, int depth) {
    for (const Stmt& stmt : node.stmts) Print(stmt, depth);
  }
  void PrintNode(const IfThen& node, int depth) {
    Line(depth, fmt::format("if {}:", Print(node.condition)));
    Print(node.body, depth + 1);
  }
  void PrintNode(const Allocate& node, int depth) {
    Line(depth, "allocate " + Declaration(node.buffer));
    Print(node.body, depth);
  }
  void PrintNode(const Stage& node, int depth) {
    Line(depth, fmt::format("stage {}:", node.name));
    Print(node.body, depth + 1);
  }

  std::string Access(const Buffer& buffer, const std::vector<Expr>& indices) {
    std::string text = NameOfBuffer(buffer) + "[";
    for (size_t i = 0; i < indices.size(); ++i) text += (i ? ", " : "") + Print(indices[i]);
    return text + "]";
  }

  std::string NameOfVar(const Var& var) { return Unique(var.get(), var->name); }
  std::string NameOfBuffer(const Buffer& buffer) { return Unique(buffer.get(), buffer->name); }

  std::string Unique(const void* object, const std::string& name) {
    auto [it, is_new] = names_.emplace(object, name);
    for (int i = 1; is_new && !used_.insert(it->second).second; ++i)
      it->second = fmt::format("{}_{}", name, i);
    return it->second;
  }

  void Line(int depth, const std::string& text) { out += std::string(2 * depth, ' ') + text + "\n"; }

  std::map<const void*, std::string> names_;
  std::set<std::string> used_;
};

}  // namespace

std::string ToString(DataType type) {
  if (type == DataType::Bool()) return "bool";
  const char* code = type.code == DataType::Code::kInt    ? "int"
                     : type.code == DataType::Code::kUInt ? "uint"
                                                          : "float";
  return fmt::format("{}{}", code, type.bits);
}

std::string ToString(BinaryOp op) {
  static constexpr const char* kNames[] = {"+",   "-",   "*",  "//", "%",           "/", "pow", "fmod",
                                           "min", "max", "<<", ">>", "round_shift", "&", "|",   "^",
                                           "<",   "<=",  "==", "!=", "&&",          "||"};
  return kNames[static_cast<int>(op)];
}

const char* NameOf(MathFn fn) {
  static constexpr const char* kNames[] = {
      "exp", "sqrt", "tanh", "erf",  "round", "floor", "ceil", "abs",  "log",   "expm1", "log1p",
      "sin", "cos",  "tan",  "asin", "acos",  "atan",  "sinh", "cosh", "asinh", "acosh", "atanh"};
  return kNames[static_cast<int>(fn)];
}

std::string ToString(const Expr& expr) { return Printer().Print(expr); }

std::string ToString(const Stmt& stmt) {
  Printer printer;
  printer.Print(stmt, 0);
  return printer.out;
}

std::string ToString(const Function& function) {
  Printer printer;
  std::string params;
  for (const Buffer& param : function.params)
    params += (params.empty() ? "" : ", ") + printer.Declaration(param);
  printer.Print(function.body, 1);
  return fmt::format("function {}({}):\n{}", function.name, params, printer.out);
}

}  // namespace cosim::tir
