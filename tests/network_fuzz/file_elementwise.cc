// SPDX-License-Identifier: Apache-2.0
// Draws what works on corresponding elements: arithmetic, functions of one value, comparisons, choices.
#include <algorithm>

#include "tests/network_fuzz/file_maker.h"

namespace cosim::testing {
namespace {

using tflite::Activation;

int DrawPair(FileMaker& m, const std::string& op) {
  const std::string types = op == "SQUARED_DIFFERENCE" ? "fi" : op == "DIV" ? "fi8" : "qqqqfi";
  const int a =
      op == "SQUARED_DIFFERENCE" && m.Chance(2) ? m.Among({DType::kInt8, DType::kInt16}) : m.Any(types);
  const int b = m.Beside(a);
  if (a < 0 || b < 0) return FileMaker::kNone;
  tflite::ElementwiseOptions options;
  if (m.TypeOf(a) != DType::kInt32 && op != "SQUARED_DIFFERENCE" && m.Chance(3))
    options.activation = m.Chance(2) ? Activation::kRelu : Activation::kRelu6;
  return m.Emit(op, m.Chance(2) ? std::vector{a, b} : std::vector{b, a}, m.NewLike(a, m.ShapeOf(a)), options);
}

int DrawExtreme(FileMaker& m, const std::string& op) {
  const int a = m.Any("qqqfi");
  return m.Emit(op, {a, m.Beside(a)}, m.Like(a, a < 0 ? Shape{} : m.ShapeOf(a)));
}

/// Of floats or int32 alone.
int DrawPlainPair(FileMaker& m, const std::string& op) {
  const int a = op == "ATAN2"                            ? m.Real()
                : op == "FLOOR_DIV" || op == "FLOOR_MOD" ? m.AnyExact("fi")
                                                         : m.Any("fi");
  if (a < 0) return FileMaker::kNone;
  // Exponents of integers are not negative.
  const int b = op == "POW" && m.TypeOf(a) == DType::kInt32 ? m.Scalar(static_cast<int32_t>(m.Pick(0, 4)))
                                                            : m.Beside(a);
  return m.Emit(op, {a, b}, m.Like(a, m.ShapeOf(a)));
}

int DrawSum(FileMaker& m, const std::string& op) {
  const int a = m.Any("fi");
  std::vector<int> operands = {a};
  for (int64_t more = m.Pick(1, 3); more > 0; --more) operands.push_back(m.Beside(a, true));
  return m.Emit(op, operands, m.Like(a, a < 0 ? Shape{} : m.ShapeOf(a)));
}

int DrawSlope(FileMaker& m, const std::string& op) {
  const int x = m.Any("888f");
  if (x < 0) return FileMaker::kNone;
  const int slope = m.Constant(m.NewLike(x, {m.ShapeOf(x).empty() ? 1 : m.ShapeOf(x).back()}));
  return m.Emit(op, {x, slope}, m.NewLike(x, m.ShapeOf(x)));
}

int DrawBits(FileMaker& m, const std::string& op) {
  const int a = m.Any("qqqi");
  return m.Emit(op, {a, m.Beside(a)}, m.Like(a, a < 0 ? Shape{} : m.ShapeOf(a)));
}

int DrawRelu(FileMaker& m, const std::string& op) {
  const int x = m.Any("qqf");
  if (x < 0) return FileMaker::kNone;
  return m.Emit(op, {x}, m.Chance(2) ? m.Like(x, m.ShapeOf(x)) : m.NewLike(x, m.ShapeOf(x)));
}

/// One function of quantized values, whose results are of any scale, or of floats.
int DrawFunction(FileMaker& m, const std::string& op) {
  const bool bytes = op == "HARD_SWISH" || op == "ELU" || op == "GELU";
  const bool no_uint8 = op == "LOG" || op == "RSQRT" || op == "SQRT";
  int x = m.Chance(4) ? m.Real()
          : bytes     ? m.Any("8")
          : no_uint8  ? m.Among({DType::kInt8, DType::kInt16})
                      : m.Quantized();
  // Far below 0 nothing is left of its digits in float32.
  if (op == "GELU" && x >= 0 && m.TypeOf(x) == DType::kFloat32)
    x = m.Emit("MAXIMUM", {x, m.Number(-2)}, m.Like(x, m.ShapeOf(x)));
  if (x < 0) return FileMaker::kNone;
  tflite::OperatorOptions options = tflite::NoOptions{};
  if (op == "LEAKY_RELU") options = tflite::LeakyOptions{static_cast<float>(m.Pick(1, 90)) / 100};
  if (op == "GELU") options = tflite::GeluOptions{m.Chance(2)};
  return m.Emit(op, {x}, m.NewLike(x, m.ShapeOf(x)), options);
}

/// Whose results have one scale and zero point.
int DrawFixed(FileMaker& m, const std::string& op) {
  const int x = m.Chance(4)                                       ? m.Real()
                : op == "LOG_SOFTMAX" || op == "L2_NORMALIZATION" ? m.Any("8")
                                                                  : m.Quantized();
  if (x < 0 || m.ShapeOf(x).empty()) return FileMaker::kNone;
  TensorInfo y = m.Like(x, m.ShapeOf(x));
  if (!y.scales.empty()) {
    const bool wide = y.dtype == DType::kInt16, shares = op == "SOFTMAX" || op == "LOGISTIC";
    const float scale = wide                  ? 1.0f / 32768
                        : op == "LOG_SOFTMAX" ? 1.0f / 16
                        : shares              ? 1.0f / 256
                                              : 1.0f / 128;
    y = m.Scaled(y.dtype, y.shape, scale, shares ? -128 : op == "LOG_SOFTMAX" ? 127 : 0);
  }
  tflite::OperatorOptions options = tflite::NoOptions{};
  if (op == "SOFTMAX") options = tflite::SoftmaxOptions{m.Chance(2) ? 1.0f : 0.75f};
  return m.Emit(op, {x}, y, options);
}

int DrawRealFunction(FileMaker& m, const std::string& op) {
  const bool jumps = op == "CEIL" || op == "FLOOR" || op == "ROUND";
  const int x = jumps ? m.ExactReal() : m.Real();
  return m.Emit(op, {x}, m.Like(x, x < 0 ? Shape{} : m.ShapeOf(x)));
}

int DrawNumberFunction(FileMaker& m, const std::string& op) {
  const int x = op == "ABS" ? m.Any("qqfi") : op == "SIGN" ? m.AnyExact("fi") : m.Any("fi");
  return m.Emit(op, {x}, m.Like(x, x < 0 ? Shape{} : m.ShapeOf(x)));
}

int DrawComparison(FileMaker& m, const std::string& op) {
  const int a = m.AnyExact("qqqfi");
  const int b = m.Beside(a);
  if (a < 0 || b < 0) return FileMaker::kNone;
  return m.Emit(op, {a, b}, m.Plain(DType::kBool, m.ShapeOf(a)));
}

int DrawLogic(FileMaker& m, const std::string& op) {
  const int a = m.Truth();
  if (a < 0) return FileMaker::kNone;
  return m.Emit(op, op == "LOGICAL_NOT" ? std::vector{a} : std::vector{a, m.Beside(a)},
                m.Plain(DType::kBool, m.ShapeOf(a)));
}

int DrawChoice(FileMaker& m, const std::string& op) {
  const int a = m.AnyExact("qqqfi");
  if (a < 0) return FileMaker::kNone;
  const Shape shape = m.ShapeOf(a);
  const int b = m.Constant(m.Like(a, shape));
  // A vector of conditions chooses rows.
  const int holds = op == "SELECT" && shape.size() > 1 && m.Chance(3)
                        ? m.Constant(m.Plain(DType::kBool, {shape[0]}))
                        : m.Emit("LESS", {a, b}, m.Plain(DType::kBool, shape));
  return m.Emit(op, {holds, a, b}, m.Like(a, shape));
}

int DrawConversion(FileMaker& m, const std::string& op) {
  const int x = op == "DEQUANTIZE" ? m.Quantized() : m.Chance(2) ? m.ExactReal() : m.Quantized();
  if (x < 0) return FileMaker::kNone;
  if (op == "DEQUANTIZE") return m.Emit(op, {x}, m.Plain(DType::kFloat32, m.ShapeOf(x)));
  if (m.IsQuantized(x) && m.TypeOf(x) != DType::kUint8 && m.Chance(5)) {
    TensorInfo sums = m.Scaled(DType::kInt16, m.ShapeOf(x));
    sums.dtype = DType::kInt32;
    const int wide = m.Emit(op, {x}, sums);
    return m.Emit(op, {wide}, m.Scaled(m.type(), m.ShapeOf(x)));
  }
  return m.Emit(
      op, {x},
      m.Scaled(m.OneOf<DType>({DType::kInt8, DType::kUint8, DType::kInt16, m.type()}), m.ShapeOf(x)));
}

int DrawBitcast(FileMaker& m, const std::string& op) {
  const int x = m.Integer();
  if (x < 0) return x;
  Shape shape = m.ShapeOf(x);
  const DType to = m.OneOf<DType>({DType::kInt8, DType::kUint8, DType::kInt16, DType::kInt32});
  if (to != DType::kInt32) shape.push_back(4 / graph::SizeOf(to));
  return m.Emit(op, {x}, m.Plain(to, shape));
}

int DrawBuckets(FileMaker& m, const std::string& op) {
  const int x = m.AnyExact("fi");
  if (x < 0) return x;
  tflite::BucketOptions options;
  for (int64_t count = m.Pick(1, 6), last = m.Pick(-20, 0); count > 0; --count, last += m.Pick(0, 9))
    options.bounds.push_back(static_cast<float>(last) / 2);
  return m.Emit(op, {x}, m.Plain(DType::kInt32, m.ShapeOf(x)), options);
}

int DrawFakeQuantized(FileMaker& m, const std::string& op) {
  const int x = m.ExactReal();
  if (x < 0) return x;
  const tflite::FakeQuantOptions options{-static_cast<float>(m.Pick(0, 200)) / 64,
                                         static_cast<float>(m.Pick(1, 200)) / 64, m.Pick(2, 16), m.Chance(2)};
  return m.Emit(op, {x}, m.Like(x, m.ShapeOf(x)), options);
}

int DrawDiagonal(FileMaker& m, const std::string& op) {
  const bool set = op == "MATRIX_SET_DIAG";
  const int x = m.OfRank(m.Any("qqfib"), static_cast<size_t>(m.Pick(set ? 2 : 1, 3)));
  if (x < 0) return x;
  Shape shape = m.ShapeOf(x);
  if (!set) {
    shape.push_back(shape.back());
    return m.Emit(op, {x}, m.Like(x, shape));
  }
  Shape diagonal(shape.begin(), shape.end() - 2);
  diagonal.push_back(std::min(shape.back(), shape[shape.size() - 2]));
  return m.Emit(op, {x, m.Constant(m.Like(x, diagonal))}, m.Like(x, shape));
}

int DrawCast(FileMaker& m, const std::string& op) {
  const int x = m.AnyExact("qfib");
  if (x < 0) return FileMaker::kNone;
  const std::vector<DType> types = {DType::kInt8, DType::kUint8, DType::kInt16,  DType::kInt32,
                                    DType::kBool, DType::kInt64, DType::kFloat32};
  // Floats beyond an integer's range have no value that is defined.
  const DType to = m.TypeOf(x) == DType::kFloat32
                       ? m.OneOf<DType>({DType::kInt32, DType::kInt64, DType::kBool})
                       : m.OneOf(types);
  return m.Emit(op, {x}, m.Plain(to, m.ShapeOf(x)));
}

}  // namespace

std::span<const FileStep> ElementwiseSteps() {
  static constexpr FileStep kSteps[] = {{"ADD", DrawPair},
                                        {"SUB", DrawPair},
                                        {"MUL", DrawPair},
                                        {"DIV", DrawPair},
                                        {"SQUARED_DIFFERENCE", DrawPair},
                                        {"MAXIMUM", DrawExtreme},
                                        {"MINIMUM", DrawExtreme},
                                        {"FLOOR_DIV", DrawPlainPair},
                                        {"FLOOR_MOD", DrawPlainPair},
                                        {"POW", DrawPlainPair},
                                        {"ATAN2", DrawPlainPair},
                                        {"ADD_N", DrawSum},
                                        {"PRELU", DrawSlope},
                                        {"BITWISE_XOR", DrawBits},
                                        {"RIGHT_SHIFT", DrawBits},
                                        {"RELU", DrawRelu},
                                        {"RELU6", DrawRelu},
                                        {"RELU_0_TO_1", DrawRelu},
                                        {"RELU_N1_TO_1", DrawRelu},
                                        {"LEAKY_RELU", DrawFunction},
                                        {"HARD_SWISH", DrawFunction},
                                        {"ELU", DrawFunction},
                                        {"GELU", DrawFunction},
                                        {"EXP", DrawFunction},
                                        {"LOG", DrawFunction},
                                        {"RSQRT", DrawFunction},
                                        {"SQRT", DrawFunction},
                                        {"LOGISTIC", DrawFixed},
                                        {"TANH", DrawFixed},
                                        {"SOFTMAX", DrawFixed},
                                        {"LOG_SOFTMAX", DrawFixed},
                                        {"L2_NORMALIZATION", DrawFixed},
                                        {"CEIL", DrawRealFunction},
                                        {"COS", DrawRealFunction},
                                        {"FLOOR", DrawRealFunction},
                                        {"ROUND", DrawRealFunction},
                                        {"SIN", DrawRealFunction},
                                        {"SQUARE", DrawRealFunction},
                                        {"ABS", DrawNumberFunction},
                                        {"NEG", DrawNumberFunction},
                                        {"SIGN", DrawNumberFunction},
                                        {"EQUAL", DrawComparison},
                                        {"NOT_EQUAL", DrawComparison},
                                        {"GREATER", DrawComparison},
                                        {"GREATER_EQUAL", DrawComparison},
                                        {"LESS", DrawComparison},
                                        {"LESS_EQUAL", DrawComparison},
                                        {"LOGICAL_AND", DrawLogic},
                                        {"LOGICAL_OR", DrawLogic},
                                        {"LOGICAL_NOT", DrawLogic},
                                        {"SELECT", DrawChoice},
                                        {"SELECT_V2", DrawChoice},
                                        {"QUANTIZE", DrawConversion},
                                        {"DEQUANTIZE", DrawConversion},
                                        {"CAST", DrawCast},
                                        {"BITCAST", DrawBitcast},
                                        {"BUCKETIZE", DrawBuckets},
                                        {"FAKE_QUANT", DrawFakeQuantized},
                                        {"MATRIX_DIAG", DrawDiagonal},
                                        {"MATRIX_SET_DIAG", DrawDiagonal}};
  return kSteps;
}

}  // namespace cosim::testing
