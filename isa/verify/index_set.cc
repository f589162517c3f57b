// SPDX-License-Identifier: Apache-2.0
// Bit maps of element indices.
#include "isa/verify/index_set.h"

#include <algorithm>

#include "isa/check.h"

namespace cosim::isa {
namespace {

/// The bits of word `word` that lie in [begin, end).
uint64_t RangeMask(int64_t word, int64_t begin, int64_t end) {
  const int64_t low = std::max<int64_t>(begin - word * 64, 0), high = std::min<int64_t>(end - word * 64, 64);
  if (low >= high) return 0;
  const uint64_t below_high = high == 64 ? ~uint64_t{0} : (uint64_t{1} << high) - 1;
  return below_high & ~((uint64_t{1} << low) - 1);
}

/// Bits that are set: x86-64 has an instruction for it only since its second level, and the library's way
/// around is a call.
int64_t BitsIn(uint64_t word) {
  word -= word >> 1 & 0x5555555555555555;
  word = (word & 0x3333333333333333) + (word >> 2 & 0x3333333333333333);
  word = (word + (word >> 4)) & 0x0f0f0f0f0f0f0f0f;
  return static_cast<int64_t>(word * 0x0101010101010101 >> 56);
}

}  // namespace

void IndexSet::Reset(int64_t size) { words_.assign((size + 63) / 64, 0); }

void IndexSet::AddRange(int64_t begin, int64_t end) {
  for (int64_t word = begin / 64; word * 64 < end; ++word) words_[word] |= RangeMask(word, begin, end);
}

void IndexSet::Add(const IndexSet& other) {
  for (size_t w = 0; w < words_.size(); ++w) words_[w] |= other.words_[w];
}

void IndexSet::Remove(const IndexSet& other) {
  for (size_t w = 0; w < words_.size(); ++w) words_[w] &= ~other.words_[w];
}

void IndexSet::AddShifted(const IndexSet& other, int64_t offset) {
  const int64_t words = static_cast<int64_t>(words_.size());
  const int64_t whole = offset / 64;
  const int bits = static_cast<int>(offset % 64);
  int64_t low = 0, high = std::ssize(other.words_);  // its words that have any are in between
  while (high > 0 && other.words_[high - 1] == 0) --high;
  while (low < high && other.words_[low] == 0) ++low;
  // Downwards, so that a set can be added to itself.
  for (int64_t to = std::min(words - 1, whole + high); to >= whole + low; --to) {
    const int64_t from = to - whole;
    uint64_t moved = from < high ? other.words_[from] << bits : 0;
    if (bits != 0 && from > 0) moved |= other.words_[from - 1] >> (64 - bits);
    words_[to] |= moved;
  }
}

void IndexSet::Repeat(int64_t stride, int64_t count) {
  COSIM_CHECK(stride >= 0 && count >= 1);
  if (stride == 0) return;
  for (int64_t done = 1; done < count;) {
    const int64_t more = std::min(done, count - done);
    AddShifted(*this, stride * more);
    done += more;
  }
}

void IndexSet::AssignSums(const IndexSet& a, const IndexSet& b) {
  Reset(static_cast<int64_t>(a.words_.size()) * 64);
  const bool a_is_smaller = a.Count() < b.Count();
  const IndexSet& few = a_is_smaller ? a : b;
  const IndexSet& many = a_is_smaller ? b : a;
  few.ForEach([&](int64_t offset) { AddShifted(many, offset); });
}

int64_t IndexSet::Count() const {
  int64_t count = 0;
  for (uint64_t word : words_) count += BitsIn(word);
  return count;
}

bool IndexSet::Empty() const {
  return std::ranges::all_of(words_, [](uint64_t word) { return word == 0; });
}

int64_t IndexSet::First() const {
  const auto word = std::ranges::find_if(words_, [](uint64_t bits) { return bits != 0; });
  COSIM_CHECK(word != words_.end());
  return (word - words_.begin()) * 64 + std::countr_zero(*word);
}

bool IndexSet::Contains(const IndexSet& other) const {
  for (size_t w = 0; w < words_.size(); ++w) {
    if ((other.words_[w] & ~words_[w]) != 0) return false;
  }
  return true;
}

bool IndexSet::Intersects(const IndexSet& other) const {
  const size_t words = std::min(words_.size(), other.words_.size());
  for (size_t w = 0; w < words; ++w) {
    if ((words_[w] & other.words_[w]) != 0) return true;
  }
  return false;
}

bool IndexSet::AnyIn(int64_t begin, int64_t end) const {
  const int64_t words = static_cast<int64_t>(words_.size());
  for (int64_t word = begin / 64; word < words && word * 64 < end; ++word) {
    if ((words_[word] & RangeMask(word, begin, end)) != 0) return true;
  }
  return false;
}

}  // namespace cosim::isa
