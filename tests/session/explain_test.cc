// SPDX-License-Identifier: Apache-2.0
// What explanations say is what happened: their parts add up, and what they claim of other schedules and
// configurations is what those take when one really runs them.
#include "compiler/session/explain.h"

#include <gmock/gmock.h>

#include "compiler/session/session.h"

namespace cosim::session {
namespace {

using runtime::Cycle;

isa::Spec Tiny(const std::vector<isa::Override>& overrides = {}) {
  Diagnostics diags;
  auto spec = isa::LoadSpec("tiny.yaml", "", overrides, diags);
  EXPECT_TRUE(spec) << diags.Render();
  return *spec;
}

ExplainOptions SmallCnn() {
  ExplainOptions options{.network = "small_cnn"};
  options.respecify = [](const std::vector<isa::Override>& changes) {
    Diagnostics diags;
    return isa::LoadSpec("tiny.yaml", "", changes, diags);
  };
  return options;
}

Cycle CyclesOf(const isa::Spec& spec) {
  std::string error;
  const auto result =
      RunExperiment(spec, {.network = "small_cnn", .timing_only = true, .check = Check::kNone}, error);
  EXPECT_TRUE(result) << error;
  return result->run.cycles;
}

class ExplainedNetwork : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    std::string error;
    result_ = new std::optional(Explain(Tiny(), SmallCnn(), error));
    ASSERT_TRUE(*result_) << error;
  }
  static void TearDownTestSuite() { delete result_; }
  static const Explanation& result() { return **result_; }

 private:
  static std::optional<Explanation>* result_;
};
std::optional<Explanation>* ExplainedNetwork::result_ = nullptr;

TEST_F(ExplainedNetwork, LayersAddUpToTheNetwork) {
  Cycle sum = 0;
  for (const LayerExplanation& layer : result().layers) sum += layer.cycles;
  EXPECT_EQ(sum, result().cycles);
  EXPECT_EQ(result().cycles, CyclesOf(Tiny()));
}

TEST_F(ExplainedNetwork, WorkAndStallsAddUpToTheLayer) {
  for (const LayerExplanation& layer : result().layers) {
    Cycle sum = layer.busy;
    for (const Stall& stall : layer.stalls) sum += stall.cycles;
    EXPECT_EQ(sum, layer.cycles) << layer.layer.name;
    EXPECT_GE(layer.busy, layer.ideal) << layer.layer.name;
  }
}

TEST_F(ExplainedNetwork, TheChosenValueOfEveryKnobIsLegal) {
  for (const LayerExplanation& layer : result().layers) {
    EXPECT_FALSE(layer.layer.knobs.empty());
    for (const runtime::Knob& knob : layer.layer.knobs)
      EXPECT_THAT(knob.legal, ::testing::Contains(knob.value)) << layer.layer.name << " " << knob.name;
  }
}

TEST_F(ExplainedNetwork, CandidatesAreOtherSchedules) {
  bool any = false;
  for (const LayerExplanation& layer : result().layers) {
    for (const runtime::Alternative& other : layer.layer.alternatives) {
      EXPECT_NE(other.schedule, layer.layer.schedule);
      EXPECT_GT(layer.cycles + other.more_cycles, 0);
      any = true;
    }
  }
  EXPECT_TRUE(any);
}

TEST_F(ExplainedNetwork, LiftsAreWhatTheChangedConfigurationTakes) {
  ASSERT_FALSE(result().lifts.empty());
  const Lift& best = result().lifts.front();
  EXPECT_EQ(best.cycles, CyclesOf(Tiny(best.changes))) << best.what;
  for (const Lift& lift : result().lifts) EXPECT_GE(lift.cycles, best.cycles);
}

// Kernels like ones before take their tiles without being measured again, also where measuring explains them.
// With twice the accumulators the pool joins the convolution: the layer's cycles are those of more work.
TEST(Explain, OfALayerThatIsFusedOtherwiseThenTheNetworksGainCounts) {
  const auto with = [](const char* bytes) {
    return std::vector<isa::Override>{{"parameters.acc_bytes", bytes}};
  };
  ExplainOptions options{.network = "small_cnn", .layer = "stem.conv"};
  options.respecify = [](const std::vector<isa::Override>& changes) {
    Diagnostics diags;
    return changes.front().path == "parameters.acc_bytes" ? isa::LoadSpec("tiny.yaml", "", changes, diags)
                                                          : std::nullopt;
  };
  std::string error;
  const auto result = Explain(Tiny(with("1024")), options, error);
  ASSERT_TRUE(result) << error;
  ASSERT_EQ(result->lifts.size(), 1u);
  const Lift& lift = result->lifts.front();
  EXPECT_TRUE(lift.fuses_otherwise);
  EXPECT_EQ(result->cycles - CyclesOf(Tiny(with("2048"))), result->layers.front().cycles - lift.cycles);
}

TEST(Explain, ExplainsTheSchedulesThatRunTakes) {
  for (const char* config : {"pynq.yaml", "test/lanes16.yaml"}) {
    Diagnostics diags;
    const auto spec = isa::LoadSpec(config, "", {}, diags);
    ASSERT_TRUE(spec) << diags.Render();
    const auto graph = QuantizeFor(*spec, "resnet34:size=32,width=0.3", 1, 0).graph;
    const auto run = CompileFor(*spec, graph, {.timing_only = true, .after_pass = {}});
    const auto explained = CompileFor(*spec, graph, {.explain = true, .timing_only = true, .after_pass = {}});
    ASSERT_EQ(run.layers.size(), explained.layers.size());
    for (size_t i = 0; i < run.layers.size(); ++i)
      EXPECT_EQ(run.layers[i].schedule, explained.layers[i].schedule) << run.layers[i].name;
  }
}

