// SPDX-License-Identifier: Apache-2.0
// Schedules: in which order, in which memory and next to what each tensor is computed. A schedule never
// changes values. Written by compiler developers, so an illegal use is a CHECK with the reason. Lowering is
// lower.h's.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "compiler/te/te.h"
#include "compiler/tir/ir.h"

namespace cosim::te {

/// parent = outer * factor + inner. A factor that does not divide leaves a shorter last round of `inner`.
struct SplitRelation {
  Axis parent, outer, inner;
  int64_t factor;
};
/// fused = outer * extent(inner) + inner.
struct FuseRelation {
  Axis outer, inner, fused;
};
using Relation = std::variant<SplitRelation, FuseRelation>;

class Stage;

/// Whose elements a stage's are computed over, and which: `at`, in terms of the stage's axes.
struct InPlace {
  Tensor source;
  std::vector<tir::Expr> at;
};

/// Where a stage is computed: at the top of the program, inside a loop of a consumer, or nowhere of its own.
struct Attachment {
  enum class Kind { kRoot, kLoop, kInline } kind = Kind::kRoot;
  const Stage* stage = nullptr;  // kLoop: the consumer …
  Axis axis;                     // … and the leaf loop just inside which this stage runs
};

/// How one tensor is computed. The transformations name leaf axes: the present loops, outermost first in
/// leaf_axes().
class Stage {
 public:
  explicit Stage(Tensor tensor);
  Stage(const Stage&) = delete;
  Stage& operator=(const Stage&) = delete;

  /// Splits a loop in two, `inner` having at most `factor` rounds.
  std::pair<Axis, Axis> Split(const Axis& axis, int64_t factor);
  /// Orders the given loops as listed, in the places they hold together.
  void Reorder(const std::vector<Axis>& order);
  /// Makes one loop of two neighbours; `outer` must be the outer one, and both spatial or both reduced.
  Axis Fuse(const Axis& outer, const Axis& inner);

  /// Computes this stage inside the loop `axis` of `consumer`: just what that round of the loop needs of it.
  /// All readers must be inside that loop. Not for outputs.
  void ComputeAt(const Stage& consumer, const Axis& axis);
  /// Substitutes this stage's expression where it is read. Not for reductions or outputs.
  void ComputeInline();
  void ComputeRoot();

  /// Rounds of the loop that this stage is computed at follow each other along dimension `axis`: each leaves
  /// behind, in place, what the next one needs too, and that one computes the rest. What is left may not be
  /// computed over in place. After ComputeAt.
  void Slide(const Axis& axis);

  /// Computes all of dimension `axis` wherever any of it is needed: loops over it then have the dimension's
  /// extent, whatever readers leave out.
  void ComputeWhole(const Axis& axis);

  /// Puts the tensor in an on-chip memory of the spec ("" is DRAM). Not for outputs.
  void SetScope(std::string scope);
  /// Gives the tensor no memory of its own: each element replaces that of `source` at the indices `at`, which
  /// are made of this stage's axes and differ from element to element. What is overwritten may be read by the
  /// element that does so, and by nothing later. Both are computed at the same loop, `source` first. Not for
  /// reductions or outputs.
  void ComputeInPlace(Tensor source, std::vector<tir::Expr> at);

  void Unroll(const Axis& axis);
  void Vectorize(const Axis& axis);  // spatial
  void Parallel(const Axis& axis);   // spatial
  /// Rounds of this loop become interleaved threads of the accelerator. Spatial.
  void VirtualThread(const Axis& axis);
  /// Marks the loops from `axis` inwards as the body of a tensor intrinsic.
  void Tensorize(const Axis& axis);

  const Tensor& tensor() const { return tensor_; }
  const std::string& name() const { return tensor_->name; }
  const std::string& scope() const { return scope_; }
  /// Dimension `i` of the tensor, and axis `i` of its reduction, as they were before any split.
  const Axis& axis(size_t i) const;
  const Axis& reduce_axis(size_t i) const;
  const std::vector<Axis>& axes() const { return axes_; }
  std::vector<Axis> reduce_axes() const;
  const std::vector<Axis>& leaf_axes() const { return leaves_; }

  // For lowering.
  const Body& body() const { return body_; }
  const std::vector<Relation>& relations() const { return relations_; }
  const Attachment& attachment() const { return attachment_; }
  tir::LoopKind KindOf(const Axis& leaf) const;
  bool IsWhole(size_t dim) const;
  std::optional<size_t> slides_along() const { return slides_along_; }
  const std::optional<InPlace>& in_place() const { return in_place_; }
  bool is_output() const { return is_output_; }
  bool is_reduction() const { return std::holds_alternative<Reduction>(body_); }

 private:
  friend class Schedule;

  size_t LeafPosition(const Axis& axis, const char* what) const;
  void Mark(const Axis& axis, tir::LoopKind kind, const char* what);
  void ReplaceReads(const tir::Buffer& from, const tir::Buffer& to);

  Tensor tensor_;
  Body body_;
  std::vector<Axis> axes_;
  std::vector<Axis> leaves_;
  std::vector<Relation> relations_;
  std::vector<std::pair<Axis, tir::LoopKind>> kinds_;
  Attachment attachment_;
  std::optional<InPlace> in_place_;
  std::optional<size_t> slides_along_;  // a dimension
  std::vector<Axis> whole_;
  std::string scope_;
  bool is_output_ = false;
};

/// One stage for each tensor that the outputs need, placeholders excepted. Tensors stay valid handles
/// throughout.
class Schedule {
 public:
  explicit Schedule(const std::vector<Tensor>& outputs);

  Stage& operator[](const Tensor& tensor);

  /// A copy of `tensor` (a placeholder or a computed one) in `scope`, which `readers` read instead; the copy
  /// is a stage named
  /// "<tensor>.<scope>".
  Tensor CacheRead(const Tensor& tensor, const std::string& scope, const std::vector<Tensor>& readers);

  /// Producers before consumers.
  std::vector<const Stage*> stages() const;
  const std::vector<Tensor>& outputs() const { return outputs_; }

 private:
  size_t Find(const TensorNode* tensor) const;
  std::string FreshName(const std::string& base) const;

  std::vector<Tensor> outputs_;
  std::vector<std::unique_ptr<Stage>> stages_;  // producers before consumers
};

}  // namespace cosim::te
