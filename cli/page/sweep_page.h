// SPDX-License-Identifier: Apache-2.0
// What a report's page shows of a sweep: of each point its settings, the numbers of its result, and what a
// reader has to know before taking them for an improvement.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "compiler/explore/database.h"

namespace cosim::cli {

/// {kind: "sweep", source, head, warnings: [text], reasons: [text], points}. Of a point: id, name, network,
/// config, isa, settings, status, diagnostic, and of one that is done `figures`, every number of its result
/// by the name that `cosim pareto` knows it by; `fit` in words, or null; `warnings` by number; `host`, its
/// layers on the host: [name, number of the reason].
nlohmann::ordered_json SweepPage(const std::string& source, const explore::SweepHead& head,
                                 const std::vector<explore::Row>& rows);

}  // namespace cosim::cli
