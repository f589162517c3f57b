// SPDX-License-Identifier: Apache-2.0
#include "runtime/image_rows.h"

#include <vector>

#include "isa/check.h"

namespace cosim::runtime {
namespace {

/// Bytes from the first byte of the first of `count` pieces to the last of the last; nothing where that is
/// more than `most`.
std::optional<uint64_t> Extent(uint64_t count, uint64_t pitch, uint64_t bytes, uint64_t most) {
  if (count == 0 || bytes == 0 || bytes > most) return std::nullopt;
  if (count > 1 && (pitch < bytes || pitch > (most - bytes) / (count - 1))) return std::nullopt;
  return (count - 1) * pitch + bytes;
}

}  // namespace

bool Fits(const ImageRows& image, uint64_t bytes) {
  if (image.first > bytes) return false;
  const auto rows = Extent(image.rows, image.row_pitch, image.row_bytes, bytes - image.first);
  return rows && Extent(image.images, image.image_pitch, *rows, bytes - image.first);
}

void WriteRows(Device& device, uint64_t address, const ImageRows& image, std::span<const uint8_t> plain) {
  COSIM_CHECK(plain.size() == image.PlainBytes());
  for (uint64_t i = 0; i < image.images * image.rows; ++i) {
    const uint64_t at =
        address + i / image.rows * image.image_pitch + image.first + i % image.rows * image.row_pitch;
    device.Write(at, plain.subspan(i * image.row_bytes, image.row_bytes));
  }
}

void WriteBorder(Device& device, uint64_t address, const ImageRows& image, uint64_t bytes) {
  device.Write(address, std::vector<uint8_t>(bytes, image.fill));
}

}  // namespace cosim::runtime
