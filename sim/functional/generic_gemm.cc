// SPDX-License-Identifier: Apache-2.0
// Evaluates tensor intrinsics by tables of lane numbers.
#include "sim/functional/generic_gemm.h"

namespace cosim::sim {
namespace {

/// What each value of an axis adds to `operand`'s lane number, where lanes of further elements, then of
/// further rows, count on.
std::vector<std::vector<int64_t>> AxisLanes(const isa::Spec& spec, const isa::Intrinsic& intrinsic,
                                            const isa::Operand& operand) {
  std::vector<std::vector<int64_t>> lanes;
  for (const isa::Intrinsic::Axis& axis : intrinsic.axes) lanes.emplace_back(axis.extent, 0);
  const isa::Memory& memory = spec.memories[operand.memory];
  int64_t pitch = 1;
  for (size_t d = operand.lanes.size(); d-- > 0;) {
    for (const isa::LaneTerm& term : operand.lanes[d]) {
      std::vector<int64_t>& values = lanes[term.axis];
      for (size_t v = 0; v < values.size(); ++v)
        values[v] += pitch * term.scale * (static_cast<int64_t>(v) / term.divisor);
    }
    pitch *= memory.lanes[d];
  }
  if (operand.row_axis >= 0) {
    std::vector<int64_t>& values = lanes[operand.row_axis];
    for (size_t v = 0; v < values.size(); ++v) values[v] += pitch * static_cast<int64_t>(v);
  }
  if (operand.line_axis >= 0) {
    std::vector<int64_t>& values = lanes[operand.line_axis];
    for (size_t v = 0; v < values.size(); ++v) values[v] += pitch * operand.parts * static_cast<int64_t>(v);
  }
  return lanes;
}

/// Lane numbers by the values of `axes`, the last one fastest.
std::vector<int64_t> Enumerate(const std::vector<int>& axes, const std::vector<std::vector<int64_t>>& lanes) {
  std::vector<int64_t> numbers = {0};
  for (const int axis : axes) {
    std::vector<int64_t> next;
    for (const int64_t number : numbers) {
      for (const int64_t lane : lanes[axis]) next.push_back(number + lane);
    }
    numbers = std::move(next);
  }
  return numbers;
}

}  // namespace

GenericGemm::GenericGemm(const isa::Spec& spec, const isa::Intrinsic& intrinsic)
    : dst_memory_(intrinsic.dst.memory) {
  std::vector<int> summed;
  for (int axis = 0; axis < static_cast<int>(intrinsic.axes.size()); ++axis) {
    if (intrinsic.axes[axis].reduce) summed.push_back(axis);
  }
  for (const isa::Operand& operand : intrinsic.sources) {
    const auto lanes = AxisLanes(spec, intrinsic, operand);
    Source& source = sources_.emplace_back();
    source.memory = operand.memory;
    source.lines = operand.lines;
    source.by_lane = Enumerate(intrinsic.dst.axes, lanes);
    source.by_term = Enumerate(summed, lanes);
    source.values.resize(spec.memories[operand.memory].LaneCount() * operand.parts * operand.lines);
    terms_ = static_cast<int64_t>(source.by_term.size());
  }
  sums_.resize(spec.memories[dst_memory_].LaneCount());
}

void GenericGemm::Step(Memories& memories, const std::vector<int64_t>& elements, int64_t pitch,
                       TileMode mode) {
  std::fill(sums_.begin(), sums_.end(), 0);
  const int64_t lanes = static_cast<int64_t>(sums_.size());
  if (mode != TileMode::kReset) {
    for (size_t s = 0; s < sources_.size(); ++s) {
      Source& source = sources_[s];
      const MemoryStore& store = memories.Store(source.memory);
      const auto row = static_cast<std::ptrdiff_t>(source.values.size()) / source.lines;
      WithStorage(store.fields[0], [&](const auto* values) {
        for (int line = 0; line < source.lines; ++line)
          std::copy_n(values + (elements[1 + s] + line * pitch) * store.lanes, row,
                      source.values.begin() + line * row);
      });
    }
    for (int64_t lane = 0; lane < lanes; ++lane) {
      for (int64_t term = 0; term < terms_; ++term) {
        uint64_t product = 1;
        for (const Source& source : sources_) {
          product *= static_cast<uint64_t>(source.values[source.by_lane[lane] + source.by_term[term]]);
        }
        sums_[lane] += product;
      }
    }
  }
  LaneArray& dst = memories.Store(dst_memory_).fields[0];
  WithStorage(dst, [&](auto* values) {
    auto* to = values + elements[0] * lanes;
    for (int64_t lane = 0; lane < lanes; ++lane) {
      const uint64_t before = mode == TileMode::kAccumulate ? static_cast<uint64_t>(to[lane]) : 0;
      const int64_t sum = WrapTo(static_cast<int64_t>(before + sums_[lane]), dst.type());
      to[lane] = static_cast<std::remove_reference_t<decltype(*to)>>(sum);
    }
  });
}

}  // namespace cosim::sim
