// SPDX-License-Identifier: Apache-2.0
// Tensor expressions in the accelerator's blocked layouts, as tests schedule them: convolution with a
// requantizing epilogue and a residual, max pooling, global sum.
#pragma once

#include <string>

#include "compiler/te/schedule.h"
#include "compiler/te/te.h"

namespace cosim::te {

inline const tir::DataType kInt8 = tir::DataType::Int(8), kInt32 = tir::DataType::Int(32);

/// data[n, ci_b, h, w, 1, ci] with a border of `pad`: a copy nest with a condition.
inline Tensor Bordered(const Tensor& data, int64_t pad, tir::Expr pad_value) {
  std::vector<int64_t> shape = data.shape();
  const int64_t height = shape[2], width = shape[3];
  shape[2] += 2 * pad;
  shape[3] += 2 * pad;
  return Compute("pad", shape,
                 [&](const Indices& i) {
                   const tir::Expr y = i[2] - pad, x = i[3] - pad;
                   return tir::MakeSelect(And(tir::InRange(y, 0, height), tir::InRange(x, 0, width)),
                                          data(i[0], i[1], y, x, i[4], i[5]), pad_value);
                 },
                 {"n", "ci", "y", "x", "nb", "cii"});
}

struct ConvShape {
  int64_t co_blocks, ci_blocks, height, width, kernel, stride, pad, block = 16;
  int64_t out_height() const { return (height + 2 * pad - kernel) / stride + 1; }
  int64_t out_width() const { return (width + 2 * pad - kernel) / stride + 1; }
};

/// res = requantize(conv(data, weight), params) + residual, in int8.
struct BlockedConv {
  Tensor data, weight, params, residual, pad, acc, q, res;

  explicit BlockedConv(const ConvShape& s) {
    data = Placeholder("data", {1, s.ci_blocks, s.height, s.width, 1, s.block}, kInt8);
    weight = Placeholder("weight", {s.co_blocks, s.ci_blocks, s.kernel, s.kernel, s.block, s.block}, kInt8);
    params = Placeholder("params", {s.co_blocks, s.block, 2}, kInt32);
    const std::vector<int64_t> out_shape = {1, s.co_blocks, s.out_height(), s.out_width(), 1, s.block};
    residual = Placeholder("residual", out_shape, kInt8);
    pad = Bordered(data, s.pad, tir::Int(0, kInt8));
    const Axis ci = ReduceAxis(s.ci_blocks, "ci"), ky = ReduceAxis(s.kernel, "ky"),
               kx = ReduceAxis(s.kernel, "kx"), cii = ReduceAxis(s.block, "cii");
    const std::vector<std::string> names = {"n", "co", "y", "x", "nb", "coi"};
    acc = Compute(
        "acc", out_shape,
        [&](const Indices& i) {
          const tir::Expr in = pad(i[0], ci, i[2] * s.stride + ky, i[3] * s.stride + kx, i[4], cii);
          const tir::Expr w = weight(i[1], ci, ky, kx, i[5], cii);
          return Sum(tir::MakeCast(kInt32, in) * tir::MakeCast(kInt32, w), {ci, ky, kx, cii});
        },
        names);
    q = Compute(
        "q", out_shape,
        [&](const Indices& i) {
          const tir::Expr scaled = acc(i) * params(i[1], i[5], 0) + params(i[1], i[5], 1);
          const tir::Expr sum =
              tir::RoundShift(scaled, tir::Int(6, kInt32)) + tir::MakeCast(kInt32, residual(i));
          return tir::MakeCast(kInt8, tir::Max(tir::Min(sum, tir::Int(127, kInt32)), tir::Int(-128, kInt32)));
        },
        names);
    res = Compute("res", out_shape, [&](const Indices& i) { return q(i); }, names);
  }

  std::vector<Tensor> args() const { return {data, weight, params, residual, res}; }
};

}  // namespace cosim::te
