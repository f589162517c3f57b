// SPDX-License-Identifier: Apache-2.0
// Rows of squares of all images are numbered one after the other and worked on in blocks that stay in the
// second cache. Compiled with -O3 (CMakeLists.txt), which makes vectors of the transformations' loops.
#include "compiler/graph/winograd.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "compiler/graph/float_tile.h"
#include "compiler/graph/mapped.h"

namespace cosim::graph {
namespace {

constexpr int64_t kSquare = 4, kLine = kSquare + 2;  // pixels of a result and what they see, along a side
constexpr int64_t kPoints = kLine * kLine;           // of a transformed square
constexpr int64_t kMostInputs = 1 << 13;             // transformed squares times channels in a block: 1.1 MiB
constexpr int64_t kLeastChannels = 32, kLeastPixels = 14 * 14;

constexpr int64_t kAtATime = 16;
using Filters = std::array<float, kAtATime>;

/// G w for a column w of some filters.
void Points(const Filters& a, const Filters& b, const Filters& c, Filters* to) {
  for (int64_t i = 0; i < kAtATime; ++i) {
    const float ends = (a[i] + c[i]) * (1.0f / 6), far = a[i] * (1.0f / 24) + c[i] * (1.0f / 6);
    to[0][i] = a[i] * 0.25f;
    to[1][i] = -ends - b[i] * (1.0f / 6);
    to[2][i] = b[i] * (1.0f / 6) - ends;
    to[3][i] = far + b[i] * (1.0f / 12);
    to[4][i] = far - b[i] * (1.0f / 12);
    to[5][i] = c[i];
  }
}

/// [kPoints][outputs][channels]: G w G' for each 3x3 filter w.
std::vector<float> TransformWeights(const Tensor& weight) {
  const int64_t filters = weight.shape()[0] * weight.shape()[1];
  std::vector<float> transformed = ReserveMapped<float>(kPoints * filters);
  transformed.resize(kPoints * filters);
  const float* from = weight.data<float>().data();
  for (int64_t f = 0; f < filters; f += kAtATime, from += 9 * kAtATime) {
    const int64_t count = std::min(kAtATime, filters - f);
    Filters w[9] = {}, columns[3][kLine], rows[kLine];
    for (int64_t i = 0; i < count; ++i)
      for (int64_t t = 0; t < 9; ++t) w[t][i] = from[i * 9 + t];
    for (int x = 0; x < 3; ++x) Points(w[x], w[3 + x], w[6 + x], columns[x]);
    for (int y = 0; y < kLine; ++y) {
      Points(columns[0][y], columns[1][y], columns[2][y], rows);
      for (int x = 0; x < kLine; ++x) {
        float* const to = transformed.data() + (y * kLine + x) * filters + f;
        if (count == kAtATime) {
          std::memcpy(to, rows[x].data(), sizeof(Filters));
        } else {
          std::copy_n(rows[x].data(), count, to);
        }
      }
    }
  }
  return transformed;
}

class Winograd {
 public:
  Winograd(const Conv2d& op, const Tensor& weight, const std::vector<TensorPtr>& images,
           std::vector<Tensor>& results)
      : op_(op),
        weight_(weight),
        images_(images),
        results_(results),
        input_(images[0]->shape()),
        output_(results[0].shape()),
        channels_(input_[1]),
        outputs_(output_[1]),
        wide_((output_[3] + kSquare - 1) / kSquare),
        high_((output_[2] + kSquare - 1) / kSquare),
        width_(kSquare * wide_ + 2),
        most_rows_(std::max<int64_t>(1, kMostInputs / channels_ / wide_)),
        columns_((most_rows_ * wide_ + kTileColumns - 1) / kTileColumns * kTileColumns),
        left_(std::min(op.pad[1], width_)),
        count_(std::min(input_[3], width_ - left_)),
        panels_(kPoints * channels_ * columns_),
        sums_(kPoints * outputs_ * columns_),
        outside_(count_),
        down_(kLine * width_),
        points_(kPoints * columns_) {}

