// SPDX-License-Identifier: Apache-2.0
// Schedules of this machine's processor: searched by running them, remembered, exact.
#include "compiler/tune/tune_host.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "compiler/cpu/lower_group.h"
#include "compiler/cpu/no_code.h"
#include "compiler/network/compile.h"
#include "compiler/network/group.h"
#include "compiler/session/host.h"
#include "compiler/tune/host_space.h"
#include "compiler/tune/host_timing.h"

namespace cosim::tune {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

const cpu::HostTarget kNative = *cpu::FindHostTarget(cpu::kNativeTarget);

class TuneHostTest : public ::testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove(Path()); }
  static std::string Path() {
    return (std::filesystem::temp_directory_path() /
            (std::string("tune_host_") + ::testing::UnitTest::GetInstance()->current_test_info()->name()))
        .string();
  }
  static TunedHost Tune(const graph::Graph& graph, const HostTuneOptions& options) {
    std::string error;
    auto log = TuningLog::Make(Path(), error);
    EXPECT_TRUE(log) << error;
    auto tuned = TuneHost(graph, kNative, "v", options, *log, error);
    EXPECT_TRUE(tuned) << error;
    return *tuned;
  }
};

TEST_F(TuneHostTest, SearchesEachWorkloadOnceAndRemembersIt) {
  const session::Options run{.network = "small_cnn"};
  const graph::Graph graph = session::HostGraph(run, {.float32 = true});
  const TunedHost tuned = Tune(graph, {.trials = 4});
  ASSERT_FALSE(tuned.workloads.empty());
  EXPECT_GT(tuned.trials, 0);
  EXPECT_EQ(tuned.remembered, 0);
  EXPECT_EQ(tuned.failed, 0);
  EXPECT_GT(tuned.untuned_s, 0);
  size_t layers = 0;
  for (const TunedWorkload& each : tuned.workloads) {
    layers += each.layers.size();
    EXPECT_EQ(each.found.trials, static_cast<int>(std::min<size_t>(4, each.space))) << each.workload;
    EXPECT_EQ(each.after == each.before, !each.taken);
  }
  EXPECT_GT(layers, tuned.workloads.size());  // two of them are alike

  const TunedHost again = Tune(graph, {.trials = 4});
  EXPECT_EQ(again.trials, 0);
  EXPECT_GE(again.remembered, tuned.trials);
  for (size_t i = 0; i < tuned.workloads.size(); ++i)
    EXPECT_EQ(again.workloads[i].found.curve, tuned.workloads[i].found.curve);
}

TEST_F(TuneHostTest, NetworksByLoggedSchedulesAreExact) {
  for (const bool float32 : {false, true}) {
    session::Options run{.network = "small_cnn", .check = session::Check::kOutputs};
    session::HostOptions host{.repeat = 1, .float32 = float32};
    const graph::Graph graph = session::HostGraph(run, host);
    // The last legal one of each workload: none is the model's choice.
    for (const auto& group : network::HostGroups(graph))
      for (const auto& found : cpu::ContractionsOf(graph, group, cpu::TargetOf(kNative)))
        host.schedules[found.workload] = found.all.back();
    ASSERT_FALSE(host.schedules.empty());
    const session::HostResult result = session::RunOnHost(run, host);
    EXPECT_GT(result.result.Values(), 0);
    EXPECT_EQ(result.result.Mismatches(), 0);
  }
}

TEST_F(TuneHostTest, GroupsAreTheKernelsOfTheWholeNetwork) {
  cpu::NoCodeCompiler none;
  for (const char* network : {"small_cnn", "mlp", "vit_tiny"})
    for (const bool float32 : {false, true}) {
      const graph::Graph graph = session::HostGraph({.network = network}, {.float32 = float32});
      EXPECT_EQ(network::HostGroups(graph).size(), network::CompileForHost(graph, false, none).steps.size())
          << network;
    }
}

