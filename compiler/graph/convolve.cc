// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/convolve.h"

#include <algorithm>

#include "compiler/graph/float_tile.h"

namespace cosim::graph {
namespace {

// Patches of so many pixels, so deep, stay in the second cache while all weights pass.
constexpr int64_t kMostColumns = 6 * kTileColumns, kMostDepth = 512;

class Convolution {
 public:
  Convolution(const Conv2d& op, const Tensor& weight, const std::vector<TensorPtr>& images,
              std::vector<Tensor>& results)
      : op_(op),
        weight_(weight),
        images_(images),
        results_(results),
        input_(images[0]->shape()),
        output_(results[0].shape()),
        outputs_(output_[1] / op.groups),
        depth_(NumElements(weight.shape()) / output_[1]),
        pixels_(output_[2] * output_[3]),
        patches_(kMostColumns * std::min(depth_, kMostDepth)),
        sums_(kMostColumns * outputs_) {
    // A pointwise convolution sees a plane as one long row.
    const bool pointwise = weight.shape()[2] == 1 && weight.shape()[3] == 1 &&
                           op.stride == std::array<int64_t, 2>{1, 1} && op.pad == std::array<int64_t, 4>{};
    height_ = pointwise ? 1 : input_[2];
    width_ = pointwise ? input_[2] * input_[3] : input_[3];
    result_width_ = pointwise ? pixels_ : output_[3];
  }

  void Run() {
    const int64_t all = static_cast<int64_t>(images_.size()) * input_[0] * pixels_;
    for (int64_t group = 0; group < op_.groups; ++group)
      for (int64_t first = 0; first < all; first += kMostColumns)
        Sum(group, first, std::min(kMostColumns, all - first));
  }

 private:
  /// Neighbouring pixels of one row of a result.
  struct Segment {
    const float* x;  ///< channel 0 of the group
    float* y;        ///< in channel 0 of the group
    int64_t row, column, count;
  };

  /// Pixels of all images one after the other, from `first`.
  void Sum(int64_t group, int64_t first, int64_t count) {
    Split(group, first, count);
    std::fill(sums_.begin(), sums_.end(), 0.0f);
    const float* const weights = weight_.data<float>().data() + group * outputs_ * depth_;
    for (int64_t from = 0; from < depth_; from += kMostDepth) {
      const int64_t depth = std::min(kMostDepth, depth_ - from);
      for (int64_t k = 0; k < depth; ++k) Gather(from + k, k, depth);
      for (int64_t o = 0; o < outputs_; o += kTileRows) {
        const FloatTile tile = tiles_[std::min(kTileRows, outputs_ - o) - 1];
        for (int64_t c = 0; c < count; c += kTileColumns)
          tile(weights + o * depth_ + from, depth_, patches_.data() + c * depth, depth,
               sums_.data() + o * kMostColumns + c, kMostColumns);
      }
    }
    for (int64_t o = 0; o < outputs_; ++o) {
      const float* sum = sums_.data() + o * kMostColumns;
      for (const Segment& s : segments_) {
        std::copy_n(sum, s.count, s.y + o * pixels_);
        sum += s.count;
      }
    }
  }

  void Split(int64_t group, int64_t first, int64_t count) {
    segments_.clear();
    const int64_t channels = input_[1] / op_.groups, plane = input_[2] * input_[3];
    while (count > 0) {
      const int64_t image = first / pixels_, pixel = first % pixels_, n = image % input_[0];
      const int64_t row = pixel / result_width_, column = pixel % result_width_;
      const int64_t length = std::min(count, result_width_ - column);
      const float* const x = images_[image / input_[0]]->data<float>().data();
      float* const y = results_[image / input_[0]].mutable_data<float>().data();
      segments_.push_back({x + (n * input_[1] + group * channels) * plane,
                           y + (n * output_[1] + group * outputs_) * pixels_ + pixel, row, column, length});
      first += length;
      count -= length;
    }
  }

  /// Row `at` of patches that are `depth` deep: what the segments' pixels see through tap `k`.
  void Gather(int64_t k, int64_t at, int64_t depth) {
    float row[kMostColumns] = {};
    const Shape& w = weight_.shape();
    const int64_t taps = w[2] * w[3], tap = k % taps, plane = k / taps * input_[2] * input_[3];
    float* to = row;
    for (const Segment& s : segments_) {
      const int64_t y = s.row * op_.stride[0] + tap / w[3] * op_.dilation[0] - op_.pad[0];
      const int64_t x = s.column * op_.stride[1] + tap % w[3] * op_.dilation[1] - op_.pad[1];
      if (y >= 0 && y < height_) GatherRow(s.x + plane + y * width_, x, s.count, to);
      to += s.count;
    }
    for (int64_t c = 0; c < to - row; c += kTileColumns)
      CopyTileRow(row + c, patches_.data() + c * depth + at * kTileColumns);
  }

  /// What lies outside of the line stays as it is, 0.
  void GatherRow(const float* line, int64_t x, int64_t count, float* __restrict to) const {
    const int64_t stride = op_.stride[1];
    const int64_t left = std::clamp<int64_t>((stride - 1 - x) / stride, 0, count);
    const int64_t right = std::clamp((width_ - x + stride - 1) / stride, left, count);
    line += x;
    if (stride == 1) {
      std::copy(line + left, line + right, to + left);
    } else if (stride == 2) {  // in vectors
      for (int64_t i = left; i < right; ++i) to[i] = line[2 * i];
    } else {
      for (int64_t i = left; i < right; ++i) to[i] = line[stride * i];
    }
  }

  const Conv2d& op_;
  const Tensor& weight_;
  const std::vector<TensorPtr>& images_;
  std::vector<Tensor>& results_;
  const Shape &input_, &output_;
  int64_t outputs_, depth_;  ///< of a group
  int64_t pixels_;           ///< pixels of a channel of the result
  int64_t height_, width_, result_width_;
  std::vector<Segment> segments_;
  std::vector<float> patches_;  ///< [columns / kTileColumns][depth][kTileColumns]
  std::vector<float> sums_;     ///< [outputs][kMostColumns]
  const FloatTiles& tiles_ = SupportedFloatTiles().back();
};

}  // namespace

void Convolve(const Conv2d& op, const Tensor& weight, const std::vector<TensorPtr>& images,
              std::vector<Tensor>& results) {
  Convolution(op, weight, images, results).Run();
}

}  // namespace cosim::graph
