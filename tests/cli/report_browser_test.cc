// SPDX-License-Identifier: Apache-2.0
// The pages of cosim report in a browser: what stands there against the JSON, sorting, filters, keys,
// colours, and that nothing goes wrong. Needs Chromium and what scripts/report-tools fetches.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "runtime/private_folder.h"
#include "tests/cli/command.h"
#include "tests/cli/page.h"

namespace cosim::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsSupersetOf;
using ::testing::SizeIs;

constexpr char kHostile[] = "</script><script>window.planted = 1</script><img src=x onerror='planted = 2'>";

/// 1234567 as 1,234,567.
std::string Grouped(const json& number) {
  std::string text = std::to_string(number.get<int64_t>());
  for (int at = static_cast<int>(text.size()) - 3; at > 0; at -= 3) text.insert(static_cast<size_t>(at), ",");
  return text;
}
std::string Percent(double share) { return fmt::format("{:.1f} %", 100 * share); }

std::string Decoded(const std::string& text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i];
      continue;
    }
    out += static_cast<char>(std::stoi(text.substr(i + 1, 2), nullptr, 16));
    i += 2;
  }
  return out;
}

class ReportBrowser : public testing::Command {
 protected:
  void SetUp() override {
    if (std::system("command -v chromium >/dev/null 2>&1") != 0) GTEST_SKIP() << "needs Debian's chromium";
    const fs::path cache = runtime::UserFolder("XDG_CACHE_HOME", ".cache");
    if (!fs::exists(cache / "cosim" / "report" / "echarts-6.1.0.js"))
      GTEST_SKIP() << "needs what scripts/report-tools fetches";
  }

  json File(const std::string& name) { return json::parse(testing::ReadFile(folder_ / name)); }

  /// What report_checks.js sees on the page that `cosim report` makes with these arguments.
  json Seen(const std::string& arguments, bool dark = false) {
    Good("report " + arguments + " -o page.html");
    std::string page = testing::ReadFile(folder_ / "page.html");
    const std::string head = "<head>", end = "</body>";
    page.insert(page.rfind(end),
                "<script>" + testing::ReadFile(fs::path(COSIM_SOURCE_DIR) / "tests/cli/report_checks.js") +
                    "</script>\n");
    page.insert(page.find(head) + head.size(),
                "<script>window.seenErrors = []; addEventListener('error', (e) => "
                "seenErrors.push(String(e.message))); "
                "addEventListener('securitypolicyviolation', (e) => seenErrors.push(e.violatedDirective)); "
                "for (const kind of ['error', 'warn']) console[kind] = (...args) => "
                "seenErrors.push(args.join(' '));</script>");
    Write("checked.html", page);
    const testing::Outcome outcome =
        Shell(fmt::format("timeout 60 chromium --headless=new --no-sandbox --disable-gpu --no-first-run "
                          "--user-data-dir='{0}/profile' "
                          "--window-size=1360,900 --blink-settings=preferredColorScheme={1} --dump-dom "
                          "'file://{2}/checked.html'",
                          output_.string(), dark ? 0 : 1, folder_.string()));
    const std::string seen = testing::Between(outcome.out, "<pre id=\"seen\">", "</pre>");
    if (seen.empty()) throw std::runtime_error("the checks did not end:\n" + outcome.err);
    return json::parse(Decoded(seen));
  }

  static void ExpectSound(const json& seen) {
    EXPECT_EQ(seen["errors"], json::array());
    EXPECT_EQ(seen["unnamed"], json::array());
    EXPECT_NE(seen["paper"], seen["paperSwitched"]);
    std::vector<std::string> links;
    for (const json& part : seen["sections"]) links.push_back("#" + part.get<std::string>());
    EXPECT_EQ(seen["links"], links);
    for (const auto& [name, paths] : seen["charts"].items()) EXPECT_GT(paths, 4) << name;
  }
};

