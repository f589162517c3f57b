// SPDX-License-Identifier: Apache-2.0
// Memory for large tensors, asked of the system at once: page by page, as they are first written, costs twice
// as much as clearing them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace cosim::graph {

/// Maps the whole pages in [data, data + bytes), if they are many and Linux does so; contents stay.
void MapPages(void* data, size_t bytes);

/// Empty, with room for `count` elements.
template <typename T>
std::vector<T> ReserveMapped(int64_t count) {
  std::vector<T> result;
  result.reserve(static_cast<size_t>(count));
  MapPages(result.data(), result.capacity() * sizeof(T));
  return result;
}

}  // namespace cosim::graph
