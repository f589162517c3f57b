// SPDX-License-Identifier: Apache-2.0
// The report of `cosim run`, for people and for programs. The JSON's keys are an interface
// (docs/reference/run-json.md).
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "compiler/session/session.h"

namespace cosim::cli {

std::string RunTable(const session::Result& result, const isa::Spec& spec, const session::Options& options);
nlohmann::ordered_json RunObject(const session::Result& result, const isa::Spec& spec,
                                 const session::Options& options);
/// That as text.
std::string RunJson(const session::Result& result, const isa::Spec& spec, const session::Options& options);

}  // namespace cosim::cli
