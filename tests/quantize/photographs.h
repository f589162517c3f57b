// SPDX-License-Identifier: Apache-2.0
// As many inputs for a CIFAR-10 network as a test wants, out of the six photographs that are there: shifted,
// mirrored and with noise, as such networks are trained, and as a seed says.
#pragma once

#include <algorithm>
#include <fstream>
#include <random>

#include "compiler/import/data/samples.h"
#include "tests/import/testing.h"

namespace cosim::quantize {

class Photographs : public import::Samples {
 public:
  Photographs(uint32_t seed, size_t size) : seed_(seed), size_(size) {
    for (const char* name : {"airplane", "bird", "car", "cat", "deer", "dog"}) {
      std::ifstream file(import::DataFolder() + "/inputs/imgc_quant_" + name + ".bin", std::ios::binary);
      images_.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
    }
  }

  size_t size() const override { return size_; }

  /// Bytes as numbers, [1,32,32,3].
  std::optional<std::vector<graph::Tensor>> Get(size_t i, Diagnostics&) const override {
    std::mt19937 random(seed_ + static_cast<uint32_t>(i));
    const std::vector<uint8_t>& image = images_[random() % images_.size()];
    const auto down = static_cast<int64_t>(random() % 7) - 3, right = static_cast<int64_t>(random() % 7) - 3;
    const bool mirrored = random() % 2 != 0;
    std::vector<float> pixels;
    for (int64_t y = 0; y < kSide; ++y)
      for (int64_t x = 0; x < kSide; ++x)
        for (int64_t c = 0; c < 3; ++c) {
          const int64_t column = mirrored ? kSide - 1 - x : x;
          const int64_t from_y = std::clamp<int64_t>(y - down, 0, kSide - 1),
                        from_x = std::clamp<int64_t>(column - right, 0, kSide - 1);
          const int noise = static_cast<int>(random() % 9) - 4;
          pixels.push_back(
              static_cast<float>(std::clamp(image[(from_y * kSide + from_x) * 3 + c] + noise, 0, 255)));
        }
    return std::vector<graph::Tensor>{graph::Tensor({1, kSide, kSide, 3}, std::move(pixels))};
  }

 private:
  static constexpr int64_t kSide = 32;
  uint32_t seed_;
  size_t size_;
  std::vector<std::vector<uint8_t>> images_;
};

}  // namespace cosim::quantize
