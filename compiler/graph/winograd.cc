// SPDX-License-Identifier: Apache-2.0
// Rows of squares of all images are numbered one after the other and worked on in blocks that stay in the
// second cache. Compiled with -O3 (CMakeLists.txt), which makes vectors of the transformations' loops.
#include "compiler/graph/winograd.h"

#include <algorithm>
#include <array>

#include "compiler/graph/float_tile.h"

namespace cosim::graph {
namespace {

constexpr int64_t kPoints = 16;           // of a transformed square, 4x4
constexpr int64_t kMostInputs = 1 << 14;  // transformed squares times channels in a block: 1 MiB
constexpr int64_t kLeastChannels = 32, kLeastPixels = 14 * 14;

constexpr int64_t kAtATime = 16;
using Filters = std::array<float, kAtATime>;

/// G w for a column w of some filters.
void Points(const Filters& a, const Filters& b, const Filters& c, Filters* to) {
  for (int64_t i = 0; i < kAtATime; ++i) {
    to[0][i] = a[i];
    to[1][i] = (a[i] + b[i] + c[i]) * 0.5f;
    to[2][i] = (a[i] - b[i] + c[i]) * 0.5f;
    to[3][i] = c[i];
  }
}

/// [kPoints][outputs][channels]: G w G' for each 3x3 filter w.
std::vector<float> TransformWeights(const Tensor& weight) {
  const int64_t filters = weight.shape()[0] * weight.shape()[1];
  std::vector<float> transformed(kPoints * filters);
  const float* from = weight.data<float>().data();
  for (int64_t f = 0; f < filters; f += kAtATime, from += 9 * kAtATime) {
    const int64_t count = std::min(kAtATime, filters - f);
    Filters w[9] = {}, columns[3][4], rows[4];
    for (int64_t i = 0; i < count; ++i)
      for (int64_t t = 0; t < 9; ++t) w[t][i] = from[i * 9 + t];
    for (int x = 0; x < 3; ++x) Points(w[x], w[3 + x], w[6 + x], columns[x]);
    for (int y = 0; y < 4; ++y) {
      Points(columns[0][y], columns[1][y], columns[2][y], rows);
      for (int x = 0; x < 4; ++x)
        std::copy_n(rows[x].data(), count, transformed.data() + (y * 4 + x) * filters + f);
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
        wide_((output_[3] + 1) / 2),
        high_((output_[2] + 1) / 2),
        most_rows_(std::max<int64_t>(1, kMostInputs / channels_ / wide_)),
        columns_((most_rows_ * wide_ + kTileColumns - 1) / kTileColumns * kTileColumns),
        panels_(kPoints * channels_ * columns_),
        sums_(kPoints * outputs_ * columns_) {}

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

  /// B' d B for the 4x4 pixels d under each square, into the panels of each point.
  void TransformInputs(int64_t first, int64_t rows, int64_t channel) {
    const int64_t width = 2 * wide_ + 2;
    lines_.resize(4 * width);
    down_.resize(4 * width);
    points_.resize(kPoints * columns_);
    for (int64_t r = 0; r < rows; ++r) {
      GatherLines(PlaceOf(first + r), channel, width, lines_.data());
      DownLines(lines_.data(), width, down_.data());
      for (int y = 0; y < 4; ++y)
        AlongLine(down_.data() + y * width, points_.data() + 4 * y * columns_ + r * wide_);
    }
    for (int64_t p = 0; p < kPoints; ++p)
      for (int64_t c = 0; c < columns_; c += kTileColumns)
        std::copy_n(points_.data() + p * columns_ + c, kTileColumns,
                    panels_.data() + (p * columns_ + c) * channels_ + channel * kTileColumns);
  }

  /// Pixels outside of the image are 0.
  void GatherLines(Place at, int64_t channel, int64_t width, float* lines) const {
    const float* plane =
        images_[at.tensor]->data<float>().data() + (at.image * channels_ + channel) * input_[2] * input_[3];
    const int64_t left = std::min(op_.pad[1], width), count = std::min(input_[3], width - left);
    for (int64_t i = 0; i < 4; ++i, lines += width) {
      const int64_t y = 2 * at.row + i - op_.pad[0];
      const bool inside = y >= 0 && y < input_[2];
      std::fill_n(lines, inside ? left : width, 0.0f);
      if (!inside) continue;
      std::copy_n(plane + y * input_[3], count, lines + left);
      std::fill(lines + left + count, lines + width, 0.0f);
    }
  }

  static void DownLines(const float* __restrict d, int64_t width, float* __restrict to) {
    for (int64_t x = 0; x < width; ++x) {
      to[x] = d[x] - d[2 * width + x];
      to[width + x] = d[width + x] + d[2 * width + x];
      to[2 * width + x] = d[2 * width + x] - d[width + x];
      to[3 * width + x] = d[width + x] - d[3 * width + x];
    }
  }

  /// To the same square of four points.
  void AlongLine(const float* __restrict t, float* __restrict to) const {
    for (int64_t i = 0; i < wide_; ++i) {
      const float a = t[2 * i], b = t[2 * i + 1], c = t[2 * i + 2], d = t[2 * i + 3];
      to[i] = a - c;
      to[columns_ + i] = b + c;
      to[2 * columns_ + i] = c - b;
      to[3 * columns_ + i] = b - d;
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

  /// A' s A for the 4x4 sums s of each square, to the two rows of the result that it stands for.
  void TransformSums(int64_t first, int64_t rows, int64_t output) {
    const int64_t squares = rows * wide_;
    points_.resize(12 * columns_);
    const float* const s = sums_.data() + output * kPoints * columns_;
    float* const down = points_.data();         // 2 x 4
    float* const across = down + 8 * columns_;  // 2 x 2
    for (int x = 0; x < 4; ++x) Down(s + x * columns_, squares, down + x * columns_);
    for (int y = 0; y < 2; ++y) Across(down + 4 * y * columns_, squares, across + 2 * y * columns_);
    for (int64_t r = 0; r < rows; ++r) {
      const Place at = PlaceOf(first + r);
      float* const plane = results_[at.tensor].mutable_data<float>().data() +
                           (at.image * outputs_ + output) * output_[2] * output_[3];
      for (int64_t y = 2 * at.row; y < std::min(2 * at.row + 2, output_[2]); ++y)
        Interleave(across + (y % 2 * 2) * columns_ + r * wide_, plane + y * output_[3]);
    }
  }

  void Down(const float* __restrict s, int64_t squares, float* __restrict to) const {
    for (int64_t i = 0; i < squares; ++i) {
      const float a = s[i], b = s[4 * columns_ + i], c = s[8 * columns_ + i], d = s[12 * columns_ + i];
      to[i] = a + b + c;
      to[4 * columns_ + i] = b - c - d;
    }
  }

  void Across(const float* __restrict s, int64_t squares, float* __restrict to) const {
    for (int64_t i = 0; i < squares; ++i) {
      const float a = s[i], b = s[columns_ + i], c = s[2 * columns_ + i], d = s[3 * columns_ + i];
      to[i] = a + b + c;
      to[columns_ + i] = b - c - d;
    }
  }

  void Interleave(const float* __restrict from, float* __restrict to) const {
    const int64_t pairs = output_[3] / 2;
    for (int64_t i = 0; i < pairs; ++i) {
      to[2 * i] = from[i];
      to[2 * i + 1] = from[columns_ + i];
    }
    if (output_[3] % 2 != 0) to[2 * pairs] = from[pairs];
  }

  const Conv2d& op_;
  const Tensor& weight_;
  const std::vector<TensorPtr>& images_;
  std::vector<Tensor>& results_;
  const Shape &input_, &output_;
  int64_t channels_, outputs_;
  int64_t wide_, high_;         ///< squares of an image
  int64_t most_rows_;           ///< of squares in a block
  int64_t columns_;             ///< squares of a block, up to whole tiles
  std::vector<float> weights_;  ///< [kPoints][outputs][channels]
  std::vector<float> panels_;   ///< [kPoints][columns / kTileColumns][channels][kTileColumns]
  std::vector<float> sums_;     ///< [outputs][kPoints][columns]
  std::vector<float> lines_, down_, points_;
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
