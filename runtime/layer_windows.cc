// SPDX-License-Identifier: Apache-2.0
#include "runtime/layer_windows.h"

#include <algorithm>
#include <limits>
#include <map>
#include <variant>

namespace cosim::runtime {
namespace {

struct OfLayer {
  int layer = 0;
  Cycle retired = 0;                                  ///< the last of it
  Cycle array = std::numeric_limits<Cycle>::max();    ///< its first issue to the array
  Cycle work = 0;                                     ///< cycles of the array
  size_t first = std::numeric_limits<size_t>::max();  ///< instruction of the array
  size_t last = 0;
};

std::vector<OfLayer> LayersOf(std::span<const int> layer_of, std::span<const isa::Decoded> program,
                              std::span<const InstructionTimes> times) {
  std::map<int, OfLayer> layers;
  for (size_t i = 0; i < layer_of.size(); ++i) {
    OfLayer& of = layers[layer_of[i]];
    of.layer = layer_of[i];
    of.retired = std::max(of.retired, times[i].retire);
    const auto* gemm = std::get_if<isa::Gemm>(&program[i].body);
    if (!gemm) continue;
    of.array = std::min(of.array, times[i].issue);
    of.work += gemm->Cycles();
    of.first = std::min(of.first, i);
    of.last = i;
  }
  std::vector<OfLayer> result;
  for (const auto& [layer, of] : layers) result.push_back(of);
  return result;
}

}  // namespace

std::vector<LayerWindow> LayerWindows(std::span<const int> layer_of, std::span<const isa::Decoded> program,
                                      std::span<const InstructionTimes> times, Cycle cycles) {
  const std::vector<OfLayer> layers = LayersOf(layer_of, program, times);
  std::vector<LayerWindow> windows;
  Cycle begin = 0;
  for (size_t k = 0; k < layers.size();) {
    size_t next = k + 1;  // behind those that take turns with layer k
    while (next < layers.size() && layers[next].first < layers[next - 1].last) ++next;
    Cycle end = 0, work = 0, done = 0;
    for (size_t i = k; i < next; ++i) end = std::max(end, layers[i].retired), work += layers[i].work;
    for (size_t i = next; i < layers.size(); ++i) end = std::min(end, layers[i].array);
    end = next == layers.size() ? cycles : std::max(begin, end);
    for (const Cycle all = end - begin; k < next; ++k) {
      done += layers[k].work;
      const Cycle until = k + 1 == next ? end : end - all + all * done / work;
      windows.push_back({layers[k].layer, begin, until});
      begin = until;
    }
  }
  return windows;
}

}  // namespace cosim::runtime
