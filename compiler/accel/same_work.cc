// SPDX-License-Identifier: Apache-2.0
// Which instructions of other units compute what one does. See capabilities.h.
#include <algorithm>
#include <set>

#include "compiler/accel/capabilities.h"

namespace cosim::accel {
namespace {

// Finds, for each source of `from`, one of `to` of its own that plays its part.
class Pairing {
 public:
  Pairing(const isa::Spec& spec, const isa::Intrinsic& from, const isa::Intrinsic& to)
      : spec_(spec), from_(from), to_(to), axis_(from.axes.size(), -1), taken_(to.sources.size(), false) {}

  bool Run() {
    return from_.axes.size() == to_.axes.size() && from_.sources.size() == to_.sources.size() &&
           from_.dst.memory == to_.dst.memory && Bind(from_.dst, to_.dst) && Take();
  }
  std::vector<int> sources;  // of `from`, one for each of `to`

 private:
  bool Take() {
    if (sources_.size() == from_.sources.size()) {
      sources.assign(sources_.size(), -1);
      for (size_t s = 0; s < sources_.size(); ++s)
        sources[static_cast<size_t>(sources_[s])] = static_cast<int>(s);
      return true;
    }
    const isa::Operand& source = from_.sources[sources_.size()];
    for (size_t t = 0; t < to_.sources.size(); ++t) {
      const std::vector<int> axis = axis_;
      if (taken_[t] || !IsReadable(source.memory, to_.sources[t].memory)) continue;
      if (Bind(source, to_.sources[t])) {
        taken_[t] = true;
        sources_.push_back(static_cast<int>(t));
        if (Take()) return true;
        sources_.pop_back();
        taken_[t] = false;
      }
      axis_ = axis;
    }
    return false;
  }

  bool IsReadable(int memory, int other) const {
    return memory == other || (other != from_.dst.memory && HoldAlike(spec_, memory, other) &&
                               FindTransfer(spec_, other, false) >= 0);
  }

  bool Bind(const isa::Operand& from, const isa::Operand& to) {
    if (from.axes.size() != to.axes.size() || from.parts != to.parts || from.lines != to.lines) return false;
    for (size_t i = 0; i < from.axes.size(); ++i) {
      int& axis = axis_[static_cast<size_t>(from.axes[i])];
      const bool is_free = axis < 0 && std::ranges::find(axis_, to.axes[i]) == axis_.end();
      if (!is_free && axis != to.axes[i]) return false;
      if (from_.axes[from.axes[i]].extent != to_.axes[to.axes[i]].extent) return false;
      axis = to.axes[i];
    }
    return true;
  }

  const isa::Spec& spec_;
  const isa::Intrinsic &from_, &to_;
  std::vector<int> axis_;     // of `from`: which of `to`
  std::vector<bool> taken_;   // sources of `to`
  std::vector<int> sources_;  // of `to`, one for each of `from` so far
};

}  // namespace

bool HoldAlike(const isa::Spec& spec, int a, int b) {
  const isa::Memory &x = spec.memories[a], &y = spec.memories[b];
  return x.lanes == y.lanes && x.fields.size() == 1 && y.fields.size() == 1 &&
         x.fields[0].type == y.fields[0].type && x.mirrors < 0 && y.mirrors < 0;
}

std::vector<SameWork> FindSameWork(const isa::Spec& spec, int format) {
  const isa::Intrinsic& intrinsic = *spec.formats[format].intrinsic;
  std::vector<SameWork> found;
  std::set<int> units;
  const auto add = [&](int f) {
    Pairing pairing(spec, intrinsic, *spec.formats[f].intrinsic);
    if (pairing.Run() && units.insert(spec.formats[f].unit).second)
      found.push_back({f, std::move(pairing.sources)});
  };
  add(format);
  for (size_t f = 0; f < spec.formats.size(); ++f)
    if (spec.formats[f].intrinsic && Misfit(spec, spec.formats[f]).empty()) add(static_cast<int>(f));
  return found;
}

}  // namespace cosim::accel
