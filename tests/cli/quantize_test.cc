// SPDX-License-Identifier: Apache-2.0
// cosim quantize and cosim accuracy as a user types them.
#include <gmock/gmock.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "tests/cli/command.h"
#include "tests/import/testing.h"

namespace cosim::cli::testing {
namespace {

using ::testing::HasSubstr;

class Quantize : public Command {
 protected:
  void SetUp() override {
    COSIM_NEED_DATA();
    // A folder a class: the two digits whose answers are known.
    for (const auto& [label, file] : {std::pair("5", "mnist_0"), std::pair("0", "mnist_1")}) {
      std::filesystem::create_directories(folder_ / "digits" / label);
      std::filesystem::copy_file(import::DataFolder() + "/inputs/" + file + ".f32.bin",
                                 folder_ / "digits" / label / "digit.bin");
    }
    std::filesystem::copy_file(model_, folder_ / "mnist.onnx");
  }
  std::string model_ = import::DataFolder() + "/onnx/mnist_fp32.onnx";
};

TEST_F(Quantize, WritesAModelThatRunsAndIsAsAccurate) {
  for (const char* method : {"max", "percentile", "kl", "mse", "auto"}) {
    const Outcome quantized =
        Run("quantize mnist.onnx --calibrate=digits --per-channel --method=" + std::string(method) +
            " -o q.onnx");
    ASSERT_EQ(quantized.status, 0) << quantized.err;
    EXPECT_THAT(quantized.out, HasSubstr("\nworst layer: "));
    EXPECT_THAT(quantized.out, HasSubstr("3 layers quantized, 2 samples seen, written to q.onnx"));
    EXPECT_EQ(quantized.err, "");
  }
  const Outcome run = Run("run q.onnx --input=digits/5/digit.bin --top=1");
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr(" 0 mismatches against golden"));
  EXPECT_THAT(run.out, ::testing::ContainsRegex("\n +5 +[0-9.]+\n"));
  for (const char* device : {"functional", "cycle"}) {
    const Outcome accuracy =
        Run("accuracy q.onnx --data=digits --reference=mnist.onnx --device=" + std::string(device) +
            " --json=r.json");
    ASSERT_EQ(accuracy.status, 0) << accuracy.err;
    EXPECT_THAT(accuracy.out, HasSubstr("top-1                       100.0 %   2 of 2"));
    const auto json = nlohmann::json::parse(ReadFile(folder_ / "r.json"));
    EXPECT_EQ(json["top1"], 1.0);
    EXPECT_EQ(json["agreement"], 1.0);
    ASSERT_EQ(json["classes"].size(), 2u);
    EXPECT_EQ(json["classes"][1]["label"], 5);
    EXPECT_EQ(json["classes"][1]["right"], 1);
    EXPECT_EQ(json["device"], device);
    EXPECT_FALSE(json["most_lost_in"].get<std::string>().empty());
    EXPECT_EQ(json.contains("cycles"), std::string(device) == "cycle");
  }
}

TEST_F(Quantize, SomeActivationsHaveSixteenBits) {
  const Outcome quantized =
      Run("quantize mnist.onnx --calibrate=digits --per-channel --bits16=1 -o q.onnx --json=q.json");
  ASSERT_EQ(quantized.status, 0) << quantized.err;
  EXPECT_THAT(quantized.out, HasSubstr("cosine bits\n"));
  const auto json = nlohmann::json::parse(ReadFile(folder_ / "q.json"));
  std::multiset<int> bits;
  for (const auto& layer : json["layers"]) bits.insert(layer["bits"].get<int>());
  EXPECT_EQ(bits, (std::multiset<int>{8, 8, 16}));
  for (const char* device : {"host", "cycle"}) {
    const Outcome run = Run("run q.onnx --input=digits/5/digit.bin --top=1 --device=" + std::string(device));
    ASSERT_EQ(run.status, 0) << run.err;
    EXPECT_THAT(run.out, HasSubstr(" 0 mismatches against golden"));
  }
  const Outcome accuracy = Run("accuracy q.onnx --data=digits --reference=mnist.onnx");
  ASSERT_EQ(accuracy.status, 0) << accuracy.err;
  EXPECT_THAT(accuracy.out, HasSubstr("top-1                       100.0 %   2 of 2"));
  EXPECT_THAT(accuracy.out, HasSubstr("\nno layer loses more of the signal"));
}

// An int8 TensorFlow Lite model has the float one's operators, but no names in common with it.
TEST_F(Quantize, LayersOfATfliteModelAreComparedByOperator) {
  const std::string folder = import::DataFolder() + "/tflite/";
  const Outcome outcome = Run("accuracy " + folder +
                              "resnet8_cifar10_int8.tflite --data=random --samples=2 --reference=" + folder +
                              "resnet8_cifar10_fp32.tflite --json=r.json");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("most is lost in"));
  const auto layers = nlohmann::json::parse(ReadFile(folder_ / "r.json"))["layers"];
  ASSERT_GE(layers.size(), 14u);
  EXPECT_EQ(layers[0]["name"], "conv_2d.0.activation");
  EXPECT_GT(layers[0]["db"], 25.0);
  for (const auto& layer : layers) EXPECT_GT(layer["db"], 3.0) << layer["name"];
  const Outcome other =
      Run("accuracy " + folder + "kws_dscnn_int8.tflite --data=random --samples=1 --reference=" + folder +
          "resnet8_cifar10_fp32.tflite");
  EXPECT_EQ(other.status, 1);
}

