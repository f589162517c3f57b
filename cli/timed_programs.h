// SPDX-License-Identifier: Apache-2.0
// When each instruction of a network was in flight, for those who draw it: the page's timeline and the trace.
// Programs are timed again for it, which takes milliseconds; no data move.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "isa/program/decode.h"
#include "isa/spec/spec.h"
#include "runtime/layer_windows.h"
#include "runtime/network.h"
#include "sim/cycle/activity.h"

namespace cosim::cli {

/// One of a network's programs. They stand one behind the other, so that cycles and instructions count on.
struct TimedProgram {
  const runtime::AcceleratorStep& step;
  runtime::Cycle begin;       ///< cycles of the programs before it
  int64_t first_instruction;  ///< … and their instructions
  std::vector<isa::Decoded> instructions;
  runtime::Counters counters;  ///< those of each instruction included
  sim::ActivityRecord record;  ///< empty, unless asked for
  std::vector<runtime::LayerWindow> layers;
};

/// Visits the programs of a network in turn, keeping none. False, and `error` set, when one gets stuck.
bool ForEachTimedProgram(const isa::Spec& spec, const runtime::Network& network, bool with_record,
                         const std::function<void(const TimedProgram&)>& visit, std::string& error);

}  // namespace cosim::cli
