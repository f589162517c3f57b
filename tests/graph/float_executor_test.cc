// SPDX-License-Identifier: Apache-2.0
// Each float operation on values computed by hand, and convolutions against plain loops.
#include "compiler/graph/float_executor.h"

#include <gmock/gmock.h>

#include "compiler/graph/zoo/random.h"
#include "tests/graph/testing.h"

namespace cosim::graph {
namespace {

using testing::ElementsAre;
using testing::FloatNear;
using testing::Pointwise;

Tensor RunOne(Op op, std::vector<Tensor> operands) {
  Graph g("one");
  std::vector<ValueId> ids;
  for (Tensor& operand : operands)
    ids.push_back(g.AddConstant("c" + std::to_string(ids.size()), std::move(operand)));
  g.SetOutputs({g.Add("y", std::move(op), ids)});
  return *RunFloat(g, {}).back();
}

Tensor RandomFloats(zoo::Random& random, Shape shape) {
  std::vector<float> data(NumElements(shape));
  for (float& v : data) v = random.Uniform(-1, 1);
  return Tensor(std::move(shape), std::move(data));
}

TEST(RunFloat, ConvolvesLikePlainLoops) {
  zoo::Random random(3);
  const Conv2d op{.stride = {2, 1}, .pad = {1, 0, 2, 1}, .dilation = {1, 2}, .groups = 2};
  const Tensor x = RandomFloats(random, {2, 4, 9, 7}), w = RandomFloats(random, {6, 2, 3, 2});
  const Tensor y = RunOne(op, {x, w});
  ASSERT_EQ(y.shape(), (Shape{2, 6, 5, 6}));
  std::vector<float> expected;
  for (int64_t i = 0; i < y.size(); ++i) {
    const int64_t ox = i % 6, oy = i / 6 % 5, o = i / 30 % 6, n = i / 180;
    double sum = 0;
    for (int64_t t = 0; t < 12; ++t) {
      const int64_t kx = t % 2, ky = t / 2 % 3, c = t / 6;
      const int64_t iy = oy * 2 - 1 + ky, ix = ox + kx * 2;
      if (iy < 0 || iy >= 9 || ix >= 7) continue;
      sum += x.data<float>()[((n * 4 + o / 3 * 2 + c) * 9 + iy) * 7 + ix] * w.data<float>()[o * 12 + t];
    }
    expected.push_back(static_cast<float>(sum));
  }
  EXPECT_THAT(y.data<float>(), Pointwise(FloatNear(1e-5f), expected));
}

TEST(RunFloat, TakesPointwiseConvolutionsAsTheyAre) {
  const Tensor y = RunOne(Conv2d{}, {Floats({1, 2, 1, 2}, {1, 2, 3, 4}), Floats({1, 2, 1, 1}, {10, 1})});
  EXPECT_THAT(y.data<float>(), ElementsAre(13, 24));
}

TEST(RunFloat, MultipliesDenseLayers) {
  const Tensor y = RunOne(Dense{}, {Floats({2, 2}, {1, 2, 3, 4}), Floats({1, 2}, {1, 10})});
  EXPECT_THAT(y.data<float>(), ElementsAre(21, 43));
}

TEST(RunFloat, NormalizesAndAddsBiasPerChannel) {
  const Tensor x = Floats({1, 2, 1, 2}, {1, 2, 3, 4});
  EXPECT_THAT(RunOne(BiasAdd{}, {x, Floats({2}, {10, 20})}).data<float>(), ElementsAre(11, 12, 23, 24));
  const Tensor y = RunOne(BatchNorm{.epsilon = 1}, {x, Floats({2}, {2, 4}), Floats({2}, {5, 6}),
                                                    Floats({2}, {1, 3}), Floats({2}, {3, 15})});
  EXPECT_THAT(y.data<float>(), ElementsAre(5, 6, 6, 7));
}

TEST(RunFloat, PadsMaxPoolingWithMinusInfinity) {
  const Tensor y = RunOne(MaxPool{.kernel = {3, 3}, .stride = {2, 2}, .pad = {1, 1, 1, 1}},
                          {Floats({1, 1, 3, 3}, {-9, -8, -7, -6, -5, -4, -3, -2, -1000})});
  EXPECT_THAT(y.data<float>(), ElementsAre(-5, -4, -2, -2));
}

TEST(RunFloat, ComputesElementwiseOperations) {
  const Tensor x = Floats({1, 1, 1, 2}, {-1, 3});
  EXPECT_THAT(RunOne(Relu{}, {x}).data<float>(), ElementsAre(0, 3));
  EXPECT_THAT(RunOne(Add{}, {x, x}).data<float>(), ElementsAre(-2, 6));
  EXPECT_THAT(RunOne(GlobalAvgPool{}, {x}).data<float>(), ElementsAre(1));
  EXPECT_EQ(RunOne(Flatten{}, {x}), Floats({1, 2}, {-1, 3}));
}

TEST(RunFloatDeathTest, RefusesIntegerOperations) {
  EXPECT_DEATH(RunOne(Clip{}, {Int8s({1, 1}, {1})}), "clip is not a float operation");
}

TEST(RunFloatDeathTest, RefusesInputsOfAnotherType) {
  Graph g("one");
  g.SetOutputs({g.Add("y", Relu{}, {g.AddInput("x", FloatType({1, 2}))})});
  EXPECT_DEATH(RunFloat(g, {Floats({2}, {1, 2})}),
               "input 'x' is float32\\[1,2\\], but was given float32\\[2\\]");
  EXPECT_DEATH(RunFloat(g, {}), "0 inputs for one");
}

}  // namespace
}  // namespace cosim::graph
