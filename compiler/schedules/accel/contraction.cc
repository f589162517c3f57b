// SPDX-License-Identifier: Apache-2.0
// Sums over the array's inputs. See kernel_template.h.
#include <algorithm>
#include <utility>

#include "compiler/schedules/accel/kernel_template.h"

namespace cosim::kernels {
namespace {

class ContractionTemplate : public KernelTemplate {
 public:
  const char* Name() const override { return "contraction"; }
  std::optional<graph::Op> Sums(const Window& w, const Array&) const override {
    return graph::Conv2d{.stride = {w.sh, w.sw}, .dilation = {w.dh, w.dw}, .groups = w.g};
  }
  bool SumsChannels() const override { return true; }
  std::vector<layouts::ReducePart> ReducedChannels(const Window& w, const Array& array) const override {
    return {{"ci", w.ci}, {"si", w.si}, {"part", w.parts}, {"k", array.block_in}};
  }

  std::optional<layouts::Layout> Weights(const Window& w, const Array& array) const override {
    layouts::Layout layout = {{0, w.g, "g"},           {0, w.co, "co"}, {0, w.so, "so"},
                              {1, w.ci, "ci"},         {1, w.si, "si"}, {1, w.parts, "part"},
                              {2, w.kh, "ky"},         {3, w.kw, "kx"}, {0, array.block_out, "o"},
                              {1, array.block_in, "k"}};
    const auto outputs = layout.begin() + 1, inputs = outputs + 2;
    if (w.weights_in_blocks) std::rotate(outputs, inputs, inputs + 2);
    if (array.weights_by_input) std::swap(layout[8], layout[9]);
    return layout;
  }
  int WindowMemory(const Array& array) const override { return array.activations; }
  int WeightMemory(const Array& array) const override { return array.weights; }

  // A tile stays in the accumulators while input blocks pass by, tile.ci at a time, and of each of these the
  // window's taps, where not all of them fit.
  std::optional<te::Axis> Order(te::Stage& sum, const std::vector<te::Axis>& reduced,
                                const Tile& tile) const override {
    const te::Axis n = sum.axis(0), g = sum.axis(1), co = sum.axis(2), y = sum.axis(3), x = sum.axis(4),
                   so = sum.axis(5), b = sum.axis(6), o = sum.axis(7);
    const auto &si = reduced[1], &part = reduced[2], &k = reduced[3];
    te::Axis ky = reduced[4], kx = reduced[5];
    auto [cio, cii] = sum.Split(reduced[0], tile.ci);
    std::vector<te::Axis> rounds = {cio};
    const auto in_rounds = [&](te::Axis& taps, int64_t at_a_time) {
      if (at_a_time == 0) return;
      const auto [outer, inner] = sum.Split(taps, at_a_time);
      rounds.push_back(outer);
      taps = inner;
    };
    in_rounds(ky, tile.ky);
    in_rounds(kx, tile.kx);
    std::vector<te::Axis> order = rounds;
    order.insert(order.end(), {n, g, co, y, x, so, cii, si, part, ky, kx, b, o, k});
    sum.Reorder(order);
    sum.Tensorize(b);
    return rounds.back();
  }
};

}  // namespace

const KernelTemplate& Contraction() {
  static const ContractionTemplate only;
  return only;
}

}  // namespace cosim::kernels
