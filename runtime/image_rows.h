// SPDX-License-Identifier: Apache-2.0
// Images whose rows stand apart in DRAM: the border of a convolution, which never changes, lies between them,
// and the accelerator takes windows from both (docs/reference/isa-yaml.md, loads that gather).
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "runtime/device.h"

namespace cosim::runtime {

/// How an image stands whose rows are apart from each other. What is around them holds `fill`.
struct ImageRows {
  uint64_t images = 1, image_pitch = 0;             ///< bytes from one image to the next
  uint64_t rows = 0, row_bytes = 0, row_pitch = 0;  ///< row_pitch: bytes from one row to the next
  uint64_t first = 0;                               ///< where an image's first row begins, in its bytes
  uint8_t fill = 0;
  uint64_t PlainBytes() const { return images * rows * row_bytes; }
};

/// Whether all rows lie within `bytes` and apart from each other. For any numbers.
bool Fits(const ImageRows& image, uint64_t bytes);

/// Writes the rows, whose values are `plain`, of the image at `address`.
void WriteRows(Device& device, uint64_t address, const ImageRows& image, std::span<const uint8_t> plain);

/// Fills all of the image, which takes `bytes`.
void WriteBorder(Device& device, uint64_t address, const ImageRows& image, uint64_t bytes);

}  // namespace cosim::runtime
