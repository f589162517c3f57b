// SPDX-License-Identifier: Apache-2.0
// The operations of the graph IR: what each computes, to the bit where it is integer. Shapes and element
// types are inferred in infer.cc; how a value is stored on an accelerator is not said here.
//
// Semantics
//
// Every operation has one result and no side effect. Operands are listed in the order of Node::inputs.
//
// RoundShift(x, s), on int64, 0 <= s <= 62:  s == 0 ? x : (x + (1 << (s - 1))) >> s, the shift arithmetic.
//   That rounds half up (towards +infinity).
// AwayShift(x, s):  RoundShift(x - (x < 0 && s > 0), s). That rounds half away from zero.
// Twice(x, m, s), on int32, 2^29 <= m < 2^31:  AwayShift(RoundShift(int64(x) * m, 31), s), 0 <= s <= 31. That
// is how TensorFlow Lite's reference kernels multiply by m / 2^(31 + s); it rounds twice. Clamp(x) = x
// clamped to the range of the result's type, Sat32(x) = x clamped to the range of int32. "Wraps" means two's
// complement arithmetic modulo 2^32.
//
// Float operations are IEEE float32; the order of the additions in a sum is not specified, so float results
// are a reference to measure against, never to compare bit by bit. Integer operations are exact as written
// here.
//
// Quantized values: real = (q - zero_point) * scale. The scales live on the values (Node::quantization) and
// never change what an integer operation computes: every constant that takes part is a field of the
// operation. "Quantized" means int8 or int16; operands and results of an operation have the same of the two
// where nothing else is said, and zero points of int16 are 0.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "compiler/graph/host_operator.h"
#include "compiler/graph/tensor.h"
#include "compiler/graph/transform_ops.h"