// Raw numbers are as many samples as the model's inputs fit into them.
TEST_F(Quantize, RawDataOfTheReferencesTypeIsRefused) {
  const std::string folder = import::DataFolder() + "/tflite/";
  std::filesystem::create_directory(folder_ / "raw");
  Write("raw/four.bin", std::string(4 * 32 * 32 * 3 * sizeof(float), '\0'));
  EXPECT_THAT(
      ErrorOf("accuracy " + folder + "resnet8_cifar10_int8.tflite --data=raw --reference=" + folder +
              "resnet8_cifar10_fp32.tflite"),
      HasSubstr("resnet8_cifar10_int8.tflite, but 4 for its reference, whose inputs have other types"));
}

TEST_F(Quantize, AListNamesFilesAndTheirClasses) {
  Write("digits.csv", "file,class\ndigits/5/digit.bin, 5\n\n\"digits/0/digit.bin\",10,8\n");
  const Outcome outcome = Good("accuracy mnist.onnx --data=digits.csv --json=r.json");
  EXPECT_THAT(outcome.out, HasSubstr("top-1                        50.0 %   1 of 2\n"));
  EXPECT_THAT(outcome.out, HasSubstr("  8                           0.0 %   0 of 1, 1 taken for 0\n"));
  const auto wrong = nlohmann::json::parse(ReadFile(folder_ / "r.json"))["classes"][1];
  EXPECT_EQ(wrong["label"], 8);
  EXPECT_EQ(wrong["chosen"]["0"], 1);
  Write("digits.csv", "digits/5/digit.bin,five\ndigits/0/digit.bin,zero\n");
  EXPECT_THAT(Good("accuracy mnist.onnx --data=digits.csv").out, HasSubstr("  five   "));
  Write("digits.csv", "digits/5/digit.bin,5\nnone.bin,1\ndigits/0/digit.bin\n");
  const std::string mistakes = ErrorOf("accuracy mnist.onnx --data=digits.csv");
  EXPECT_THAT(mistakes, HasSubstr("digits.csv:2"));
  EXPECT_THAT(mistakes, HasSubstr("digits.csv:3"));
}

