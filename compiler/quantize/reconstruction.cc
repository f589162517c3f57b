// SPDX-License-Identifier: Apache-2.0
#include "compiler/quantize/reconstruction.h"

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <algorithm>
#include <cmath>

#include "isa/check.h"

namespace cosim::quantize {
namespace {

using Matrix = Eigen::MatrixXd;
using Rows = Eigen::Map<const Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;

// How much moving a weight costs beside what it does to the results seen, in parts of the mean square of an
// operand: holds weights that few rows decide on near where they were.
constexpr double kDamping = 1;
constexpr int kMostPasses = 20;

/// f(w) = w' H w - 2 g' w, by column.
struct Form {
  Matrix h, g;
};

/// Column by column of `w`, in steps of `scale`: the last weight first, each where the error that those
/// behind it made is least. `best` minimizes f over real numbers, lower * lower' = H.
Matrix NearestPlane(const Matrix& lower, const Matrix& best, const Eigen::VectorXd& scale, int levels) {
  Matrix w = best, moved = Matrix::Zero(best.rows(), best.cols());
  for (Eigen::Index j = best.rows() - 1; j >= 0; --j) {
    const Eigen::Index behind = best.rows() - 1 - j;
    Eigen::RowVectorXd center = best.row(j);
    if (behind > 0) center -= lower.col(j).tail(behind).transpose() * moved.bottomRows(behind) / lower(j, j);
    for (Eigen::Index o = 0; o < best.cols(); ++o) {
      const double steps = std::clamp(std::nearbyint(center[o] / scale[o]), -1.0 * levels, 1.0 * levels);
      w(j, o) = steps * scale[o];
    }
    moved.row(j) = w.row(j) - best.row(j);
  }
  return w;
}

/// Single weights by whole steps, as long as f falls.
void Descend(const Form& form, const Eigen::VectorXd& scale, int levels, Matrix& w) {
  Matrix slope = form.h * w - form.g;
  for (Eigen::Index o = 0; o < w.cols(); ++o) {
    const double step = scale[o];
    bool moved = true;
    for (int pass = 0; moved && pass < kMostPasses; ++pass) {
      moved = false;
      for (Eigen::Index j = 0; j < w.rows(); ++j) {
        const double now = std::nearbyint(w(j, o) / step);
        const double wanted = now - std::nearbyint(slope(j, o) / (form.h(j, j) * step));
        const double by = (std::clamp(wanted, -1.0 * levels, 1.0 * levels) - now) * step;
        // Not for what rounding of doubles may have made up.
        if (by == 0 || by * (2 * slope(j, o) + by * form.h(j, j)) > -1e-9 * by * by * form.h(j, j)) continue;
        w(j, o) += by;
        slope.col(o) += by * form.h.col(j);
        moved = true;
      }
    }
  }
}

}  // namespace

Reconstruction::Reconstruction(int64_t taps, int64_t outputs, bool biased)
    : taps_(taps),
      outputs_(outputs),
      biased_(biased),
      xx_(taps * taps, 0),
      xy_(taps * outputs, 0),
      x_sum_(taps, 0),
      y_sum_(outputs, 0) {}

void Reconstruction::AddRows(std::span<const float> x, std::span<const float> y) {
  const auto rows = static_cast<int64_t>(x.size()) / taps_;
  COSIM_CHECK(static_cast<int64_t>(x.size()) == rows * taps_ &&
              static_cast<int64_t>(y.size()) == rows * outputs_);
  rows_ += rows;
  Eigen::Map<Matrix> xx(xx_.data(), taps_, taps_), xy(xy_.data(), taps_, outputs_);
  Eigen::Map<Eigen::VectorXd> x_sum(x_sum_.data(), taps_), y_sum(y_sum_.data(), outputs_);
  // In float32 as far as that is exact enough.
  constexpr int64_t kBlock = 1024;
  for (int64_t first = 0; first < rows; first += kBlock) {
    const int64_t n = std::min(kBlock, rows - first);
    const Rows a(x.data() + first * taps_, n, taps_), b(y.data() + first * outputs_, n, outputs_);
    Eigen::MatrixXf squares = Eigen::MatrixXf::Zero(taps_, taps_);
    squares.selfadjointView<Eigen::Lower>().rankUpdate(a.transpose());
    xx += squares.cast<double>();
    xy += (a.transpose() * b).cast<double>();
    x_sum += a.colwise().sum().transpose().cast<double>();
    y_sum += b.colwise().sum().transpose().cast<double>();
  }
}

std::optional<Reconstruction::Rounded> Reconstruction::Round(std::span<const float> weights,
                                                             std::span<const float> scales,
                                                             int levels) const {
  const Eigen::Map<const Matrix> xx(xx_.data(), taps_, taps_), xy(xy_.data(), taps_, outputs_);
  const Eigen::Map<const Eigen::VectorXd> x_sum(x_sum_.data(), taps_), y_sum(y_sum_.data(), outputs_);
  const Matrix given = Rows(weights.data(), outputs_, taps_).transpose().cast<double>();
  Eigen::VectorXd scale(outputs_);
  for (int64_t o = 0; o < outputs_; ++o) scale[o] = scales[scales.size() == 1 ? 0 : o];
  const double n = std::max<double>(1, static_cast<double>(rows_));
  Form form{xx.selfadjointView<Eigen::Lower>(), xy};
  if (biased_) {
    form.h -= x_sum * x_sum.transpose() / n;
    form.g -= x_sum * y_sum.transpose() / n;
  }
  double damping = kDamping * form.h.trace() / static_cast<double>(taps_);
  if (!(damping > 0)) damping = 1;
  form.h.diagonal().array() += damping;
  form.g += damping * given;
  const Eigen::LLT<Matrix> llt(form.h);
  if (llt.info() != Eigen::Success || !form.g.allFinite()) return std::nullopt;
  Matrix w = NearestPlane(llt.matrixL(), llt.solve(form.g), scale, levels);
  Descend(form, scale, levels, w);

  Rounded rounded{std::vector<int8_t>(taps_ * outputs_), {}};
  for (int64_t o = 0; o < outputs_; ++o)
    for (int64_t k = 0; k < taps_; ++k)
      rounded.weights[o * taps_ + k] = static_cast<int8_t>(std::nearbyint(w(k, o) / scale[o]));
  if (biased_) {
    const Eigen::VectorXd bias = (y_sum - w.transpose() * x_sum) / n;
    rounded.bias.assign(bias.data(), bias.data() + outputs_);
  }
  return rounded;
}

}  // namespace cosim::quantize
