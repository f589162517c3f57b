// SPDX-License-Identifier: Apache-2.0
// Evaluates tensor intrinsics by tables of lane numbers.
#include "sim/functional/generic_gemm.h"

namespace cosim::sim {
namespace {

/// How much `operand`'s lane number grows with each axis of the intrinsic.
std::vector<int64_t> AxisStrides(const isa::Intrinsic& intrinsic, const isa::Operand& operand) {
  std::vector<int64_t> strides(intrinsic.axes.size(), 0);
  int64_t stride = 1;
  for (size_t d = operand.axes.size(); d-- > 0;) {
    strides[operand.axes[d]] += stride;
    stride *= intrinsic.axes[operand.axes[d]].extent;
  }
  return strides;
}

/// Lane numbers by the values of `axes`, the last one fastest.
std::vector<int64_t> Enumerate(const isa::Intrinsic& intrinsic, const std::vector<int>& axes,
                               const std::vector<int64_t>& strides) {
  std::vector<int64_t> numbers = {0};
  for (const int axis : axes) {
    std::vector<int64_t> next;
    for (const int64_t number : numbers) {
      for (int i = 0; i < intrinsic.axes[axis].extent; ++i) next.push_back(number + i * strides[axis]);
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
    const std::vector<int64_t> strides = AxisStrides(intrinsic, operand);
    Source& source = sources_.emplace_back();
    source.memory = operand.memory;
    source.by_lane = Enumerate(intrinsic, intrinsic.dst.axes, strides);
    source.by_term = Enumerate(intrinsic, summed, strides);
    source.values.resize(spec.memories[operand.memory].LaneCount());
    terms_ = static_cast<int64_t>(source.by_term.size());
  }
  sums_.resize(spec.memories[dst_memory_].LaneCount());
}

void GenericGemm::Step(Memories& memories, const std::vector<int64_t>& elements, TileMode mode) {
  std::fill(sums_.begin(), sums_.end(), 0);
  const int64_t lanes = static_cast<int64_t>(sums_.size());
  if (mode != TileMode::kReset) {
    for (size_t s = 0; s < sources_.size(); ++s) {
      const MemoryStore& store = memories.Store(sources_[s].memory);
      WithStorage(store.fields[0], [&](const auto* values) {
        const auto* from = values + elements[1 + s] * store.lanes;
        std::copy(from, from + store.lanes, sources_[s].values.begin());
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
