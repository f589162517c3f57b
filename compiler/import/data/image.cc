// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/data/image.h"

#include <stb/stb_image.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string_view>

#include "isa/text_escape.h"

namespace cosim::import {
namespace {

struct Tap {
  int64_t at;
  float weight;
};

/// For each pixel of the result, what it takes of the source's along one axis: a triangle as wide as two
/// pixels of the coarser side.
std::vector<std::vector<Tap>> Taps(int64_t from, int64_t to) {
  const double scale = static_cast<double>(from) / static_cast<double>(to), reach = std::max(scale, 1.0);
  std::vector<std::vector<Tap>> taps(to);
  for (int64_t o = 0; o < to; ++o) {
    const double centre = (static_cast<double>(o) + 0.5) * scale;
    double total = 0;
    const auto weight = [&](int64_t i) {
      return std::max(0.0, 1 - std::abs(static_cast<double>(i) + 0.5 - centre) / reach);
    };
    const auto first = std::max<int64_t>(0, static_cast<int64_t>(std::floor(centre - reach)));
    const auto last = std::min<int64_t>(from - 1, static_cast<int64_t>(std::ceil(centre + reach)));
    for (int64_t i = first; i <= last; ++i) total += weight(i);
    for (int64_t i = first; i <= last; ++i)
      if (weight(i) > 0) taps[o].push_back({i, static_cast<float>(weight(i) / total)});
  }
  return taps;
}

bool IsPnm(std::span<const uint8_t> bytes) {
  return bytes.size() >= 2 && bytes[0] == 'P' && (bytes[1] == '5' || bytes[1] == '6');
}

/// stb_image would try formats without a signature too, and take most bytes for one of them.
bool IsOtherImage(std::span<const uint8_t> bytes) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return text.starts_with("BM") || text.starts_with("\x89PNG\r\n\x1a\n") || text.starts_with("\xff\xd8\xff");
}

/// A number of a PNM header, after blanks and comments.
std::optional<int64_t> PnmNumber(std::span<const uint8_t>& rest) {
  const auto is_blank = [](uint8_t c) { return c == ' ' || (c >= '\t' && c <= '\r'); };
  while (!rest.empty() && (is_blank(rest[0]) || rest[0] == '#')) {
    const bool comment = rest[0] == '#';
    rest = rest.subspan(1);
    while (comment && !rest.empty() && rest[0] != '\n' && rest[0] != '\r') rest = rest.subspan(1);
  }
  int64_t number = 0;
  size_t digits = 0;
  for (; !rest.empty() && rest[0] >= '0' && rest[0] <= '9' && digits < 9; ++digits, rest = rest.subspan(1))
    number = 10 * number + (rest[0] - '0');
  if (digits == 0) return std::nullopt;
  return number;
}

/// Whether there are as many bytes as the header says. stb_image does not look, and hands out memory that
/// nobody has written.
bool IsWholePnm(std::span<const uint8_t> bytes) {
  std::span<const uint8_t> rest = bytes.subspan(2);
  const auto width = PnmNumber(rest), height = PnmNumber(rest), most = PnmNumber(rest);
  if (!width || !height || !most || *width < 1 || *height < 1 || *most < 1 || *most > 65535) return false;
  const int64_t channels = bytes[1] == '6' ? 3 : 1, size = *most > 255 ? 2 : 1;
  if (*width > int64_t{1} << 24 || *height > int64_t{1} << 24) return false;
  // One blank ends the header.
  return static_cast<int64_t>(rest.size()) - 1 >= *width * *height * channels * size;
}

/// stb_image quotes the name of a chunk it does not know: four bytes of the file.
std::string FailureReason() {
  const char* reason = stbi_failure_reason();
  return reason ? isa::OneLine(reason) : "the image cannot be decoded";
}

}  // namespace

std::optional<Image> DecodeImage(std::span<const uint8_t> bytes, int channels, std::string& error) {
  constexpr int kMostSide = 1 << 14;
  int width = 0, height = 0, found = 0;
  const int length = bytes.size() > size_t{1} << 30 ? 0 : static_cast<int>(bytes.size());
  if (IsPnm(bytes) && !IsWholePnm(bytes))
    return error = "the PPM image is cut off or malformed", std::nullopt;
  if (!IsPnm(bytes) && !IsOtherImage(bytes)) return error = "not a BMP, PNG, JPEG or PPM image", std::nullopt;
  if (!stbi_info_from_memory(bytes.data(), length, &width, &height, &found))
    return error = "not a BMP, PNG, JPEG or PPM image", std::nullopt;
  if (width > kMostSide || height > kMostSide)
    return error = "the image is larger than 16384 pixels", std::nullopt;
  const std::unique_ptr<stbi_uc, void (*)(void*)> pixels(
      stbi_load_from_memory(bytes.data(), length, &width, &height, &found, channels), stbi_image_free);
  if (!pixels) return error = FailureReason(), std::nullopt;
  const int64_t size = int64_t{width} * height * channels;
  return Image{width, height, channels, {pixels.get(), pixels.get() + size}};
}

Image Resize(const Image& image, int64_t width, int64_t height) {
  if (image.width == width && image.height == height) return image;
  const int64_t c = image.channels;
  const auto columns = Taps(image.width, width), rows = Taps(image.height, height);
  std::vector<float> narrow(width * image.height * c);
  for (int64_t y = 0; y < image.height; ++y)
    for (int64_t x = 0; x < width; ++x)
      for (int64_t k = 0; k < c; ++k)
        for (const auto& [at, weight] : columns[x])
          narrow[(y * width + x) * c + k] += weight * image.pixels[(y * image.width + at) * c + k];
  Image result{width, height, c, std::vector<uint8_t>(width * height * c)};
  for (int64_t y = 0; y < height; ++y)
    for (int64_t i = 0; i < width * c; ++i) {
      float sum = 0;
      for (const auto& [at, weight] : rows[y]) sum += weight * narrow[at * width * c + i];
      result.pixels[y * width * c + i] = static_cast<uint8_t>(std::clamp(sum + 0.5f, 0.0f, 255.0f));
    }
  return result;
}

}  // namespace cosim::import
