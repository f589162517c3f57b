// SPDX-License-Identifier: Apache-2.0
// cosim inspect as a user types it.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "tests/cli/command.h"
#include "tests/import/testing.h"

namespace cosim::cli::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class Inspect : public Command {
 protected:
  void SetUp() override { COSIM_NEED_DATA(); }
  nlohmann::json Json() { return nlohmann::json::parse(ReadFile(folder_ / "i.json")); }
  const std::string data_ = import::DataFolder();
};

TEST_F(Inspect, SaysWhatAFileHoldsAndWhereItRuns) {
  const Outcome outcome = Good("inspect " + data_ + "/tflite/kws_dscnn_int8.tflite --json=i.json");
  EXPECT_THAT(outcome.out, HasSubstr(": TensorFlow Lite, "));
  EXPECT_THAT(outcome.out, HasSubstr("int8[1,49,10,1], "));
  EXPECT_THAT(outcome.out, HasSubstr("DEPTHWISE_CONV_2D        int8 x int8 -> int8\n"));
  EXPECT_THAT(outcome.out, HasSubstr("on pynq.yaml: "));
  EXPECT_THAT(outcome.out, HasSubstr("the ISA has no exponential"));
  const auto json = Json();
  EXPECT_EQ(json["format"], "TensorFlow Lite");
  EXPECT_EQ(json["problems"].size(), 0u);
  EXPECT_EQ(json["partition"]["host_macs"], 0);
  int64_t operators = 0;
  for (const auto& use : json["operators"]) operators += use["count"].get<int64_t>();
  EXPECT_EQ(operators, 13);
  EXPECT_EQ(json["constants"]["int8"], 22'016);
}

TEST_F(Inspect, FloatsAreToBeQuantized) {
  const Outcome outcome = Good("inspect " + data_ + "/onnx/mnist_fp32.onnx");
  EXPECT_THAT(outcome.out, HasSubstr("quantization none"));
  EXPECT_THAT(outcome.out, HasSubstr("constants    5,994 in ")) << "those of Constant nodes";
  EXPECT_THAT(outcome.out, HasSubstr("hint: its products are of real numbers; `cosim quantize`"));
}

TEST_F(Inspect, WhatCannotRunIsStillDescribed) {
  const Outcome outcome =
      Run("inspect " + data_ + "/onnx/micro_kws_qdq.onnx --shape=serving_default_input:0=1x2 --json=i.json");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.out, HasSubstr("28  DequantizeLinear\n"));
  EXPECT_THAT(outcome.out, Not(HasSubstr("on pynq.yaml")));
  EXPECT_THAT(outcome.err, HasSubstr("dimension 1 is 1960"));
  const auto json = Json();
  ASSERT_EQ(json["problems"].size(), 1u);
  EXPECT_EQ(json["problems"][0]["code"], "E0905");
  EXPECT_FALSE(json.contains("partition"));
}

TEST_F(Inspect, SaysWhatTheFileLeavesOpen) {
  const Outcome outcome = Good("inspect " + data_ + "/onnx/micro_kws_qdq.onnx --json=i.json");
  EXPECT_THAT(outcome.out,
              HasSubstr("note: input 'serving_default_input:0': dimension 0 ('unk__68') is open"));
  EXPECT_EQ(Json()["notes"].size(), 1u);
  EXPECT_THAT(ErrorOf("inspect " + data_ + "/onnx/micro_kws_qdq.onnx --shape=nothing=1x2"),
              HasSubstr("no input and no open dimension of that name"));
}

TEST_F(Inspect, TriesWhatWouldLiftALimit) {
  const Outcome outcome =
      Good("inspect " + data_ + "/tflite/kws_dscnn_int8.tflite --lifts --set parameters.block_in=12");
  EXPECT_THAT(outcome.out,
              HasSubstr("1 layer: average_pool_2d.9\n      the alu reads activations of 12 channels"));
  EXPECT_THAT(
      outcome.out,
      HasSubstr("      lifted by parameters.block_in=16 and parameters.block_out=16 (now 12 and 16)\n"));
}

TEST_F(Inspect, MistakesAreNamed) {
  EXPECT_THAT(ErrorOf("inspect resnet18"), HasSubstr("not an .onnx or .tflite file"));
  EXPECT_THAT(ErrorOf("inspect none.onnx"), HasSubstr("E0901"));
  Write("text.tflite", "text");
  EXPECT_THAT(ErrorOf("inspect text.tflite"), HasSubstr("not a TensorFlow Lite file"));
}

}  // namespace
}  // namespace cosim::cli::testing
