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

// A group of channels at a time, mostly one: what does not belong together has a weight of 0.
class RowsTemplate : public KernelTemplate {
 public:
  const char* Name() const override { return "rows"; }
  std::optional<graph::Op> Sums(const Window& w, const Array& array) const override {
    return graph::Conv2d{.stride = {w.sh, w.sw},
                         .dilation = {w.dh, w.dw},
                         .groups = w.co * w.so * array.block_out / array.rows.group};
  }
  std::vector<layouts::ReducePart> ReducedChannels(const Window& w, const Array& array) const override {
    std::vector<layouts::ReducePart> parts;
    if (w.parts > 1) parts.push_back({"part", w.parts});
    if (array.rows.group > 1) parts.push_back({"member", array.rows.group});
    return parts;
  }
  std::vector<layouts::ReducePart> ReducedRows(const Window& w, const Array& array) const override {
    if (array.rows.lines == 1) return {{"ky", w.kh}};
    return {{"ky", w.kh / array.rows.lines}, {"row", array.rows.lines}};
  }
  std::optional<layouts::Layout> Weights(const Window& w, const Array& array) const override {
    layouts::Layout layout = {{0, w.co, "co"}, {0, w.so, "so"}, {2, w.kh / array.rows.lines, "ky"}};
    if (w.parts > 1) layout.push_back({1, w.parts, "part"});
    layout.push_back({0, array.block_out, "o"});
    const int64_t room = array.block_in;
    if (array.rows.lines > 1)
      layout.push_back({.dim = 2, .extent = array.rows.lines, .name = "row", .within = room});
    layout.push_back({.dim = 3, .extent = w.kw, .name = "kx", .within = room});
    layout.push_back({1, array.rows.group, "member"});
    return layout;
  }
  int WindowMemory(const Array& array) const override { return array.activations; }
  int WeightMemory(const Array& array) const override { return array.weights; }
  std::optional<te::Axis> Order(te::Stage& sum, const std::vector<te::Axis>& reduced,
                                const Tile&) const override {
    const te::Axis b = sum.axis(6);
    std::vector<te::Axis> order, taps;
    for (const te::Axis& axis : reduced)
      (axis.name() == "ky" || axis.name() == "part" ? order : taps).push_back(axis);
    for (size_t i = 0; i < 8; ++i) order.push_back(sum.axis(i));
    order.insert(order.end(), taps.begin(), taps.end());
    sum.Reorder(order);
    sum.Tensorize(b);
    return std::nullopt;
  }
  int64_t RowsTogether(const Array& array) const override { return array.rows.lines; }
  int64_t RowWeights(const Window&) const override { return 1; }
  int64_t RowCycles(const Window& w, const Array& array, int64_t cols, int64_t pieces) const override {
    if (w.sw > array.rows.taps) return cols * array.rows.taps;
    return (cols - pieces) * w.sw + pieces * array.rows.taps;
  }
};

class MaxPoolingTemplate : public KernelTemplate {
 public:
  const char* Name() const override { return "max_pool"; }
  std::optional<graph::Op> Sums(const Window& w, const Array&) const override {
    return graph::MaxPool{{w.kh, w.kw}, {w.sh, w.sw}};
  }
  bool KeepsType() const override { return true; }
  bool TakesRowsByTurns() const override { return true; }
  int64_t AluPasses(const Window& w) const override { return w.kh * w.kw + 2; }
};

class SumPoolingTemplate : public KernelTemplate {
 public:
  const char* Name() const override { return "sum_pool"; }
  std::optional<graph::Op> Sums(const Window& w, const Array&) const override {
    return graph::SumPool{{w.kh, w.kw}, {w.sh, w.sw}};
  }
  bool TakesRowsByTurns() const override { return true; }
  int64_t AluPasses(const Window& w) const override { return w.kh * w.kw + 2; }
};

}  // namespace

// A tap of the window at a time, over all of the tile; some of its rows at a time, where the tile says so.
std::optional<te::Axis> KernelTemplate::Order(te::Stage& sum, const std::vector<te::Axis>& reduced,
                                              const Tile& tile) const {
  std::vector<te::Axis> order = reduced;
  std::optional<te::Axis> round;
  if (tile.ky > 0) {
    const auto [outer, inner] = sum.Split(reduced[0], tile.ky);
    order[0] = inner;
    order.insert(order.begin(), outer);
    round = outer;
  }
  for (size_t i = 0; i < 8; ++i) order.push_back(sum.axis(i));
  sum.Reorder(order);
  return round;
}

int64_t KernelTemplate::RowCycles(const Window& w, const Array&, int64_t cols, int64_t) const {
  return cols * w.kw;
}

const KernelTemplate& Rows() {
  static const RowsTemplate only;
  return only;
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
