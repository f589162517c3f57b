// SPDX-License-Identifier: Apache-2.0
// Prints a unit's engines: one instance of a hand-written module for each kind of instruction, with the
// signals it needs. Issue, retirement and memories around them are accelerator.h's.
//
// An engine NAME drives NAME_ready, NAME_idle, NAME_busy, NAME_retire and NAME_retire_tag, and NAME_step if
// it computes; it starts with NAME_issue. It reads the decoder's roles, <unit>_<role>, and <unit>_tag.
#pragma once

#include <string>
#include <vector>

#include "isa/spec/spec.h"
#include "isa/sv/plan.h"

namespace cosim::isa {

/// One port of a memory, as expressions. `data` is driven by the memory when read. `slices`: enables of the
/// parts that are written, of `slice_bits` each, the last of what is left; empty for all. `copy`: which one
/// is read where the memory has copies (SvCopies).
struct SvAccess {
  int memory = -1;
  std::string enable, addr, data, slices;
  int64_t slice_bits = 0;
  int copy = 0;
};

struct SvEngine {
  Kind kind;
  std::string name;       ///< "load_load"
  std::string select;     ///< true when the unit's head is for this engine
  std::string lost_turn;  ///< true when a burst it has presented lost its turn; empty: never
  std::string declarations, body;
  std::vector<SvAccess> reads, writes;
  std::vector<std::string> unused;  ///< signals of which some bits may be read by nothing
};

SvEngine SvLoadEngine(const Spec& spec, const SvPlan& plan, const SvUnit& unit);
SvEngine SvGemmEngine(const Spec& spec, const SvUnit& unit);
/// Takes the whole write half of its memory port.
SvEngine SvStoreEngine(const Spec& spec, const SvUnit& unit);
SvEngine SvAluEngine(const Spec& spec, const SvUnit& unit);

/// "c, b, a" of {a, b, c}: what stands in a concatenation whose lowest part is the first item.
std::string SvConcatenation(const std::vector<std::string>& items);

}  // namespace cosim::isa
