// SPDX-License-Identifier: Apache-2.0
// Whole searches: small networks are compiled and timed, in processes that die, by searches that are killed.
#include "compiler/explore/search/search.h"

#include <gmock/gmock.h>
#include <sqlite3.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <set>

#include "compiler/explore/networks.h"

namespace cosim::explore {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// Designs that are done, that fail (7 bytes) and that are excluded (64 wide).
constexpr const char* kSearched = R"(networks: mlp
configs: tiny.yaml
keys:
  parameters.block_out: [4, 8, 64]
  parameters.acc_bytes: [7, 2048, 4096, 8192]
  memory.latency: 10..90
where: parameters.block_out * 2 <= 100
objectives: [cycles, width]
trials: 20
population: 5
)";

std::string Replaced(std::string text, const std::string& from, const std::string& to) {
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

std::string SettingOf(const Point& point, const std::string& key) {
  for (const isa::Override& setting : point.settings)
    if (setting.path == key) return setting.value;
  return "";
}

/// Little of a result: the cycles, and a cost that is known without running.
std::string Described(const Point& point, const Outcome& outcome) {
  return "{\"cycles\": " + std::to_string(outcome.result->run.cycles) +
         ", \"width\": " + SettingOf(point, "parameters.block_out") + "}";
}

/// A line a row: all that a table would show.
std::vector<std::string> LinesOf(const Database& database) {
  std::vector<std::string> lines;
  std::string error;
  const auto add = [&](const Row& row) {
    std::string line = std::to_string(row.id) + " " + row.network + " " + row.status + " " + row.result +
                       " " + row.diagnostic + " " + std::to_string(row.violation);
    for (const isa::Override& setting : row.settings) line += " " + setting.value;
    if (row.birth) line += " of " + std::to_string(row.birth->generation);
    for (const int64_t parent : row.birth ? row.birth->parents : std::vector<int64_t>())
      line += " by " + std::to_string(parent);
    lines.push_back(line);
  };
  EXPECT_TRUE(database.ForEach(add, error)) << error;
  return lines;
}

class SearchTest : public ::testing::Test {
 protected:
  SearchTest() {
    std::string pattern = (std::filesystem::temp_directory_path() / "cosim_search_XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
    options_.producer = "cosim test";
    options_.jobs = 2;
    options_.describe = Described;
  }
  ~SearchTest() override { std::filesystem::remove_all(folder_); }

  std::optional<Database> Search(const std::string& text) {
    Diagnostics diags;
    const auto plan = ReadSearchPlan({"plan.yaml", text}, diags);
    const auto networks = plan ? LoadNetworks(plan->plan.networks, "plan.yaml", diags) : std::nullopt;
    EXPECT_TRUE(networks) << diags.Render();
    options_.plan = text;
    error_.clear();
    return networks ? RunSearch(*plan, *networks, options_, error_) : std::nullopt;
  }
  std::vector<std::string> Lines(const std::string& text) {
    const auto database = Search(text);
    EXPECT_TRUE(database) << error_;
    return database ? LinesOf(*database) : std::vector<std::string>();
  }
  std::vector<Row> Rows(const std::string& text) {
    const auto database = Search(text);
    EXPECT_TRUE(database) << error_;
    std::vector<Row> rows;
    if (database) {
      EXPECT_TRUE(database->ForEach([&](const Row& row) { rows.push_back(row); }, error_));
    }
    return rows;
  }
  /// Runs it in a process that is killed once that many points have run.
  void KilledAfter(int64_t points, const std::string& text) {
    const pid_t child = fork();
    if (child == 0) {
      options_.progress = [&](const SearchProgress& progress) {
        if (progress.run == points) kill(getpid(), SIGKILL);
      };
      Search(text);
      _exit(0);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFSIGNALED(status));
  }

  std::filesystem::path folder_;
  SearchOptions options_;
  std::string error_;
};

TEST_F(SearchTest, ItsTableIsTheSameForAnyNumberOfProcesses) {
  const std::vector<std::string> two = Lines(kSearched);
  EXPECT_EQ(two.size(), 20u);
  for (const int jobs : {1, 4}) {
    options_.jobs = jobs;
    EXPECT_EQ(Lines(kSearched), two);
  }
  EXPECT_NE(Lines(std::string(kSearched) + "search_seed: 2\n"), two);
}

TEST_F(SearchTest, KilledAtAnyPointAndStartedAgainItGivesTheTableOfAnUnbrokenOne) {
  const std::vector<std::string> unbroken = Lines(kSearched);
  options_.database = folder_ / "search.sqlite";
  std::mt19937 random(std::random_device{}());
  std::string moments;
  for (int64_t left = 18; left > 0;) {
    const auto points = std::min<int64_t>(left, 1 + random() % 7);
    moments += " " + std::to_string(points);
    KilledAfter(points, kSearched);
    left -= points;
  }
  EXPECT_EQ(Lines(kSearched), unbroken) << "killed after" << moments;
}

TEST_F(SearchTest, ACrashOfACandidateIsARowAndNotTheEnd) {
  options_.describe = [](const Point& point, const Outcome& outcome) {
    if (SettingOf(point, "parameters.block_out") == "8") std::abort();
    return Described(point, outcome);
  };
  const std::vector<Row> rows = Rows(kSearched);
  ASSERT_EQ(rows.size(), 20u);
  int crashed = 0, done = 0;
  for (const Row& row : rows) {
    crashed += row.status == "failed" && row.diagnostic.find("ended by signal 6") != std::string::npos;
    done += row.status == "done";
  }
  EXPECT_GE(crashed, 1);
  EXPECT_GE(done, 5);
  EXPECT_GE(rows.back().birth->generation, 4);
}

TEST_F(SearchTest, RowsSayHowTheSearchCameUponThemAndTheFrontIsOfThem) {
  options_.database = folder_ / "search.sqlite";
  int excluded = 0, failed = 0;
  // All there are, among them those that a search would rather not look at.
  const std::vector<Row> rows = Rows(Replaced(kSearched, "10..90", "20") + "method: nsga2\n");
  EXPECT_EQ(rows.size(), 12u);
  for (const Row& row : rows) {
    ASSERT_TRUE(row.birth);
    EXPECT_EQ(row.birth->generation, (row.id - 1) / 5 + 1);
    EXPECT_EQ(row.birth->parents.empty(), row.birth->generation == 1);
    if (row.status == "excluded") {
      ++excluded;
      EXPECT_DOUBLE_EQ(row.violation, 28.0 / 128);
    }
    failed += row.status == "failed" && row.diagnostic.find("error[E0206]") != std::string::npos;
  }
  EXPECT_GE(excluded, 1);
  EXPECT_GE(failed, 1);

  // The front is what no design dominates.
  const std::vector<Design> designs = DesignsOf(rows, 1, {{"cycles", false}, {"width", false}});
  int front = 0;
  for (const Design& design : designs) {
    bool beaten = design.fitness.violation > 0;
    for (const Design& other : designs) beaten = beaten || Dominates(other.fitness, design.fitness);
    EXPECT_EQ(design.on_front, !beaten) << design.place;
    front += design.on_front;
  }
  EXPECT_GE(front, 1);
}

TEST_F(SearchTest, AConditionWithoutMeasureIsKeptAsOneThatIsFarthestOff) {
  options_.database = folder_ / "search.sqlite";
  const std::string text =
      "networks: mlp\nconfigs: pynq.yaml\nkeys: {parameters.block_out: [16, 64], memory.port_bits: [64, "
      "128]}\n"
      "where: fits(board)\nobjectives: cycles\ntrials: 4\npopulation: 4\n";
  for (int time = 1; time <= 2; ++time) {  // run, then read
    std::set<double> violations;
    for (const Row& row : Rows(text)) violations.insert(row.violation);
    ASSERT_EQ(violations.size(), 3u);
    EXPECT_EQ(*violations.begin(), 0);
    EXPECT_TRUE(std::isinf(*violations.rbegin()));
    EXPECT_DOUBLE_EQ(*std::next(violations.begin()), (576.0 / 220 - 1) + (529.0 / 280 - 1));
  }
}

TEST_F(SearchTest, NoPointIsRunTwiceAndASmallSpaceEndsBeforeTheTrials) {
  const std::string text = Replaced(Replaced(kSearched, "10..90", "20"), "trials: 20", "trials: 500");
  std::set<std::string> settings;
  const std::vector<Row> rows = Rows(text);
  for (const Row& row : rows) {
    std::string key;
    for (const isa::Override& setting : row.settings) key += setting.value + " ";
    settings.insert(key);
  }
  EXPECT_EQ(rows.size(), 3u * 4);
  EXPECT_EQ(settings.size(), rows.size());
}

TEST_F(SearchTest, MoreTrialsGoOnAndFewerAreRefused) {
  options_.database = folder_ / "search.sqlite";
  const auto some = Lines(Replaced(kSearched, "trials: 20", "trials: 12"));
  EXPECT_EQ(some.size(), 12u);
  const auto more = Lines(kSearched);
  EXPECT_TRUE(std::equal(some.begin(), some.end(), more.begin()));
  EXPECT_FALSE(Search(Replaced(kSearched, "trials: 20", "trials: 12")));
  EXPECT_THAT(error_, HasSubstr("holds a search of up to 20 points, and the plan now says 12"));
  options_.database.clear();
  EXPECT_EQ(Lines(kSearched), more);
}

TEST_F(SearchTest, ADatabaseOfAnotherPlanOrWithAnotherPointIsRefused) {
  options_.database = folder_ / "search.sqlite";
  const auto lines = Lines(kSearched);
  for (const auto& [from, to] :
       std::vector<std::pair<std::string, std::string>>{{"10..90", "10..91"},
                                                        {"[cycles, width]", "[width, cycles]"},
                                                        {"population: 5", "population: 6"},
                                                        {"<= 100", "<= 101"},
                                                        {"networks: mlp", "networks: small_cnn"},
                                                        {"trials: 20", "trials: 20\nsearch_seed: 2"}}) {
    EXPECT_FALSE(Search(Replaced(kSearched, from, to))) << to;
    EXPECT_THAT(error_, HasSubstr("holds another sweep"));
  }
  EXPECT_EQ(Lines(kSearched), lines);

  sqlite3* handle = nullptr;
  ASSERT_EQ(sqlite3_open(options_.database.c_str(), &handle), SQLITE_OK);
  sqlite3_exec(handle, "UPDATE point SET settings = '[]' WHERE id = 3", nullptr, nullptr, nullptr);
  sqlite3_close(handle);
  EXPECT_FALSE(Search(kSearched));
  EXPECT_THAT(error_, HasSubstr("point 3 is not the one that this search comes upon there"));
}

TEST_F(SearchTest, AnObjectiveThatNoPointHasIsAMistake) {
  EXPECT_FALSE(Search(Replaced(kSearched, "width", "weight")));
  EXPECT_THAT(error_, HasSubstr("no point has a number 'weight', which is an objective"));
}

TEST_F(SearchTest, DesignsRunUnderEveryNetworkAndTheirCostsAreMeans) {
  const std::string text = Replaced(kSearched, "networks: mlp", "networks: [mlp, small_cnn]");
  const std::vector<Row> rows = Rows(Replaced(text, "trials: 20", "trials: 8"));
  ASSERT_EQ(rows.size(), 16u);
  const std::vector<Objective> objectives = {{"cycles", false}, {"width", true}};
  const std::vector<Design> designs = DesignsOf(rows, 2, objectives);
  ASSERT_EQ(designs.size(), 8u);
  int done = 0;
  for (size_t i = 0; i < designs.size(); ++i) {
    const Row &first = rows[2 * i], &second = rows[2 * i + 1];
    EXPECT_EQ(first.network, "mlp");
    EXPECT_EQ(second.network, "small_cnn");
    EXPECT_EQ(first.settings.back().value, second.settings.back().value);
    EXPECT_EQ(designs[i].fitness.violation == 0, first.status == "done" && second.status == "done");
    if (designs[i].fitness.violation > 0) continue;
    ++done;
    std::vector<std::string> missing;
    const auto one = FitnessOf(first, objectives, missing), two = FitnessOf(second, objectives, missing);
    EXPECT_DOUBLE_EQ(designs[i].fitness.costs[0], (one.costs[0] + two.costs[0]) / 2);
    EXPECT_DOUBLE_EQ(designs[i].fitness.costs[1], one.costs[1]);
    EXPECT_THAT(missing, IsEmpty());
  }
  EXPECT_GE(done, 3);
}

}  // namespace
}  // namespace cosim::explore
