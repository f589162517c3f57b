// SPDX-License-Identifier: Apache-2.0
// A network's run as a trace for Perfetto (docs/reference/trace.md). How traces are written is
// cli/trace/trace_writer.h's, when things happened cli/timed_programs.h's.
#pragma once

#include <optional>
#include <string>

#include "isa/spec/spec.h"
#include "runtime/network.h"

namespace cosim::cli {

/// The file's bytes. Nothing, and `error` set, when a program gets stuck.
std::optional<std::string> NetworkTrace(const isa::Spec& spec, const runtime::Network& network,
                                        std::string& error);

}  // namespace cosim::cli
