// SPDX-License-Identifier: Apache-2.0
// TensorFlow Lite's operators between convolutions, on files made here.
#include <gmock/gmock.h>

#include <random>

#include "compiler/golden/golden.h"
#include "compiler/import/tflite/builder.h"
#include "tests/import/testing.h"

namespace cosim::import::tflite {
namespace {

using graph::DType;
using graph::Shape;
using graph::Tensor;

TensorInfo Bytes(Shape shape, int32_t zero_point) {
  return {.name = "", .shape = std::move(shape), .scales = {0.5f}, .zero_points = {zero_point}};
}
TensorInfo Signed(Shape shape, int32_t zero_point) {
  TensorInfo info = Bytes(std::move(shape), zero_point);
  info.dtype = DType::kInt8;
  return info;
}
TensorInfo Integers(Shape shape, std::vector<int32_t> list) {
  return {.name = "",
          .dtype = DType::kInt32,
          .shape = shape,
          .data = std::make_shared<const Tensor>(std::move(shape), std::move(list))};
}

/// Runs the one operator of a file whose last tensor is its output; the others are inputs unless constant.
std::optional<Tensor> Evaluate(const std::vector<TensorInfo>& tensors, const std::string& op,
                               const OperatorOptions& options, const std::vector<Tensor>& inputs,
                               bool on_accelerator) {
  File file{.name = "test.tflite", .tensors = tensors};
  const int output = static_cast<int>(tensors.size()) - 1;
  OperatorInfo info{.name = op, .outputs = {output}, .options = options};
  for (int i = 0; i < output; ++i) {
    info.inputs.push_back(i);
    if (!tensors[i].data) file.inputs.push_back(i);
  }
  file.operators = {info};
  file.outputs = {output};
  Diagnostics diagnostics;
  const auto model = Builder(file, diagnostics).Run();
  EXPECT_TRUE(model && !diagnostics.HasErrors()) << diagnostics.Render();
  if (!model) return std::nullopt;
  bool core = false;
  for (const auto& node : model->graph.nodes())
    core |= !node.As<graph::HostOp>() && !node.As<graph::Input>() && !node.As<graph::Constant>();
  EXPECT_EQ(core, on_accelerator);
  return *golden::Run(model->graph, inputs)[model->graph.outputs()[0]];
}

Tensor Random(const Shape& shape, uint32_t seed) {
  Tensor tensor({DType::kInt8, shape});
  std::mt19937 random(seed);
  for (uint8_t& v : tensor.mutable_bytes()) v = static_cast<uint8_t>(random());
  return tensor;
}

TEST(TflitePad, PutsTheZeroPointAroundPixels) {
  const Tensor x = Random({1, 2, 3, 2}, 1);
  const auto y =
      Evaluate({Signed({1, 2, 3, 2}, 7), Integers({4, 2}, {0, 0, 1, 2, 0, 1, 0, 0}), Signed({1, 5, 4, 2}, 7)},
               "PAD", NoOptions{}, {x}, true);
  ASSERT_TRUE(y);
  for (int64_t h = 0; h < 5; ++h)
    for (int64_t w = 0; w < 4; ++w)
      for (int64_t c = 0; c < 2; ++c) {
        const bool inside = h >= 1 && h < 3 && w < 3;
        EXPECT_EQ(y->data<int8_t>()[(h * 4 + w) * 2 + c],
                  inside ? x.data<int8_t>()[((h - 1) * 3 + w) * 2 + c] : int8_t{7});
      }
}

TEST(TflitePad, PadsOtherDimensionsOnTheHost) {
  const auto y = Evaluate({Signed({2}, 1), Integers({1, 2}, {1, 1}), Signed({4}, 1)}, "PAD", NoOptions{},
                          {Tensor({2}, std::vector<int8_t>{5, 6})}, false);
  ASSERT_TRUE(y);
  EXPECT_THAT(y->data<int8_t>(), testing::ElementsAre(1, 5, 6, 1));
}

TEST(TfliteConcatenation, JoinsChannelsAndRows) {
  const Tensor a = Random({1, 1, 2, 1}, 1), b = Random({1, 1, 2, 2}, 2);
  const auto y = Evaluate({Signed({1, 1, 2, 1}, 3), Signed({1, 1, 2, 2}, 3), Signed({1, 1, 2, 3}, 3)},
                          "CONCATENATION", ConcatOptions{.axis = -1}, {a, b}, true);
  ASSERT_TRUE(y);
  const auto p = a.data<int8_t>(), q = b.data<int8_t>();
  EXPECT_THAT(y->data<int8_t>(), testing::ElementsAre(p[0], q[0], q[1], p[1], q[2], q[3]));
  const auto rows = Evaluate({Signed({1, 2}, 3), Signed({2, 2}, 3), Signed({3, 2}, 3)}, "CONCATENATION",
                             ConcatOptions{.axis = 0}, {Random({1, 2}, 1), Random({2, 2}, 2)}, false);
  ASSERT_TRUE(rows);
  EXPECT_EQ(rows->size(), 6);
}

TEST(TfliteMean, RoundsHalfAwayFromTheZeroPoint) {
  for (const int32_t zero : {-128, -3, 0, 20}) {
    const Tensor x = Random({1, 2, 2, 64}, 5);
    const auto y = Evaluate({Signed({1, 2, 2, 64}, zero), Integers({2}, {1, 2}), Signed({1, 64}, zero)},
                            "MEAN", ReduceOptions{}, {x}, true);
    ASSERT_TRUE(y);
    for (int64_t c = 0; c < 64; ++c) {
      int sum = 0;
      for (int64_t p = 0; p < 4; ++p) sum += x.data<int8_t>()[p * 64 + c] - zero;
      EXPECT_EQ(y->data<int8_t>()[c], zero + (sum > 0 ? sum + 2 : sum - 2) / 4) << zero;
    }
  }
}

}  // namespace
}  // namespace cosim::import::tflite
