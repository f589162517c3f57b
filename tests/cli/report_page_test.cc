// SPDX-License-Identifier: Apache-2.0
// cosim report: what its page holds against the JSON of the runs and sweeps themselves, text of others in it,
// and what it says of files that are none. How the page looks is report_browser_test.cc's.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "tests/cli/command.h"
#include "tests/cli/page.h"

namespace cosim::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using ::testing::AllOf;
using testing::Between;
using testing::CountOf;
using testing::DataOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kHostileMarkup[] = "</script><script>alert('x')</script><!-- \"&amp;";

/// With a library that draws nothing, so that no network is needed.
class ReportPage : public testing::Command {
 protected:
  ReportPage() {
    const fs::path cache = output_ / "cache", report = cache / "cosim" / "report";
    for (const fs::path& folder : {cache, cache / "cosim", report}) {
      fs::create_directory(folder);
      fs::permissions(folder, fs::perms::owner_all);
    }
    library_ = report / "echarts-6.1.0.js";
    std::ofstream(library_) << "const echarts = {version: 'none'};\n";
    fs::permissions(library_, fs::perms::owner_read | fs::perms::owner_write);
  }
  /// cosim with the cache of these tests, whatever has been routed on this machine.
  std::string InCache(const std::string& command) {
    return "XDG_CACHE_HOME='" + (output_ / "cache").string() + "' " COSIM_BINARY " " + command;
  }
  std::string Typed(const std::string& arguments) { return InCache("report " + arguments); }
  testing::Outcome Report(const std::string& arguments) { return Shell(Typed(arguments)); }
  std::string PageOf(const std::string& arguments) {
    const testing::Outcome outcome = Report(arguments + " -o page.html");
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return testing::ReadFile(folder_ / "page.html");
  }
  std::string FaultOf(const std::string& arguments) {
    const testing::Outcome outcome = Report(arguments);
    EXPECT_EQ(outcome.status, 1) << arguments;
    EXPECT_EQ(Files().count("report.html"), 0u) << arguments;
    return outcome.err;
  }
  json File(const std::string& name) { return json::parse(testing::ReadFile(folder_ / name)); }

  fs::path library_;
};

TEST_F(ReportPage, HoldsTheJsonOfTheRun) {
  Good("run small_cnn --config=tiny.yaml --json=run.json");
  const std::string page = PageOf("run.json");
  const json data = DataOf(page);
  EXPECT_EQ(data["kind"], "run");
  EXPECT_TRUE(data["run"] == File("run.json"));
  EXPECT_TRUE(data["timeline"].is_null());
  EXPECT_EQ(Between(page, "<title>", "</title>"), "small_cnn on tiny (cosim)");
  EXPECT_EQ(Files(), (std::set<std::string>{"run.json", "page.html"}));
}

TEST_F(ReportPage, LoadsNothing) {
  Good("run small_cnn --config=tiny.yaml --json=run.json");
  const std::string page = PageOf("run.json");
  EXPECT_THAT(page, HasSubstr("content=\"default-src 'none'; script-src 'unsafe-inline'"));
  for (const char* reference : {" src=", "<link", "@import", "url(", "http://", "https://"})
    EXPECT_THAT(page, Not(HasSubstr(reference)));
}

TEST_F(ReportPage, RunsANetworkAsRunDoes) {
  const std::string arguments = "small_cnn --config=tiny.yaml --set memory.latency=60 --seed=3";
  ASSERT_EQ(Shell(InCache("run " + arguments + " --json=run.json")).status, 0);
  const json run = File("run.json");
  const json page = DataOf(PageOf(arguments))["run"];
  for (const auto& [key, value] : run.items()) {
    if (key == "host" || key == "layers") continue;
    EXPECT_EQ(page[key], value) << key;
  }
  ASSERT_EQ(page["layers"].size(), run["layers"].size());
  for (size_t i = 0; i < run["layers"].size(); ++i)
    for (const auto& [key, value] : run["layers"][i].items())
      if (key != "measured_ms") {
        EXPECT_EQ(page["layers"][i][key], value) << i << " " << key;
      }
}

/// Cycles in which something is in flight.
int64_t Covered(std::vector<testing::Flight> flights) {
  int64_t sum = 0, end = 0;
  for (const testing::Flight& flight : flights) {
    sum += std::max<int64_t>(0, flight.end - std::max(end, flight.begin));
    end = std::max(end, flight.end);
  }
  return sum;
}

