// SPDX-License-Identifier: Apache-2.0
#include "compiler/schedules/accel/pool.h"

#include <string>
#include <utility>

namespace cosim::kernels {
namespace {

using te::Indices;
using te::Tensor;
using tir::Expr;

// The sum that a tap of window `i` is.
template <typename Index>
Index At(const PoolAxis& axis, const Index& i, int64_t tap) {
  return i * axis.step + (tap - axis.before);
}

bool NeverInside(const PoolAxis& axis, int64_t size, int64_t tap) {
  return At(axis, axis.out - 1, tap) < 0 || At(axis, int64_t{0}, tap) >= size;
}

// Whether that tap is a sum; null: always.
Expr Inside(const PoolAxis& axis, int64_t size, const Expr& i, int64_t tap) {
  Expr inside;
  const auto also = [&](Expr condition) { inside = inside ? And(inside, condition) : condition; };
  if (At(axis, int64_t{0}, tap) < 0) also(tir::Le(0, At(axis, i, tap)));
  if (At(axis, axis.out - 1, tap) >= size) also(tir::Lt(At(axis, i, tap), size));
  return inside;
}

bool IsWhole(const PoolAxis& axis, int64_t size) {
  return axis.taps == 1 && axis.step == 1 && axis.before == 0 && axis.out == size;
}

Indices AxesOf(const Tensor& tensor) { return {tensor->axes.begin(), tensor->axes.end()}; }

}  // namespace

PoolStart StartOf(const PoolAxis& axis, int64_t size) {
  PoolStart start;
  for (int64_t tap = 0; tap < axis.taps; ++tap) {
    if (At(axis, int64_t{0}, tap) < 0 || At(axis, axis.out - 1, tap) >= size) continue;
    bool shared = axis.taps == 1;  // nothing would be computed in place
    for (int64_t other = 0; other < axis.taps; ++other)
      shared |= other != tap && (other - tap) % axis.step == 0;
    if (start.tap < 0 || !shared) start = {tap, !shared};
    if (start.in_place) break;
  }
  return start;
}

int64_t PoolPasses(const PoolAxis& axis, int64_t size) {
  if (IsWhole(axis, size)) return 0;
  const PoolStart start = StartOf(axis, size);
  return axis.taps + (start.in_place ? -1 : start.tap >= 0 ? 0 : 1);
}

Tensor LargestAlong(const Tensor& sums, size_t dim, const PoolAxis& axis, std::vector<PoolStage>& stages) {
  const int64_t size = sums.shape()[dim];
  if (IsWhole(axis, size)) return sums;
  std::vector<int64_t> shape = sums.shape();
  shape[dim] = axis.out;
  std::vector<std::string> names;
  for (const te::Axis& a : sums->axes) names.push_back(a.name());
  const auto tap_at = [&](Indices i, int64_t tap) {
    i[dim] = At(axis, i[dim], tap);
    return i;
  };
  const std::string name = sums->name + "." + names[dim];
  const PoolStart start = StartOf(axis, size);
  Tensor largest;
  const auto begin = [&] {
    largest = te::Compute(
        name + ".first", shape,
        [&](const Indices& i) -> te::Body {
          return start.tap >= 0 ? sums(tap_at(i, start.tap)) : IdentityOf(te::ReduceOp::kMax, sums.type());
        },
        names);
    stages.push_back({largest, {}, {}});
  };
  if (!start.in_place) begin();
  for (int64_t tap = 0; tap < axis.taps; ++tap) {
    if (tap == start.tap || NeverInside(axis, size, tap)) continue;
    const Tensor before = largest;
    const auto old = [&](const Indices& i) { return before.get() ? before(i) : sums(tap_at(i, start.tap)); };
    largest = te::Compute(
        name + std::to_string(tap), shape,
        [&](const Indices& i) -> te::Body {
          const Expr larger = tir::Max(old(i), sums(tap_at(i, tap)));
          const Expr inside = Inside(axis, size, i[dim], tap);
          return inside ? MakeSelect(inside, larger, old(i)) : larger;
        },
        names);
    const Indices axes = AxesOf(largest);
    stages.push_back({largest, before.get() ? before : sums, before.get() ? axes : tap_at(axes, start.tap)});
  }
  if (!largest.get()) begin();
  return largest;
}

}  // namespace cosim::kernels
