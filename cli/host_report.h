// SPDX-License-Identifier: Apache-2.0
// The report of `cosim run --device=host`, for people and for programs. The JSON's keys are an interface
// (docs/reference/run-json.md).
#pragma once

#include <string>

#include "compiler/session/host.h"

namespace cosim::cli {

std::string HostTable(const session::HostResult& measured, const session::Options& options);
std::string HostJson(const session::HostResult& measured, const session::Options& options);

}  // namespace cosim::cli
