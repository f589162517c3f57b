// SPDX-License-Identifier: Apache-2.0
// cosim compile, and cosim run on what it writes: the same cycles as from the network, and refusals with a
// reason. Several frames too.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "tests/cli/command.h"

namespace cosim::cli::testing {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class ModuleCommand : public Command {
 protected:
  void Compile(const std::string& arguments) {
    const Outcome outcome = Run("compile " + arguments);
    ASSERT_EQ(outcome.status, 0) << outcome.err;
  }
  nlohmann::json Json(const std::string& arguments) {
    const Outcome outcome = Run("run " + arguments + " --json=-");
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return nlohmann::json::parse(outcome.out, nullptr, false);
  }
};

TEST_F(ModuleCommand, RunsAsTheNetworkDoes) {
  for (const std::string isa : {"cosim", "vta"}) {
    Compile("small_cnn --config=tiny.yaml --isa=" + isa + " -o m.cosim");
    auto module = Json("m.cosim"), network = Json("small_cnn --config=tiny.yaml --isa=" + isa);
    for (auto* run : {&module, &network})
      for (auto& layer : (*run)["layers"]) layer.erase("measured_ms");  // of this machine, now
    EXPECT_GT(module["cycles"], 0);
    for (const char* key : {"network", "config", "isa", "fingerprint", "cycles", "outputs", "layers",
                            "ledger", "seed", "virtual_threads", "instructions"})
      EXPECT_EQ(module[key], network[key]) << key;
    EXPECT_EQ(module["outputs"]["values"], 10);
    EXPECT_EQ(module["outputs"]["mismatches"], 0);
    EXPECT_EQ(module["module"]["file"], "m.cosim");
  }
}

TEST_F(ModuleCommand, RunsOnTheFunctionalDeviceAndTimingOnly) {
  Compile("mlp --config=tiny.yaml");
  EXPECT_THAT(Run("run mlp.cosim --device=functional").out,
              EndsWith("outputs: 10 values, 0 mismatches against golden outputs stored in the module\n"));
  EXPECT_THAT(Run("run mlp.cosim --timing-only").out, EndsWith("outputs: not computed (timing only)\n"));
}

TEST_F(ModuleCommand, SameInputGivesTheSameBytes) {
  Compile("small_cnn --config=tiny.yaml --isa=vta --samples=2 -o a.cosim");
  Compile("small_cnn --config=tiny.yaml --isa=vta --samples=2 -o b.cosim");
  EXPECT_GT(ReadFile(folder_ / "a.cosim").size(), 10000u);
  EXPECT_TRUE(ReadFile(folder_ / "a.cosim") == ReadFile(folder_ / "b.cosim"));
}

// The texts of its spec travel with it.
TEST_F(ModuleCommand, NeedsNeitherConfigurationNorIsaAtHand) {
  std::filesystem::create_directory(folder_ / "sub");
  WriteChanged("configs/tiny.yaml", "sub/mine.yaml", "isa: cosim", "isa: my_isa");
  WriteChanged("isa/cosim.yaml", "sub/my_isa.yaml", "Apache-2.0", "Apache-2.0");
  Compile("mlp --config=sub/mine.yaml --set memory.latency=17 -o m.cosim");
  std::filesystem::remove(folder_ / "sub" / "mine.yaml");
  std::filesystem::remove(folder_ / "sub" / "my_isa.yaml");
  const auto run = Json("m.cosim");
  EXPECT_EQ(run["config"], "mine");
  EXPECT_EQ(run["outputs"]["mismatches"], 0);
  EXPECT_EQ(ReadFile(folder_ / "m.cosim").find("sub/"), std::string::npos) << "a path of the machine";
}

TEST_F(ModuleCommand, TakesWhatProgramsDoNotDependOn) {
  Compile("mlp --config=tiny.yaml --set memory.latency=10 -o m.cosim");
  const auto slow = Json("m.cosim --set memory.latency=80"), fast = Json("m.cosim");
  EXPECT_GT(slow["cycles"], fast["cycles"]);
  EXPECT_EQ(slow["fingerprint"], fast["fingerprint"]);
  // Compiled for that memory, other schedules may be chosen, but none that are slower.
  EXPECT_GE(slow["cycles"], Json("mlp --config=tiny.yaml --set memory.latency=80")["cycles"]);
}

TEST_F(ModuleCommand, IsRefusedByAnotherSpec) {
  Compile("mlp --config=tiny.yaml -o m.cosim");
  EXPECT_THAT(ErrorOf("run m.cosim --config=pynq.yaml"),
              HasSubstr("m.cosim cannot run: it was compiled for spec "));
  EXPECT_THAT(ErrorOf("run m.cosim --isa=vta"), HasSubstr("(cosim on tiny), and this is spec "));
  EXPECT_EQ(Run("run m.cosim --config=tiny.yaml").status, 0);
}

TEST_F(ModuleCommand, IsRefusedWhenDamaged) {
  Compile("mlp --config=tiny.yaml -o m.cosim");
  const std::string bytes = ReadFile(folder_ / "m.cosim");
  Write("cut.cosim", bytes.substr(0, bytes.size() - 100));
  EXPECT_THAT(ErrorOf("run cut.cosim"), StartsWith("cosim: error: cut.cosim is cut off: "));
  std::string flipped = bytes;
  flipped[flipped.size() / 2] ^= 4;
  Write("flipped.cosim", flipped);
  EXPECT_THAT(ErrorOf("run flipped.cosim"),
              StartsWith("cosim: error: flipped.cosim is damaged: its checksum is wrong\n"));
  std::string newer = bytes;
  newer[8] = 9;
  Write("newer.cosim", newer);
  EXPECT_THAT(ErrorOf("run newer.cosim"),
              HasSubstr("has version 9 of the format, and this cosim reads version 4"));
  Write("text.cosim", "not a module");
  EXPECT_THAT(ErrorOf("run text.cosim"), HasSubstr("text.cosim is not a module"));
  EXPECT_THAT(ErrorOf("run none.cosim"), HasSubstr("none.cosim cannot be read: there is no such file"));
}

// Another folder of states has another key: it stands for another user.
TEST_F(ModuleCommand, MachineCodeOfOthersTakesTrust) {
  Compile("mlp --config=tiny.yaml -o m.cosim");
  EXPECT_EQ(Run("run m.cosim").status, 0);
  const std::string other = "XDG_STATE_HOME=" + (output_ / "state").string() + " " + COSIM_BINARY + " run ";
  const Outcome refused = Shell(other + "m.cosim");
  EXPECT_EQ(refused.status, 1);
  EXPECT_EQ(refused.out, "");
  EXPECT_EQ(
      refused.err,
      "cosim: error: m.cosim is not run: it has machine code for its host layers, and it was made by another "
      "user, on another machine, or has been changed\n"
      "  hint: --trust runs that code, which can do whatever your own programs can; --timing-only takes "
      "none; or "
      "compile the model here\n");
  EXPECT_THAT(Shell(other + "m.cosim --trust").out,
              EndsWith("0 mismatches against golden outputs stored in the module\n"));
  EXPECT_THAT(Shell(other + "m.cosim --timing-only").out, EndsWith("outputs: not computed (timing only)\n"));
  const std::string bytes = ReadFile(folder_ / "m.cosim");
  Write("bare.cosim", bytes.substr(0, bytes.size() - 40));
  EXPECT_THAT(ErrorOf("run bare.cosim"), HasSubstr("its host layers, and nothing says that you made it\n"));
  EXPECT_EQ(Run("run bare.cosim --trust").status, 0);
  EXPECT_THAT(ErrorOf("run mlp --trust"), HasSubstr("--trust is for modules"));
}

TEST_F(ModuleCommand, IsKnownAgainWhereverItIsWrittenTo) {
  // In parentheses: Shell redirects what stands last.
  ASSERT_EQ(
      Shell("(" + std::string(COSIM_BINARY) + " compile mlp --config=tiny.yaml -o - | cat > piped.cosim)")
          .status,
      0);
  EXPECT_EQ(Run("run piped.cosim").status, 0);
}

TEST_F(ModuleCommand, RunsWithoutTrustWhatHasNoMachineCode) {
  const std::string hardmax = "/usr/share/libonnx-testdata/data/node/test_hardmax_axis_1/model.onnx";
  if (!std::filesystem::exists(hardmax)) GTEST_SKIP() << "no libonnx-testdata";
  Compile(hardmax + " --config=tiny.yaml -o m.cosim");
  const Outcome run =
      Shell("XDG_STATE_HOME=" + (output_ / "state").string() + " " + COSIM_BINARY + " run m.cosim");
  EXPECT_EQ(run.status, 0) << run.err;
}

TEST_F(ModuleCommand, WithoutAKeyItGetsNoTag) {
  Write("state", "a file");
  const Outcome compiled = Shell("XDG_STATE_HOME=" + (folder_ / "state").string() + " " + COSIM_BINARY +
                                 " compile mlp --config=tiny.yaml");
  EXPECT_EQ(compiled.status, 0);
  EXPECT_THAT(compiled.err, StartsWith("cosim: the module gets no tag, and runs with --trust only: "));
  EXPECT_THAT(ErrorOf("run mlp.cosim"), HasSubstr("nothing says that you made it"));
}

TEST_F(ModuleCommand, RefusesOptionsOfTheCompiler) {
  Compile("mlp --config=tiny.yaml -o m.cosim");
  EXPECT_THAT(ErrorOf("run m.cosim --seed=2"), HasSubstr("--seed: a module was compiled with its own"));
  EXPECT_THAT(ErrorOf("run m.cosim --virtual-threads=1"), HasSubstr("--virtual-threads: a module"));
  EXPECT_THAT(ErrorOf("run m.cosim --activation-bits=8"), HasSubstr("--activation-bits: a module"));
  EXPECT_THAT(ErrorOf("run m.cosim --check=layers"),
              HasSubstr("--check=layers: a module has the golden outputs"));
}

TEST_F(ModuleCommand, CompileChecksItsOptionsAndLeavesNoFile) {
  EXPECT_THAT(ErrorOf("compile mlp --host-target=z80"), HasSubstr("--host-target=z80: not one of native, "));
  EXPECT_THAT(ErrorOf("compile mlp --samples=0"), HasSubstr("--samples: from 1 to 64"));
  EXPECT_THAT(ErrorOf("compile mpl"), HasSubstr("unknown network 'mpl'"));
  EXPECT_THAT(ErrorOf("compile mlp -o no/folder.cosim"), HasSubstr("there is no folder no"));
  EXPECT_THAT(ErrorOf("compile mlp -o m.onnx"), HasSubstr("--output=m.onnx: that names a model file"));
  for (const char* verb : {"compile", "explain", "disasm", "check"})
    EXPECT_THAT(ErrorOf(verb + std::string(" m.cosim")),
                StartsWith("cosim: error: m.cosim is a module, which only `cosim run` takes\n"));
  EXPECT_THAT(ErrorOf("compile mlp --config=none.yaml"), HasSubstr("there is no such file"));
  EXPECT_TRUE(Files().empty());
}

TEST_F(ModuleCommand, FramesAreAllExactAndTheirTimesKeptApart) {
  const auto one = Json("small_cnn --config=tiny.yaml --isa=vta");
  const auto run = Json("small_cnn --config=tiny.yaml --isa=vta --frames=5 --jobs=2");
  EXPECT_EQ(run["cycles"], one["cycles"]);
  EXPECT_EQ(run["frames"]["count"], 5);
  EXPECT_EQ(run["frames"]["jobs"], 2);
  EXPECT_EQ(run["frames"]["cycles"], 5 * one["cycles"].get<int64_t>());
  EXPECT_EQ(run["outputs"]["values"], 50);
  EXPECT_EQ(run["outputs"]["mismatches"], 0);
  EXPECT_GT(run["frames"]["host_wall_s"], 0);
  EXPECT_LE(run["frames"]["host_overlapped_s"], run["frames"]["host_cpu_steps_s"]);
}

TEST_F(ModuleCommand, FramesTakeTheSamplesInTurn) {
  Compile("small_cnn --config=tiny.yaml --isa=vta --samples=3 -o m.cosim");
  const Outcome run = Run("run m.cosim --frames=7 --jobs=3 --device=functional");
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("\nframes: 7\n  on this host, 3 simulated at a time: "));
  EXPECT_THAT(run.out,
              EndsWith("outputs: 70 values, 0 mismatches against golden outputs stored in the module\n"));
}

TEST_F(ModuleCommand, FramesRefuseWhatTheyCannotDo) {
  EXPECT_THAT(ErrorOf("run mlp --frames=0"), HasSubstr("--frames: from 1 to "));
  EXPECT_THAT(ErrorOf("run mlp --jobs=2"), HasSubstr("--jobs: one frame is one job"));
  EXPECT_THAT(ErrorOf("run mlp --frames=2 --timing-only"), HasSubstr("--timing-only: every frame takes"));
  EXPECT_THAT(ErrorOf("run mlp --frames=2 --check=layers"), HasSubstr("--check=layers looks at one frame"));
  EXPECT_THAT(ErrorOf("run mlp --frames=2 --device=tlm"), HasSubstr("--frames: there is one tlm platform"));
}

}  // namespace
}  // namespace cosim::cli::testing
