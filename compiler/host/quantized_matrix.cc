// SPDX-License-Identifier: Apache-2.0
// Products of matrices of quantized values.
#include <cmath>

#include "compiler/host/linear.h"
#include "compiler/host/movement.h"
#include "compiler/host/numeric.h"
#include "compiler/host/quantized.h"
#include "compiler/host/quantized_define.h"

namespace cosim::host {
namespace {

/// Matrices as int64 less their zero points, which are one, or one a row of a or a column of b.
std::vector<int64_t> CentredRows(const Tensor& x, const Tensor* zero, bool by_row) {
  auto values = Integers(x);
  if (!zero) return values;
  const auto zeros = Integers(*zero);
  const int64_t columns = x.shape().empty() ? 1 : x.shape().back(),
                rows = x.shape().size() < 2 ? 1 : x.shape()[x.shape().size() - 2];
  for (size_t i = 0; i < values.size(); ++i) {
    const int64_t at = by_row ? static_cast<int64_t>(i) / columns % rows : static_cast<int64_t>(i) % columns;
    values[i] -= zeros[zeros.size() == 1 ? 0 : at];
  }
  return values;
}

/// Sums to steps. The scale of b may be one a column.
class Scaled {
 public:
  Scaled(const Tensor& a, const Tensor& b, const Tensor& y, const Tensor& y_zero, int64_t columns)
      : columns_(columns), zero_(static_cast<double>(Integers(y_zero)[0])) {
    for (float scale : b.data<float>()) factors_.push_back(a.data<float>()[0] * scale / y.data<float>()[0]);
  }
  void Store(Tensor& to, int64_t i, int64_t sum) const {
    const float factor = factors_[factors_.size() == 1 ? 0 : i % columns_];
    StoreStep(to, i, std::nearbyint(static_cast<double>(sum) * static_cast<double>(factor)) + zero_);
  }

 private:
  int64_t columns_;
  double zero_;
  std::vector<float> factors_;
};

std::string MatrixZeroFault(const HostOperand& zero, const TensorType& x, bool by_row) {
  const int64_t channels = x.shape.size() < 2 ? 1 : by_row ? x.shape[x.shape.size() - 2] : x.shape.back();
  return ZeroPointFault(zero, x, channels);
}

/// [columns, depth] as [depth, columns].
Tensor TransposeOf(const Tensor& matrix) {
  const Tensor* operand = &matrix;
  return std::move(graph::Evaluate(*Transpose({1, 0}), {&operand, 1})[0]);
}

}  // namespace

HostOperatorPtr MatMulInteger() {
  return Make(
      "matmul_integer", 2, 4,
      [](Operands in) {
        if (!IsByteType(in[0].type.dtype) || !IsByteType(in[1].type.dtype))
          return Refuse("operands must be bytes");
        for (int k : {0, 1})
          if (const std::string fault = MatrixZeroFault(in[2 + k], in[k].type, k == 0); !fault.empty())
            return Types{fault};
        const auto shape = MatMulShape(in[0].type.shape, in[1].type.shape);
        return shape ? One(DType::kInt32, *shape)
                     : Refuse("{} times {}", ToString(in[0].type.shape), ToString(in[1].type.shape));
      },
      [](Values in, Results out) {
        const auto a = CentredRows(*in[0], in[2], true), b = CentredRows(*in[1], in[3], false);
        const auto to = out[0].mutable_data<int32_t>();
        ForEachProduct(in[0]->shape(), in[1]->shape(), a, b, int64_t{0}, [&](int64_t i, int64_t sum) {
          to[i] = static_cast<int32_t>(static_cast<uint32_t>(sum));
        });
      },
      MacsOfRows(), DefineMatMulInteger);
}

HostOperatorPtr QLinearMatMul() {
  return Make(
      "qlinear_matmul", 8, 8,
      [](Operands in) {
        for (int k : {0, 3}) {
          if (!IsStepType(in[k].type.dtype)) return Refuse("operands must be integers of 8 or 16 bits");
          if (const std::string fault = MatrixZeroFault(in[k + 2], in[k].type, k == 0); !fault.empty())
            return Types{fault};
        }
        if (!IsStepType(in[7].type.dtype) || graph::NumElements(in[7].type.shape) != 1)
          return Refuse("zero point {}", ToString(in[7].type));
        const int64_t columns = in[3].type.shape.empty() ? 1 : in[3].type.shape.back();
        for (int k : {1, 4, 6})
          if (const std::string fault = ScaleFault(in[k], k == 4 ? columns : 1); !fault.empty())
            return Types{fault};
        const auto shape = MatMulShape(in[0].type.shape, in[3].type.shape);
        return shape ? One(in[7].type.dtype, *shape)
                     : Refuse("{} times {}", ToString(in[0].type.shape), ToString(in[3].type.shape));
      },
      [](Values in, Results out) {
        const auto a = CentredRows(*in[0], in[2], true), b = CentredRows(*in[3], in[5], false);
        const Scaled scaled(*in[1], *in[4], *in[6], *in[7],
                            in[3]->shape().size() == 1 ? 1 : in[3]->shape().back());
        ForEachProduct(in[0]->shape(), in[3]->shape(), a, b, int64_t{0},
                       [&](int64_t i, int64_t sum) { scaled.Store(out[0], i, sum); });
      },
      MacsOfRows(), DefineQLinearMatMul);
}

HostOperatorPtr QGemm(bool transpose_b) {
  return Make(
      "qgemm", 6, 9,
      [=](Operands in) {
        if (in[7].absent || in[8].absent) return Refuse("a result that is not quantized");
        Shape b = in[3].type.shape;
        if (b.size() != 2 || in[0].type.shape.size() < 2)
          return Refuse("{} times {}", ToString(in[0].type.shape), ToString(b));
        if (transpose_b) std::swap(b[0], b[1]);
        if (!in[6].absent && in[6].type != TensorType{DType::kInt32, {b[1]}} &&
            in[6].type != TensorType{DType::kInt32, {1, b[1]}})
          return Refuse("bias {} for {} columns", ToString(in[6].type), b[1]);
        return QLinearMatMul()->Infer(std::vector<HostOperand>{
            in[0], in[1], in[2], {{in[3].type.dtype, b}}, in[4], in[5], in[7], in[8]});
      },
      [=](Values in, Results out) {
        const Tensor b = transpose_b ? TransposeOf(*in[3]) : *in[3];
        const auto rows = CentredRows(*in[0], in[2], true), columns = CentredRows(b, in[5], false);
        const int64_t width = b.shape()[1];
        const Scaled scaled(*in[1], *in[4], *in[7], *in[8], width);
        ForEachProduct(in[0]->shape(), b.shape(), rows, columns, int64_t{0}, [&](int64_t i, int64_t sum) {
          scaled.Store(out[0], i, sum + (in[6] ? in[6]->data<int32_t>()[i % width] : 0));
        });
      },
      MacsOfRows(), [=](const ops::HostSite& site) { return DefineQGemm(transpose_b, site); });
}

}  // namespace cosim::host
