// SPDX-License-Identifier: Apache-2.0
#include "compiler/accel/leaf_plan.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <utility>

#include "isa/check.h"

namespace cosim::accel {
namespace {

/// Joins runs that touch; they are ascending by their begin.
void Join(std::vector<ElementRun>& runs) {
  size_t last = 0;
  for (size_t i = 1; i < runs.size(); ++i) {
    if (runs[i].begin <= runs[last].end) {
      runs[last].end = std::max(runs[last].end, runs[i].end);
    } else {
      runs[++last] = runs[i];
    }
  }
  runs.resize(last + 1);
}

/// The space with the rows that the operand reads at once as one dimension more.
IndexSpace WithLines(IndexSpace space, const LeafOperand& operand) {
  if (operand.lines == 1) return space;
  space.extents.push_back(operand.lines);
  for (std::vector<int64_t>& strides : space.strides) strides.push_back(operand.pitch);
  return space;
}

class Planner {
 public:
  Planner(const LeafRules& rules, const IndexSpace& whole, bool with_reach)
      : rules_(rules), whole_(whole), with_reach_(with_reach) {}

  std::vector<LeafPart> Run() {
    if (std::ranges::count(whole_.extents, 0) > 0) return {};
    rules_.apart ? Repeat(whole_) : Split(whole_, true);
    return std::move(parts_);
  }

 private:
  // A reduction of an ALU op updates one element again and again: the updates are far enough apart when a row
  // of others stands between, or by an instruction a point.
  void Repeat(const IndexSpace& space) {
    if (auto nest = PlanRepeatedNest(space, rules_.iterations, rules_.bases_in_micro_ops, *rules_.apart))
      return Add(space, true, std::move(*nest));
    for (size_t d = 0; d < space.extents.size(); ++d) {
      if (space.extents[d] == 1 || space.strides[space.result][d] != 0) continue;
      IndexSpace point = space;
      point.extents[d] = 1;
      for (int64_t v = 0; v < space.extents[d]; ++v) {
        Repeat(point);
        for (size_t i = 0; i < point.bases.size(); ++i) point.bases[i] += point.strides[i][d];
      }
      return;
    }
    Split(space, true);
  }

  // The space at once or, where that takes too many micro-ops, the halves of its largest dim.
  void Split(const IndexSpace& space, bool first) {
    HardwareNest nest = PlanNest(space, rules_.iterations, rules_.bases_in_micro_ops, rules_.rows);
    if (nest.micro_op_count <= rules_.micro_ops) return Add(space, first, std::move(nest));
    const size_t d = std::ranges::max_element(space.extents) - space.extents.begin();
    COSIM_CHECK(space.extents[d] > 1);
    const bool reduction = space.strides[space.result][d] == 0;
    IndexSpace low = space, high = space;
    low.extents[d] = space.extents[d] / 2;
    high.extents[d] = space.extents[d] - low.extents[d];
    for (size_t i = 0; i < space.bases.size(); ++i) high.bases[i] += low.extents[d] * space.strides[i][d];
    Split(low, first);
    Split(high, first && !reduction);
  }

  void Add(const IndexSpace& space, bool first, HardwareNest nest) {
    LeafPart& part = parts_.emplace_back();
    part.first = first;
    part.nest = std::move(nest);
    IndexSpace from_zero = space;
    for (size_t i = 0; i < space.bases.size(); ++i) {
      part.shift.push_back(space.bases[i] - whole_.bases[i]);
      from_zero.bases[i] = 0;
    }
    if (!rules_.bases_in_micro_ops) std::ranges::fill(part.nest.bases, 0);
    if (!with_reach_) return;
    for (const LeafOperand& operand : rules_.operands)
      part.reach.push_back(Reach(WithLines(from_zero, operand), operand.index, operand.parts));
  }

  const LeafRules& rules_;
  const IndexSpace& whole_;
  bool with_reach_;
  std::vector<LeafPart> parts_;
};

}  // namespace

// From the smallest stride on: what a larger one repeats mostly lies behind it, and then nothing needs
// sorting.
std::vector<ElementRun> Reach(const IndexSpace& space, int index, int64_t parts) {
  int64_t first = space.bases[index];
  std::map<int64_t, int64_t> last;  // of each stride, the largest multiple: dims of one stride add up
  for (size_t d = 0; d < space.extents.size(); ++d) {
    const int64_t stride = space.strides[index][d], steps = space.extents[d] - 1;
    if (stride == 0 || steps <= 0) continue;
    if (stride < 0) first += stride * steps;
    last[std::abs(stride)] += steps;
  }
  std::vector<ElementRun> runs = {{static_cast<int32_t>(first), static_cast<int32_t>(first + parts)}};
  for (const auto& [stride, multiple] : last) {
    const size_t count = runs.size();
    if (count == 1 && stride <= runs[0].end - runs[0].begin) {
      runs[0].end += static_cast<int32_t>(multiple * stride);
      continue;
    }
    const bool overlaps = stride < runs.back().end - runs.front().begin;
    runs.reserve(count * static_cast<size_t>(multiple + 1));
    for (int64_t v = 1; v <= multiple; ++v)
      for (size_t i = 0; i < count; ++i) {
        const auto by = static_cast<int32_t>(v * stride);
        runs.push_back({runs[i].begin + by, runs[i].end + by});
      }
    if (overlaps) std::ranges::sort(runs, {}, &ElementRun::begin);
    Join(runs);
  }
  return runs;
}

std::vector<LeafPart> PlanLeaf(const LeafRules& rules, const IndexSpace& space, bool with_reach) {
  return Planner(rules, space, with_reach).Run();
}

}  // namespace cosim::accel
