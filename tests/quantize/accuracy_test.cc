// SPDX-License-Identifier: Apache-2.0
// How often quantized networks choose as their float ones do, on photographs moved about.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cmath>
#include <numeric>

#include "compiler/cpu/jit.h"
#include "compiler/network/compile.h"
#include "compiler/quantize/calibrate.h"
#include "runtime/host_executor.h"
#include "tests/quantize/compiled_runs.h"
#include "tests/quantize/photographs.h"

namespace cosim::quantize {
namespace {

/// What a quantized TensorFlow Lite model chooses, of inputs in its own steps.
std::vector<size_t> PublishedChoices(const std::string& path, const import::Samples& samples) {
  Diagnostics diagnostics;
  const auto model = import::ImportFile(path, {.host_only = true}, diagnostics);
  EXPECT_TRUE(model) << diagnostics.Render();
  const graph::Quantization& steps = *model->input_quantization[0];
  cpu::JitCompiler cpu;
  const runtime::Network network = network::CompileForHost(model->graph, /*keep_every_value=*/false, cpu);
  runtime::HostExecutor executor(network);
  std::vector<size_t> choices;
  for (size_t i = 0; i < samples.size(); ++i) {
    const auto inputs = samples.Get(i, diagnostics);
    std::vector<uint8_t> bytes;
    for (const float x : inputs->front().data<float>()) {
      const float step = std::nearbyint(x / steps.scales[0]) + static_cast<float>(steps.zero_point);
      bytes.push_back(static_cast<uint8_t>(static_cast<int>(std::clamp(step, -128.0f, 127.0f))));
    }
    executor.Run({bytes});
    graph::Tensor y(model->graph.node(model->graph.outputs()[0]).type);
    executor.Read(network.outputs[0], y.mutable_bytes());
    const auto scores = y.data<int8_t>();
    choices.push_back(std::ranges::max_element(scores) - scores.begin());
  }
  return choices;
}

/// Windows near the borders between classes. All that calibrate have other seeds.
class Accuracy : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    if (import::DataFolder().empty()) return;
    Diagnostics diagnostics;
    network_ = ReadNetwork(import::DataFolder() + "/tflite/resnet8_cifar10_fp32.tflite", diagnostics);
    ASSERT_TRUE(network_) << diagnostics.Render();
    for (const uint32_t seed : {1, 20001, 30001}) {
      sets_.emplace_back(seed, 200);
      exact_.push_back(Choices(*network_, sets_.back()));
    }
  }
  static void TearDownTestSuite() { network_.reset(), sets_.clear(), exact_.clear(); }
  void SetUp() override { COSIM_NEED_DATA(); }

  /// How many of each set's 200 windows the network quantized so chooses as the float one.
  static std::vector<int> AgreeingOf(const Settings& settings) {
    Diagnostics diagnostics;
    const auto outcome = QuantizeNetwork(*network_, Photographs(1000, 128), settings, diagnostics);
    EXPECT_TRUE(outcome) << diagnostics.Render();
    std::vector<int> agreeing;
    for (size_t i = 0; i < sets_.size(); ++i)
      agreeing.push_back(Agreeing(exact_[i], Choices(outcome->quantized.file, sets_[i])));
    fmt::print("{} of 200\n", fmt::join(agreeing, ", "));
    return agreeing;
  }

  static inline std::optional<import::onnx::File> network_;
  static inline std::vector<Photographs> sets_;
  static inline std::vector<std::vector<size_t>> exact_;  // what the float network chooses
};

TEST_F(Accuracy, Resnet8OfBytesChoosesAsTheFloatNetworkMoreOftenThanItsAuthorsOwn) {
  std::vector<int> published;
  for (size_t i = 0; i < sets_.size(); ++i)
    published.push_back(Agreeing(
        exact_[i], PublishedChoices(import::DataFolder() + "/tflite/resnet8_cifar10_int8.tflite", sets_[i])));
  fmt::print("{} of 200 as published\n", fmt::join(published, ", "));
  const std::vector<int> agreeing = AgreeingOf({.per_channel = true});
  // Other processors add in another order: that may change a few.
  for (size_t i = 0; i < agreeing.size(); ++i) EXPECT_GE(agreeing[i], std::max(193, published[i] + 2)) << i;
  EXPECT_GE(std::accumulate(agreeing.begin(), agreeing.end(), 0), 585);
}

TEST_F(Accuracy, Resnet8OfSixteenBitsChoosesAsTheFloatNetwork) {
  for (const int agreeing : AgreeingOf({.per_channel = true, .bits16 = {.share = 1}}))
    EXPECT_GE(agreeing, 198);
}

}  // namespace
}  // namespace cosim::quantize
