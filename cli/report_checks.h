// SPDX-License-Identifier: Apache-2.0
// What a run was held against, in the report of every device: --check, the verdict, and their JSON.
#pragma once

#include <boost/program_options.hpp>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "compiler/session/session.h"

namespace cosim::cli {

/// What --check says; nothing after printing a mistake.
std::optional<session::Check> CheckIn(const boost::program_options::variables_map& values);

/// The last lines of the table.
std::string Verdict(const session::Result& result, const session::Options& options);

/// The keys `outputs` and `unchecked_layers`.
void AddOutputs(const session::Result& result, nlohmann::ordered_json& json);
/// The keys `checked_layers` and `quantization`, where there is something for them.
void AddCheckedLayers(const session::Result& result, nlohmann::ordered_json& json);

}  // namespace cosim::cli