  void Run() {
    weights_ = TransformWeights(weight_);
    const int64_t all = static_cast<int64_t>(images_.size()) * input_[0] * high_;
    for (int64_t first = 0; first < all; first += most_rows_) {
      const int64_t rows = std::min(most_rows_, all - first);
      for (int64_t c = 0; c < channels_; ++c) TransformInputs(first, rows, c);
      Multiply(rows * wide_);
      for (int64_t o = 0; o < outputs_; ++o) TransformSums(first, rows, o);
    }
  }

 private:
  /// Squares of a row: their image of all, and their row in it.
  struct Place {
    int64_t tensor, image, row;
  };
  Place PlaceOf(int64_t row) const {
    const int64_t image = row / high_;
    return {image / input_[0], image % input_[0], row % high_};
  }

  /// B' d B for the pixels d under each square, into the panels of each point.
  void TransformInputs(int64_t first, int64_t rows, int64_t channel) {
    for (int64_t r = 0; r < rows; ++r) {
      DownLines(LinesOf(PlaceOf(first + r), channel));
      for (int64_t y = 0; y < kLine; ++y)
        AlongLine(down_.data() + y * width_, points_.data() + kLine * y * columns_ + r * wide_);
    }
    for (int64_t p = 0; p < kPoints; ++p)
      for (int64_t c = 0; c < columns_; c += kTileColumns)
        CopyTileRow(points_.data() + p * columns_ + c,
                    panels_.data() + (p * columns_ + c) * channels_ + channel * kTileColumns);
  }

  /// Of pixels that a row of squares sees. Outside of the image they are 0.
  std::array<const float*, kLine> LinesOf(Place at, int64_t channel) const {
    const float* const plane =
        images_[at.tensor]->data<float>().data() + (at.image * channels_ + channel) * input_[2] * input_[3];
    std::array<const float*, kLine> lines;
    for (int64_t i = 0; i < kLine; ++i) {
      const int64_t y = kSquare * at.row + i - op_.pad[0];
      lines[i] = y >= 0 && y < input_[2] ? plane + y * input_[3] : outside_.data();
    }
    return lines;
  }

  /// What stands beside the image in `down_` stays 0.
  void DownLines(const std::array<const float*, kLine>& lines) {
    const auto [a, b, c, d, e, f] = lines;
    float* __restrict const to = down_.data() + left_;
    for (int64_t x = 0; x < count_; ++x) {
      const float even = e[x] - 4 * c[x], odd = d[x] - 4 * b[x];
      const float near = e[x] - c[x], twice = 2 * (d[x] - b[x]);
      to[x] = 4 * a[x] - 5 * c[x] + e[x];
      to[width_ + x] = even + odd;
      to[2 * width_ + x] = even - odd;
      to[3 * width_ + x] = near + twice;
      to[4 * width_ + x] = near - twice;
      to[5 * width_ + x] = 4 * b[x] - 5 * d[x] + f[x];
    }
  }

  /// To the same square of a row of points.
  void AlongLine(const float* __restrict t, float* __restrict to) const {
    for (int64_t i = 0; i < wide_; ++i, t += kSquare) {
      const float even = t[4] - 4 * t[2], odd = t[3] - 4 * t[1];
      const float near = t[4] - t[2], twice = 2 * (t[3] - t[1]);
      to[i] = 4 * t[0] - 5 * t[2] + t[4];
      to[columns_ + i] = even + odd;
      to[2 * columns_ + i] = even - odd;
      to[3 * columns_ + i] = near + twice;
      to[4 * columns_ + i] = near - twice;
      to[5 * columns_ + i] = 4 * t[1] - 5 * t[3] + t[5];
    }
  }

  void Multiply(int64_t squares) {
    std::fill(sums_.begin(), sums_.end(), 0.0f);
    for (int64_t p = 0; p < kPoints; ++p)
      for (int64_t c = 0; c < squares; c += kTileColumns)
        for (int64_t o = 0; o < outputs_; o += kTileRows) {
          const FloatTile tile = tiles_[std::min(kTileRows, outputs_ - o) - 1];
          tile(weights_.data() + (p * outputs_ + o) * channels_, channels_,
               panels_.data() + (p * columns_ + c) * channels_, channels_,
               sums_.data() + (o * kPoints + p) * columns_ + c, kPoints * columns_);
        }
  }

