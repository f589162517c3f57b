// SPDX-License-Identifier: Apache-2.0
// Tensor expressions of the graph's integer operations that compute one element from the same element of
// their operands. compiler/graph/ops.h says what they mean; who inlines them where is schedule.h's.
#pragma once

#include <string>

#include "compiler/graph/ops.h"
#include "compiler/te/te.h"

namespace cosim::cpu {

inline const tir::DataType kInt16 = tir::DataType::Int(16), kInt32 = tir::DataType::Int(32),
                           kInt64 = tir::DataType::Int(64);

/// `x` as another integer or float type.
inline tir::Expr As(tir::DataType type, tir::Expr x) { return tir::MakeCast(type, std::move(x)); }

/// A number of any width, saturated to a quantized type.
tir::Expr Saturated(tir::DataType type, const tir::Expr& x);

/// A value of each channel: one for all, or a placeholder int32[C].
struct ChannelValue {
  int32_t common = 0;
  te::Tensor per_channel;  ///< Null when `common` holds.

  tir::Expr At(const tir::Expr& channel) const;  ///< As int32.
};

te::Tensor BiasAdd(const std::string& name, const te::Tensor& x, const te::Tensor& bias);
te::Tensor Requantize(const std::string& name, const te::Tensor& x, const ChannelValue& multiplier,
                      const ChannelValue& shift, const graph::Requantize& op);
te::Tensor Clip(const std::string& name, const graph::Clip& op, const te::Tensor& x);
te::Tensor QAdd(const std::string& name, const graph::QAdd& op, const te::Tensor& a, const te::Tensor& b);
te::Tensor ScaledAdd(const std::string& name, const graph::ScaledAdd& op, const te::Tensor& a,
                     const te::Tensor& b);
te::Tensor QMul(const std::string& name, const graph::QMul& op, const te::Tensor& a, const te::Tensor& b);
te::Tensor Rescale(const std::string& name, const graph::Rescale& op, const te::Tensor& x);
te::Tensor Quantize(const std::string& name, const graph::Quantize& op, const te::Tensor& x);
te::Tensor Dequantize(const std::string& name, const graph::Dequantize& op, const te::Tensor& x);

}  // namespace cosim::cpu
