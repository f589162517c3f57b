// SPDX-License-Identifier: Apache-2.0
// Trained networks against reference outputs that cosim did not make, exactly, on both simulators and the
// RTL.
#include <gmock/gmock.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/import/testing.h"

namespace cosim::import {
namespace {

using Json = nlohmann::json;

Json Goldens() {
  std::ifstream file(DataFolder() + "/goldens.json");
  return Json::parse(file);
}

graph::Tensor InputOf(const Json& golden, const graph::TensorType& type) {
  auto bytes = BytesOf(DataFolder() + "/" + golden["input"].get<std::string>());
  // Where a file holds more, its beginning is the input (the note says so).
  graph::Tensor tensor(type);
  EXPECT_GE(bytes.size(), tensor.bytes().size());
  bytes.resize(tensor.bytes().size());
  const bool image = golden["input_dtype"].get<std::string>().starts_with("uint8 image bytes");
  for (size_t i = 0; i < bytes.size(); ++i)
    tensor.mutable_bytes()[i] = image ? static_cast<uint8_t>(bytes[i] - 128) : bytes[i];
  return tensor;
}

uint32_t Checksum(std::span<const int8_t> output) {
  uint32_t sum = 0;
  for (size_t j = 0; j < output.size(); ++j)
    sum ^= static_cast<uint32_t>(int32_t{output[j]}) << ((j & 3) * 8);
  return sum;
}

void ExpectInt8(const Json& golden, const std::vector<uint8_t>& bytes) {
  const std::span<const int8_t> output(reinterpret_cast<const int8_t*>(bytes.data()), bytes.size());
  if (golden.contains("output_int8")) {
    EXPECT_THAT(output, testing::ElementsAreArray(golden["output_int8"].get<std::vector<int8_t>>()));
  } else if (golden.contains("output_int8_difference_1_minus_0")) {
    ASSERT_GE(output.size(), 2u);
    EXPECT_EQ(output[1] - output[0], golden["output_int8_difference_1_minus_0"].get<int>());
  } else {
    ASSERT_TRUE(golden.contains("output_checksum_u32"));
    EXPECT_EQ(Checksum(output), golden["output_checksum_u32"].get<uint32_t>());
  }
}

void CheckModel(const std::string& name, const std::string& device) {
  const auto spec =
      LoadTestSpec(device == "rtl" ? "tiny.yaml" : "pynq.yaml");  // the RTL under Verilator is slow
  const auto model = Import(DataFolder() + "/tflite/" + name);
  ASSERT_TRUE(model);
  int checked = 0;
  for (const Json& golden : Goldens()) {
    if (golden["model"] != name) continue;
    SCOPED_TRACE(golden["input"].get<std::string>());
    const auto result =
        RunModel(spec, model, {InputOf(golden, model->graph.node(model->graph.inputs()[0]).type)}, device);
    ASSERT_TRUE(result);
    ExpectInt8(golden, result->run.outputs[0]);
    ++checked;
  }
  EXPECT_GT(checked, 0);
}

struct Case {
  std::string model, device;
};

class TfliteGoldens : public testing::TestWithParam<Case> {};

TEST_P(TfliteGoldens, AreMatchedExactly) {
  COSIM_NEED_DATA();
  CheckModel(GetParam().model, GetParam().device);
}

std::vector<Case> Cases() {
  std::vector<Case> cases;
  for (const char* model :
       {"resnet8_cifar10_int8.tflite", "kws_dscnn_int8.tflite", "vww_mobilenetv1_int8.tflite",
        "ad_autoencoder_int8.tflite", "mobilenetv2_035_160_int8.tflite"})
    for (const char* device : {"functional", "cycle"}) cases.push_back({model, device});
  for (const char* model :
       {"resnet8_cifar10_int8.tflite", "kws_dscnn_int8.tflite", "ad_autoencoder_int8.tflite"})
    cases.push_back({model, "rtl"});
  return cases;
}

INSTANTIATE_TEST_SUITE_P(Models, TfliteGoldens, testing::ValuesIn(Cases()), [](const auto& info) {
  return info.param.model.substr(0, info.param.model.find('.')) + "_" + info.param.device;
});

TEST(TfliteGoldens, EveryModelWithGoldensIsTested) {
  COSIM_NEED_DATA();
  for (const Json& golden : Goldens()) {
    const std::string name = golden["model"];
    const auto cases = Cases();
    if (!name.ends_with(".tflite")) continue;
    EXPECT_TRUE(std::any_of(cases.begin(), cases.end(), [&](const Case& c) { return c.model == name; }))
        << name;
  }
}

// The integer work of these networks belongs on the accelerator: what is left to the host is the last
// softmax, what moves elements between layouts, and what is listed here.
TEST(TflitePartition, ConvolutionsDenseAndAddsRunOnTheAccelerator) {
  COSIM_NEED_DATA();
  const auto spec = LoadTestSpec("pynq.yaml");
  for (const char* name :
       {"resnet8_cifar10_int8", "kws_dscnn_int8", "vww_mobilenetv1_int8", "ad_autoencoder_int8"}) {
    const auto model = Import(DataFolder() + "/tflite/" + name + ".tflite");
    ASSERT_TRUE(model);
    const auto network = session::CompileFor(spec, model->graph, {});
    for (const auto& layer : network.layers)
      if (!layer.on_accelerator) {
        EXPECT_THAT(layer.op, testing::AnyOf("tflite_softmax", "transpose", "pack", "unpack", "pack_patches"))
            << name << ": " << layer.name << ": " << layer.reason;
        EXPECT_NE(layer.reason, "") << name << ": " << layer.name;
      }
  }
}

}  // namespace
}  // namespace cosim::import
