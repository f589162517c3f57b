// SPDX-License-Identifier: Apache-2.0
// The loop IR's verifier.
#include "compiler/tir/verify.h"

#include <fmt/format.h>

#include <unordered_set>

#include "compiler/tir/visitor.h"
#include "isa/check.h"

namespace cosim::tir {
namespace {

class Verifier : public Visitor {
 public:
  std::vector<std::string> problems;

  void Run(const Function& function) {
    if (function.name.empty()) Report("the function has no name");
    for (const Buffer& param : function.params) Define(param);
    VisitStmt(function.body);
  }

  void VisitExpr(const Expr& expr) override {
    if (!expr) return Report("an expression is missing");
    std::visit([&](const auto& node) { Check(expr, node); }, expr->node);
    Visitor::VisitExpr(expr);
  }

  void VisitStmt(const Stmt& stmt) override {
    if (!stmt) return Report("a statement is missing");
    std::visit([&](const auto& node) { Enter(stmt, node); }, stmt->node);
  }

 private:
  template <typename... Args>
  void Report(fmt::format_string<Args...> format, Args&&... args) {
    problems.push_back(fmt::format(format, std::forward<Args>(args)...));
  }

  void Expect(const Expr& expr, DataType type, const std::string& what) {
    if (expr && expr->type != type) Report("{} is {}, not {}", what, ToString(expr->type), ToString(type));
  }

  void Check(const Expr& expr, const IntImm&) {
    if (expr->type.is_float()) Report("an integer constant has the type {}", ToString(expr->type));
  }
  void Check(const Expr& expr, const FloatImm&) {
    if (!expr->type.is_float()) Report("a float constant has the type {}", ToString(expr->type));
  }
  void Check(const Expr& expr, const VarRef& node) {
    Expect(expr, DataType::Index(), fmt::format("variable '{}'", node.var->name));
    if (!vars_.count(node.var.get())) Report("variable '{}' is used outside its loop", node.var->name);
  }
  void Check(const Expr& expr, const Binary& node) {
    if (!node.a || !node.b) return;
    const std::string name = ToString(node.op);
    if (node.a->type != node.b->type) {
      Report("operands of '{}' are {} and {}", name, ToString(node.a->type), ToString(node.b->type));
    }
    const bool is_bool = node.op >= BinaryOp::kLt;
    Expect(expr, is_bool ? DataType::Bool() : node.a->type, fmt::format("'{}'", name));
    if (node.op >= BinaryOp::kLogicalAnd)
      Expect(node.a, DataType::Bool(), fmt::format("an operand of '{}'", name));
  }
  void Check(const Expr& expr, const Select& node) {
    Expect(node.condition, DataType::Bool(), "a select's condition");
    Expect(node.a, expr->type, "a select's first side");
    Expect(node.b, expr->type, "a select's second side");
  }
  void Check(const Expr&, const Cast&) {}
  void Check(const Expr& expr, const Math& node) {
    Expect(node.value, expr->type, "a math function's operand");
    if (!expr->type.is_float()) Report("a math function has the type {}", ToString(expr->type));
  }
  void Check(const Expr& expr, const Load& node) {
    CheckAccess(node.buffer, node.indices, "read");
    if (node.buffer) Expect(expr, node.buffer->type, fmt::format("a load of '{}'", node.buffer->name));
  }

  void CheckAccess(const Buffer& buffer, const std::vector<Expr>& indices, const char* how) {
    if (!buffer) return Report("a buffer is missing");
    if (!buffers_.count(buffer.get())) Report("buffer '{}' is {} outside its allocation", buffer->name, how);
    if (indices.size() != buffer->shape.size()) {
      Report("buffer '{}' has {} dimensions and is {} with {} indices", buffer->name, buffer->shape.size(),
             how, indices.size());
    }
    for (const Expr& index : indices)
      Expect(index, DataType::Index(), fmt::format("an index of '{}'", buffer->name));
  }

  void Enter(const Stmt&, const For& node) {
    VisitExpr(node.min);
    VisitExpr(node.extent);
    Expect(node.min, DataType::Index(), fmt::format("the first value of '{}'", node.var->name));
    Expect(node.extent, DataType::Index(), fmt::format("the extent of '{}'", node.var->name));
    if (node.var->name.empty()) Report("a loop variable has no name");
    if (!seen_vars_.insert(node.var.get()).second)
      Report("variable '{}' is bound by two loops", node.var->name);
    vars_.insert(node.var.get());
    VisitStmt(node.body);
    vars_.erase(node.var.get());
  }
  void Enter(const Stmt& stmt, const Store& node) {
    CheckAccess(node.buffer, node.indices, "written");
    if (node.buffer)
      Expect(node.value, node.buffer->type, fmt::format("the value stored to '{}'", node.buffer->name));
    Visitor::VisitStmt(stmt);
  }
  void Enter(const Stmt& stmt, const IfThen& node) {
    Expect(node.condition, DataType::Bool(), "an if's condition");
    Visitor::VisitStmt(stmt);
  }
  void Enter(const Stmt& stmt, const Stage& node) {
    if (node.name.empty()) Report("a stage has no name");
    Visitor::VisitStmt(stmt);
  }
  void Enter(const Stmt& stmt, const Allocate& node) {
    Define(node.buffer);
    Visitor::VisitStmt(stmt);
    buffers_.erase(node.buffer.get());
  }
  void Enter(const Stmt& stmt, const Seq&) { Visitor::VisitStmt(stmt); }

  void Define(const Buffer& buffer) {
    if (!buffer) return Report("a buffer is missing");
    if (!seen_buffers_.insert(buffer.get()).second) Report("buffer '{}' is defined twice", buffer->name);
    if (buffer->name.empty()) Report("a buffer has no name");
    for (int64_t extent : buffer->shape) {
      if (extent <= 0) Report("buffer '{}' has a dimension of {}", buffer->name, extent);
    }
    buffers_.insert(buffer.get());
  }

  std::unordered_set<const VarNode*> vars_, seen_vars_;
  std::unordered_set<const BufferNode*> buffers_, seen_buffers_;
};

}  // namespace

std::vector<std::string> Verify(const Function& function) {
  Verifier verifier;
  verifier.Run(function);
  return std::move(verifier.problems);
}

void CheckWellFormed(const Function& function, const std::string& after) {
  const std::vector<std::string> problems = Verify(function);
  COSIM_CHECK(problems.empty(), "after {}: {}\n{}", after, fmt::join(problems, "; "), ToString(function));
}

}  // namespace cosim::tir
