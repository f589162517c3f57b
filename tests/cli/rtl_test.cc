// SPDX-License-Identifier: Apache-2.0
// cosim run --device=rtl: what it reports, what it leaves, and what it refuses before anything is built.
#include <gmock/gmock.h>

#include <cstdint>
#include <nlohmann/json.hpp>

#include "tests/cli/command.h"

namespace cosim::cli::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using Json = nlohmann::json;

class Rtl : public Command {};

TEST_F(Rtl, ReportsTheCyclesAndTheLedgerOfTheCycleDevice) {
  Json reports[2];
  const char* devices[] = {"rtl", "cycle"};
  for (int i = 0; i < 2; ++i) {
    const Outcome outcome =
        Run(std::string("run small_cnn --config=tiny.yaml --json=- --device=") + devices[i]);
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    reports[i] = Json::parse(outcome.out, nullptr, /*allow_exceptions=*/false);
    ASSERT_FALSE(reports[i].is_discarded()) << outcome.out;
  }
  EXPECT_EQ(reports[0]["outputs"], (Json{{"values", 10}, {"mismatches", 0}}));
  EXPECT_EQ(reports[0]["cycles"], reports[1]["cycles"]);
  EXPECT_EQ(reports[0]["ledger"], reports[1]["ledger"]);
  for (Json& report : reports)
    for (Json& layer : report["layers"]) layer.erase("measured_ms");  // of this machine, now
  EXPECT_EQ(reports[0]["layers"], reports[1]["layers"]);
  EXPECT_EQ(reports[0]["rtl"]["model_cycles"], reports[1]["cycles"]);
  EXPECT_EQ(reports[0]["rtl"]["difference"], 0);
  EXPECT_FALSE(reports[1].contains("rtl"));
}

TEST_F(Rtl, SaysThatTheCyclesAreEqual) {
  const Outcome outcome = Run("run mlp --config=tiny.yaml --device=rtl");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("difference 0; equal in every instruction's issue and retirement"));
  EXPECT_THAT(outcome.out, HasSubstr("rtl device"));
}

TEST_F(Rtl, RefusesAConfigurationWithoutRtl) {
  const Outcome outcome = Run("run mlp --config=tiny.yaml --device=rtl --set memory.latency=1");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.err, HasSubstr("error[E0701]"));
  EXPECT_THAT(outcome.err, HasSubstr("memory.latency is 1"));
  EXPECT_THAT(outcome.out, IsEmpty());
}

TEST_F(Rtl, NamesThePackageThatIsMissing) {
  const Outcome outcome = Shell("PATH=/nowhere " COSIM_BINARY " run mlp --config=tiny.yaml --device=rtl");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.err, HasSubstr("error[E0702]: running the RTL needs 'verilator'"));
  EXPECT_THAT(outcome.err, HasSubstr("apt-get install verilator"));
}

TEST_F(Rtl, WritesWavesOnlyWhereThereAreSignals) {
  struct Case {
    const char *options, *message;
  };
  for (const Case& c : {Case{"--trace=w.fst", "--trace: the cycle device has no signals"},
                        Case{"--device=rtl --trace-from=5", "--trace=FILE is missing"},
                        Case{"--device=rtl --trace-cycles=5", "--trace=FILE is missing"},
                        Case{"--device=rtl --trace=w.fst --trace-from=-1", "cycles count from 0"},
                        Case{"--device=rtl --trace=w.fst --trace-cycles=0", "at least 1"},
                        Case{"--device=rtl --trace=-", "waves need a file with a name"},
                        Case{"--device=rtl --trace=no/w.fst", "there is no folder no"},
                        Case{"--device=rtl --timing-only", "the rtl device always moves data"}}) {
    const Outcome outcome = Run(std::string("run mlp --config=tiny.yaml ") + c.options);
    EXPECT_EQ(outcome.status, 1) << c.options;
    EXPECT_THAT(outcome.err, HasSubstr(c.message));
  }
  EXPECT_THAT(Files(), IsEmpty());
}

TEST_F(Rtl, LeavesTheWavesAndNothingElse) {
  const std::string run = "run mlp --config=tiny.yaml --device=rtl --trace=w.fst ";
  const Outcome outcome = Run(run + "--trace-from=100 --trace-cycles=50");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(Files(), ElementsAre("w.fst"));
  EXPECT_GT(std::filesystem::file_size(folder_ / "w.fst"), 1000u);
  std::filesystem::remove(folder_ / "w.fst");

  const Outcome late = Run(run + "--trace-from=100000000");
  EXPECT_EQ(late.status, 1);
  EXPECT_THAT(late.err, HasSubstr("no waves were written: the run took"));
  EXPECT_THAT(Files(), IsEmpty());
}

TEST_F(Rtl, AnInterruptLeavesNoHalfOfTheWaves) {
  Good("run mlp --config=tiny.yaml --device=rtl --trace=w.fst --trace-cycles=1");  // builds what is not there
  const std::string whole = ReadFile(folder_ / "w.fst");
  const Outcome outcome =
      Shell("(" COSIM_BINARY
            " run resnet18:size=64 --config=tiny.yaml --device=rtl --trace=w.fst --trace-cycles=1000000000 & "
            "for i in $(seq 1200); do test -e w.fst.$!.tmp && break; sleep 0.1; done; "
            "test -e w.fst.$!.tmp && kill $! && wait $!)");
  EXPECT_EQ(outcome.status, 128 + SIGTERM) << outcome.err;
  EXPECT_EQ(ReadFile(folder_ / "w.fst"), whole);
}

}  // namespace
}  // namespace cosim::cli::testing
