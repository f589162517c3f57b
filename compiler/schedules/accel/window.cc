// SPDX-License-Identifier: Apache-2.0
// Kernels that keep their channels: windows that slide over each, and what has none. See kernel_template.h.
#include "compiler/schedules/accel/kernel_template.h"

namespace cosim::kernels {
namespace {

class LanesTemplate : public KernelTemplate {
 public:
  const char* Name() const override { return "lanes"; }
  std::optional<graph::Op> Sums(const Window& w, const Array& array) const override {
    return graph::Conv2d{
        .stride = {w.sh, w.sw}, .dilation = {w.dh, w.dw}, .groups = w.co * w.so * array.block_out};
  }
  std::optional<layouts::Layout> Weights(const Window& w, const Array& array) const override {
    return layouts::Layout{
        {0, w.co, "co"}, {0, w.so, "so"}, {2, w.kh, "ky"}, {3, w.kw, "kx"}, {0, array.block_out, "o"}};
  }
  int WindowMemory(const Array& array) const override { return array.lanes.activations; }
  int WeightMemory(const Array& array) const override { return array.lanes.weights; }
  std::optional<te::Axis> Order(te::Stage& sum, const std::vector<te::Axis>& reduced,
                                const Tile& tile) const override {
    KernelTemplate::Order(sum, reduced, tile);
    sum.Tensorize(sum.axis(6));
    return std::nullopt;
  }
};

class MaxPoolingTemplate : public KernelTemplate {
 public:
  const char* Name() const override { return "max_pool"; }
  std::optional<graph::Op> Sums(const Window& w, const Array&) const override {
    return graph::MaxPool{{w.kh, w.kw}, {w.sh, w.sw}};
  }
  bool KeepsType() const override { return true; }
  int64_t AluPasses(const Window& w) const override { return w.kh * w.kw + 2; }
};

class SumPoolingTemplate : public KernelTemplate {
 public:
  const char* Name() const override { return "sum_pool"; }
  std::optional<graph::Op> Sums(const Window& w, const Array&) const override {
    return graph::SumPool{{w.kh, w.kw}, {w.sh, w.sw}};
  }
  int64_t AluPasses(const Window& w) const override { return w.kh * w.kw + 2; }
};

}  // namespace

// A tap of the window at a time, over all of the tile.
std::optional<te::Axis> KernelTemplate::Order(te::Stage& sum, const std::vector<te::Axis>& reduced,
                                              const Tile&) const {
  std::vector<te::Axis> order = reduced;
  for (size_t i = 0; i < 8; ++i) order.push_back(sum.axis(i));
  sum.Reorder(order);
  return std::nullopt;
}

const KernelTemplate& Lanes() {
  static const LanesTemplate only;
  return only;
}

const KernelTemplate& MaxPooling() {
  static const MaxPoolingTemplate only;
  return only;
}

const KernelTemplate& SumPooling() {
  static const SumPoolingTemplate only;
  return only;
}

const KernelTemplate& Map() {
  static const KernelTemplate only;
  return only;
}

}  // namespace cosim::kernels
