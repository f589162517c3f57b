// SPDX-License-Identifier: Apache-2.0
// Schedule transformations: they only record; bounds and loops are worked out by lowering.
#include "compiler/te/schedule.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/tir/visitor.h"
#include "isa/check.h"

namespace cosim::te {
namespace {

bool Reads(const Body& body, const TensorNode* tensor) {
  const std::vector<Tensor> inputs = InputsOf(body);
  return std::any_of(inputs.begin(), inputs.end(),
                     [&](const Tensor& input) { return input.get() == tensor; });
}

// A tensor whose elements are those of `source`.
Tensor CopyOf(const Tensor& source, std::string name) {
  std::vector<std::string> axis_names;
  for (size_t i = 0; i < source.shape().size(); ++i) {
    axis_names.push_back(source->axes.empty() ? fmt::format("i{}", i) : source->axes[i].name());
  }
  return Compute(std::move(name), source.shape(), [&](const Indices& i) { return source(i); }, axis_names);
}

}  // namespace

Stage::Stage(Tensor tensor) : tensor_(std::move(tensor)), body_(tensor_->body), axes_(tensor_->axes) {
  leaves_ = axes_;
  for (const Axis& axis : reduce_axes()) leaves_.push_back(axis);
}

std::vector<Axis> Stage::reduce_axes() const {
  const auto* reduction = std::get_if<Reduction>(&body_);
  return reduction ? reduction->axes : std::vector<Axis>{};
}

const Axis& Stage::axis(size_t i) const {
  COSIM_CHECK(i < axes_.size(), "'{}' has {} dimensions", name(), axes_.size());
  return axes_[i];
}

const Axis& Stage::reduce_axis(size_t i) const {
  const auto* reduction = std::get_if<Reduction>(&body_);
  COSIM_CHECK(reduction && i < reduction->axes.size(), "'{}' has no reduction axis {}", name(), i);
  return reduction->axes[i];
}

size_t Stage::LeafPosition(const Axis& axis, const char* what) const {
  auto it = std::find(leaves_.begin(), leaves_.end(), axis);
  COSIM_CHECK(it != leaves_.end(), "{}: '{}' is not a loop of '{}' (any more)", what, axis.name(), name());
  return it - leaves_.begin();
}

std::pair<Axis, Axis> Stage::Split(const Axis& axis, int64_t factor) {
  const size_t position = LeafPosition(axis, "split");
  COSIM_CHECK(factor > 0, "split of '{}' by {}", axis.name(), factor);
  COSIM_CHECK(KindOf(axis) == tir::LoopKind::kSerial, "split of '{}' after it was marked", axis.name());
  const Axis outer(axis.name() + ".o", axis->kind, 0), inner(axis.name() + ".i", axis->kind, 0);
  relations_.push_back(SplitRelation{axis, outer, inner, factor});
  leaves_[position] = outer;
  leaves_.insert(leaves_.begin() + position + 1, inner);
  return {outer, inner};
}

void Stage::Reorder(const std::vector<Axis>& order) {
  std::vector<size_t> positions;
  for (const Axis& axis : order) positions.push_back(LeafPosition(axis, "reorder"));
  std::sort(positions.begin(), positions.end());
  COSIM_CHECK(std::adjacent_find(positions.begin(), positions.end()) == positions.end(),
              "reorder names a loop twice");
  for (size_t i = 0; i < order.size(); ++i) leaves_[positions[i]] = order[i];
}

Axis Stage::Fuse(const Axis& outer, const Axis& inner) {
  const size_t position = LeafPosition(outer, "fuse");
  COSIM_CHECK(LeafPosition(inner, "fuse") == position + 1, "fuse: '{}' is not the loop just inside '{}'",
              inner.name(), outer.name());
  COSIM_CHECK(outer->kind == inner->kind, "fuse: '{}' and '{}' are not both spatial or both reduced",
              outer.name(), inner.name());
  COSIM_CHECK(KindOf(outer) == tir::LoopKind::kSerial && KindOf(inner) == tir::LoopKind::kSerial,
              "fuse of '{}' and '{}' after they were marked", outer.name(), inner.name());
  const Axis fused(outer.name() + "." + inner.name(), outer->kind, 0);
  relations_.push_back(FuseRelation{outer, inner, fused});
  leaves_[position] = fused;
  leaves_.erase(leaves_.begin() + position + 1);
  return fused;
}

void Stage::ComputeAt(const Stage& consumer, const Axis& axis) {
  COSIM_CHECK(!is_output_, "output '{}' cannot be computed at a loop", name());
  COSIM_CHECK(&consumer != this, "'{}' cannot be computed at its own loop", name());
  consumer.LeafPosition(axis, "compute_at");
  attachment_ = Attachment{Attachment::Kind::kLoop, &consumer, axis};
}

void Stage::ComputeInline() {
  COSIM_CHECK(!is_output_, "output '{}' cannot be inlined", name());
  COSIM_CHECK(!is_reduction(), "'{}' is a reduction and cannot be inlined", name());
  COSIM_CHECK(scope_.empty(), "'{}' is kept in '{}' and cannot be inlined", name(), scope_);
  attachment_ = Attachment{Attachment::Kind::kInline, nullptr, {}};
}

void Stage::ComputeRoot() { attachment_ = {}; }

void Stage::Slide(const Axis& axis) {
  const auto at = std::find(axes_.begin(), axes_.end(), axis);
  COSIM_CHECK(at != axes_.end(), "'{}' is no dimension of '{}'", axis.name(), name());
  COSIM_CHECK(attachment_.kind == Attachment::Kind::kLoop, "'{}' slides along no loop", name());
  slides_along_ = static_cast<size_t>(at - axes_.begin());
}

void Stage::ComputeWhole(const Axis& axis) {
  COSIM_CHECK(std::find(axes_.begin(), axes_.end(), axis) != axes_.end(), "'{}' is no dimension of '{}'",
              axis.name(), name());
  whole_.push_back(axis);
}

bool Stage::IsWhole(size_t dim) const {
  return std::find(whole_.begin(), whole_.end(), axis(dim)) != whole_.end();
}

void Stage::SetScope(std::string scope) {
  COSIM_CHECK(!is_output_ || scope.empty(), "output '{}' cannot live in '{}'", name(), scope);
  COSIM_CHECK(attachment_.kind != Attachment::Kind::kInline, "'{}' is inlined and has no memory", name());
  scope_ = std::move(scope);
}

void Stage::ComputeInPlace(Tensor source, std::vector<tir::Expr> at) {
  COSIM_CHECK(!is_output_ && !is_reduction(), "'{}' cannot be computed in place", name());
  COSIM_CHECK(source.type() == tensor_.type() && at.size() == source.shape().size(),
              "'{}' has no place in '{}'", name(), source->name);
  in_place_ = InPlace{std::move(source), std::move(at)};
}

void Stage::Mark(const Axis& axis, tir::LoopKind kind, const char* what) {
  LeafPosition(axis, what);
  const tir::LoopKind old = KindOf(axis);
  COSIM_CHECK(old == tir::LoopKind::kSerial || old == kind, "{}: '{}' has another mark", what, axis.name());
  COSIM_CHECK(axis->kind == AxisKind::kSpatial || kind == tir::LoopKind::kUnrolled ||
                  kind == tir::LoopKind::kTensorized,
              "{}: '{}' is a reduction loop", what, axis.name());
  if (old == tir::LoopKind::kSerial) kinds_.emplace_back(axis, kind);
}

void Stage::Unroll(const Axis& axis) { Mark(axis, tir::LoopKind::kUnrolled, "unroll"); }
void Stage::Vectorize(const Axis& axis) { Mark(axis, tir::LoopKind::kVectorized, "vectorize"); }
void Stage::Parallel(const Axis& axis) { Mark(axis, tir::LoopKind::kParallel, "parallel"); }
void Stage::VirtualThread(const Axis& axis) { Mark(axis, tir::LoopKind::kVirtualThread, "virtual_thread"); }

void Stage::Tensorize(const Axis& axis) {
  for (size_t i = LeafPosition(axis, "tensorize"); i < leaves_.size(); ++i) {
    Mark(leaves_[i], tir::LoopKind::kTensorized, "tensorize");
  }
}

tir::LoopKind Stage::KindOf(const Axis& leaf) const {
  for (const auto& [axis, kind] : kinds_) {
    if (axis == leaf) return kind;
  }
  return tir::LoopKind::kSerial;
}

void Stage::ReplaceReads(const tir::Buffer& from, const tir::Buffer& to) {
  body_ = ReadInstead(body_, from, to);
}

namespace {

// Producers first.
void Collect(const Tensor& tensor, std::vector<Tensor>& order) {
  if (tensor->is_placeholder() || std::find(order.begin(), order.end(), tensor) != order.end()) return;
  for (const Tensor& input : InputsOf(tensor->body)) Collect(input, order);
  order.push_back(tensor);
}

}  // namespace

Schedule::Schedule(const std::vector<Tensor>& outputs) : outputs_(outputs) {
  std::vector<Tensor> order;
  for (const Tensor& output : outputs) {
    COSIM_CHECK(!output->is_placeholder(), "output '{}' is a placeholder", output->name);
    Collect(output, order);
  }
  for (const Tensor& tensor : order) stages_.push_back(std::make_unique<Stage>(tensor));
  for (const Tensor& output : outputs) (*this)[output].is_output_ = true;
}

size_t Schedule::Find(const TensorNode* tensor) const {
  for (size_t i = 0; i < stages_.size(); ++i) {
    if (stages_[i]->tensor_.get() == tensor) return i;
  }
  return stages_.size();
}

Stage& Schedule::operator[](const Tensor& tensor) {
  const size_t index = Find(tensor.get());
  COSIM_CHECK(index < stages_.size(), "'{}' is no stage of this schedule", tensor->name);
  return *stages_[index];
}

std::string Schedule::FreshName(const std::string& base) const {
  auto taken = [&](const std::string& name) {
    return std::any_of(stages_.begin(), stages_.end(),
                       [&](const auto& stage) { return stage->name() == name; });
  };
  std::string name = base;
  for (int i = 1; taken(name); ++i) name = fmt::format("{}{}", base, i);
  return name;
}

Tensor Schedule::CacheRead(const Tensor& tensor, const std::string& scope,
                           const std::vector<Tensor>& readers) {
  COSIM_CHECK(!readers.empty(), "cache_read of '{}' without readers", tensor->name);
  const Tensor cache = CopyOf(tensor, FreshName(tensor->name + "." + scope));
  size_t first_reader = stages_.size();
  for (const Tensor& reader : readers) {
    Stage& stage = (*this)[reader];
    COSIM_CHECK(Reads(stage.body_, tensor.get()), "cache_read: '{}' does not read '{}'", reader->name,
                tensor->name);
    stage.ReplaceReads(tensor.buffer(), cache.buffer());
    first_reader = std::min(first_reader, Find(reader.get()));
  }
  auto stage = std::make_unique<Stage>(cache);
  stage->scope_ = scope;
  stages_.insert(stages_.begin() + first_reader, std::move(stage));
  return cache;
}

std::vector<const Stage*> Schedule::stages() const {
  std::vector<const Stage*> stages;
  for (const auto& stage : stages_) stages.push_back(stage.get());
  return stages;
}

}  // namespace cosim::te