  /// A' s A for the sums s of each square, to the rows of the result that it stands for.
  void TransformSums(int64_t first, int64_t rows, int64_t output) {
    const int64_t squares = rows * wide_;
    const float* const s = sums_.data() + output * kPoints * columns_;
    float* const down = points_.data();                       // kSquare x kLine
    float* const across = down + kSquare * kLine * columns_;  // a row of kSquare at a time
    for (int64_t x = 0; x < kLine; ++x) Combine(s + x * columns_, kLine, squares, down + x * columns_, kLine);
    for (int64_t y = 0; y < kSquare; ++y) {
      Combine(down + kLine * y * columns_, 1, squares, across, 1);
      for (int64_t r = 0; r < rows; ++r) {
        const Place at = PlaceOf(first + r);
        if (kSquare * at.row + y >= output_[2]) continue;
        Interleave(across + r * wide_,
                   results_[at.tensor].mutable_data<float>().data() +
                       ((at.image * outputs_ + output) * output_[2] + kSquare * at.row + y) * output_[3]);
      }
    }
  }

  /// A' s for columns s of points, `from_step` and `to_step` of them from one to the next.
  void Combine(const float* __restrict s, int64_t from_step, int64_t squares, float* __restrict to,
               int64_t to_step) const {
    const int64_t from = from_step * columns_, next = to_step * columns_;
    for (int64_t i = 0; i < squares; ++i) {
      const float b = s[from + i], c = s[2 * from + i], d = s[3 * from + i], e = s[4 * from + i];
      const float near = b + c, far = d + e, near_odd = b - c, far_odd = d - e;
      to[i] = s[i] + near + far;
      to[next + i] = near_odd + 2 * far_odd;
      to[2 * next + i] = near + 4 * far;
      to[3 * next + i] = near_odd + 8 * far_odd + s[5 * from + i];
    }
  }

  void Interleave(const float* __restrict from, float* __restrict to) const {
    const int64_t whole = output_[3] / kSquare;
    for (int64_t i = 0; i < whole; ++i)
      for (int64_t x = 0; x < kSquare; ++x) to[kSquare * i + x] = from[x * columns_ + i];
    for (int64_t x = 0; x < output_[3] % kSquare; ++x) to[kSquare * whole + x] = from[x * columns_ + whole];
  }

  const Conv2d& op_;
  const Tensor& weight_;
  const std::vector<TensorPtr>& images_;
  std::vector<Tensor>& results_;
  const Shape &input_, &output_;
  int64_t channels_, outputs_;
  int64_t wide_, high_;         ///< squares of an image
  int64_t width_;               ///< pixels that a row of squares sees
  int64_t most_rows_;           ///< of squares in a block
  int64_t columns_;             ///< squares of a block, up to whole tiles
  int64_t left_, count_;        ///< columns before the image, and of it, that a row of squares sees
  std::vector<float> weights_;  ///< [kPoints][outputs][channels]
  std::vector<float> panels_;   ///< [kPoints][columns / kTileColumns][channels][kTileColumns]
  std::vector<float> sums_;     ///< [outputs][kPoints][columns]
  std::vector<float> outside_, down_, points_;
  const FloatTiles& tiles_ = SupportedFloatTiles().back();
};

#if defined(__x86_64__)
/// With every function that is called compiled for longer vectors. (Not for fused multiply-adds.)
[[gnu::target("avx2"), gnu::flatten]] void RunAvx2(Winograd& winograd) { winograd.Run(); }
#endif

}  // namespace

bool SuitsWinograd(const Conv2d& op, const Shape& weight, const Shape& result) {
  constexpr std::array<int64_t, 2> kOnes = {1, 1};
  return weight[2] == 3 && weight[3] == 3 && op.stride == kOnes && op.dilation == kOnes && op.groups == 1 &&
         std::min(weight[0], weight[1]) >= kLeastChannels && result[2] * result[3] >= kLeastPixels;
}

void ConvolveWinograd(const Conv2d& op, const Tensor& weight, const std::vector<TensorPtr>& images,
                      std::vector<Tensor>& results) {
  Winograd winograd(op, weight, images, results);
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2")) return RunAvx2(winograd);
#endif
  winograd.Run();
}

}  // namespace cosim::graph
