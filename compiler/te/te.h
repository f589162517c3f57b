// SPDX-License-Identifier: Apache-2.0
// The tensor-expression language: what each element of a tensor is, without saying in which order or where it
// is computed. Orders and places are a schedule's (schedule.h); loops come from lowering both (lower.h).
//
//   Tensor a = Placeholder("a", {n, k}, DataType::Int(8)), b = Placeholder("b", {m, k}, DataType::Int(8));
//   Axis r = ReduceAxis(k, "k");
//   Tensor c = Compute("c", {n, m}, [&](const Indices& i) {
//     return Sum(MakeCast(DataType::Int(32), a(i[0], r)) * MakeCast(DataType::Int(32), b(i[1], r)), {r});
//   });
//
// Expressions are loop IR expressions whose loads name tensors. Reads under a Select's untaken side may be
// out of bounds.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "compiler/tir/ir.h"
#include "compiler/tir/operators.h"

namespace cosim::te {

enum class AxisKind { kSpatial, kReduce };

/// One dimension of an iteration space: of a computation, or made by a schedule's split or fuse.
struct AxisNode {
  tir::Var var;
  AxisKind kind = AxisKind::kSpatial;
  int64_t extent =
      0;  // of the whole computation; 0 for axes made by a schedule, whose extent lowering infers
};

/// A handle; identity is the node's. Usable as an index expression.
class Axis {
 public:
  Axis() = default;
  Axis(std::string name, AxisKind kind, int64_t extent);

  const AxisNode* operator->() const { return node_.get(); }
  const AxisNode* get() const { return node_.get(); }
  const std::string& name() const { return node_->var->name; }
  operator tir::Expr() const { return tir::Ref(node_->var); }  // NOLINT: an axis is its index
  friend bool operator==(const Axis& a, const Axis& b) { return a.node_ == b.node_; }

 private:
  std::shared_ptr<const AxisNode> node_;
};

/// 0 <= axis < extent, to be reduced over.
Axis ReduceAxis(int64_t extent, std::string name);

enum class ReduceOp { kSum, kMax, kMin, kProduct };

/// A reduction as the whole body of a Compute. Sum starts at 0, kProduct at 1; kMax at the type's lowest
/// value
/// (-inf for floats), kMin at its highest.
struct Reduction {
  ReduceOp op;
  tir::Expr source;
  std::vector<Axis> axes;
};
Reduction Sum(tir::Expr source, std::vector<Axis> axes);
Reduction MaxReduce(tir::Expr source, std::vector<Axis> axes);
Reduction Reduce(ReduceOp op, tir::Expr source, std::vector<Axis> axes);
/// The value a reduction starts from.
tir::Expr IdentityOf(ReduceOp op, tir::DataType type);
/// `old` with one more value.
tir::Expr Combine(ReduceOp op, tir::Expr old, tir::Expr value);

using Body = std::variant<tir::Expr, Reduction>;
using Indices = std::vector<tir::Expr>;
tir::DataType TypeOf(const Body& body);

/// A tensor is a buffer that knows how its elements are computed. A placeholder has no body (a null Expr).
struct TensorNode : tir::BufferNode {
  std::vector<Axis> axes;
  Body body;

  bool is_placeholder() const;
};

class Tensor {
 public:
  Tensor() = default;
  explicit Tensor(std::shared_ptr<const TensorNode> node) : node_(std::move(node)) {}

  const TensorNode* operator->() const { return node_.get(); }
  const TensorNode* get() const { return node_.get(); }
  /// The tensor as the buffer that loads name and lowered functions take as a parameter.
  tir::Buffer buffer() const { return node_; }
  const std::vector<int64_t>& shape() const { return node_->shape; }
  tir::DataType type() const { return node_->type; }

  /// One element.
  template <typename... Index>
  tir::Expr operator()(const Index&... indices) const {
    return tir::MakeLoad(node_, {AsIndex(indices)...});
  }
  tir::Expr operator()(const Indices& indices) const { return tir::MakeLoad(node_, indices); }

  friend bool operator==(const Tensor& a, const Tensor& b) { return a.node_ == b.node_; }

 private:
  static tir::Expr AsIndex(const tir::Expr& index) { return index; }
  static tir::Expr AsIndex(const Axis& axis) { return axis; }
  static tir::Expr AsIndex(int64_t index) { return tir::Int(index); }

  std::shared_ptr<const TensorNode> node_;
};

Tensor Placeholder(std::string name, std::vector<int64_t> shape, tir::DataType type);

/// An element of `shape` at the given indices is what `body` returns: an Expr or a Reduction.
/// `axis_names` name the loops; i0, i1, … when left out.
Tensor Compute(std::string name, std::vector<int64_t> shape, const std::function<Body(const Indices&)>& body,
               std::vector<std::string> axis_names = {});

/// The tensor a load in a tensor expression reads.
Tensor TensorOf(const tir::Buffer& buffer);
/// `body` with all reads of one buffer from another of its shape.
Body ReadInstead(const Body& body, const tir::Buffer& from, const tir::Buffer& to);
/// The distinct tensors a body reads, in order of first use.
std::vector<Tensor> InputsOf(const Body& body);

}  // namespace cosim::te
