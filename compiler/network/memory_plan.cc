// SPDX-License-Identifier: Apache-2.0
#include "compiler/network/memory_plan.h"

#include <algorithm>
#include <numeric>

namespace cosim::network {

uint64_t PlanMemory(std::vector<Lifetime>& values, uint64_t alignment) {
  std::vector<size_t> order(values.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return values[a].bytes > values[b].bytes; });
  uint64_t total = 0;
  std::vector<size_t> placed;
  for (size_t v : order) {
    Lifetime& value = values[v];
    std::vector<size_t> together;  // by address
    for (size_t p : placed)
      if (values[p].first <= value.last && value.first <= values[p].last) together.push_back(p);
    std::sort(together.begin(), together.end(),
              [&](size_t a, size_t b) { return values[a].address < values[b].address; });
    uint64_t at = 0;
    for (size_t p : together) {
      if (at + value.bytes <= values[p].address) break;
      at = std::max(at, (values[p].address + values[p].bytes + alignment - 1) / alignment * alignment);
    }
    value.address = at;
    total = std::max(total, at + value.bytes);
    placed.push_back(v);
  }
  return (total + alignment - 1) / alignment * alignment;
}

}  // namespace cosim::network