namespace cosim::graph {

// Each operation names itself (kMnemonic) and lists its attributes once (Attributes); printing and whatever
// else walks attributes goes through that list.

/// (). A value given by the caller. Its type is that of the node.
struct Input : NoAttributes {
  static constexpr std::string_view kMnemonic = "input";
};

/// (). A value known at compile time.
struct Constant {
  static constexpr std::string_view kMnemonic = "constant";
  TensorPtr data;
  template <typename Self, typename F>
  static void Attributes(Self& op, F&& f) {
    f("data", op.data);
  }
};

/// (x [N,C,H,W], w [O,C/groups,KH,KW]) -> [N,O,OH,OW].
/// float32: y = sum over taps of x * w. Quantized: y = sum over taps of (x - input_zero_point) * w, an int32
/// that wraps; x and w are int8, or one of them int16. A tap outside the image contributes 0: its value is
/// input_zero_point. OH = (H + top + bottom - dilation * (KH - 1) - 1) / stride + 1, rounded down; OW alike.
struct Conv2d {
  static constexpr std::string_view kMnemonic = "conv2d";
  std::array<int64_t, 2> stride = {1, 1};     ///< Vertical, horizontal.
  std::array<int64_t, 4> pad = {0, 0, 0, 0};  ///< Top, left, bottom, right.
  std::array<int64_t, 2> dilation = {1, 1};   ///< Vertical, horizontal.
  int64_t groups = 1;
  int32_t input_zero_point = 0;  ///< 0 when float.
  template <typename Self, typename F>
  static void Attributes(Self& op, F&& f) {
    f("stride", op.stride);
    f("pad", op.pad);
    f("dilation", op.dilation);
    f("groups", op.groups);
    f("input_zero_point", op.input_zero_point);
  }
};

/// (x [N,K], w [O,K]) -> [N,O]. As a convolution with one tap.
struct Dense {
  static constexpr std::string_view kMnemonic = "dense";
  int32_t input_zero_point = 0;  ///< 0 when float.
  template <typename Self, typename F>
  static void Attributes(Self& op, F&& f) {
    f("input_zero_point", op.input_zero_point);
  }
};

/// (x, bias [C]) -> like x. Adds bias[c] along dimension 1. float32, or int32 that wraps.
struct BiasAdd : NoAttributes {
  static constexpr std::string_view kMnemonic = "bias_add";
};

/// (x, gamma [C], beta [C], mean [C], variance [C]) -> like x; float32.
/// y = gamma * (x - mean) / sqrt(variance + epsilon) + beta along dimension 1.
struct BatchNorm {
  static constexpr std::string_view kMnemonic = "batch_norm";
  float epsilon = 1e-5f;
  template <typename Self, typename F>
  static void Attributes(Self& op, F&& f) {
    f("epsilon", op.epsilon);
  }
};

/// (x) -> max(x, 0), or min(max(x, 0), cap) where there is a cap; float32. Its integer counterpart is Clip
/// with lo = zero point.
struct Relu {
  static constexpr std::string_view kMnemonic = "relu";
  float cap = 0;  ///< 0: none.
  template <typename Self, typename F>
  static void Attributes(Self& op, F&& f) {
    f("cap", op.cap);
  }
};

/// (x) -> min(max(x, lo), hi); quantized, lo <= hi both values of x's type.
struct Clip {
  static constexpr std::string_view kMnemonic = "clip";
  int32_t lo = -128;
  int32_t hi = 127;
  template <typename Self, typename F>
  static void Attributes(Self& op, F&& f) {
    f("lo", op.lo);
    f("hi", op.hi);
  }
};

/// (a, b) -> a + b; float32, same shapes.
struct Add : NoAttributes {
  static constexpr std::string_view kMnemonic = "add";
};

/// (a, b) -> Clamp(output_zero_point + term(a) + term(b)); quantized, same shapes.
/// term(v) = RoundShift(int64(v - zero_point) * multiplier, shift) truncated to int32; the sums wrap.
/// The multiplier is not 0; 0 <= shift <= 62.
struct QAdd {
  static constexpr std::string_view kMnemonic = "qadd";
  struct Operand {
    int32_t zero_point = 0;
    int32_t multiplier = 1;
    int32_t shift = 0;
    bool operator==(const Operand&) const = default;
  };
  Operand a;
  Operand b;
  int32_t output_zero_point = 0;
  template <typename Self, typename F>
  static void Attributes(Self& op, F&& f) {
    f("a_zero_point", op.a.zero_point);
    f("a_multiplier", op.a.multiplier);
    f("a_shift", op.a.shift);
    f("b_zero_point", op.b.zero_point);
    f("b_multiplier", op.b.multiplier);
    f("b_shift", op.b.shift);
    f("output_zero_point", op.output_zero_point);
  }
};

/// (a, b) -> Clamp(output_zero_point + Twice(term(a) + term(b), multiplier, shift)); int8, same shapes.
/// term(v) = Twice((v - zero_point) * 2^20, multiplier, shift), at most 2^29 in magnitude: the sum does not
/// wrap. What TensorFlow Lite computes for ADD.
struct ScaledAdd {
  static constexpr std::string_view kMnemonic = "scaled_add";
  static constexpr int32_t kLeftShift = 20;
  QAdd::Operand a;
  QAdd::Operand b;
  int32_t output_zero_point = 0;
  int32_t multiplier = 1 << 30;
  int32_t shift = 0;
  template <typename Self, typename F>
  static void Attributes(Self& op, F&& f) {
    f("a_zero_point", op.a.zero_point);
    f("a_multiplier", op.a.multiplier);
    f("a_shift", op.a.shift);
    f("b_zero_point", op.b.zero_point);
    f("b_multiplier", op.b.multiplier);
    f("b_shift", op.b.shift);
    f("multiplier", op.multiplier);
    f("shift", op.shift);
    f("output_zero_point", op.output_zero_point);
  }
};

/// (x [N,C,H,W]) -> [N,C,OH,OW]: the largest element of each window; float32 or quantized. Extents as for
/// Conv2d.
/// Outside the image stands -infinity (float32) or the least value of the type. Padding is smaller than the
/// kernel, so every window meets the image.
struct MaxPool {
  static constexpr std::string_view kMnemonic = "max_pool";
  std::array<int64_t, 2> kernel = {2, 2};
  std::array<int64_t, 2> stride = {2, 2};
  std::array<int64_t, 4> pad = {0, 0, 0, 0};  ///< Top, left, bottom, right.
  template <typename Self, typename F>
  static void Attributes(Self& op, F&& f) {
    f("kernel", op.kernel);
    f("stride", op.stride);
    f("pad", op.pad);
  }
};

/// (x [N,C,H,W]) -> [N,C,1,1]: the mean over H and W; float32.
struct GlobalAvgPool : NoAttributes {
  static constexpr std::string_view kMnemonic = "global_avg_pool";
};

/// (x quantized [N,C,H,W]) -> int32 [N,C,1,1]: the plain sum of x over H and W; wraps. No zero point is
/// subtracted: a BiasAdd of -H*W*zero_point and a Requantize behind it make the average.
struct GlobalSumPool : NoAttributes {
  static constexpr std::string_view kMnemonic = "global_sum_pool";
};

/// (x int32) -> int8 or int16, as `bits` says: Clamp(Sat32(RoundShift(int64(x) * multiplier, shift)) +
/// zero_point), the last sum exact. `multiplier` and `shift` have one element, or one for each channel
/// (dimension 1). multiplier is in [2^30, 2^31), or is 1 (a pure shift); 0 <= shift <= 62. `twice`:
/// Clamp(Twice(x, multiplier, shift) + zero_point) instead; multiplier in [2^29, 2^31), 0 <= shift
/// <= 31.
struct Requantize {
  static constexpr std::string_view kMnemonic = "requantize";
  std::vector<int32_t> multiplier = {1};
  std::vector<int32_t> shift = {0};
  int32_t zero_point = 0;
  bool twice = false;  ///< rounds twice, as TensorFlow Lite does
  int32_t bits = 8;    ///< of the result: 8 or 16
  template <typename Self, typename F>
  static void Attributes(Self& op, F&& f) {
    f("multiplier", op.multiplier);
    f("shift", op.shift);
    f("zero_point", op.zero_point);
    if (op.twice) f("twice", int32_t{1});
    if (op.bits != 8) f("bits", op.bits);
  }
};

/// (x [N,...]) -> [N, everything else], row-major; any element type. Moves no data.
struct Flatten : NoAttributes {
  static constexpr std::string_view kMnemonic = "flatten";
};

/// (x float32) -> int8: Clamp(floor(double(x) / scale + 0.5) + zero_point), computed in double.
struct Quantize {
  static constexpr std::string_view kMnemonic = "quantize";
  float scale = 1;
  int32_t zero_point = 0;
  template <typename Self, typename F>
  static void Attributes(Self& op, F&& f) {
    f("scale", op.scale);
    f("zero_point", op.zero_point);
  }
};

/// (x int8) -> float32: float(x - zero_point) * scale.
struct Dequantize {
  static constexpr std::string_view kMnemonic = "dequantize";
  float scale = 1;
  int32_t zero_point = 0;
  template <typename Self, typename F>
  static void Attributes(Self& op, F&& f) {
    f("scale", op.scale);
    f("zero_point", op.zero_point);
  }
};

/// (…) -> result number `result` of an operator that only the host computes, on any element types and shapes.
/// Which operands it takes and what it computes is said by the operator (compiler/host).
struct HostOp {
  static constexpr std::string_view kMnemonic = "host";
  HostOperatorPtr op;
  int32_t result = 0;
  TensorType type;     ///< of that result, as the operator inferred it
  std::string reason;  ///< why no core operation stands here, for people
  template <typename Self, typename F>
  static void Attributes(Self& op, F&& f) {
    f("op", op.op);
    if (op.result != 0) f("result", op.result);
  }
};

/// The one list of operations; a visitor that misses one does not compile.
using Op = std::variant<Input, Constant, Conv2d, Dense, BiasAdd, BatchNorm, Relu, Clip, Add, QAdd, ScaledAdd,
                        MaxPool, GlobalAvgPool, GlobalSumPool, Requantize, Flatten, Quantize, Dequantize,
                        AvgPool, SumPool, ConvTranspose2d, DepthToSpace, ResizeNearest, Concat, Pad, Sub, Mul,
                        QMul, Rescale, QLeakyRelu, QHardSwish, MatMul, Softmax, QSoftmax, LayerNorm,
                        QLayerNorm, Gelu, Table, HostOp>;

/// The name of the operation as it is printed, such as "conv2d".
inline std::string_view Mnemonic(const Op& op) {
  return std::visit([](const auto& o) { return o.kMnemonic; }, op);
}

/// As Mnemonic, but the operator's own name for a HostOp.
std::string DisplayName(const Op& op);

/// Builds one callable out of several lambdas, for std::visit over Op.
template <typename... Ts>
struct Overloaded : Ts... {
  using Ts::operator()...;
};
template <typename... Ts>
Overloaded(Ts...) -> Overloaded<Ts...>;

}  // namespace cosim::graph
