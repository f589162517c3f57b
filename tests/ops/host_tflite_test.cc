// SPDX-License-Identifier: Apache-2.0
// TensorFlow Lite's fixed-point operators as kernels, to the bit of their references.
#include <limits>

#include "compiler/host/tflite.h"
#include "tests/ops/testing.h"

namespace cosim::ops {
namespace {

using host::Multiplier;

Tensor Small(Randoms& random, DType type, const Shape& shape) {
  return Numbers(random, type, shape, type == DType::kInt8 ? -128 : -32768,
                 type == DType::kInt8 ? 127 : 32767);
}

TEST(HostTflite, Convolutions) {
  Randoms random(41);
  for (const bool wide : {false, true}) {
    const DType type = wide ? DType::kInt16 : DType::kInt8;
    host::TfliteConvolution a;
    a.window = {.stride = {2, 1}, .pad = {1, 0, 1, 2}, .dilation = {1, 2}};
    a.groups = 2;
    a.input_zero_point = wide ? 0 : -7;
    a.weight_zero_point = 3;
    a.output_zero_point = wide ? 0 : 5;
    a.low = wide ? -32768 : -120;
    a.high = wide ? 32767 : 100;
    a.wide = wide;
    for (int64_t o = 0; o < 4; ++o)
      a.multipliers.push_back(Multiplier::Of(wide ? 3e-4 * (o + 1) : 2e-3 * (o + 1)));
    const Tensor bias = Numbers(random, wide ? DType::kInt64 : DType::kInt32, {4}, -5000, 5000);
    ExpectReference(host::Convolution(a),
                    {Small(random, type, {2, 6, 9, 12}), Small(random, DType::kInt8, {4, 3, 3, 3}), bias});
    a.multipliers = {Multiplier::Of(wide ? 1e-4 : 3.0)};
    ExpectReference(host::WithoutAbsent(host::Convolution(a), {true, true, false}),
                    {Small(random, type, {1, 6, 9, 12}), Small(random, DType::kInt8, {4, 3, 3, 3})});
  }
}

TEST(HostTflite, PoolsAndMeans) {
  Randoms random(42);
  for (const DType type : {DType::kInt8, DType::kInt16}) {
    const int32_t low = type == DType::kInt8 ? -100 : -32768, high = type == DType::kInt8 ? 127 : 32767;
    for (const bool half_up : {false, true})
      ExpectReference(
          host::AveragePool({.kernel = {3, 2}, .stride = {2, 2}, .pad = {1, 0, 1, 1}}, half_up, low, high),
          {Small(random, type, {2, 3, 8, 9})});
    ExpectReference(host::PixelMean({Multiplier::Of(0.013), -3, 4, low, high}),
                    {Small(random, type, {2, 3, 7, 5})});
  }
}

TEST(HostTflite, Elements) {
  Randoms random(43);
  for (const DType type : {DType::kInt8, DType::kInt16}) {
    const bool is_byte = type == DType::kInt8;
    const int32_t low = is_byte ? -128 : -32768, high = is_byte ? 127 : 32767, zero = is_byte ? 9 : 0;
    const Operand a = Small(random, type, {3, 4, 5}), b = Small(random, type, {4, 1});
    for (const bool subtract : {false, true})
      ExpectReference(host::Addition({{zero, -zero},
                                      {Multiplier::Of(0.4), Multiplier::Of(0.3)},
                                      Multiplier::Of(is_byte ? 2e-6 : 5e-5),
                                      zero,
                                      low,
                                      high,
                                      subtract}),
                      {a, b});
    ExpectReference(host::Product({{zero, -zero}, Multiplier::Of(0.01), zero, low, high}), {a, b});
    for (const double factor : {0.3, 1.0, 5.5})
      ExpectReference(host::Requantization({Multiplier::Of(factor), zero, -zero, low, high, type}), {a});
    ExpectReference(host::TfliteQuantize(0.05f, zero, type), {Reals(random, {400}, -9, 9)});
  }
  const float nan = std::numeric_limits<float>::quiet_NaN(),
              infinity = std::numeric_limits<float>::infinity();
  ExpectReference(
      host::TfliteQuantize(0.5f, 3, DType::kInt8),
      {Tensor(Shape{7}, std::vector<float>{nan, infinity, -infinity, 0.25f, -0.25f, 0.75f, -1.25f})});
  ExpectReference(host::DequantizeInt16(0.01f), {Small(random, DType::kInt16, {50})});
  ExpectReference(host::FromUint8(), {Numbers(random, DType::kUint8, {50}, 0, 255)});
  ExpectReference(host::ToUint8(), {Small(random, DType::kInt8, {50})});
}

TEST(HostTflite, SoftmaxOfBytes) {
  Randoms random(44);
  for (const double beta : {1e-4, 0.0625, 0.17, 1.0, 30.0}) {
    for (const Shape& shape : {Shape{1}, {1, 10}, {40, 2}, {5, 3, 12}, {3, 131}, {2, 1001}})
      ExpectReference(host::TfliteSoftmax(beta), {Small(random, DType::kInt8, shape)});
    // Where all are equal, the sum is a number of values and its reciprocal often a power of two.
    for (const int64_t n : {1, 2, 3, 4, 255, 256, 4095, 4096})
      ExpectReference(host::TfliteSoftmax(beta), {Tensor(Shape{n}, std::vector<int8_t>(n, int8_t{-128}))});
  }
}

}  // namespace
}  // namespace cosim::ops
