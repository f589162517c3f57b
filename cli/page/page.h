// SPDX-License-Identifier: Apache-2.0
// A report as one file of HTML that needs no network: a page, its style and script (cli/page/assets), the
// library that draws, and what it shows as JSON. What that means is run_page.h's and sweep_page.h's.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "cli/page/charts.h"

namespace cosim::cli {

/// Nothing after printing which file of cosim's own cannot be read.
std::optional<std::string> PageText(const std::string& title, const nlohmann::ordered_json& data,
                                    const ChartLibrary& library);

}  // namespace cosim::cli