TEST_F(ReportBrowser, ShowsTheNumbersOfTheRun) {
  const std::string arguments = "small_cnn --config=tiny.yaml --isa=vta";
  Good("run " + arguments + " --json=run.json");
  const json run = File("run.json"), seen = Seen(arguments);
  ExpectSound(seen);
  EXPECT_EQ(seen["dark"], false);
  EXPECT_EQ(seen["h1"], "small_cnn on tiny (vta)");
  EXPECT_THAT(seen["sections"], IsSupersetOf({"frame", "units", "layers", "roofline", "timeline", "partition",
                                              "memory", "provenance"}));
  const json& totals = seen["totals"];
  EXPECT_EQ(totals["cycles"], Grouped(run["cycles"]) + " ideal " + Grouped(run["ideal_cycles"]));
  EXPECT_EQ(totals["one frame"], fmt::format("{:.2f} ms", run["end_to_end"]["frame_ms"].get<double>()));
  EXPECT_EQ(totals["utilisation"], Percent(run["utilization"].get<double>()) + " of the array");
  EXPECT_EQ(totals["instructions"], Grouped(run["instructions"]));
  EXPECT_EQ(totals["outputs"], "0 wrong of 10 values");
  for (const json& warning : run["warnings"])
    EXPECT_THAT(seen["warnings"], Contains("Warning: " + warning["text"].get<std::string>()));
  ASSERT_THAT(seen["layers"], SizeIs(run["layers"].size()));
  for (size_t i = 0; i < run["layers"].size(); ++i) {
    const json &row = seen["layers"][i], &layer = run["layers"][i];
    EXPECT_EQ(row[1], layer["name"]);
    EXPECT_EQ(row[2], layer["op"]);
    const bool on_host = layer["where"] == "cpu";
    EXPECT_EQ(row[4], on_host ? "" : Grouped(layer["cycles"]));
    EXPECT_EQ(row[6], on_host || layer["macs"] == 0 ? "" : Percent(layer["utilization"].get<double>()));
    EXPECT_EQ(row[8], on_host ? "" : Grouped(layer["dram_bytes"]));
    EXPECT_EQ(row[9], on_host ? fmt::format("{:.3f}", layer["host_ms"].get<double>()) : "");
    EXPECT_EQ(row[10], on_host ? layer["reason"] : layer["schedule"]);
  }
  ASSERT_THAT(seen["ledger"], SizeIs(run["ledger"].size()));
  for (const json& row : seen["ledger"]) {
    const json& unit = run["ledger"][row[0].get<std::string>()];
    EXPECT_EQ(row[1], Grouped(unit["busy"]));
    EXPECT_EQ(row[6], Grouped(unit["idle"]));
  }
}

int64_t Number(std::string text) {
  std::erase(text, ',');
  return std::stoll(text);
}

TEST_F(ReportBrowser, SortsFiltersAndZooms) {
  const json seen = Seen("small_cnn --config=tiny.yaml --isa=vta --timing-only", /*dark=*/true);
  ExpectSound(seen);
  EXPECT_EQ(seen["dark"], true);
  std::vector<int64_t> cycles;
  for (const json& cell : seen["sorted"])
    if (cell != "") cycles.push_back(Number(cell));
  EXPECT_GT(cycles.size(), 2u);
  EXPECT_TRUE(std::ranges::is_sorted(cycles, std::greater()));
  EXPECT_EQ(seen["sorted"].back(), "");  // layers on the host have none, and stand last both ways
  EXPECT_EQ(seen["reversed"].back(), "");
  EXPECT_EQ(Number(seen["reversed"][0]), cycles.back());
  std::vector<std::string> conv1;
  for (const json& row : seen["layers"])
    if (row.dump().find("conv1") != std::string::npos && row[3] == "accelerator") conv1.push_back(row[1]);
  EXPECT_THAT(seen["filtered"].get<std::vector<std::string>>(), ::testing::UnorderedElementsAreArray(conv1));
  EXPECT_LT(conv1.size(), seen["layers"].size() / 2);
  std::vector<std::string> on_host;
  for (const json& row : seen["layers"])
    if (row[3] == "host") on_host.push_back(row[1]);
  EXPECT_EQ(seen["onHost"], on_host);
  EXPECT_GT(seen["timelineColors"], 20);
  const json whole = seen["whole"], zoomed = seen["zoomed"];
  EXPECT_EQ(whole[0], 0);
  EXPECT_EQ(Grouped(whole[1]),
            seen["totals"]["cycles"].get<std::string>().substr(0, Grouped(whole[1]).size()));
  EXPECT_NEAR(zoomed[1].get<double>() - zoomed[0].get<double>(), 0.6 * whole[1].get<double>(), 1);
  EXPECT_NEAR(zoomed[0].get<double>(), (0.2 + 0.12) * whole[1].get<double>(), 1);
  EXPECT_GT(seen["updates"]["count"], 200);
}

// What a reader feels: a picture of 50,593 instructions that is asked for and drawn. It takes 5 to 9 ms on
// two cores with other work beside it.
TEST_F(ReportBrowser, AnswersZoomsOfResnet50InFiftyMilliseconds) {
  const json seen = Seen("resnet50 --config=pynq.yaml --timing-only");
  ExpectSound(seen);
  EXPECT_GT(seen["updates"]["count"], 500);
  EXPECT_LT(seen["updates"]["p95"], 50);
}

