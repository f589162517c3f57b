// SPDX-License-Identifier: Apache-2.0
// Winograd's minimal filtering F(m, 3): m neighbouring results of a window of three, from m + 2 products
// instead of 3 m,
//
//   y = A^T [(G g) * (B^T d)]
//
// with d the m + 2 elements of x that the windows meet, g the three weights, * element by element. In two
// dimensions each matrix is applied to rows, then to columns. Its use for a layer is winograd.h's.
#pragma once

#include <cstdint>
#include <vector>

namespace cosim::schedules {

using Matrix = std::vector<std::vector<double>>;

/// The polynomials' points are 0, one or two pairs +p and -p, and infinity: so rows 1 and 2 of `input`, and
/// 3 and 4, differ in the signs of every other number only, and so do those columns of `output`.
struct WinogradTransforms {
  int64_t outputs = 0;  ///< m
  Matrix input;         ///< B^T, of m + 2 rows
  Matrix weights;       ///< G, m + 2 rows of three
  Matrix output;        ///< A^T, m rows of m + 2

  int64_t points() const { return outputs + 2; }
};

/// F(2, 3) from the points 0, 1, -1; F(4, 3) from 0, ±11/16, ±23/16, which lose less than the usual
/// 0, ±1, ±2. All numbers of B^T and A^T are float32's.
WinogradTransforms TransformsFor(int64_t outputs);

/// What an error of one unit in each product, relative to its root mean square, makes of a result in two
/// dimensions, squared and relative to a result's mean square; of the worst of the outputs. For independent
/// elements and weights of mean 0.
double Amplification(const WinogradTransforms& transforms);

}  // namespace cosim::schedules
