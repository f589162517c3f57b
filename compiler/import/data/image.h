// SPDX-License-Identifier: Apache-2.0
// Photographs: read from BMP, PNG, JPEG or PPM and brought to a network's size.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace cosim::import {

/// Rows of pixels of `channels` bytes each (1: grey, 3: red, green, blue).
struct Image {
  int64_t width = 0, height = 0, channels = 3;
  std::vector<uint8_t> pixels;
};

/// Decodes the file and converts it to `channels` (1 or 3); nothing and `error` when it is no image that fits
/// in 2^14 pixels a side.
std::optional<Image> DecodeImage(std::span<const uint8_t> bytes, int channels, std::string& error);

/// The whole image scaled bilinearly; when it shrinks, every pixel of the source counts.
Image Resize(const Image& image, int64_t width, int64_t height);

}  // namespace cosim::import