Explanation Explained(const std::vector<isa::Override>& overrides) {
  std::string error;
  const auto result = Explain(Tiny(overrides), {.network = "small_cnn"}, error);
  EXPECT_TRUE(result) << error;
  return *result;
}

TEST(ExplainPorts, NeedAsLongAsTheBusierHalf) {
  for (const LayerExplanation& layer : Explained({}).layers)
    EXPECT_EQ(layer.traffic.cycles,
              static_cast<Cycle>(std::max(layer.traffic.read_bytes, layer.traffic.write_bytes)) /
                  Tiny().dram.beat_bytes())
        << layer.layer.name;
}

TEST(ExplainPorts, NeedAsLongAsTheDramBehindThem) {
  for (const LayerExplanation& layer : Explained({{"memory.dram_bytes", "1"}}).layers)
    EXPECT_EQ(layer.traffic.cycles, static_cast<Cycle>(layer.traffic.read_bytes + layer.traffic.write_bytes))
        << layer.layer.name;
}

TEST(ExplainPorts, OffersOneToAUnitThatSharesIts) {
  const auto offered = [](const std::vector<isa::Override>& overrides) {
    std::string error;
    ExplainOptions options = SmallCnn();
    options.respecify = [&](std::vector<isa::Override> changes) -> std::optional<isa::Spec> {
      if (!changes.front().path.ends_with("_port")) return std::nullopt;  // the others take their time
      changes.insert(changes.end(), overrides.begin(), overrides.end());
      return Tiny(changes);
    };
    const auto result = Explain(Tiny(overrides), options, error);
    return std::ranges::count_if(result->lifts,
                                 [](const Lift& lift) { return lift.what.ends_with("port of its own"); });
  };
  EXPECT_EQ(offered({}), 1);  // load reads beside fetch; nothing writes beside store
  EXPECT_EQ(offered({{"parameters.load_port", "1"}}), 0);
}

// Layers overlap: the next one's loads run ahead, and the array may begin it before the last store of this
// one.
TEST(Explain, NoLayerExceedsItsRoofs) {
  const std::pair<const char*, const char*> specs[] = {
      {"pynq.yaml", ""},     {"pynq.yaml", "vta"}, {"tiny.yaml", ""},      {"tiny.yaml", "vta"},
      {"pynq-max.yaml", ""}, {"ultra96.yaml", ""}, {"test/split.yaml", ""}};
  for (const auto& [config, isa] : specs)
    for (const char* network : {"small_cnn", "mlp", "mobilenet_v1:size=32,width=0.25"}) {
      Diagnostics diags;
      const auto spec = isa::LoadSpec(config, isa, {}, diags);
      ASSERT_TRUE(spec) << diags.Render();
      std::string error;
      const auto result = Explain(*spec, {.network = network}, error);
      ASSERT_TRUE(result) << error;
      Cycle lost = 0;
      for (const Loss& loss : result->losses) lost += loss.cycles;
      EXPECT_EQ(lost, result->cycles - result->ideal);
      for (const LayerExplanation& layer : result->layers) {
        const std::string where = std::string(config) + " " + isa + " " + network + " " + layer.layer.name;
        EXPECT_LE(layer.ideal, layer.busy + layer.elsewhere) << where;
        EXPECT_LE(layer.busy, layer.cycles) << where;
        EXPECT_LE(layer.own_traffic.cycles, layer.cycles) << where;
        EXPECT_LE(layer.own_traffic.cycles, layer.traffic.cycles) << where;
      }
    }
}

// Two layers by turns share a stretch of cycles: what the array does in it for the other is no loss of the
// network.
TEST(Explain, LosesNothingByLayersThatTakeTurns) {
  Diagnostics diags;
  const auto spec = isa::LoadSpec("ultra96.yaml", "", {}, diags);
  ASSERT_TRUE(spec) << diags.Render();
  std::string error;
  const auto result = Explain(*spec, {.network = "resnet18:size=112"}, error);
  ASSERT_TRUE(result) << error;
  Cycle elsewhere = 0, lost = 0;
  for (const LayerExplanation& layer : result->layers) {
    elsewhere += layer.elsewhere;
    EXPECT_LE(layer.ideal, layer.busy + layer.elsewhere) << layer.layer.name;
  }
  EXPECT_GT(elsewhere, 0);
  for (const Loss& loss : result->losses) {
    lost += loss.cycles;
    EXPECT_GT(loss.cycles, 0) << loss.cause;
  }
  EXPECT_EQ(lost, result->cycles - result->ideal);
}

TEST(Explain, KnowsNoLayerOfAnotherName) {
  ExplainOptions options = SmallCnn();
  options.layer = "nonsense";
  std::string error;
  EXPECT_FALSE(Explain(Tiny(), options, error));
  EXPECT_THAT(error, ::testing::HasSubstr("'nonsense' is not a layer of small_cnn"));
}

}  // namespace
}  // namespace cosim::session
