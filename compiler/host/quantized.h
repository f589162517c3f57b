// SPDX-License-Identifier: Apache-2.0
// ONNX's linear quantization: real = (q - zero point) * scale; conversions round half to even and saturate.
// Steps are what q may be: int8, uint8, int16 or uint16. Sums of products of them are exact.
#pragma once

#include <string>

#include "compiler/host/make.h"

namespace cosim::host {

/// (x float, scale, zero point, optional) -> steps of the zero point's type (uint8 without one); scales along
/// `axis`.
HostOperatorPtr QuantizeLinear(int64_t axis);
/// (q, scale, zero point, optional) -> float32.
HostOperatorPtr DequantizeLinear(int64_t axis);
/// (x float32) -> uint8, its scale, its zero point: the range of x with 0 in it.
HostOperatorPtr DynamicQuantizeLinear();

/// (a, b, a zero point, b zero point; optional) -> int32 products of matrices.
HostOperatorPtr MatMulInteger();
/// (a, a scale, a zero point, b, b scale, b zero point, y scale, y zero point) -> steps. b may have a scale
/// and zero point for each column.
HostOperatorPtr QLinearMatMul();
/// (a, a scale, a zero point, b, b scale, b zero point, bias int32 [columns] or absent, y scale, y zero
/// point) -> steps: as QLinearMatMul with b of two dimensions ([columns, depth] with `transpose_b`), the bias
/// added to the sums.
HostOperatorPtr QGemm(bool transpose_b);

/// `op` of float32 on steps: (x, scale, zero point) for each of its `count` operands, then the scale and zero
/// point of the result. Operands become real numbers, the result steps.
HostOperatorPtr OnBytes(std::string name, HostOperatorPtr op, size_t count);

/// (x, scale, zero point, y scale, y zero point; zero points are optional) -> steps: round(mean * scale / y
/// scale) + y zero point in double, `average` taking means of x less its zero point.
HostOperatorPtr AverageOnBytes(std::string name, HostOperatorPtr average);

inline bool IsByteType(DType t) { return t == DType::kInt8 || t == DType::kUint8; }
inline bool IsStepType(DType t) { return IsByteType(t) || t == DType::kInt16 || t == DType::kUint16; }

/// Rules of a zero point (absent, or one, or one of `channels`, of the values' type) and of a scale beside
/// them.
std::string ZeroPointFault(const HostOperand& zero_point, const TensorType& values, int64_t channels);
std::string ScaleFault(const HostOperand& scale, int64_t channels);
/// to[i] = value, saturated, NaN as 0, in a tensor of steps.
void StoreStep(Tensor& to, int64_t i, double value);

}  // namespace cosim::host
