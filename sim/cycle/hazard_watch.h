// SPDX-License-Identifier: Apache-2.0
// For programs that nobody verified: finds instructions that were in flight together and touched the same
// elements or DRAM bytes, one of them writing. Looks at one run's times; isa/verify/verify.h looks at all
// possible ones.
#pragma once

#include <deque>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "isa/program/decode.h"
#include "isa/program/microops.h"
#include "isa/program/program.h"
#include "isa/spec/spec.h"
#include "isa/verify/footprint.h"
#include "runtime/profile.h"

namespace cosim::sim {

class HazardWatch {
 public:
  /// `order` lists all instructions by retirement. All arguments must outlive the watch.
  HazardWatch(const isa::Spec& spec, const isa::Program& program, std::span<const isa::Decoded> decoded,
              std::span<const runtime::InstructionTimes> times, std::span<const size_t> order);

  /// Takes the next instruction of `order`, which is in bounds. The earlier one that it conflicts with,
  /// described by `name`, or "". An instruction with micro-ops that no segment holds is not looked at.
  std::string Execute(const std::function<std::string(size_t)>& name);

 private:
  struct Access {
    int memory;
    bool is_write;
    isa::IndexSet elements;
  };
  struct Flown {
    size_t instruction;
    std::vector<Access> accesses;
  };
  bool MicroOpsKnown(const isa::Decoded& instruction) const;
  std::string Conflict(const Flown& before, const Flown& now,
                       const std::function<std::string(size_t)>& name) const;
  bool DramConflict(const Flown& before, const Flown& now) const;

  const isa::Spec& spec_;
  std::span<const isa::Decoded> decoded_;
  std::span<const runtime::InstructionTimes> times_;
  std::span<const size_t> order_;
  std::vector<runtime::Cycle> earliest_issue_;  ///< of order_[i] and all after it
  isa::MicroOpMemories micro_ops_;
  isa::FootprintBuilder footprints_;
  std::deque<Flown> flown_;  ///< those that a later one may have been in flight with
  size_t next_ = 0;
};

}  // namespace cosim::sim
