// SPDX-License-Identifier: Apache-2.0
// What a reader of the total has to know before comparing it: work that is not the accelerator's, and parts
// of the accelerator that do none.
#pragma once

#include <string>
#include <vector>

#include "isa/spec/spec.h"
#include "runtime/network.h"

namespace cosim::session {

struct Warning {
  /// What it is about, for programs: "host_macs", "nothing_on_accelerator", "unused", "clock", "state".
  std::string kind;
  std::string text;
};

/// MACs of layers on the accelerator, and of those on the host.
struct MacsByPlace {
  int64_t accelerator = 0, host = 0;
};
MacsByPlace CountMacs(const runtime::Network& network);

std::vector<Warning> WarningsOf(const isa::Spec& spec, const runtime::Network& network);

/// How much of the work may be the host's: all; no MACs; none at all, layouts included.
enum class Require { kNothing, kMacs, kAll };

/// Why `network` is not what is required, naming the first layers that break it; empty if it is.
std::string Violation(Require require, const runtime::Network& network);

}  // namespace cosim::session
