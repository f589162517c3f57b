// SPDX-License-Identifier: Apache-2.0
// The library that a report's page draws its charts with: Apache ECharts, which is not part of cosim.
// scripts/report-tools fetches it into the user's cache.
#pragma once

#include <optional>
#include <string>

namespace cosim::cli {

struct ChartLibrary {
  std::string version;  ///< "6.1.0"
  std::string script;   ///< with its licences, as JavaScript that may stand in a page
};

/// Nothing after printing how to get it.
std::optional<ChartLibrary> LoadChartLibrary();

}  // namespace cosim::cli
