// SPDX-License-Identifier: Apache-2.0
// Every rule of type inference: what is accepted has the right type, and each fault has its message.
#include "compiler/graph/infer.h"

#include <gmock/gmock.h>

#include "tests/graph/testing.h"

namespace cosim::graph {
namespace {

struct Fault {
  Op op;
  std::vector<TensorType> operands;
  std::string message;
};

std::string MessageOf(const Fault& fault) {
  const auto result = InferType(fault.op, fault.operands);
  return std::holds_alternative<std::string>(result) ? std::get<std::string>(result) : "accepted";
}

std::string TypeOf(const Op& op, const std::vector<TensorType>& operands) {
  const auto result = InferType(op, operands);
  return std::holds_alternative<TensorType>(result) ? ToString(std::get<TensorType>(result))
                                                    : std::get<std::string>(result);
}

const TensorType kF = FloatType({1, 4, 8, 8}), kI8 = Int8Type({1, 4, 8, 8}),
                 kI16{DType::kInt16, {1, 4, 8, 8}}, kI32 = Int32Type({1, 4, 8, 8});
const TensorType kWeight = Int8Type({6, 4, 3, 3});

TEST(InferType, GivesConvolutionsTheirExtents) {
  EXPECT_EQ(TypeOf(Conv2d{}, {kI8, kWeight}), "int32[1,6,6,6]");
  EXPECT_EQ(TypeOf(Conv2d{.stride = {2, 3}, .pad = {1, 0, 1, 2}}, {kI8, kWeight}), "int32[1,6,4,3]");
  EXPECT_EQ(TypeOf(Conv2d{.dilation = {2, 3}}, {kI8, kWeight}), "int32[1,6,4,2]");
  EXPECT_EQ(TypeOf(Conv2d{.groups = 2}, {kF, FloatType({6, 2, 1, 1})}), "float32[1,6,8,8]");
}

TEST(InferType, GivesEveryOperationItsType) {
  EXPECT_EQ(TypeOf(Dense{}, {Int8Type({2, 5}), Int8Type({3, 5})}), "int32[2,3]");
  EXPECT_EQ(TypeOf(Dense{}, {FloatType({2, 5}), FloatType({3, 5})}), "float32[2,3]");
  EXPECT_EQ(TypeOf(BiasAdd{}, {kI32, Int32Type({4})}), "int32[1,4,8,8]");
  EXPECT_EQ(TypeOf(BatchNorm{}, {kF, FloatType({4}), FloatType({4}), FloatType({4}), FloatType({4})}),
            "float32[1,4,8,8]");
  EXPECT_EQ(TypeOf(Relu{}, {kF}), "float32[1,4,8,8]");
  EXPECT_EQ(TypeOf(Clip{}, {kI8}), "int8[1,4,8,8]");
  EXPECT_EQ(TypeOf(Add{}, {kF, kF}), "float32[1,4,8,8]");
  EXPECT_EQ(TypeOf(QAdd{}, {kI8, kI8}), "int8[1,4,8,8]");
  EXPECT_EQ(TypeOf(MaxPool{.kernel = {3, 3}, .pad = {1, 1, 1, 1}}, {kI8}), "int8[1,4,4,4]");
  EXPECT_EQ(TypeOf(GlobalAvgPool{}, {kF}), "float32[1,4,1,1]");
  EXPECT_EQ(TypeOf(GlobalSumPool{}, {kI8}), "int32[1,4,1,1]");
  EXPECT_EQ(TypeOf(Requantize{}, {kI32}), "int8[1,4,8,8]");
  EXPECT_EQ(TypeOf(Flatten{}, {kI8}), "int8[1,256]");
  EXPECT_EQ(TypeOf(Quantize{}, {kF}), "int8[1,4,8,8]");
  EXPECT_EQ(TypeOf(Dequantize{}, {kI8}), "float32[1,4,8,8]");
}

TEST(InferType, KeepsTheWidthOfValues) {
  EXPECT_EQ(TypeOf(Conv2d{}, {kI16, kWeight}), "int32[1,6,6,6]");
  EXPECT_EQ(TypeOf(Dense{}, {{DType::kInt16, {2, 5}}, Int8Type({3, 5})}), "int32[2,3]");
  EXPECT_EQ(TypeOf(MatMul{}, {kI16, {DType::kInt16, {1, 4, 5, 1}}}), "int32[1,5,8,8]");
  EXPECT_EQ(TypeOf(Requantize{.bits = 16}, {kI32}), "int16[1,4,8,8]");
  EXPECT_EQ(TypeOf(SumPool{.pad_value = -32768}, {kI16}), "int32[1,4,4,4]");
  EXPECT_EQ(TypeOf(GlobalSumPool{}, {kI16}), "int32[1,4,1,1]");
  for (const Op& op :
       std::vector<Op>{Clip{-32768, 32767}, Rescale{}, MaxPool{.kernel = {1, 1}, .stride = {1, 1}},
                       Pad{{}, 32767}, Table{std::vector<int32_t>(65536, -32768)},
                       QSoftmax{.exponentials = std::vector<int32_t>(65536, 1), .levels = 32767}})
    EXPECT_EQ(TypeOf(op, {kI16}), "int16[1,4,8,8]") << Mnemonic(op);
  EXPECT_EQ(TypeOf(QAdd{}, {kI16, kI16}), "int16[1,4,8,8]");
  EXPECT_EQ(TypeOf(Conv2d{}, {kI8, {DType::kInt16, {6, 4, 3, 3}}}), "int32[1,6,6,6]");
  EXPECT_EQ(TypeOf(QMul{}, {kI16, kI16}), "int16[1,4,8,8]");
  EXPECT_EQ(TypeOf(QLayerNorm{}, {kI16, FloatType({4}), FloatType({4})}), "int16[1,4,8,8]");
}

TEST(InferType, GivesPoolsAndRearrangementsTheirTypes) {
  EXPECT_EQ(TypeOf(AvgPool{}, {kF}), "float32[1,4,4,4]");
  EXPECT_EQ(TypeOf(SumPool{.kernel = {3, 3}, .stride = {1, 2}, .pad = {1, 1, 1, 1}}, {kI8}),
            "int32[1,4,8,4]");
  EXPECT_EQ(TypeOf(ConvTranspose2d{.stride = {2, 2}, .pad = {1, 1, 0, -1}}, {kF, FloatType({3, 4, 3, 3})}),
            "float32[1,3,16,17]");
  EXPECT_EQ(TypeOf(DepthToSpace{{2, 1}}, {kI8}), "int8[1,2,16,8]");
  EXPECT_EQ(TypeOf(ResizeNearest{{3, 2}}, {kI32}), "int32[1,4,24,16]");
  EXPECT_EQ(TypeOf(Concat{}, {kI8, Int8Type({1, 3, 8, 8}), kI8}), "int8[1,11,8,8]");
  EXPECT_EQ(TypeOf(Pad{{1, 2, 3, 4}, 5}, {kI8}), "int8[1,4,12,14]");
}

TEST(InferType, GivesProductsAndNormalizationsTheirTypes) {
  EXPECT_EQ(TypeOf(QMul{}, {kI8, kI8}), "int8[1,4,8,8]");
  EXPECT_EQ(TypeOf(Rescale{}, {kI8}), "int8[1,4,8,8]");
  EXPECT_EQ(TypeOf(MatMul{.groups = 2}, {kI8, Int8Type({1, 4, 5, 1})}), "int32[1,10,8,8]");
  EXPECT_EQ(TypeOf(MatMul{.groups = 2, .transpose_b = true}, {kI8, Int8Type({1, 6, 2, 1})}),
            "int32[1,6,8,8]");
  EXPECT_EQ(TypeOf(QSoftmax{.groups = 2, .exponentials = std::vector<int32_t>(256, 1)}, {kI8}),
            "int8[1,4,8,8]");
  EXPECT_EQ(TypeOf(QLayerNorm{}, {kI8, FloatType({4}), FloatType({4})}), "int8[1,4,8,8]");
  EXPECT_EQ(TypeOf(Table{std::vector<int32_t>(256, 0)}, {kI8}), "int8[1,4,8,8]");
}

class InferTypeFault : public testing::TestWithParam<Fault> {};

TEST_P(InferTypeFault, HasItsMessage) { EXPECT_EQ(MessageOf(GetParam()), GetParam().message); }

INSTANTIATE_TEST_SUITE_P(
    Structure, InferTypeFault,
    testing::Values(Fault{Relu{}, {}, "takes 1 operands, not 0"},
                    Fault{Constant{}, {}, "a constant needs data"},
                    Fault{Input{}, {}, "an input has no operands to infer a type from"},
                    Fault{Flatten{}, {FloatType({3})}, "input must have at least 2 dimensions, not 1"}));

INSTANTIATE_TEST_SUITE_P(
    Products, InferTypeFault,
    testing::Values(
        Fault{Conv2d{}, {Int8Type({1, 4}), kWeight}, "input and weight must have 4 dimensions, not 2 and 4"},
        Fault{Conv2d{}, {kF, kWeight}, "input is float32, but weight is int8"},
        Fault{Conv2d{}, {kI32, Int32Type({6, 4, 3, 3})}, "operands must be float32, int8 or int16"},
        Fault{Conv2d{.input_zero_point = 1},
              {kF, FloatType({6, 4, 3, 3})},
              "a float operation has no zero point"},
        Fault{Conv2d{.input_zero_point = 128}, {kI8, kWeight}, "zero point 128 is not an int8"},
        Fault{Conv2d{.input_zero_point = 1}, {kI16, kWeight}, "zero point 1, but that of an int16 is 0"},
        Fault{Conv2d{}, {kI16, {DType::kInt16, {6, 4, 3, 3}}}, "input is int16, but weight is int16"},
        Fault{Conv2d{.groups = 0}, {kI8, kWeight}, "0 groups do not divide 4 input and 6 output channels"},
        Fault{Conv2d{.groups = 4}, {kI8, kWeight}, "4 groups do not divide 4 input and 6 output channels"},
        Fault{Conv2d{.groups = 2},
              {kI8, kWeight},
              "weight has 4 input channels, but a group of the input has 2"},
        Fault{Conv2d{.stride = {0, 1}}, {kI8, kWeight}, "kernel, stride and dilation must be at least 1"},
        Fault{Conv2d{.pad = {0, -1, 0, 0}}, {kI8, kWeight}, "padding must not be negative"},
        Fault{Conv2d{.dilation = {4, 1}}, {kI8, kWeight}, "the window does not fit into [1,4,8,8]"},
        Fault{Dense{}, {kI8, kWeight}, "input and weight must have 2 dimensions, not 4 and 4"},
        Fault{Dense{}, {Int8Type({1, 4}), FloatType({2, 4})}, "input is int8, but weight is float32"},
        Fault{Dense{}, {Int8Type({1, 4}), Int8Type({2, 5})}, "input has 4 features, but weight has 5"}));

INSTANTIATE_TEST_SUITE_P(
    More, InferTypeFault,
    testing::Values(
        Fault{SumPool{}, {kF}, "input must be int8 or int16"},
        Fault{SumPool{.pad_value = 128}, {kI8}, "pad value 128 is not an int8"},
        Fault{SumPool{.pad_value = -32769}, {kI16}, "pad value -32769 is not an int16"},
        Fault{Table{std::vector<int32_t>(256, 0)}, {kI16}, "256 entries, not 65536"},
        Fault{QSoftmax{}, {kI16}, "0 exponentials, not 65536"},
        Fault{AvgPool{.kernel = {9, 1}}, {kF}, "the window does not fit into [1,4,8,8]"},
        Fault{ConvTranspose2d{},
              {kF, FloatType({3, 5, 3, 3})},
              "weight has 5 input channels, but the input has 4"},
        Fault{ConvTranspose2d{.pad = {9, 0, 9, 0}},
              {kF, FloatType({3, 4, 3, 3})},
              "nothing is left of the result"},
        Fault{DepthToSpace{{3, 1}}, {kI8}, "4 channels in blocks of 3"},
        Fault{ResizeNearest{{0, 1}}, {kI8}, "scales must be at least 1"},
        Fault{Concat{}, {}, "needs an operand"},
        Fault{Concat{}, {kI8, kF}, "operands are int8[1,4,8,8] and float32[1,4,8,8]"},
        Fault{Concat{}, {kI8, Int8Type({1, 4, 8, 7})}, "operands are int8[1,4,8,8] and int8[1,4,8,7]"},
        Fault{Pad{{}, 1}, {kF}, "value 1 is no value of float32"},
        Fault{Pad{{-1, 0, 0, 0}}, {kI8}, "padding must not be negative"},
        Fault{QMul{.multiplier = 0}, {kI8, kI8}, "multiplier 0 is not positive"},
        Fault{Rescale{.shift = 63}, {kI8}, "shift 63 is not in [0, 62]"},
        Fault{MatMul{},
              {kI8, Int8Type({1, 3, 2, 2})},
              "sums over 4 channels of one operand and 3 values of the other"},
        Fault{MatMul{.groups = 3}, {kI8, kI8}, "3 groups do not divide 4 channels"},
        Fault{QSoftmax{}, {kI8}, "0 exponentials, not 256"},
        Fault{QSoftmax{.exponentials = std::vector<int32_t>(256, 0)}, {kI8}, "the first exponential is 0"},
        Fault{QLayerNorm{0}, {kI8, FloatType({4}), FloatType({4})}, "epsilon is 0, but must be positive"},
        Fault{Table{std::vector<int32_t>(255, 0)}, {kI8}, "255 entries, not 256"},
        Fault{Table{std::vector<int32_t>(256, 128)}, {kI8}, "entry 128 is not an int8"}));

INSTANTIATE_TEST_SUITE_P(
    Channels, InferTypeFault,
    testing::Values(Fault{BiasAdd{}, {kI8, Int8Type({4})}, "input must be float32 or int32"},
                    Fault{BiasAdd{}, {FloatType({4}), FloatType({4})}, "input must have a channel dimension"},
                    Fault{
                        BiasAdd{}, {kI32, FloatType({4})}, "input is int32, but a channel vector is float32"},
                    Fault{BiasAdd{},
                          {kI32, Int32Type({5})},
                          "a channel vector has shape [5], but the input has 4 channels"},
                    Fault{BatchNorm{}, {kI32, kI32, kI32, kI32, kI32}, "input must be float32"},
                    Fault{BatchNorm{-1}, {kF, kF, kF, kF, kF}, "epsilon is -1, but must not be negative"},
                    Fault{BatchNorm{},
                          {kF, FloatType({4}), FloatType({4}), FloatType({4}), FloatType({3})},
                          "a channel vector has shape [3], but the input has 4 channels"}));

INSTANTIATE_TEST_SUITE_P(
    Elementwise, InferTypeFault,
    testing::Values(Fault{Relu{}, {kI8}, "input must be float32"},
                    Fault{Clip{}, {kF}, "input must be int8 or int16"},
                    Fault{Clip{.lo = 1, .hi = 0}, {kI8}, "limits 1 and 0 are no range of int8"},
                    Fault{Clip{.lo = -129}, {kI8}, "limits -129 and 127 are no range of int8"},
                    Fault{Add{}, {kF, kI8}, "operands must be float32"},
                    Fault{Add{}, {kF, FloatType({1, 4})}, "operands have shapes [1,4,8,8] and [1,4]"},
                    Fault{QAdd{}, {kF, kI8}, "operands must both be int8 or int16"},
                    Fault{QAdd{}, {kI16, kI8}, "operands must both be int8 or int16"},
                    Fault{Clip{.lo = -32769}, {kI16}, "limits -32769 and 127 are no range of int16"},
                    Fault{QAdd{}, {kI8, Int8Type({1, 4})}, "operands have shapes [1,4,8,8] and [1,4]"},
                    Fault{QAdd{.a = {0, 0, 0}}, {kI8, kI8}, "a multiplier is 0"},
                    Fault{QAdd{.b = {0, 1, 63}}, {kI8, kI8}, "shift 63 is not in [0, 62]"},
                    Fault{QAdd{.a = {200, 1, 0}}, {kI8, kI8}, "zero point 200 is not an int8"},
                    Fault{QAdd{.output_zero_point = -200}, {kI8, kI8}, "zero point -200 is not an int8"}));

INSTANTIATE_TEST_SUITE_P(
    Pools, InferTypeFault,
    testing::Values(Fault{MaxPool{}, {kI32}, "input must be float32, int8 or int16"},
                    Fault{MaxPool{}, {FloatType({1, 4})}, "input must have 4 dimensions, not 2"},
                    Fault{MaxPool{.kernel = {9, 1}}, {kF}, "the window does not fit into [1,4,8,8]"},
                    Fault{MaxPool{.pad = {2, 0, 0, 0}}, {kF}, "padding must be smaller than the kernel"},
                    Fault{GlobalAvgPool{}, {kI8}, "input must be float32"},
                    Fault{GlobalSumPool{}, {kF}, "input must be int8 or int16"},
                    Fault{GlobalAvgPool{}, {FloatType({1, 4})}, "input must have 4 dimensions, not 2"}));

INSTANTIATE_TEST_SUITE_P(
    Scales, InferTypeFault,
    testing::Values(
        Fault{Requantize{}, {kI8}, "input must be int32"},
        Fault{Requantize{}, {Int32Type({4})}, "input must have a channel dimension"},
        Fault{Requantize{.multiplier = {1, 1}, .shift = {0, 0}},
              {kI32},
              "2 multipliers and 2 shifts for 4 channels"},
        Fault{Requantize{.multiplier = {1}, .shift = {0, 0}},
              {kI32},
              "1 multipliers and 2 shifts for 4 channels"},
        Fault{Requantize{.multiplier = {2}}, {kI32}, "multiplier 2 is neither 1 nor in [2^30, 2^31)"},
        Fault{Requantize{.shift = {-1}}, {kI32}, "shift -1 is not in [0, 62]"},
        Fault{Requantize{.bits = 12}, {kI32}, "a result of 12 bits: neither 8 nor 16"},
        Fault{Requantize{.zero_point = 1, .bits = 16}, {kI32}, "zero point 1, but that of an int16 is 0"},
        Fault{Requantize{.zero_point = 128}, {kI32}, "zero point 128 is not an int8"},
        Fault{Quantize{}, {kI8}, "input must be float32"},
        Fault{Quantize{.scale = 0}, {kF}, "scale 0 is not positive"},
        Fault{Dequantize{}, {kF}, "input must be int8"},
        Fault{Dequantize{.zero_point = 128}, {kI8}, "zero point 128 is not an int8"}));

TEST(WindowExtent, IsZeroWhenTheWindowDoesNotFit) {
  EXPECT_EQ(WindowExtent(2, 3, 1, 1, 0, 0), 0);
  EXPECT_EQ(WindowExtent(2, 3, 5, 1, 0, 0), 0);
  EXPECT_EQ(WindowExtent(2, 3, 5, 1, 0, 1), 1);
}

}  // namespace
}  // namespace cosim::graph
