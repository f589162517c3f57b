// SPDX-License-Identifier: Apache-2.0
// Operations of the graph IR beside those of plain convolutional networks: pools, rearrangements, scalings,
// products of activations and normalizations. To be included through ops.h, whose conventions hold here.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace cosim::graph {

/// Of operations that have none.
struct NoAttributes {
  template <typename Self, typename F>
  static void Attributes(Self&, F&&) {}
};

/// (x [N,C,H,W]) -> [N,C,OH,OW]: the mean of each window; float32. Extents as for Conv2d. Outside the image
/// stand zeros, which count.
struct AvgPool {
  static constexpr std::string_view kMnemonic = "avg_pool";
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

/// (x quantized [N,C,H,W]) -> int32 [N,C,OH,OW]: the plain sum of each window; wraps. Outside the image
/// stands pad_value (of x's type). As for GlobalSumPool, a BiasAdd and a Requantize behind it make the
/// average.
struct SumPool {
  static constexpr std::string_view kMnemonic = "sum_pool";
  std::array<int64_t, 2> kernel = {2, 2};
  std::array<int64_t, 2> stride = {2, 2};
  std::array<int64_t, 4> pad = {0, 0, 0, 0};  ///< Top, left, bottom, right.
  int32_t pad_value = 0;
  template <typename Self, typename F>
  static void Attributes(Self& op, F&& f) {
    f("kernel", op.kernel);
    f("stride", op.stride);
    f("pad", op.pad);
    f("pad_value", op.pad_value);
  }
};

/// (x [N,C,H,W], w [O,C,KH,KW]) -> [N,O,OH,OW], float32: each x[n,c,y,x] times w[o,c] is added to the window
/// of the result whose first element is (y * stride - top, x * stride - left); what falls outside is dropped.
/// OH = (H - 1) * stride + KH - top - bottom; OW alike. Its integer counterpart is a convolution to stride[0]
/// * stride[1] * O channels and DepthToSpace (passes/expand_transposed.h).
struct ConvTranspose2d {
  static constexpr std::string_view kMnemonic = "conv_transpose2d";
  std::array<int64_t, 2> stride = {1, 1};  ///< Vertical, horizontal.
  std::array<int64_t, 4> pad = {0, 0, 0,
                                0};  ///< Taken off the result: top, left, bottom, right. Bottom and right
                                     ///< may be negative: rows and columns of zeros beyond the last window.
  template <typename Self, typename F>
  static void Attributes(Self& op, F&& f) {
    f("stride", op.stride);
    f("pad", op.pad);
  }
};

/// (x [N,SY*SX*C,H,W]) -> [N,C,H*SY,W*SX]; float32, quantized or int32. y[n,c,h*SY+i,w*SX+j] =
/// x[n,(i*SX+j)*C+c,h,w].
struct DepthToSpace {
  static constexpr std::string_view kMnemonic = "depth_to_space";
  std::array<int64_t, 2> block = {2, 2};  ///< SY, SX.
  template <typename Self, typename F>
  static void Attributes(Self& op, F&& f) {
    f("block", op.block);
  }
};

/// (x [N,C,H,W]) -> [N,C,H*SY,W*SX]; float32, quantized or int32. y[n,c,h,w] = x[n,c,h/SY,w/SX], rounded
/// down.
struct ResizeNearest {
  static constexpr std::string_view kMnemonic = "resize_nearest";
  std::array<int64_t, 2> scale = {2, 2};  ///< SY, SX.
  template <typename Self, typename F>
  static void Attributes(Self& op, F&& f) {
    f("scale", op.scale);
  }
};

/// (a [N,CA,H,W], b [N,CB,H,W], …) -> [N,CA+CB+…,H,W], or [N,C] alike; one element type, and one
/// quantization where there is any: the values are not changed.
struct Concat : NoAttributes {
  static constexpr std::string_view kMnemonic = "concat";
};

/// (x [N,C,H,W]) -> [N,C,top+H+bottom,left+W+right]; float32 or quantized. Outside of x stands `value`: of
/// x's type, and 0 when float; or, with `edge`, the nearest element of x.
struct Pad {
  static constexpr std::string_view kMnemonic = "pad";
  std::array<int64_t, 4> pad = {0, 0, 0, 0};  ///< Top, left, bottom, right.
  int32_t value = 0;
  bool edge = false;
  template <typename Self, typename F>
  static void Attributes(Self& op, F&& f) {
    f("pad", op.pad);
    f("value", op.value);
    if (op.edge) f("edge", int32_t{1});
  }
};

/// (a, b) -> a - b; float32, same shapes. Its integer counterpart is QAdd with a negative multiplier.
struct Sub : NoAttributes {
  static constexpr std::string_view kMnemonic = "sub";
};

/// (a, b) -> a * b element by element; float32, same shapes.
struct Mul : NoAttributes {
  static constexpr std::string_view kMnemonic = "mul";
};

/// (a, b) -> Clamp(Sat32(RoundShift(int64(a - a_zero_point) * (b - b_zero_point) * multiplier, shift)) +
/// output_zero_point), the last sum exact; quantized, same shapes. 1 <= multiplier, 0 <= shift <= 62.
struct QMul {
  static constexpr std::string_view kMnemonic = "qmul";
  int32_t a_zero_point = 0;
  int32_t b_zero_point = 0;
  int32_t multiplier = 1;
  int32_t shift = 0;
  int32_t output_zero_point = 0;
  template <typename Self, typename F>
  static void Attributes(Self& op, F&& f) {
    f("a_zero_point", op.a_zero_point);
    f("b_zero_point", op.b_zero_point);
    f("multiplier", op.multiplier);
    f("shift", op.shift);
    f("output_zero_point", op.output_zero_point);
  }
};

/// (x quantized) -> like x: Clamp(int32(RoundShift(int64(x - input_zero_point) * multiplier, shift)) +
/// output_zero_point), truncated to int32 before a sum that wraps: one term of a QAdd. 1 <= multiplier, 0 <=
/// shift <= 62.
struct Rescale {
  static constexpr std::string_view kMnemonic = "rescale";
  int32_t input_zero_point = 0;
  int32_t multiplier = 1;
  int32_t shift = 0;
  int32_t output_zero_point = 0;
  template <typename Self, typename F>
  static void Attributes(Self& op, F&& f) {
    f("input_zero_point", op.input_zero_point);
    f("multiplier", op.multiplier);
    f("shift", op.shift);
    f("output_zero_point", op.output_zero_point);
  }
};

/// (x) -> Clamp(output_zero_point + (v < 0 ? term(v, negative) : term(v, positive))), v = x -
/// input_zero_point; quantized. term(v, .) = RoundShift(int64(v) * multiplier, shift) truncated to int32, as
/// in Rescale; the sum wraps. A leaky ReLU between values of any scales.
struct QLeakyRelu {
  static constexpr std::string_view kMnemonic = "qleaky_relu";
  int32_t input_zero_point = 0;
  int32_t positive_multiplier = 1;
  int32_t positive_shift = 0;
  int32_t negative_multiplier = 1;
  int32_t negative_shift = 0;
  int32_t output_zero_point = 0;
  template <typename Self, typename F>
  static void Attributes(Self& op, F&& f) {
    f("input_zero_point", op.input_zero_point);
    f("positive_multiplier", op.positive_multiplier);
    f("positive_shift", op.positive_shift);
    f("negative_multiplier", op.negative_multiplier);
    f("negative_shift", op.negative_shift);
    f("output_zero_point", op.output_zero_point);
  }
};

/// (x) -> Clamp(output_zero_point + RoundShift(int64(v) * gate * multiplier, shift) truncated to int32), v =
/// x - input_zero_point, gate = min(max(v + three, 0), 2 * three); quantized, the last sum wraps. Hard swish,
/// x
/// * relu6(x + 3) / 6, where `three` is 3 in units of the input's scale, from 1 to 2^15.
struct QHardSwish {
  static constexpr std::string_view kMnemonic = "qhard_swish";
  int32_t input_zero_point = 0;
  int32_t three = 1;
  int32_t multiplier = 1;
  int32_t shift = 0;
  int32_t output_zero_point = 0;
  template <typename Self, typename F>
  static void Attributes(Self& op, F&& f) {
    f("input_zero_point", op.input_zero_point);
    f("three", op.three);
    f("multiplier", op.multiplier);
    f("shift", op.shift);
    f("output_zero_point", op.output_zero_point);
  }
};

/// Products of matrices whose rows are channels and whose columns are pixels, group by group (attention
/// heads). (a [N,G*K,H,W], b [N,G*K,P...]) -> [N,G*P,H,W]: y[n,g*P+p,m] = sum over k of a[n,g*K+k,m] *
/// b[n,g*K+k,p], where P is the number of b's pixels; with `transpose_b`, b is [N,G*P,K...] and its pixels
/// are what is summed over: y[n,g*P+p,m] = sum over k of a[n,g*K+k,m] * b[n,g*P+p,k]. float32, or
/// quantized to int32 that wraps.
struct MatMul {
  static constexpr std::string_view kMnemonic = "matmul";
  int64_t groups = 1;
  bool transpose_b = false;
  template <typename Self, typename F>
  static void Attributes(Self& op, F&& f) {
    f("groups", op.groups);
    f("transpose_b", op.transpose_b);
  }
};

/// (x [N,G*C,...]) -> like x: exp(scale * x) over its sum, along the channels of each group; float32.
struct Softmax {
  static constexpr std::string_view kMnemonic = "softmax";
  int64_t groups = 1;
  float scale = 1;
  template <typename Self, typename F>
  static void Attributes(Self& op, F&& f) {
    f("groups", op.groups);
    f("scale", op.scale);
  }
};

/// (x quantized [N,G*C,...]) -> like x. Along the channels of each group, with m the largest x, e =
/// exponentials[m - x], S the sum of all e and R = levels / S, in double: Clamp(floor(e * R + 0.5) +
/// zero_point), where R is rounded to float and each operation of the floor is one of floats. An exponential
/// in [0, 2^24] for each value of x's type, 256 or 65,536, the first of them positive; at most as many
/// levels, at least one.
struct QSoftmax {
  static constexpr std::string_view kMnemonic = "qsoftmax";
  int64_t groups = 1;
  std::vector<int32_t> exponentials;
  int32_t levels = 127;
  int32_t zero_point = 0;
  template <typename Self, typename F>
  static void Attributes(Self& op, F&& f) {
    f("groups", op.groups);
    f("exponentials", op.exponentials);
    f("levels", op.levels);
    f("zero_point", op.zero_point);
  }
};

/// (x [N,C,...], gamma [C], beta [C]) -> like x: (x - mean) / sqrt(variance + epsilon) * gamma + beta, mean
/// and variance being those of the channels at one pixel; float32.
struct LayerNorm {
  static constexpr std::string_view kMnemonic = "layer_norm";
  float epsilon = 1e-6f;
  template <typename Self, typename F>
  static void Attributes(Self& op, F&& f) {
    f("epsilon", op.epsilon);
  }
};

/// (x quantized [N,C,...], gain float32 [C], offset float32 [C]) -> like x. With S the sum of x over the
/// channels of a pixel, Q the sum of x * x, D = C * x - S and V = C * Q - S * S, all exact, and R = 1 over
/// the root of V + epsilon, in double: Clamp(floor(D * R * gain + offset + 0.5)), where D and R are rounded
/// to float and each operation is one of floats, in the order written. No zero point is subtracted: it
/// cancels.
struct QLayerNorm {
  static constexpr std::string_view kMnemonic = "qlayer_norm";
  float epsilon = 1;  ///< Positive.
  template <typename Self, typename F>
  static void Attributes(Self& op, F&& f) {
    f("epsilon", op.epsilon);
  }
};

/// (x) -> x / 2 * (1 + erf(x / sqrt(2))); float32.
struct Gelu : NoAttributes {
  static constexpr std::string_view kMnemonic = "gelu";
};

/// (x quantized) -> like x: table[x - the least value of its type]. Any function of one value, activation
/// functions for example. An entry for each value: 256 or 65,536.
struct Table {
  static constexpr std::string_view kMnemonic = "table";
  std::vector<int32_t> table;
  template <typename Self, typename F>
  static void Attributes(Self& op, F&& f) {
    f("table", op.table);
  }
};

}  // namespace cosim::graph
