// SPDX-License-Identifier: Apache-2.0
// Networks tuned: what is found is exact, never slower, and the same however often the log was begun.
#include "compiler/tune/tune.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "compiler/cpu/no_code.h"
#include "compiler/network/compile.h"
#include "compiler/session/session.h"
#include "compiler/tune/chain.h"
#include "isa/spec/loader.h"

namespace cosim::tune {
namespace {

isa::Spec Load(const std::string& isa, const std::string& config) {
  Diagnostics diags;
  auto spec = isa::LoadSpec(config, isa, {}, diags);
  EXPECT_TRUE(spec) << diags.Render();
  return *spec;
}

class TuneTest : public ::testing::Test {
 protected:
  void TearDown() override {
    for (const char* name : {"a", "b"}) std::filesystem::remove(Path(name));
  }
  static std::string Path(const std::string& name) {
    return (std::filesystem::temp_directory_path() /
            ("tune_" + std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()) + name))
        .string();
  }
  Tuned TuneInto(const std::string& name, const isa::Spec& spec, const graph::Graph& graph,
                 const TuneOptions& options) {
    std::string error;
    auto log = TuningLog::Make(Path(name), error);
    EXPECT_TRUE(log) << error;
    auto tuned = Tune(spec, graph, KeyOf(spec, "net", options.virtual_threads, "v"), options, *log, error);
    EXPECT_TRUE(tuned) << error;
    return *tuned;
  }
  std::shared_ptr<const network::TunedTiles> TilesOf(const std::string& name, const isa::Spec& spec) {
    std::string error;
    const auto log = TuningLog::Open(Path(name), error);
    auto tiles = TilesFor(*log, KeyOf(spec, "net", 2, "v"));
    EXPECT_TRUE(tiles);
    return std::make_shared<const network::TunedTiles>(std::move(*tiles));
  }
};

TEST_F(TuneTest, FoundSchedulesAreExactAndTakeWhatWasSaid) {
  for (const char* isa : {"cosim", "vta"}) {
    const isa::Spec spec = Load(isa, "tiny.yaml");
    const auto graph = session::QuantizeFor(spec, "small_cnn", 1).graph;
    const Tuned tuned = TuneInto("a", spec, graph, {.trials = 24});
    EXPECT_LE(tuned.cycles, tuned.untuned);
    std::string error;
    const auto plain = session::RunExperiment(spec, {.network = "small_cnn"}, error);
    ASSERT_TRUE(plain) << error;
    EXPECT_EQ(plain->run.cycles, tuned.untuned);
    const auto result = session::RunExperiment(
        spec, {.network = "small_cnn", .tuned = TilesOf("a", spec), .check = session::Check::kOutputs},
        error);
    ASSERT_TRUE(result) << error;
    EXPECT_EQ(result->run.cycles, tuned.cycles);
    EXPECT_EQ(result->Mismatches(), 0);
    EXPECT_GT(result->Values(), 0);
  }
}

TEST_F(TuneTest, LayersTakeTurnsBySchedulesThatWereFoundForTheTwo) {
  const isa::Spec spec = Load("cosim", "pynq.yaml");
  constexpr const char* kNetwork = "mobilenet_v1";
  const auto graph = session::QuantizeFor(spec, kNetwork, 1).graph;
  const Tuned tuned = TuneInto("a", spec, graph, {.trials = 48, .layer = "model.5.3"});
  EXPECT_TRUE(std::ranges::any_of(tuned.turns, &TunedLayer::taken));
  EXPECT_LT(tuned.cycles, tuned.untuned);
  std::string error;
  const auto run = [&](std::shared_ptr<const network::TunedTiles> tiles) {
    return session::RunExperiment(
        spec, {.network = kNetwork, .tuned = std::move(tiles), .check = session::Check::kOutputs}, error);
  };
  const auto plain = run(nullptr), result = run(TilesOf("a", spec));
  ASSERT_TRUE(plain && result) << error;
  EXPECT_EQ(plain->run.cycles, tuned.untuned);
  EXPECT_EQ(result->run.cycles, tuned.cycles);
  EXPECT_EQ(result->Mismatches(), 0);
}

TEST_F(TuneTest, LayersThatTakeTurnsDoSoBesideTunedOnes) {
  const isa::Spec spec = Load("cosim", "pynq.yaml");
  const auto graph = session::QuantizeFor(spec, "mobilenet_v1:size=96,width=0.5", 1).graph;
  Chain chain(spec, graph, 2);
  const network::TunedTiles& own = chain.tuned();  // each layer's own, without turns
  cpu::NoCodeCompiler no_code;
  const auto layers = [&](const network::TunedTiles* tuned) {
    return network::Compile(graph, spec, {.timing_only = true, .after_pass = {}, .tuned = tuned}, no_code)
        .layers;
  };
  const auto plain = layers(nullptr), tuned = layers(&own);
  ASSERT_EQ(plain.size(), tuned.size());
  EXPECT_TRUE(std::ranges::any_of(plain, [](const runtime::Layer& layer) {
    return layer.schedule.find("by turns") != std::string::npos;
  }));
  for (size_t i = 0; i < plain.size(); ++i) EXPECT_EQ(tuned[i].schedule, plain[i].schedule);
}

TEST_F(TuneTest, ALogThatWasBegunChangesNothing) {
  const isa::Spec spec = Load("cosim", "tiny.yaml");
  const auto graph = session::QuantizeFor(spec, "mlp", 1).graph;
  TuneInto("b", spec, graph, {.trials = 20});
  const Tuned again = TuneInto("b", spec, graph, {.trials = 40}),
              whole = TuneInto("a", spec, graph, {.trials = 40});
  EXPECT_GT(again.remembered, 0);
  EXPECT_EQ(again.cycles, whole.cycles);
  ASSERT_EQ(again.layers.size(), whole.layers.size());
  for (size_t i = 0; i < whole.layers.size(); ++i) EXPECT_EQ(again.layers[i].after, whole.layers[i].after);
}

TEST_F(TuneTest, BeginsWithWhatWasFoundForANeighbour) {
  const isa::Spec spec = Load("cosim", "tiny.yaml");
  isa::Spec slower = spec;
  slower.dram.latency += 2;
  const auto graph = session::QuantizeFor(spec, "small_cnn", 1).graph;
  const auto tune = [&](const char* log, const isa::Spec& of, int trials) {
    return TuneInto(log, of, graph, {.trials = trials, .layer = "block1.conv1"}).layers.front();
  };
  const TunedLayer first = tune("a", spec, 48), second = tune("a", slower, 2), alone = tune("b", slower, 2);
  EXPECT_TRUE(first.taken);
  EXPECT_TRUE(second.taken);
  EXPECT_EQ(second.after, first.after);
  EXPECT_LT(second.found.cycles, alone.found.cycles);
}

TEST_F(TuneTest, SeveralThreadsMeasureTheSame) {
  const isa::Spec spec = Load("cosim", "tiny.yaml");
  const auto graph = session::QuantizeFor(spec, "mlp", 1).graph;
  EXPECT_EQ(TuneInto("a", spec, graph, {.trials = 32, .jobs = 1}).layers.front().found.curve,
            TuneInto("b", spec, graph, {.trials = 32, .jobs = 3}).layers.front().found.curve);
}

TEST_F(TuneTest, ALayerThatIsNoneIsAnError) {
  const isa::Spec spec = Load("cosim", "tiny.yaml");
  const auto graph = session::QuantizeFor(spec, "mlp", 1).graph;
  std::string error;
  auto log = TuningLog::Make(Path("a"), error);
  EXPECT_FALSE(Tune(spec, graph, KeyOf(spec, "net", 2, "v"), {.layer = "nothing"}, *log, error));
  EXPECT_THAT(error, ::testing::HasSubstr("'nothing' is not a layer on the accelerator"));
}

TEST(Chain, TakesOnlyWhatTheWholeNetworkGainsBy) {
  const isa::Spec spec = Load("cosim", "tiny.yaml");
  const auto graph = session::QuantizeFor(spec, "small_cnn", 1).graph;
  Chain chain(spec, graph, 2);
  const auto before = chain.cycles();
  kernels::Tile worst = chain.layers()[0].tile;
  worst.y = worst.x = 1;
  worst.threads = 1;
  worst.thread_axis = kernels::Tile::ThreadAxis::kY;
  EXPECT_GT(chain.Measure(0, worst).value_or(1'000'000'000), chain.Measure(0, chain.layers()[0].tile));
  EXPECT_FALSE(chain.Take(0, worst));
  EXPECT_EQ(chain.cycles(), before);
}

TEST(TuningKey, DiffersWithAllThatMovesCycles) {
  const isa::Spec spec = Load("cosim", "tiny.yaml");
  isa::Spec slower = spec;
  slower.dram.latency += 1;
  const std::string key = KeyOf(spec, "n", 2, "v").hardware;
  EXPECT_NE(KeyOf(slower, "n", 2, "v").hardware, key);
  EXPECT_NE(KeyOf(spec, "n", 1, "v").hardware, key);
  EXPECT_NE(KeyOf(spec, "n", 2, "w").hardware, key);
  EXPECT_EQ(KeyOf(spec, "m", 2, "v").hardware, key);
}

}  // namespace
}  // namespace cosim::tune
