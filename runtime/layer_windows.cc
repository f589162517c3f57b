// SPDX-License-Identifier: Apache-2.0
#include "runtime/layer_windows.h"

#include <algorithm>
#include <map>
#include <variant>

namespace cosim::runtime {

std::vector<LayerWindow> LayerWindows(std::span<const int> layer_of, std::span<const isa::Decoded> program,
                                      std::span<const InstructionTimes> times, Cycle cycles) {
  std::map<int, Cycle> retired, array;  // by layer: the last retirement, the first issue to the array
  for (size_t i = 0; i < layer_of.size(); ++i) {
    Cycle& last = retired[layer_of[i]];
    last = std::max(last, times[i].retire);
    if (!std::holds_alternative<isa::Gemm>(program[i].body)) continue;
    const auto [first, is_new] = array.try_emplace(layer_of[i], times[i].issue);
    if (!is_new) first->second = std::min(first->second, times[i].issue);
  }
  std::vector<LayerWindow> windows;
  Cycle begin = 0;
  for (const auto& [layer, last] : retired) {
    Cycle end = last;
    for (auto later = array.upper_bound(layer); later != array.end(); ++later)
      end = std::min(end, later->second);
    windows.push_back({layer, begin, std::max(begin, end)});
    begin = windows.back().end;
  }
  if (!windows.empty()) windows.back().end = cycles;
  return windows;
}

}  // namespace cosim::runtime
