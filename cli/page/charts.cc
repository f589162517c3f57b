// SPDX-License-Identifier: Apache-2.0
#include "cli/page/charts.h"

#include <fmt/format.h>

#include <filesystem>

#include "cli/options.h"
#include "runtime/private_folder.h"

namespace cosim::cli {
namespace {

namespace fs = std::filesystem;

constexpr char kVersion[] = "6.1.0";  ///< as in cli/page/library/package.json
constexpr char kHowTo[] = "scripts/report-tools fetches it, once (80 MB from npm)";

/// What would end the script that it becomes.
bool EndsAScript(const std::string& text) {
  return text.find("</script") != std::string::npos || text.find("<!--") != std::string::npos;
}

}  // namespace

std::optional<ChartLibrary> LoadChartLibrary() {
  const fs::path file = runtime::UserFolder("XDG_CACHE_HOME", ".cache") / "cosim" / "report" /
                        fmt::format("echarts-{}.js", kVersion);
  std::error_code none;
  if (!fs::exists(file, none))
    return Fail(fmt::format("Apache ECharts {}, which draws a report's charts, is not there", kVersion),
                kHowTo),
           std::nullopt;
  std::string error;
  auto script = runtime::ReadPrivate(file, error);
  if (!script) return Fail(error, kHowTo), std::nullopt;
  if (script->empty() || EndsAScript(*script))
    return Fail(file.string() + " is damaged", std::string("without it, ") + kHowTo), std::nullopt;
  return ChartLibrary{kVersion, std::move(*script)};
}

}  // namespace cosim::cli