TEST_F(ReportPage, TimelineIsTheRuns) {
  for (const std::string config : {"tiny.yaml", "pynq.yaml --isa=vta"}) {
    const json data = DataOf(PageOf("small_cnn --config=" + config));
    const json &run = data["run"], &line = data["timeline"];
    EXPECT_EQ(line["cycles"], run["cycles"]);
    std::map<int64_t, int64_t> layers, indices;
    int64_t end = 0;
    for (const json& window : line["layers"]) {
      EXPECT_EQ(window[1], end);
      end = window[2];
      layers[window[0].get<int64_t>()] += end - window[1].get<int64_t>();
    }
    EXPECT_EQ(end, run["cycles"]);
    for (const auto& [layer, cycles] : layers) EXPECT_EQ(run["layers"][layer]["cycles"], cycles);
    for (const json& unit : line["units"]) {
      const auto flights = testing::FlightsOf(unit);
      EXPECT_EQ(unit["count"], flights.size());
      for (const testing::Flight& flight : flights) {
        ++indices[flight.index];
        EXPECT_EQ(run["layers"][flight.layer]["where"], "accelerator");
        EXPECT_LE(flight.end, run["cycles"]);
        EXPECT_LT(flight.format, line["formats"].size());
      }
      // Units that compute are busy from issue to retirement.
      if (unit["name"] == "gemm" || unit["name"] == "alu") {
        EXPECT_EQ(run["ledger"][unit["name"].get<std::string>()]["busy"], Covered(flights)) << unit["name"];
      }
    }
    EXPECT_EQ(indices.size(), run["instructions"]);
    EXPECT_EQ(indices.rbegin()->first + 1, run["instructions"]);
    for (const auto& [index, count] : indices) EXPECT_EQ(count, 1) << index;
  }
}

TEST_F(ReportPage, DramHoldsEachSegmentApart) {
  const json dram = DataOf(PageOf("small_cnn --config=tiny.yaml"))["dram"];
  uint64_t end = 0, instructions = 0;
  for (const json& region : dram["regions"]) {
    EXPECT_GE(region["address"], end) << region;
    end = region["address"].get<uint64_t>() + region["bytes"].get<uint64_t>();
    if (region["kind"] == "instructions") instructions += region["bytes"].get<uint64_t>();
  }
  EXPECT_LE(end, dram["bytes"]);
  EXPECT_GT(instructions, 0u);
}

TEST_F(ReportPage, KeepsHostileTextText) {
  Good("run small_cnn --config=tiny.yaml --json=run.json");
  const size_t scripts = CountOf(PageOf("run.json"), "</script");
  json run = File("run.json");
  for (const char* key : {"network", "config", "isa"}) run[key] = kHostileMarkup;
  for (const char* key : {"name", "op", "schedule", "reason"}) run["layers"][1][key] = kHostileMarkup;
  run["warnings"] = {{{"kind", "unused"}, {"text", kHostileMarkup}}};
  run["ledger"][kHostileMarkup] = run["ledger"]["gemm"];
  Write("run.json", run.dump());
  const std::string page = PageOf("run.json");
  EXPECT_EQ(CountOf(page, "</script"), scripts);
  EXPECT_EQ(CountOf(page, "alert('x')"), CountOf(page, "\\u003cscript>alert('x')"));
  EXPECT_TRUE(DataOf(page)["run"] == run);
  EXPECT_THAT(
      Between(page, "<title>", "</title>"),
      AllOf(HasSubstr("&lt;/script&gt;&lt;script&gt;alert(&#39;x&#39;)"), HasSubstr("&quot;&amp;amp;")));
}

constexpr const char* kReportedPlan = R"(networks: [small_cnn, mlp]
configs: tiny.yaml
list:
  - {name: as it is}
  - {name: "</script><script>alert(1)</script>", isa: vta}
keys:
  parameters.block_out: [4, 8, 0, 64]
where: parameters.block_out * 2 <= 100
)";