TEST_F(ReportBrowser, ShowsTextOfOthersAsText) {
  Good("run small_cnn --config=tiny.yaml --isa=vta --json=run.json");
  json run = File("run.json");
  const size_t scripts = Seen("run.json")["scripts"];
  for (const char* key : {"network", "config", "isa"}) run[key] = kHostile;
  for (json& layer : run["layers"])
    for (const char* key : {"name", "op", "schedule", "reason"}) layer[key] = kHostile;
  run["warnings"] = {{{"kind", "unused"}, {"text", kHostile}}};
  run["ledger"][kHostile] = run["ledger"]["store"];
  run["configuration"]["memories"][kHostile] = run["configuration"]["memories"]["inp"];
  Write("run.json", run.dump());
  const json seen = Seen("run.json");
  ExpectSound(seen);
  EXPECT_EQ(seen["scripts"], scripts);
  const std::string hostile = kHostile;
  EXPECT_EQ(seen["h1"], hostile + " on " + hostile + " (" + hostile + ")");
  EXPECT_THAT(seen["warnings"], Contains("Warning: " + hostile));
  EXPECT_EQ(seen["layers"][0][1], hostile);
}

constexpr const char* kPlan = R"(networks: small_cnn
configs: tiny.yaml
list:
  - {name: as it is}
  - {name: "VTA <b>&amp;", isa: vta}
keys:
  parameters.block_out: [4, 8, 0, 64]
  memory.latency: [20, 90]
where: parameters.block_out * 2 <= 100
)";

TEST_F(ReportBrowser, ShowsThePointsOfASweep) {
  Write("plan.yaml", kPlan);
  Good("sweep plan.yaml --db=sweep.sqlite --json=sweep.json --csv=sweep.csv");
  const json sweep = File("sweep.json"), seen = Seen("sweep.sqlite", /*dark=*/true);
  ExpectSound(seen);
  EXPECT_THAT(seen["sections"],
              IsSupersetOf({"pareto", "points", "parallel", "failed", "warnings", "host", "plan"}));
  const auto column = [&](const char* title) {
    return std::ranges::find(seen["heads"], json(title)) - seen["heads"].begin();
  };
  ASSERT_THAT(seen["points"], SizeIs(sweep["points"].size()));
  std::vector<int64_t> failed;
  for (size_t i = 0; i < sweep["points"].size(); ++i) {
    const json &row = seen["points"][i], &point = sweep["points"][i];
    EXPECT_EQ(row[0], Grouped(point["id"]));
    EXPECT_EQ(row[1], point["name"]);
    if (point["status"] == "failed") {
      failed.push_back(point["id"]);
      EXPECT_THAT(seen["badges"][i], Contains("failed"));
      EXPECT_THAT(seen["failures"],
                  Contains(HasSubstr(point["diagnostic"].get<std::string>().substr(0, 40))));
    }
    if (point["status"] == "excluded") {
      EXPECT_THAT(seen["badges"][i], ElementsAre("excluded"));
    }
    if (point["status"] != "done") continue;
    EXPECT_EQ(row[column("cycles")], Grouped(point["result"]["cycles"]));
    EXPECT_EQ(row[column("frame")],
              fmt::format("{:.2f}", point["result"]["end_to_end"]["frame_ms"].get<double>()));
    EXPECT_EQ(row[column("DRAM")], Grouped(point["result"]["dram_bytes"]));
    EXPECT_EQ(row[column("DSP")], Grouped(point["result"]["area"]["dsp"]));
    // VTA's ISA leaves pooling to the host.
    if (point["isa"] == "vta") {
      EXPECT_THAT(seen["badges"][i], Contains(HasSubstr("more on host")));
    }
  }
  EXPECT_FALSE(failed.empty());
  EXPECT_EQ(seen["failed"], failed);
}

TEST_F(ReportBrowser, DrawsTheFrontThatParetoNames) {
  Write("plan.yaml", kPlan);
  Good("sweep plan.yaml --db=sweep.sqlite");
  const json seen = Seen("sweep.sqlite");
  ExpectSound(seen);
  EXPECT_EQ(seen["front"], seen["shown"]);
  for (const auto& [shown, objectives] :
       {std::pair{"front", "frame_ms,area.lut"}, {"otherFront", "frame_ms,dram_bytes"}}) {
    const json all =
        json::parse(Good(fmt::format("pareto sweep.sqlite --objectives={} --json=-", objectives)).out);
    std::vector<int64_t> front, drawn = seen[shown];
    for (const json& point : all["networks"]["small_cnn"])
      if (point["on_front"] == true) front.push_back(point["id"]);
    std::ranges::sort(drawn);
    EXPECT_EQ(drawn, front) << objectives;
  }
}

}  // namespace
}  // namespace cosim::cli
