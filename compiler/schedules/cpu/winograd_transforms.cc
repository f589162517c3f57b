// SPDX-License-Identifier: Apache-2.0
#include "compiler/schedules/cpu/winograd_transforms.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "isa/check.h"

namespace cosim::schedules {
namespace {

constexpr int64_t kWindow = 3;

std::vector<double> PointsOf(int64_t outputs) {
  COSIM_CHECK(outputs == 2 || outputs == 4, "F({}, 3)", outputs);
  if (outputs == 2) return {0, 1, -1};
  return {0, 11.0 / 16, -11.0 / 16, 23.0 / 16, -23.0 / 16};
}

/// The coefficients of the product of all x - points[i], but for `left_out`.
std::vector<double> Product(const std::vector<double>& points, size_t left_out) {
  std::vector<double> result = {1};
  for (size_t i = 0; i < points.size(); ++i) {
    if (i == left_out) continue;
    result.push_back(0);
    for (size_t k = result.size(); k-- > 0;) result[k] = (k > 0 ? result[k - 1] : 0) - points[i] * result[k];
  }
  result.resize(points.size() + 1);
  return result;
}

double SquareOf(const std::vector<double>& row) {
  return std::inner_product(row.begin(), row.end(), row.begin(), 0.0);
}

}  // namespace

WinogradTransforms TransformsFor(int64_t outputs) {
  const std::vector<double> points = PointsOf(outputs);
  WinogradTransforms result{outputs, {}, {}, Matrix(static_cast<size_t>(outputs))};
  for (size_t i = 0; i < points.size(); ++i) {
    result.input.push_back(Product(points, i));
    double scale = 1;
    for (size_t j = 0; j < points.size(); ++j)
      if (j != i) scale *= points[i] - points[j];
    result.weights.push_back({1 / scale, points[i] / scale, points[i] * points[i] / scale});
    for (int64_t k = 0; k < outputs; ++k)
      result.output[static_cast<size_t>(k)].push_back(std::pow(points[i], k));
  }
  result.input.push_back(Product(points, points.size()));
  result.weights.push_back({0, 0, 1});
  for (int64_t k = 0; k < outputs; ++k) result.output[static_cast<size_t>(k)].push_back(k + 1 == outputs);
  return result;
}

double Amplification(const WinogradTransforms& transforms) {
  double worst = 0;
  for (const std::vector<double>& row : transforms.output) {
    double sum = 0;
    for (size_t i = 0; i < row.size(); ++i)
      sum += row[i] * row[i] * SquareOf(transforms.input[i]) * SquareOf(transforms.weights[i]);
    worst = std::max(worst, sum / kWindow);
  }
  return worst * worst;
}

}  // namespace cosim::schedules