TEST_F(ReportPage, HoldsEachPointOfASweep) {
  Write("plan.yaml", kReportedPlan);
  Good("sweep plan.yaml --db=sweep.sqlite --json=sweep.json --csv=sweep.csv");
  const json sweep = File("sweep.json"), data = DataOf(PageOf("sweep.sqlite"));
  EXPECT_EQ(data["kind"], "sweep");
  EXPECT_EQ(data["head"]["plan"], sweep["plan"]);
  ASSERT_EQ(data["points"].size(), sweep["points"].size());
  std::map<std::string, int> seen;
  for (size_t i = 0; i < sweep["points"].size(); ++i) {
    const json &point = data["points"][i], &row = sweep["points"][i];
    for (const char* key : {"id", "name", "network", "config", "isa", "status"})
      EXPECT_EQ(point[key], row[key]);
    ++seen[row["status"]];
    EXPECT_EQ(point["diagnostic"], row["diagnostic"].is_null() ? json("") : row["diagnostic"]);
    ASSERT_EQ(point["settings"].size(), row["settings"].size());
    for (size_t s = 0; s < row["settings"].size(); ++s)
      EXPECT_EQ(point["settings"][s][0].get<std::string>() + "=" + point["settings"][s][1].get<std::string>(),
                row["settings"][s].get<std::string>());
    if (row["status"] != "done") continue;
    const json &figures = point["figures"], &result = row["result"];
    for (const char* key : {"cycles", "ms", "utilization", "dram_bytes", "macs_host", "instructions"})
      EXPECT_EQ(figures[key], result[key]) << key;
    for (const char* key : {"frame_ms", "host_ms", "copies_ms"})
      EXPECT_EQ(figures[key], result["end_to_end"][key]);
    EXPECT_EQ(figures["area.dsp"], result["area"]["dsp"]);
    size_t host = 0;
    for (const json& layer : result["layers"]) {
      if (layer["where"] != "cpu") continue;
      EXPECT_EQ(point["host"][host][0], layer["name"]);
      EXPECT_EQ(data["reasons"][point["host"][host++][1].get<size_t>()], layer["reason"]);
    }
    EXPECT_EQ(point["host"].size(), host);
    ASSERT_EQ(point["warnings"].size(), result["warnings"].size());
    for (size_t w = 0; w < result["warnings"].size(); ++w)
      EXPECT_EQ(data["warnings"][point["warnings"][w].get<size_t>()], result["warnings"][w]["text"]);
  }
  EXPECT_GT(seen["done"], 0);
  EXPECT_GT(seen["failed"], 0);
  EXPECT_GT(seen["excluded"], 0);
}

TEST_F(ReportPage, SaysWhichPointsDoNotFitTheBoard) {
  Good("sweep small_cnn --set parameters.block_out=16,64 --db=sweep.sqlite");
  const json points = DataOf(PageOf("sweep.sqlite"))["points"];
  EXPECT_FALSE(points[0].contains("fit"));
  EXPECT_THAT(points[1]["fit"], HasSubstr("does not fit pynq: 576 of 220 DSP"));
  const json run =
      json::parse(Good("run small_cnn --timing-only --set parameters.block_out=64 --json=-").out);
  EXPECT_EQ(run["fit"]["fits"], false);
  EXPECT_EQ(run["fit"]["text"], points[1]["fit"]);
  EXPECT_EQ(run["configuration"]["macs_per_cycle"], 16 * 64);
}

TEST_F(ReportPage, GoesToStandardOutput) {
  Good("run mlp --config=tiny.yaml --timing-only --json=run.json");
  const testing::Outcome outcome = Shell("(" + Typed("run.json -o -") + " | tee page.html)");
  EXPECT_EQ(outcome.err, "");
  EXPECT_THAT(outcome.out, AllOf(::testing::StartsWith("<!doctype html>"), ::testing::EndsWith("</html>\n")));
  EXPECT_TRUE(DataOf(testing::ReadFile(folder_ / "page.html"))["run"] == File("run.json"));
}

TEST_F(ReportPage, HelpEndsInAnExampleThatWorks) {
  const std::string help = Good("report --help").out, mark = "\nexample:\n  cosim report ";
  ASSERT_NE(help.find(mark), std::string::npos);
  const testing::Outcome outcome = Report(Between(help, mark, "\n"));
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("report.html: resnet18 on pynq (cosim), "));
  EXPECT_EQ(Files(), (std::set<std::string>{"report.html"}));
}

