// SPDX-License-Identifier: Apache-2.0
// Which activations are widened first.
#include "compiler/quantize/sensitivity.h"

#include <gmock/gmock.h>

#include <algorithm>

namespace cosim::quantize {
namespace {

using graph::Tensor;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

Tensor Row(std::vector<float> values) {
  const auto n = static_cast<int64_t>(values.size());
  return {{1, n}, std::move(values)};
}

/// y = (x A) + (x B), two columns.
import::onnx::File TwoProducts() {
  import::onnx::File file;
  file.name = "two";
  file.opset = 13;
  file.opsets[""] = 13;
  file.inputs = {{.name = "x", .dimensions = {int64_t{1}, int64_t{2}}}};
  file.outputs = {{.name = "y", .dimensions = {int64_t{1}, int64_t{2}}}};
  const auto add = [&](const char* name, std::vector<float> values) {
    file.initializers[name] = std::make_shared<const Tensor>(graph::Shape{2, 2}, std::move(values));
  };
  add("A", {0.5f, 0.25f, -0.125f, 1});
  add("B", {0.75f, 0.5f, 0.375f, -1});
  const auto node = [&](const char* op, std::vector<std::string> inputs, const char* output) {
    file.nodes.push_back({op, output, 13, std::move(inputs), {output}, {}, ""});
  };
  node("Gemm", {"x", "A"}, "a");
  node("Gemm", {"x", "B"}, "b");
  node("Add", {"a", "b"}, "y");
  return file;
}

class SensitivityOfTwo : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::vector<Tensor> inputs = {Row({0.7f, -0.3f})};
    std::string error;
    const auto example = Evaluate(file_, inputs, error);
    ASSERT_TRUE(example) << error;
    // The first product's steps are a thousand times those of the second; the input's are finer than both.
    const std::map<std::string, graph::Range> ranges = {
        {"x", {-1e-1, 1}}, {"a", {-100, 100}}, {"b", {-0.1, 0.9}}, {"y", {-0.5, 1}}};
    sensitivity_.emplace(file_, Place(file_, *example), ranges);
    ASSERT_EQ(sensitivity_->activations(), 4u);
    const auto run = [&](size_t activation) {
      auto values = Evaluate(sensitivity_->file(), sensitivity_->InputsOf(inputs, activation), error);
      EXPECT_TRUE(values) << error;
      return *values;
    };
    const Values off = run(Sensitivity::kNone);
    const auto exact = example->at("y")->data<float>(),
               own = off.at(sensitivity_->outputs()[0])->data<float>();
    EXPECT_TRUE(std::ranges::equal(exact, own));
    for (size_t a = 0; a < sensitivity_->activations(); ++a) sensitivity_->AddRun(a, off, run(a));
  }

  import::onnx::File file_ = TwoProducts();
  std::optional<Sensitivity> sensitivity_;
};

TEST_F(SensitivityOfTwo, WidensFirstWhatCostsMost) {
  EXPECT_THAT(sensitivity_->Choose({}), IsEmpty());
  EXPECT_THAT(sensitivity_->Choose({.count = 1}), ElementsAre("a"));
  EXPECT_THAT(sensitivity_->Choose({.count = 2}), ElementsAre("a", "x"));  // x is clipped
}

TEST_F(SensitivityOfTwo, WidensAsManyAsCauseAPart) {
  EXPECT_THAT(sensitivity_->Choose({.share = 0.5}), ElementsAre("a"));
  EXPECT_THAT(sensitivity_->Choose({.share = 1}), ElementsAre("a", "b", "x", "y"));
  EXPECT_THAT(sensitivity_->Choose({.count = 100}), ElementsAre("a", "b", "x", "y"));
}

}  // namespace
}  // namespace cosim::quantize
