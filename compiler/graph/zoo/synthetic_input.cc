// SPDX-License-Identifier: Apache-2.0
// Images in integer arithmetic: noise of three wavelengths, a few filled rectangles for edges, and pixel
// noise.
#include <algorithm>

#include "compiler/graph/zoo/random.h"
#include "compiler/graph/zoo/zoo.h"
#include "isa/check.h"

namespace cosim::graph::zoo {
namespace {

/// A plane of fixed-point pixels; 2^16 is 1.0.
struct Plane {
  int64_t height, width;
  std::vector<int64_t> pixels = std::vector<int64_t>(height * width, 0);
};

/// Adds bilinearly interpolated noise with one random knot every `step` pixels; knots are `amplitude` / 2^16
/// bells.
void AddSmoothNoise(Random& random, Plane& plane, int64_t step, int64_t amplitude) {
  const int64_t rows = plane.height / step + 2, columns = plane.width / step + 2;
  std::vector<int64_t> knots(rows * columns);
  for (int64_t& knot : knots) knot = (random.Bell() * amplitude) >> 16;
  const auto area = static_cast<double>(step * step);
  int64_t* pixel = plane.pixels.data();
  for (int64_t y = 0; y < plane.height; ++y) {
    const int64_t fy = y % step;
    const int64_t* knot = &knots[y / step * columns];
    for (int64_t left = 0; left < plane.width; left += step, ++knot) {
      // From one column to the next of a cell, the sum of its weighted corners grows by as much. As doubles,
      // since those are divided faster: below 2^53, a rounded quotient reaches an integer only if the exact
      // one does.
      const int64_t from = knot[0] * (step - fy) + knot[columns] * fy;
      const int64_t to = knot[1] * (step - fy) + knot[columns + 1] * fy;
      const int64_t count = std::min(step, plane.width - left);
      const auto first = static_cast<double>(from * step), growth = static_cast<double>(to - from);
      for (int64_t x = 0; x < count; ++x)
        pixel[x] +=
            static_cast<int64_t>((first + growth * static_cast<double>(static_cast<int32_t>(x))) / area);
      pixel += count;
    }
  }
}

void AddRectangle(Random& random, Plane& plane) {
  const int64_t top = random.Below(plane.height), left = random.Below(plane.width);
  const int64_t bottom = std::min(plane.height, top + 1 + plane.height / 3);
  const int64_t right = std::min(plane.width, left + 1 + plane.width / 3);
  const int64_t brightness = random.Bell();
  for (int64_t y = top; y < bottom; ++y) {
    for (int64_t x = left; x < right; ++x) plane.pixels[y * plane.width + x] += brightness;
  }
}

Plane MakePlane(Random& random, int64_t height, int64_t width) {
  Plane plane{height, width};
  for (int64_t divisor : {4, 10, 25}) {
    const int64_t step = std::max<int64_t>(1, std::min(height, width) / divisor);
    AddSmoothNoise(random, plane, step, int64_t{1} << 16);
  }
  for (int i = 0; i < 5; ++i) AddRectangle(random, plane);
  for (int64_t& pixel : plane.pixels) pixel += random.Bell() / 4;
  return plane;
}

Tensor MakeImage(Random& random, const Shape& shape) {
  COSIM_CHECK(shape.size() == 4 || shape.size() == 2, "input of shape {}", ToString(shape));
  const int64_t height = shape.size() == 4 ? shape[2] : 1;
  const int64_t width = shape.back();
  const int64_t planes = NumElements(shape) / (height * width);
  std::vector<float> data;
  data.reserve(NumElements(shape));
  for (int64_t p = 0; p < planes; ++p) {
    for (int64_t pixel : MakePlane(random, height, width).pixels) {
      data.push_back(static_cast<float>(pixel) * (1.0f / (1 << 16)));
    }
  }
  return Tensor(shape, std::move(data));
}

}  // namespace

std::vector<Tensor> SyntheticInput(const Graph& graph, uint64_t seed) {
  Random random(seed ^ 0x5851f42d4c957f2du);
  std::vector<Tensor> inputs;
  for (ValueId id : graph.inputs()) inputs.push_back(MakeImage(random, graph.node(id).type.shape));
  return inputs;
}

}  // namespace cosim::graph::zoo
