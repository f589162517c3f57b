// SPDX-License-Identifier: Apache-2.0
// Products of matrices, and normalization with statistics.
#pragma once

#include <optional>
#include <vector>

#include "compiler/host/broadcast.h"
#include "compiler/host/make.h"

namespace cosim::host {

/// numpy's matmul: the last two dimensions are matrices, those before them broadcast, a vector is a row or
/// column.
HostOperatorPtr MatMul();

/// (a, b, c, optional) -> alpha * a' * b' + beta * c on matrices, ' being a transposition where asked for.
HostOperatorPtr Gemm(float alpha, float beta, bool transpose_a, bool transpose_b);

/// (x, scale, bias, mean, variance) -> scale * (x - mean) / sqrt(variance + epsilon) + bias, by channel.
HostOperatorPtr BatchNormalization(float epsilon);
/// As BatchNormalization, but with the mean and variance of x itself; then the given ones moved towards those
/// of x: given * momentum + own * (1 - momentum).
HostOperatorPtr BatchNormalizationTraining(float epsilon, float momentum);
/// (x) -> x / (bias + alpha / size * the sum of squares over `size` channels around its own) ^ beta.
HostOperatorPtr LocalResponseNormalization(int64_t size, float alpha, float beta, float bias);
/// (x float32) -> (x - mean) / deviation over `axes`.
HostOperatorPtr MeanVarianceNormalization(std::vector<int64_t> axes);
/// (x, scale [C], bias [C]) -> normalized over each channel's pixels.
HostOperatorPtr InstanceNormalization(float epsilon);
/// (x, scale, bias, optional) -> normalized over `axis` and what follows; then mean and 1 / deviation.
HostOperatorPtr LayerNormalization(int64_t axis, float epsilon);

std::optional<Shape> MatMulShape(const Shape& a, const Shape& b);

/// emit(i, sum) for every element i of the product of row-major lists, in order.
template <typename T, typename Sum, typename F>
void ForEachProduct(Shape a_shape, Shape b_shape, const T& a, const T& b, Sum zero, F emit) {
  if (a_shape.size() == 1) a_shape.insert(a_shape.begin(), 1);
  if (b_shape.size() == 1) b_shape.push_back(1);
  const int64_t rows = a_shape[a_shape.size() - 2], depth = a_shape.back(), columns = b_shape.back();
  const Shape a_batch(a_shape.begin(), a_shape.end() - 2), b_batch(b_shape.begin(), b_shape.end() - 2);
  const Shape batch = *BroadcastShape(a_batch, b_batch);
  Walk(batch, BroadcastStrides(a_batch, batch), BroadcastStrides(b_batch, batch),
       [&](int64_t n, int64_t ia, int64_t ib) {
         for (int64_t r = 0; r < rows; ++r)
           for (int64_t c = 0; c < columns; ++c) {
             Sum sum = zero;
             for (int64_t k = 0; k < depth; ++k)
               sum += static_cast<Sum>(a[(ia * rows + r) * depth + k]) *
                      static_cast<Sum>(b[(ib * depth + k) * columns + c]);
             emit((n * rows + r) * columns + c, sum);
           }
       });
}

}  // namespace cosim::host