// Recordings by their names: the reference results say which of them are anomalous, not how much.
TEST_F(Quantize, AnAutoencodersErrorTellsAnomalies) {
  const std::string inputs = import::DataFolder() + "/inputs/ad_quant_";
  for (const char* name : {"anomaly_0", "anomaly_1", "normal_0", "normal_1"})
    std::filesystem::copy_file(inputs + name + ".bin", folder_ / (std::string(name) + ".bin"));
  Write("ad.csv", "anomaly_0.bin,1\nanomaly_1.bin,1\nnormal_0.bin,0\nnormal_1.bin,0\n");
  const std::string model = import::DataFolder() + "/tflite/ad_autoencoder_int8.tflite";
  const Outcome outcome = Good("accuracy " + model + " --data=ad.csv --normal=0 --json=r.json");
  EXPECT_THAT(outcome.out, HasSubstr("2 normal, 2 anomalous"));
  const auto json = nlohmann::json::parse(ReadFile(folder_ / "r.json"));
  EXPECT_EQ(json["anomaly"]["area_under_curve"], 1.0);
  EXPECT_FALSE(json.contains("top1"));
  EXPECT_THAT(ErrorOf("accuracy mnist.onnx --data=digits --normal=0"),
              HasSubstr("does not repeat its input"));
  EXPECT_THAT(ErrorOf("accuracy " + model + " --data=ad.csv --normal=7"),
              HasSubstr("all samples are anomalous"));
}

TEST_F(Quantize, LabelsMayBeWrong) {
  std::filesystem::rename(folder_ / "digits/5", folder_ / "digits/7");
  const Outcome wrong = Run("accuracy mnist.onnx --data=digits");
  EXPECT_EQ(wrong.status, 0) << wrong.err;
  EXPECT_THAT(wrong.out, HasSubstr("50.0 %   1 of 2"));
  std::filesystem::rename(folder_ / "digits/7", folder_ / "digits/17");
  const Outcome none = Run("accuracy mnist.onnx --data=digits");
  EXPECT_EQ(none.status, 1);
  EXPECT_THAT(none.err, HasSubstr("has label 17, but the model 10 classes"));
}

TEST_F(Quantize, MistakesAreNamed) {
  const std::pair<std::string, std::string> mistakes[] = {
      {"quantize mnist.onnx -o q.onnx", "--calibrate is missing"},
      {"quantize mnist.onnx --calibrate=random", "--output is missing"},
      {"quantize mnist.onnx --calibrate=random -o q.txt", "not an .onnx file"},
      {"quantize mnist.onnx --calibrate=random -o q.onnx --method=best",
       "not one of auto, max, percentile, kl, mse"},
      {"quantize mnist.onnx --calibrate=random -o q.onnx --rounding=up", "not one of learned, nearest"},
      {"quantize mnist.onnx --calibrate=random -o q.onnx --bits16=0", "not a number of activations"},
      {"quantize mnist.onnx --calibrate=random -o q.onnx --bits16=101%", "a percentage from 1 to 100"},
      {"quantize mnist.onnx --calibrate=random -o q.onnx --bits16=some", "or all"},
      {"quantize mnist.onnx --calibrate=random -o q.onnx --shape=y=1", "no input and no open dimension"},
      {"quantize mnist.onnx --calibrate=none -o q.onnx", "neither a folder, nor an .npz or .csv file"},
      {"quantize resnet18 --calibrate=random -o q.onnx", "not an .onnx or .tflite file"},
      {"accuracy mnist.onnx", "--data is missing"},
      {"accuracy mnist.onnx --data=random", "nothing says what the right answers are"},
      {"accuracy mnist.onnx --data=digits --device=board", "unknown device 'board'"},
  };
  for (const auto& [command, message] : mistakes) {
    const Outcome outcome = Run(command);
    EXPECT_EQ(outcome.status, 1) << command;
    EXPECT_THAT(outcome.err, HasSubstr(message)) << command;
  }
  EXPECT_FALSE(std::filesystem::exists(folder_ / "q.onnx"));
}

}  // namespace
}  // namespace cosim::cli::testing
