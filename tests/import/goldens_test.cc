// SPDX-License-Identifier: Apache-2.0
// Trained networks against reference outputs that cosim did not make, exactly, on both simulators and the
// RTL.
#include "tests/import/goldens.h"

#include <gmock/gmock.h>

namespace cosim::import {
namespace {

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
        EXPECT_THAT(layer.op, testing::AnyOf("tflite_softmax", "transpose", "pack", "unpack", "pack_image"))
            << name << ": " << layer.name << ": " << layer.reason;
        EXPECT_NE(layer.reason, "") << name << ": " << layer.name;
      }
  }
}

// What has channels last in the file is put into rows of pixels as it stands.
TEST(TflitePartition, ImagesAreNotTransposedFirst) {
  COSIM_NEED_DATA();
  const auto spec = LoadTestSpec("pynq.yaml");
  for (const char* name : {"resnet8_cifar10_int8", "vww_mobilenetv1_int8"}) {
    const auto model = Import(DataFolder() + "/tflite/" + name + ".tflite");
    ASSERT_TRUE(model);
    const auto network = session::CompileFor(spec, model->graph, {});
    for (const auto& layer : network.layers) EXPECT_NE(layer.op, "transpose") << name << ": " << layer.name;
  }
}

}  // namespace
}  // namespace cosim::import