TEST_F(TuneHostTest, UnknownLayersAreNamedWithTheNearest) {
  const graph::Graph graph = session::HostGraph({.network = "mlp"}, {});
  std::string error;
  auto log = TuningLog::Make(Path(), error);
  ASSERT_TRUE(log) << error;
  const std::string layer = graph.node(network::HostGroups(graph).front().front()).name;
  EXPECT_FALSE(TuneHost(graph, kNative, "v", {.trials = 1, .layer = layer + "x"}, *log, error));
  EXPECT_THAT(error, HasSubstr(layer));
}

TEST_F(TuneHostTest, ALogKeepsSchedulesByProcessorAndVersion) {
  std::string error;
  auto log = TuningLog::Make(Path(), error);
  ASSERT_TRUE(log) << error;
  const schedules::ContractionSchedule a{0, {.lanes = 4, .pixels = 2}}, b{2, {.lanes = 8, .pixels = 3}};
  ASSERT_TRUE(log->PutHost("p", "1", {{"w", a, 2e-3, 1e-3}, {"x", a, 2e-3, 1e-3}}, error)) << error;
  ASSERT_TRUE(log->PutHost("p", "1", {{"w", b, 2e-3, 5e-4}}, error)) << error;
  EXPECT_EQ(log->HostSchedules("p", "1"), (schedules::ContractionSchedules{{"w", b}, {"x", a}}));
  EXPECT_TRUE(log->HostSchedules("p", "2").empty());
  EXPECT_TRUE(log->HostSchedules("q", "1").empty());
  EXPECT_THAT(log->HostSchedulesOf("w"), Contains(b));
  EXPECT_EQ(log->Processors(), std::vector<std::string>{"p"});
}

TEST_F(TuneHostTest, AKernelThatEndsItsProcessCostsItselfOnly) {
  const graph::Graph graph = session::HostGraph({.network = "mlp"}, {});
  const auto group = network::HostGroups(graph).front();
  const auto found = cpu::ContractionsOf(graph, group, cpu::TargetOf(kNative));
  ASSERT_FALSE(found.empty());
  HostTimer timer(graph, kNative, 60);
  std::string why;
  const schedules::ContractionSchedule two[] = {found[0].chosen, found[0].all.back()};
  EXPECT_FALSE(timer.Time({{graph.size() + 1000}, found[0].workload}, two, 0.01, &why).front());
  EXPECT_THAT(why, HasSubstr("its process was ended by"));
  const auto timings = timer.Time({group, found[0].workload}, two, 0.01);
  ASSERT_TRUE(timings[0] && timings[1]);
  EXPECT_DOUBLE_EQ(timings[0]->ratio, 1);
  EXPECT_GT(timings[1]->seconds, 0);
}

TEST_F(TuneHostTest, KernelsThatTakeTooLongEndTheirProcess) {
  const graph::Graph graph = session::HostGraph({.network = "mlp"}, {});
  const auto group = network::HostGroups(graph).front();
  const auto found = cpu::ContractionsOf(graph, group, cpu::TargetOf(kNative));
  HostTimer timer(graph, kNative, 1e-3);  // no kernel is compiled in so little
  const schedules::ContractionSchedule one[] = {found[0].chosen};
  std::string why;
  EXPECT_FALSE(timer.Time({group, found[0].workload}, one, 0.01, &why).front());
  EXPECT_THAT(why, HasSubstr("signal 14"));
}

TEST(HostSpace, BeginsWithTheModelsChoiceAndHasEachOnce) {
  const schedules::ContractionSchedule a{0, {.lanes = 4, .pixels = 2}}, b{2, {.lanes = 8, .pixels = 3}};
  const HostSpace space(b, {a, b});
  ASSERT_EQ(space.size(), 2U);
  EXPECT_EQ(space.schedule(0), b);
  EXPECT_EQ(space.Find(a), 1U);
  EXPECT_EQ(space.Features(0).size(), HostSpace::kFeatures);
}

}  // namespace
}  // namespace cosim::tune
