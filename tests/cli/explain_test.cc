// SPDX-License-Identifier: Apache-2.0
// cosim explain of a network: one screen, whose ledger adds up.
#include <gmock/gmock.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tests/cli/command.h"

namespace cosim::cli::testing {
namespace {

using ::testing::HasSubstr;

class ExplainCommand : public Command {
 protected:
  nlohmann::json Explained(const std::string& arguments) {
    return nlohmann::json::parse(Good("explain " + arguments + " --json=-").out);
  }
};

TEST_F(ExplainCommand, ANetworkFillsOneScreen) {
  for (const std::string network :
       {"small_cnn --config=tiny.yaml", "resnet18:size=32,width=0.25 --isa=vta"}) {
    const std::string text = Good("explain " + network).out;
    EXPECT_LE(std::ranges::count(text, '\n'), 40) << text;
    EXPECT_THAT(text, HasSubstr("where the "));
    EXPECT_THAT(text, HasSubstr("layers that lost most"));
    EXPECT_THAT(text, HasSubstr("what would lift "));
  }
}

TEST_F(ExplainCommand, TheLedgerAddsUp) {
  for (const std::string network : {"small_cnn --config=tiny.yaml --isa=vta", "mlp --config=pynq.yaml"}) {
    const nlohmann::json report = Explained(network);
    int64_t lost = 0, layers = 0;
    for (const auto& loss : report["losses"]) {
      int64_t sum = 0;
      for (const auto& layer : loss["layers"]) sum += layer["cycles"].get<int64_t>();
      EXPECT_EQ(sum, loss["cycles"]) << loss["cause"];
      EXPECT_GT(sum, 0) << loss["cause"];
      lost += sum;
    }
    for (const auto& layer : report["layers"]) layers += layer["cycles"].get<int64_t>();
    EXPECT_EQ(lost, report["cycles"].get<int64_t>() - report["ideal_cycles"].get<int64_t>()) << network;
    EXPECT_EQ(layers, report["cycles"]) << network;
  }
}

TEST_F(ExplainCommand, LayersAreThoseOfTheRun) {
  const std::string network = "small_cnn --config=tiny.yaml";
  const nlohmann::json run = nlohmann::json::parse(Good("run " + network + " --timing-only --json=-").out);
  std::map<std::string, int64_t> cycles;
  for (const auto& layer : run["layers"]) cycles[layer["name"]] = layer["cycles"];
  const nlohmann::json report = Explained(network);
  for (const auto& layer : report["layers"])
    EXPECT_EQ(layer["cycles"], cycles.at(layer["name"])) << layer["name"];
}

TEST_F(ExplainCommand, LiftsSayWhetherTheBoardHasRoom) {
  const nlohmann::json report = Explained("mlp --config=pynq.yaml");
  const auto lift = [&](const std::string& what) {
    for (const auto& each : report["lifts"])
      if (each["what"].get<std::string>().starts_with(what)) return each;
    ADD_FAILURE() << "no lift " << what << " among " << report["lifts"];
    return nlohmann::json{{"fits", "?"}, {"fit", "?"}};
  };
  EXPECT_EQ(lift("array 32x32")["fits"], false);
  EXPECT_THAT(lift("array 32x32")["fit"].get<std::string>(), HasSubstr("does not fit pynq: 576 of 220 DSP"));
  EXPECT_EQ(lift("memory port of 128 bits")["fit"], "does not fit pynq: its memory ports have 64 bits");
  EXPECT_TRUE(lift("token queues")["fits"].is_null());
  EXPECT_THAT(lift("token queues")["fit"].get<std::string>(), HasSubstr("of 53200 LUT"));
  EXPECT_EQ(lift("memory latency")["fit"], "the board's memory, not the accelerator");
}

TEST_F(ExplainCommand, ANetworkWithoutAcceleratorLayersIsSaidToHaveNone) {
  const std::string network =
      "mlp --config=tiny.yaml --set parameters.inp_bits=4 --set parameters.wgt_bits=4";
  EXPECT_EQ(Good("explain " + network).out,
            "mlp: no layer runs on the accelerator, so there are no cycles to explain; "
            "`cosim explain --partition` names the limit that each met\n");
  EXPECT_EQ(Explained(network)["layers"], nlohmann::json::array());
  EXPECT_THAT(ErrorOf("explain " + network + " --layer=fc1"), HasSubstr("'fc1' is not a layer of mlp"));
}

TEST_F(ExplainCommand, ContradictionsAreRefused) {
  EXPECT_THAT(ErrorOf("explain mlp --layers --layer=fc1"), HasSubstr("leave out --layer"));
  EXPECT_THAT(ErrorOf("explain mlp --layers --partition"), HasSubstr("leave out --partition"));
}

}  // namespace
}  // namespace cosim::cli::testing
