// SPDX-License-Identifier: Apache-2.0
#include "compiler/accel/take_turns.h"

#include <algorithm>
#include <map>

namespace cosim::accel {
namespace {

constexpr int64_t kAhead = 1;  // rounds of the first between a store and what reads it

/// A round ends behind its last store.
std::vector<Turn> RoundsOf(int kernel, std::span<const LeafTraffic> leaves) {
  std::vector<Turn> rounds;
  size_t begin = 0;
  for (size_t i = 0; i < leaves.size(); ++i) {
    const bool ends = i + 1 == leaves.size() || (leaves[i].is_store && !leaves[i + 1].is_store);
    if (!ends) continue;
    rounds.push_back({kernel, begin, i + 1});
    begin = i + 1;
  }
  return rounds;
}

/// Which round of a kernel stored each byte last.
class Stored {
 public:
  Stored(std::span<const Turn> rounds, std::span<const LeafTraffic> leaves) {
    for (size_t r = 0; r < rounds.size(); ++r)
      for (const LeafTraffic& leaf : leaves.subspan(rounds[r].begin, rounds[r].end - rounds[r].begin))
        if (leaf.is_store)
          for (const LeafTraffic::Range& range : leaf.ranges) Set(range, static_cast<int64_t>(r));
  }

  /// The last round that stored any of it; -1: none did.
  int64_t LastOf(const LeafTraffic::Range& range) const {
    int64_t last = -1;
    auto at = by_begin_.upper_bound(range.begin);
    if (at != by_begin_.begin()) --at;
    for (; at != by_begin_.end() && at->first < range.end; ++at)
      if (at->second.end > range.begin) last = std::max(last, at->second.round);
    return last;
  }

 private:
  struct Part {
    uint64_t end;
    int64_t round;
  };

  // What was stored before keeps what is left of it on both sides.
  void Set(const LeafTraffic::Range& range, int64_t round) {
    auto at = by_begin_.lower_bound(range.begin);
    if (at != by_begin_.begin() && std::prev(at)->second.end > range.begin) --at;
    while (at != by_begin_.end() && at->first < range.end) {
      const auto [begin, part] = *at;
      at = by_begin_.erase(at);
      if (begin < range.begin) by_begin_[begin] = {range.begin, part.round};
      if (part.end > range.end) by_begin_[range.end] = part;
    }
    by_begin_[range.begin] = {range.end, round};
  }

  std::map<uint64_t, Part> by_begin_;
};

/// The leaves of rounds [begin, end) of the second spread over those of a round of the first.
void Spread(const Turn& round, std::span<const Turn> second, std::vector<Turn>& turns) {
  if (second.empty()) return turns.push_back(round);
  const size_t begin = second.front().begin, leaves = second.back().end - begin;
  const size_t all = round.end - round.begin;
  size_t placed = 0;
  for (size_t i = 0; i < all; ++i) {
    turns.push_back({round.kernel, round.begin + i, round.begin + i + 1});
    const size_t due = leaves * (i + 1) / all;
    if (due > placed) turns.push_back({second.front().kernel, begin + placed, begin + due});
    placed = due;
  }
}

}  // namespace

std::vector<Turn> TakeTurns(std::span<const LeafTraffic> first, std::span<const LeafTraffic> second,
                            TurnSize size) {
  const std::vector<Turn> leading = RoundsOf(0, first), following = RoundsOf(1, second);
  const Stored stored(leading, first);
  std::vector<int64_t> needed;  // rounds of the first that have to be there
  for (const Turn& round : following) {
    int64_t last = -1;
    for (const LeafTraffic& leaf : second.subspan(round.begin, round.end - round.begin))
      if (!leaf.is_store)
        for (const LeafTraffic::Range& range : leaf.ranges) last = std::max(last, stored.LastOf(range));
    needed.push_back(std::max(last + 1, needed.empty() ? 0 : needed.back()));
  }
  const auto all = static_cast<int64_t>(leading.size()), follow = static_cast<int64_t>(following.size());
  const int64_t start = needed.empty() ? all : std::min(all, needed.front() + kAhead);
  std::vector<Turn> turns;
  size_t b = 0;
  for (int64_t a = 0; a <= all; ++a) {
    const int64_t due = a == all ? follow : follow * (a - start) / std::max<int64_t>(all - start, 1);
    const size_t begin = b;
    while (static_cast<int64_t>(b) < due && (a == all || needed[b] + kAhead <= a)) ++b;
    const auto beside = std::span(following).subspan(begin, b - begin);
    if (size == TurnSize::kLeaf && a < all) {
      Spread(leading[a], beside, turns);
    } else {
      turns.insert(turns.end(), beside.begin(), beside.end());
      if (a < all) turns.push_back(leading[a]);
    }
  }
  return turns;
}

}  // namespace cosim::accel
