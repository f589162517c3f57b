// SPDX-License-Identifier: Apache-2.0
#include "cli/page/page.h"

#include <fmt/format.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/options.h"
#include "isa/home.h"
#include "isa/text_escape.h"

namespace cosim::cli {
namespace {

constexpr const char* kScripts[] = {"base.js",     "table.js",         "charts.js", "bars.js",
                                    "timeline.js", "timeline_view.js", "run.js",    "run_charts.js",
                                    "sweep.js",    "sweep_charts.js",  "main.js"};

/// Appends a file of cli/page/assets. False after printing that it cannot be read.
bool Append(const std::string& name, std::string& text) {
  const auto path = isa::Home() / "cli" / "page" / "assets" / name;
  std::ifstream file(path, std::ios::binary);
  std::ostringstream read;
  if (!file || !(read << file.rdbuf()))
    return Fail(fmt::format("{} cannot be read", path.string()), "$COSIM_HOME is where cosim's files are"),
           false;
  text += read.str();
  return true;
}

}  // namespace

// The policy forbids the page to fetch anything, whatever stands in it.
std::optional<std::string> PageText(const std::string& title, const nlohmann::ordered_json& data,
                                    const ChartLibrary& library) {
  const std::string json = data.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  std::string page = fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" "
      "content=\"width=device-width, initial-scale=1\">\n<meta http-equiv=\"Content-Security-Policy\" "
      "content=\"default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'\">\n"
      "<title>{}</title>\n<style>\n",
      isa::HtmlText(title));
  if (!Append("page.css", page)) return std::nullopt;
  page += "</style>\n</head>\n<body>\n";
  if (!Append("page.html", page)) return std::nullopt;
  page += fmt::format(
      "<script type=\"application/json\" id=\"data\">{}</script>\n<script>\n{}\n</script>\n<script>\n",
      isa::ScriptJson(json), library.script);
  page += "'use strict';\n(() => {\n";
  for (const char* script : kScripts)
    if (!Append(script, page)) return std::nullopt;
  return page + "})();\n</script>\n</body>\n</html>\n";
}

}  // namespace cosim::cli
