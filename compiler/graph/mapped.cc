// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/mapped.h"

#include <sys/mman.h>
#include <unistd.h>

namespace cosim::graph {

void MapPages(void* data, size_t bytes) {
#if defined(MADV_POPULATE_WRITE)
  constexpr size_t kFew = 16;
  static const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  if (bytes < kFew * page) return;
  const auto from = reinterpret_cast<uintptr_t>(data), to = from + bytes;
  const uintptr_t first = (from + page - 1) / page * page;
  // Refused by Linux before 5.14: then they are mapped as they are written.
  madvise(reinterpret_cast<void*>(first), to / page * page - first, MADV_POPULATE_WRITE);
#endif
}

}  // namespace cosim::graph
