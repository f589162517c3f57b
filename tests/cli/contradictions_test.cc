// SPDX-License-Identifier: Apache-2.0
// Arguments that do not go together, or that nothing would use, are refused instead of ignored.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "tests/cli/command.h"
#include "tests/import/testing.h"

namespace cosim::cli::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class Contradictions : public Command {
 protected:
  void ExpectRefused(const std::string& arguments, const std::string& error) {
    EXPECT_THAT(ErrorOf(arguments), HasSubstr("cosim: error: " + error)) << arguments;
    EXPECT_EQ(Files(), before_) << arguments;
  }
  std::set<std::string> before_ = Files();
};

TEST_F(Contradictions, StandardOutputHasOneUse) {
  const std::string run = "run mlp --config=tiny.yaml ";
  ExpectRefused(run + "--json=- --output=-", "--output and --json both write to standard output");
  ExpectRefused(run + "--json=- --top=3", "--top: standard output is that of --json");
  ExpectRefused(run + "--output=- --top=3", "--top: standard output is that of --output");
  ExpectRefused(run + "--output=x --json=x", "--output and --json both write x");
  EXPECT_THAT(Good(run + "--output=-").out, StartsWith("PK"));  // an .npz, without a report in front
}

TEST_F(Contradictions, DisasmUsesWhatItIsGiven) {
  ExpectRefused("disasm mlp --layer=fc1", "--layer: a program is all layers' together");
  ExpectRefused("disasm mlp --print-after=lower --program=1", "--program: --print-after prints no program");
  ExpectRefused("disasm mlp --print-after=lower --contents", "--contents: --print-after prints no program");
}

TEST_F(Contradictions, OfModelsFromFiles) {
  COSIM_NEED_DATA();
  std::filesystem::create_directory_symlink(std::filesystem::absolute(import::DataFolder()),
                                            folder_ / "data");
  before_ = Files();
  const std::string mnist = "data/onnx/mnist_fp32.onnx", digit = " --input=data/inputs/mnist_0.f32.bin",
                    tflite = "data/tflite/ad_autoencoder_int8.tflite";
  ExpectRefused("run " + mnist + " --mean=1", "--mean is of the images of --input");
  ExpectRefused("run " + mnist + " --layout=nhwc", "--layout is of the images of --input");
  ExpectRefused("run " + mnist + " --shape=x=1x28", "--shape=x=...: data/onnx/mnist_fp32.onnx has no input");
  ExpectRefused("run " + tflite + " --shape=x=1", "--shape=x=...: " + tflite + " has no input");
  EXPECT_THAT(ErrorOf("run " + mnist + digit + digit), HasSubstr("input 'Input3' is given already"));
  EXPECT_EQ(Run("explain " + mnist + " --shape=Input3=1x1x28x28").status, 0);
}

TEST_F(Contradictions, AFailedWriteIsNotReportedAsDone) {
  COSIM_NEED_DATA();
  std::filesystem::create_directory_symlink(std::filesystem::absolute(import::DataFolder()),
                                            folder_ / "data");
  std::filesystem::create_symlink("/dev/full", folder_ / "full.onnx");
  const std::string quantize = "quantize data/onnx/mnist_fp32.onnx --calibrate=random --samples=1 ";
  EXPECT_EQ(ErrorOf(quantize + "-o full.onnx --json=r.json"),
            "cosim: error: cannot write full.onnx: No space left on device\n");
  EXPECT_EQ(Files(), (std::set<std::string>{"data", "full.onnx"}));
  EXPECT_THAT(ErrorOf(quantize + "--json=x.onnx -o x.onnx"),
              HasSubstr("--output and --json both write x.onnx"));
  EXPECT_THAT(
      ErrorOf("quantize data/onnx/mnist_fp32.onnx --calibrate=random --samples=999999999999 -o x.onnx"),
      HasSubstr("--samples: from 1 to 100000"));
}

TEST_F(Contradictions, APipeThatNobodyWritesIsNotWaitedFor) {
  const std::string binary = "mkfifo -m 600 pipe; timeout 20 " + std::string(COSIM_BINARY);
  for (const std::string command :
       {"check pipe", "asm pipe", "run mlp --config=pipe", "isa doc --isa=pipe"}) {
    const Outcome outcome = Shell("{ rm -f pipe; " + binary + " " + command + "; }");
    EXPECT_EQ(outcome.status, 1) << command;
    EXPECT_THAT(outcome.err, HasSubstr("pipe: error[E0001]: ")) << command;
  }
}

TEST_F(Contradictions, ConformanceSaysWhatIsMissing) {
  ExpectRefused("conformance onnx --data=/nonsense", "no cases in /nonsense");
  if (!std::filesystem::exists("/usr/share/libonnx-testdata/data")) GTEST_SKIP() << "no libonnx-testdata";
  ExpectRefused("conformance onnx --filter=nonsense", "--filter=nonsense: no case has that in its name");
  ExpectRefused("conformance onnx --filter=relu -o nowhere/table",
                "cannot write nowhere/table: there is no folder nowhere");
}

}  // namespace
}  // namespace cosim::cli::testing
