// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/tflite/sparse.h"

#include <cstring>
#include <iterator>

namespace cosim::import::tflite {
namespace {

// Of a tensor that a small file may describe, and of a walk that recurses.
constexpr int64_t kMostDense = int64_t{1} << 26;
constexpr size_t kMostLevels = 32;

/// A walk over the tree, from the outermost level to the stored elements.
class Walk {
 public:
  Walk(const Sparsity& sparsity, std::span<const uint8_t> data, graph::Tensor& to)
      : sparsity_(sparsity),
        data_(data),
        to_(to),
        size_(static_cast<size_t>(graph::SizeOf(to.dtype()))),
        at_(sparsity.levels.size(), 0) {}

  /// The coordinates of each dimension are blocks of that many elements.
  bool Prepare() {
    const size_t rank = to_.shape().size(), levels = sparsity_.levels.size();
    if (levels > kMostLevels || sparsity_.order.size() != levels || levels != rank + sparsity_.blocks.size())
      return false;
    std::vector<bool> seen(levels, false);
    extent_.assign(levels, 0);
    for (size_t d = 0; d < rank; ++d) extent_[d] = to_.shape()[d];
    for (size_t l = 0; l < levels; ++l) {
      const int64_t d = sparsity_.order[l];
      if (d < 0 || d >= static_cast<int64_t>(levels) || seen[d]) return false;
      seen[d] = true;
      if (d < static_cast<int64_t>(rank)) continue;
      const int64_t of = sparsity_.blocks[d - rank], block = sparsity_.levels[l].extent;
      if (sparsity_.levels[l].sparse || of < 0 || of >= static_cast<int64_t>(rank)) return false;
      if (block < 1 || extent_[of] % block != 0) return false;
      extent_[of] /= block;
      extent_[d] = block;
    }
    for (size_t l = 0; l < levels; ++l)
      if (!sparsity_.levels[l].sparse && sparsity_.levels[l].extent != extent_[sparsity_.order[l]])
        return false;
    return true;
  }

  /// `node`: of the level's parent.
  bool Visit(size_t l, int64_t node) {
    if (l == sparsity_.levels.size()) return Store();
    const Sparsity::Level& level = sparsity_.levels[l];
    const int64_t dimension = sparsity_.order[l];
    if (!level.sparse) {
      for (int64_t i = 0; i < level.extent; ++i) {
        at_[dimension] = i;
        if (!Visit(l + 1, node * level.extent + i)) return false;
      }
      return true;
    }
    if (node + 1 >= std::ssize(level.segments)) return false;
    const int64_t first = level.segments[node], last = level.segments[node + 1];
    if (first < 0 || last > std::ssize(level.indices)) return false;
    for (int64_t i = first; i < last; ++i) {
      // Rising, so that no element is visited twice.
      if (level.indices[i] < 0 || level.indices[i] >= extent_[dimension] ||
          (i > first && level.indices[i] <= level.indices[i - 1]))
        return false;
      at_[dimension] = level.indices[i];
      if (!Visit(l + 1, i)) return false;
    }
    return true;
  }

  bool AllRead() const { return read_ == data_.size(); }

 private:
  bool Store() {
    const size_t rank = to_.shape().size();
    std::vector<int64_t> place(at_.begin(), at_.begin() + static_cast<std::ptrdiff_t>(rank));
    for (size_t b = 0; b < sparsity_.blocks.size(); ++b) {
      int64_t& of = place[sparsity_.blocks[b]];
      of = of * extent_[rank + b] + at_[rank + b];
    }
    size_t index = 0;
    for (size_t d = 0; d < rank; ++d) index = index * static_cast<size_t>(to_.shape()[d]) + place[d];
    if (read_ + size_ > data_.size()) return false;
    std::memcpy(to_.mutable_bytes().data() + index * size_, data_.data() + read_, size_);
    read_ += size_;
    return true;
  }

  const Sparsity& sparsity_;
  std::span<const uint8_t> data_;
  graph::Tensor& to_;
  size_t size_, read_ = 0;
  std::vector<int64_t> at_, extent_;
};

}  // namespace

std::optional<graph::Tensor> Densified(const Sparsity& sparsity, const graph::TensorType& type,
                                       std::span<const uint8_t> data) {
  if (graph::NumElements(type.shape) > kMostDense) return std::nullopt;
  graph::Tensor to(type);
  Walk walk(sparsity, data, to);
  if (!walk.Prepare() || !walk.Visit(0, 0) || !walk.AllRead()) return std::nullopt;
  return to;
}

}  // namespace cosim::import::tflite
