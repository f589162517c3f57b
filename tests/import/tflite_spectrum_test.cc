// SPDX-License-Identifier: Apache-2.0
// TensorFlow Lite's operators on complex numbers, by the definition of the transform.
#include <gmock/gmock.h>

#include <cmath>
#include <complex>
#include <numbers>

#include "tests/import/tflite_testing.h"

namespace cosim::import::tflite::spectrum_test {
namespace {

using testing::HasSubstr;

TensorInfo Complex(Shape shape) {
  return {.name = "",
          .type_in_file = "complex64",
          .shape = std::move(shape),
          .unusable = "element type COMPLEX64",
          .complex = true};
}

/// RFFT2D of the first tensor in 4 x 8, and `op` of its result.
File Spectrum(const std::string& op, const Shape& shape) {
  File file{.name = "test.tflite",
            .tensors = {Typed(DType::kFloat32, {2, 3, 11}), Integers({2}, {4, 8}), Complex({2, 4, 5}),
                        Typed(DType::kFloat32, shape)},
            .operators = {{.name = "RFFT2D", .inputs = {0, 1}, .outputs = {2}},
                          {.name = op, .inputs = {2}, .outputs = {3}}},
            .inputs = {0},
            .outputs = {3}};
  return file;
}

std::string ErrorsOf(const File& file) {
  Diagnostics diagnostics;
  EXPECT_FALSE(Builder(file, diagnostics).Run());
  return diagnostics.Render();
}

TEST(TfliteSpectrum, IsThatOfItsDefinition) {
  const Tensor x = RandomOf(DType::kFloat32, {2, 3, 11}, 1);
  for (const std::string op : {"REAL", "IMAG", "COMPLEX_ABS"}) {
    Diagnostics diagnostics;
    const auto model = Builder(Spectrum(op, {2, 4, 5}), diagnostics).Run();
    ASSERT_TRUE(model) << diagnostics.Render();
    EXPECT_TRUE(graph::Verify(model->graph).empty());
    const auto y = Numbers(*golden::Run(model->graph, {x})[model->graph.outputs()[0]]);
    ASSERT_EQ(y.size(), 40u);
    for (int64_t i = 0; i < 40; ++i) {
      std::complex<double> sum = 0;
      for (int64_t r = 0; r < 3; ++r)      // the fourth row is 0
        for (int64_t c = 0; c < 8; ++c) {  // three columns are cut off
          const double turn = static_cast<double>(i / 5 % 4 * r) / 4 + static_cast<double>(i % 5 * c) / 8;
          sum += static_cast<double>(x.data<float>()[i / 20 * 33 + r * 11 + c]) *
                 std::polar(1.0, -2 * std::numbers::pi * turn);
        }
      EXPECT_NEAR(y[i], op == "REAL" ? sum.real() : op == "IMAG" ? sum.imag() : std::abs(sum), 1e-4) << op;
    }
  }
}

TEST(TfliteSpectrum, MayChangeItsShape) {
  File file = Spectrum("SQUEEZE", {});
  file.tensors[3] = Complex({8, 5});
  file.tensors.push_back(Typed(DType::kFloat32, {8, 5}));
  file.operators.push_back({.name = "REAL", .inputs = {3}, .outputs = {4}});
  file.outputs = {4};
  Diagnostics diagnostics;
  const auto model = Builder(file, diagnostics).Run();
  ASSERT_TRUE(model) << diagnostics.Render();
  const auto plain = Builder(Spectrum("REAL", {2, 4, 5}), diagnostics).Run();
  ASSERT_TRUE(plain) << diagnostics.Render();
  const Tensor x = RandomOf(DType::kFloat32, {2, 3, 11}, 2);
  EXPECT_EQ(Numbers(*golden::Run(model->graph, {x})[model->graph.outputs()[0]]),
            Numbers(*golden::Run(plain->graph, {x})[plain->graph.outputs()[0]]));
  file.tensors[3].shape = {8, 6};
  EXPECT_THAT(ErrorsOf(file), HasSubstr("changes the number of elements"));
}

TEST(TfliteSpectrum, ComplexNumbersGoNowhereElse) {
  EXPECT_THAT(ErrorsOf(Spectrum("RELU", {2, 4, 5})), HasSubstr("an operand has element type COMPLEX64"));
  File file = Spectrum("REAL", {2, 4, 5});
  file.outputs = {2};
  EXPECT_THAT(ErrorsOf(file), HasSubstr("element type COMPLEX64"));
  // Nothing computes it.
  file = Spectrum("REAL", {2, 4, 5});
  file.operators.erase(file.operators.begin());
  EXPECT_THAT(ErrorsOf(file), HasSubstr("anything but complex64 that RFFT2D has computed"));
  // Real numbers into an operator on complex ones, and complex ones out of one on real ones.
  file = Spectrum("REAL", {2, 4, 5});
  file.operators[1].inputs = {0};
  EXPECT_THAT(ErrorsOf(file), HasSubstr("anything but complex64"));
  file = Spectrum("REAL", {2, 4, 5});
  file.tensors[2] = Typed(DType::kFloat32, {2, 4, 5});
  EXPECT_THAT(ErrorsOf(file), HasSubstr("computes complex64[2,4,5], but the file says float32[2,4,5]"));
  file = Spectrum("REAL", {2, 4, 5});
  file.tensors[1] = Integers({2}, {4, 6});
  EXPECT_THAT(ErrorsOf(file), HasSubstr("a length of 6: the reference computes powers of two"));
}

}  // namespace
}  // namespace cosim::import::tflite::spectrum_test
