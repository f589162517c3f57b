// SPDX-License-Identifier: Apache-2.0
// What a report's page shows of one run: the JSON that `cosim run` writes of it, and what only a run made
// here can tell.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "isa/spec/spec.h"
#include "runtime/network.h"

namespace cosim::cli {

/// Why `run` is not the JSON of a run on an accelerator, of the schema that this cosim writes; "" when it is.
/// `hint` is set to what would help.
std::string RunFault(const nlohmann::ordered_json& run, std::string& hint);

/// "resnet18 on pynq (cosim)". Of a run that has no fault.
std::string RunTitle(const nlohmann::ordered_json& run);

/// `source`: the file it came from, or the command. `dram` and `timeline` are null where only a run made here
/// would know.
nlohmann::ordered_json RunPage(const std::string& source, nlohmann::ordered_json run,
                               nlohmann::ordered_json dram, nlohmann::ordered_json timeline);

/// Where the network keeps what in DRAM: {bytes, value_bytes, regions: [{name, kind, address, bytes}]}, kind
/// being values, instructions, micro-ops or constants, by address.
nlohmann::ordered_json DramJson(const runtime::Network& network);

}  // namespace cosim::cli
