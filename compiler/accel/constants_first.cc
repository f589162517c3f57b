// SPDX-License-Identifier: Apache-2.0
#include "compiler/accel/constants_first.h"

#include <algorithm>
#include <utility>

namespace cosim::accel {
namespace {

bool Meet(const Footprint& a, const Footprint& b) {
  return std::ranges::any_of(a.on_chip, [&](const Footprint::OnChip& x) {
    return std::ranges::any_of(b.on_chip, [&](const Footprint::OnChip& y) {
      return x.memory == y.memory && x.begin < y.end && y.begin < x.end;
    });
  });
}

}  // namespace

ConstantsFirst::ConstantsFirst(const isa::Spec& spec, std::vector<DramRange> written, InstructionSink& next)
    : spec_(spec), written_(std::move(written)), next_(next) {}

bool ConstantsFirst::ReadsConstants(const Footprint& footprint) const {
  return std::ranges::none_of(footprint.dram, [&](const Footprint::Dram& read) {
    return std::ranges::any_of(
        written_, [&](const DramRange& range) { return read.begin < range.end && range.begin < read.end; });
  });
}

bool ConstantsFirst::IsHeldUp() const {
  bool held_up = false;
  for (size_t later = 0; later < first_.size(); ++later)
    for (size_t i = 0; i < later; ++i) {
      if (!first_[later].of_constants || first_[i].of_constants) continue;
      if (Meet(first_[later].footprint, first_[i].footprint)) return false;
      held_up |= first_[later].unit == first_[i].unit;
    }
  return held_up;
}

void ConstantsFirst::Add(isa::Instruction instruction, const Footprint& footprint, int tag) {
  const isa::InstructionFormat& format = spec_.formats[instruction.format];
  const bool loads = format.kind == isa::Kind::kLoad;
  if (tag > kernel_) {
    Finish();
    kernel_ = tag;
    begins_ = true;
  }
  if (begins_ && loads && tag == kernel_) {
    first_.push_back({std::move(instruction), footprint, ReadsConstants(footprint), format.unit});
    return;
  }
  Finish();
  begins_ = false;
  next_.Add(std::move(instruction), footprint, tag);
}

void ConstantsFirst::Finish() {
  if (IsHeldUp()) std::ranges::stable_partition(first_, &Load::of_constants);
  for (Load& load : first_) next_.Add(std::move(load.instruction), load.footprint, kernel_);
  first_.clear();
}

}  // namespace cosim::accel
