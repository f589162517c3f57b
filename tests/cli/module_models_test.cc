// SPDX-License-Identifier: Apache-2.0
// Modules of model files: they give the bytes that the files give, on the inputs a user names, wherever they
// run.
#include <gmock/gmock.h>

#include <vector>

#include "tests/cli/command.h"
#include "tests/import/testing.h"

namespace cosim::cli::testing {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;

class ModelModule : public Command {
 protected:
  void SetUp() override {
    COSIM_NEED_DATA();
    std::filesystem::create_directory_symlink(std::filesystem::absolute(import::DataFolder()),
                                              folder_ / "data");
    std::vector<float> speech(1960);
    for (size_t i = 0; i < speech.size(); ++i) speech[i] = static_cast<float>(i % 29) / 4;
    Write("speech.bin", {reinterpret_cast<const char*>(speech.data()), speech.size() * sizeof(float)});
  }
  /// The outputs of a run, as the file it writes.
  std::string OutputsOf(const std::string& arguments) {
    Good("run " + arguments + " --output=y.npz");
    std::string bytes = ReadFile(folder_ / "y.npz");
    std::filesystem::remove(folder_ / "y.npz");
    EXPECT_GT(bytes.size(), 100u) << arguments;
    return bytes;
  }
};

struct Case {
  const char *model, *compile, *input;
};

class EveryModel : public ModelModule, public ::testing::WithParamInterface<Case> {};

TEST_P(EveryModel, GivesTheBytesOfItsFile) {
  const std::string model = std::string("data/") + GetParam().model, compile = GetParam().compile,
                    input = std::string(" --input=") + GetParam().input;
  Good("compile " + model + " " + compile + " --samples=2 -o m.cosim");
  EXPECT_EQ(OutputsOf("m.cosim"), OutputsOf(model + " " + compile));
  for (const std::string device : {" --device=functional", " --device=cycle", " --frames=3 --jobs=2"})
    EXPECT_EQ(OutputsOf("m.cosim" + input + device), OutputsOf(model + " " + compile + input + device))
        << device;
  EXPECT_THAT(Good("run m.cosim --frames=4 --jobs=2").out,
              HasSubstr(", 0 mismatches against golden outputs stored in the module\n"));
}

INSTANTIATE_TEST_SUITE_P(
    Data, EveryModel,
    ::testing::Values(Case{"tflite/resnet8_cifar10_int8.tflite", "", "data/inputs/imgc_quant_cat.bin"},
                      Case{"tflite/kws_dscnn_int8.tflite", "", "data/inputs/kws_on_5.bin"},
                      Case{"tflite/vww_mobilenetv1_int8.tflite", "", "data/inputs/vww_quant_test_yes_0.bin"},
                      Case{"onnx/mnist_fp32.onnx", "", "data/inputs/mnist_0.f32.bin"},
                      Case{"onnx/micro_kws_qdq.onnx", "--shape=unk__68=1", "speech.bin"}),
    [](const auto& info) {
      const std::string name = std::filesystem::path(info.param.model).stem().string();
      return name;
    });

TEST_F(ModelModule, TakesImagesAndSaysWhatTheyShow) {
  Good("compile data/tflite/mobilenetv1_025_128_uint8.tflite -o m.cosim");
  const std::string options =
      " --input=data/images/cat.bmp --top=1 --labels=data/images/imagenet_labels.txt --device=functional";
  const Outcome module = Good("run m.cosim" + options);
  EXPECT_THAT(module.out,
              HasSubstr("outputs: not checked: the module has golden outputs for its own samples"));
  EXPECT_THAT(module.out, ::testing::ContainsRegex("\n +286 .*Egyptian cat\n$"));
  const std::string file = Good("run data/tflite/mobilenetv1_025_128_uint8.tflite" + options).out;
  EXPECT_THAT(file, EndsWith(module.out.substr(module.out.rfind("  286"))));
  const std::string bright = " --input=data/images/cat.bmp --mean=100 --scale=0.01 --layout=nhwc";
  EXPECT_EQ(OutputsOf("m.cosim" + bright),
            OutputsOf("data/tflite/mobilenetv1_025_128_uint8.tflite" + bright));
}

// The file it was compiled from may go.
TEST_F(ModelModule, NeedsNoOtherFile) {
  std::filesystem::copy_file(folder_ / "data/onnx/mnist_fp32.onnx", folder_ / "digits.onnx");
  const Outcome compiled = Good("compile digits.onnx");
  EXPECT_THAT(compiled.out, HasSubstr("digits.cosim: digits on pynq (cosim), spec "));
  EXPECT_THAT(compiled.out, ::testing::Not(HasSubstr("routines")));
  std::filesystem::remove(folder_ / "digits.onnx");
  EXPECT_THAT(Good("run digits.cosim").out, HasSubstr("outputs: 10 values, 0 mismatches against golden"));
  EXPECT_EQ(ReadFile(folder_ / "digits.cosim").find(folder_.string()), std::string::npos);
}

TEST_F(ModelModule, ProgramsOfModelFilesAreShownAndVerified) {
  EXPECT_THAT(Good("check data/tflite/kws_dscnn_int8.tflite").out,
              HasSubstr("kws_dscnn_int8.tflite: 1 program, 553 instructions: no deadlock"));
  EXPECT_THAT(Good("disasm data/tflite/kws_dscnn_int8.tflite").out, ::testing::StartsWith(".isa cosim"));
  EXPECT_THAT(ErrorOf("check none.tflite"), HasSubstr("none.tflite: error[E0901]: No such file"));
}

TEST_F(ModelModule, SaysWhatIsWrongWithInputs) {
  Good("compile data/onnx/mnist_fp32.onnx -o m.cosim");
  EXPECT_THAT(ErrorOf("run m.cosim --input=none.npy"), HasSubstr("none.npy: error[E0901]: "));
  Write("x.bin", "abc");
  EXPECT_THAT(ErrorOf("run m.cosim --input=x.bin"),
              HasSubstr("has 3 bytes, but input 'Input3' (float32[1,1,28,28]) takes 3136"));
  EXPECT_THAT(ErrorOf("run m.cosim --input=a.npy --layout=chw"),
              HasSubstr("--layout=chw: not one of nhwc, nchw"));
  EXPECT_THAT(ErrorOf("run m.cosim --shape=x=1"),
              HasSubstr("--shape: a module was compiled for the shapes it has"));
  EXPECT_THAT(ErrorOf("run m.cosim --output=no/y.npz"), HasSubstr("there is no folder no"));
  EXPECT_THAT(ErrorOf("compile mlp --shape=x=1"), HasSubstr("--shape is for models from files"));
  EXPECT_THAT(Good("compile data/onnx/micro_kws_qdq.onnx -o kws.cosim").err,
              HasSubstr("dimension 0 ('unk__68') is open in the file and taken as 1"));
  EXPECT_THAT(ErrorOf("compile none.tflite"), HasSubstr("none.tflite: error[E0901]: No such file"));
}

}  // namespace
}  // namespace cosim::cli::testing
