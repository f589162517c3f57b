// SPDX-License-Identifier: Apache-2.0
// Who holds which bank of the shared memories (rule I2): from an instruction's issue to its retirement.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "isa/program/decode.h"
#include "isa/spec/spec.h"
#include "sim/cycle/time.h"

namespace cosim::sim {

using isa::BankMasks;

class BankLocks {
 public:
  explicit BankLocks(const isa::Spec& spec) {
    for (const isa::Memory& memory : spec.memories) {
      first_.push_back(static_cast<int>(banks_.size()));
      banks_.resize(banks_.size() + static_cast<size_t>(std::max(memory.banks, 32)));
    }
  }

  /// The first cycle from `now` on in which `unit` may hold all of `masks`, as far as is known.
  Cycle FreeTime(int unit, const BankMasks& masks, Cycle now) const {
    Cycle time = now;
    ForEach(masks, [&](int bank) {
      const Bank& b = banks_[static_cast<size_t>(bank)];
      if (b.holder != unit) time = std::max(time, b.unknown > 0 ? kNever : b.free);
    });
    return time;
  }

  /// An instruction of `unit` that names `masks` issues; its Release follows, possibly in the same cycle.
  void Hold(int unit, const BankMasks& masks) {
    ForEach(masks, [&](int bank) {
      banks_[static_cast<size_t>(bank)].holder = unit;
      ++banks_[static_cast<size_t>(bank)].unknown;
    });
  }
  /// It is now known that the instruction retires in cycle `retire`, which may lie ahead.
  void Release(const BankMasks& masks, Cycle retire) {
    ForEach(masks, [&](int bank) {
      --banks_[static_cast<size_t>(bank)].unknown;
      banks_[static_cast<size_t>(bank)].free = retire + 1;
    });
  }

  /// The unit that holds one of `masks` against `unit`, -1 if none.
  int Holder(int unit, const BankMasks& masks, Cycle now) const {
    int holder = -1;
    ForEach(masks, [&](int bank) {
      const Bank& b = banks_[static_cast<size_t>(bank)];
      if (b.holder != unit && (b.unknown > 0 || b.free > now)) holder = b.holder;
    });
    return holder;
  }

 private:
  struct Bank {
    int holder = -1;  ///< the unit that took it last
    int unknown = 0;  ///< its instructions in flight of which the retirement is not known yet
    Cycle free = 0;   ///< when unknown is 0: the cycle from which others may take it
  };
  template <typename Visit>
  void ForEach(const BankMasks& masks, Visit visit) const {
    for (const auto& [memory, mask] : masks) {
      for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
        visit(first_[static_cast<size_t>(memory)] + std::countr_zero(rest));
      }
    }
  }
  std::vector<int> first_;  ///< memory -> its first entry in banks_
  std::vector<Bank> banks_;
};

}  // namespace cosim::sim