TEST_F(ReportPage, RefusesWhatIsNoRun) {
  Write("text.json", "cycles: 12\n");
  EXPECT_EQ(FaultOf("text.json"),
            "cosim: error: text.json is no JSON of `cosim run`\n"
            "  hint: `cosim run NETWORK --json=FILE` writes one\n");
  EXPECT_THAT(FaultOf("none.json"), HasSubstr("none.json cannot be read"));
  Write("list.json", "[1]");
  EXPECT_THAT(FaultOf("list.json"), HasSubstr("is no JSON of `cosim run`"));
  Good("run mlp --config=tiny.yaml --timing-only --json=run.json");
  json run = File("run.json");
  run["schema"] = 2;
  Write("old.json", run.dump());
  EXPECT_THAT(FaultOf("old.json"), AllOf(HasSubstr("old.json has schema 2, and this cosim reads 3"),
                                         HasSubstr("hint: run it again with this cosim")));
  run = File("run.json");
  run["layers"][0]["cycles"] = "many";
  Write("broken.json", run.dump());
  EXPECT_THAT(FaultOf("broken.json"), HasSubstr("lacks 'layers[].cycles', or has it as something else"));
  run = File("run.json");
  run["ledger"]["gemm"] = nullptr;
  Write("broken.json", run.dump());
  EXPECT_THAT(FaultOf("broken.json"), HasSubstr("lacks 'ledger.gemm'"));
  Good("run mlp --device=host --repeat=1 --json=host.json");
  EXPECT_THAT(FaultOf("host.json"), HasSubstr("--device=host, where there is no accelerator to report on"));
  Good("sweep mlp --config=tiny.yaml --set memory.latency=20,40 --json=sweep.json --csv=-");
  EXPECT_THAT(FaultOf("sweep.json"), HasSubstr("give its database, FILE.sqlite"));
}

TEST_F(ReportPage, HoldsEachPointOfASearch) {
  Write("plan.yaml",
        "networks: mlp\nconfigs: tiny.yaml\nkeys: {memory.latency: [20, 40, 80], parameters.acc_bytes: [7, "
        "2048]}\n"
        "objectives: [frame_ms, area.dsp]\ntrials: 6\n");
  const json search = json::parse(Good("search plan.yaml --db=search.sqlite --json=-").out),
             data = DataOf(PageOf("search.sqlite"));
  EXPECT_EQ(data["kind"], "sweep");
  EXPECT_EQ(data["head"]["plan"], search["plan"]);
  ASSERT_EQ(data["points"].size(), 6u);
  int done = 0;
  for (size_t i = 0; i < 6; ++i) {
    const json &point = data["points"][i], &row = search["points"][i];
    EXPECT_EQ(point["status"], row["status"]);
    if (row["status"] != "done") continue;
    EXPECT_EQ(point["figures"]["cycles"], row["result"]["cycles"]);
    ++done;
  }
  EXPECT_EQ(done, 3);
}

TEST_F(ReportPage, RefusesWhatIsNoSweep) {
  Write("other.sqlite", std::string("SQLite format 3\0 and then nothing of the kind", 44));
  EXPECT_THAT(FaultOf("other.sqlite"), AllOf(HasSubstr("other.sqlite"), HasSubstr("--db=FILE.sqlite")));
  EXPECT_THAT(FaultOf("none.sqlite"), HasSubstr("none.sqlite: there is no such file"));
}

TEST_F(ReportPage, RefusesWhatItCannotRun) {
  EXPECT_THAT(FaultOf("smal_cnn"), HasSubstr("small_cnn"));
  EXPECT_THAT(FaultOf("x.cosim"), HasSubstr("x.cosim is a module"));
  Good("run mlp --config=tiny.yaml --timing-only --json=run.json");
  EXPECT_THAT(FaultOf("run.json --config=tiny.yaml"),
              HasSubstr("--config is for a network; run.json has been run"));
  EXPECT_THAT(FaultOf("run.json -o none/page.html"), HasSubstr("there is no folder none"));
}

TEST_F(ReportPage, SaysHowToGetTheLibrary) {
  Good("run mlp --config=tiny.yaml --timing-only --json=run.json");
  fs::remove(library_);
  EXPECT_THAT(FaultOf("run.json"),
              AllOf(HasSubstr("Apache ECharts 6.1.0, which draws a report's charts, is not there"),
                    HasSubstr("hint: scripts/report-tools fetches it")));
  std::ofstream(library_) << "const echarts = '</script>';";
  fs::permissions(library_, fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_THAT(FaultOf("run.json"), HasSubstr("is damaged"));
}

TEST_F(ReportPage, LeavesTheOldPageWhenItFails) {
  Write("page.html", "old");
  Write("text.json", "{}");
  EXPECT_EQ(Report("text.json -o page.html").status, 1);
  EXPECT_EQ(testing::ReadFile(folder_ / "page.html"), "old");
}

}  // namespace
}  // namespace cosim::cli
