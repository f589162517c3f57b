// SPDX-License-Identifier: Apache-2.0
// Sets of element indices as bit maps, with the operation that makes loop nests cheap: adding a multiple of a
// stride again and again takes a number of steps that grows with the logarithm of the count.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace cosim::isa {

/// A subset of [0, size). Adding an index outside is a bug of the caller.
class IndexSet {
 public:
  /// Makes it empty, for indices below `size`.
  void Reset(int64_t size);

  void Add(int64_t index) { words_[index / 64] |= uint64_t{1} << (index % 64); }
  void AddRange(int64_t begin, int64_t end);
  /// Sets of one size, here and below.
  void Add(const IndexSet& other);
  void Remove(const IndexSet& other);
  void Erase(int64_t index) { words_[index / 64] &= ~(uint64_t{1} << (index % 64)); }
  /// Adds x + offset for every x of `other`, which has this one's size. `other` may be this one.
  void AddShifted(const IndexSet& other, int64_t offset);
  /// Replaces each x by x, x + stride, …, x + (count - 1) * stride. stride >= 0, count >= 1.
  void Repeat(int64_t stride, int64_t count);
  /// Makes it the set of all sums of one index of `a` and one of `b`.
  void AssignSums(const IndexSet& a, const IndexSet& b);

  int64_t Count() const;
  bool Empty() const;
  /// The least index; the set must have one.
  int64_t First() const;
  bool Has(int64_t index) const { return (words_[index / 64] >> (index % 64) & 1) != 0; }
  bool Contains(const IndexSet& other) const;
  bool Intersects(const IndexSet& other) const;
  /// True if some index of [begin, end) is in it.
  bool AnyIn(int64_t begin, int64_t end) const;

  /// Bit b of word w: index w * 64 + b.
  const std::vector<uint64_t>& words() const { return words_; }

  /// Calls function(index) in ascending order.
  template <typename Function>
  void ForEach(Function function) const {
    for (std::size_t w = 0; w < words_.size(); ++w) {
      for (uint64_t rest = words_[w]; rest != 0; rest &= rest - 1) {
        function(static_cast<int64_t>(w * 64) + std::countr_zero(rest));
      }
    }
  }

 private:
  std::vector<uint64_t> words_;
};

}  // namespace cosim::isa
