// SPDX-License-Identifier: Apache-2.0
#include "compiler/quantize/learn.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <random>

#include "compiler/import/onnx/node_view.h"
#include "compiler/quantize/parameters.h"
#include "compiler/quantize/reconstruction.h"
#include "compiler/quantize/walk.h"
#include "isa/check.h"

namespace cosim::quantize {
namespace {

using graph::Shape;
using graph::Tensor;
using import::onnx::NodeInfo;

// A matrix of sums with more rows than this takes too long to learn from.
constexpr int64_t kMostTaps = 4608;
constexpr int64_t kFewestRows = 2048, kMostRows = 32768;
constexpr double kMostWork = 4e10;  // multiplications for one group's sums

/// A product as rows of operands times weights, group by group.
struct Product {
  int64_t groups = 1, outputs = 0, taps = 0;  // of a group
  int64_t images = 0, pixels = 0;             // rows of a run: one a pixel of each image
  bool weights_by_tap = false;                // [taps, outputs], as in a MatMul
  // Of convolutions.
  std::optional<host::Window2d> window;
  Shape x, y;  // [N,C,H,W]
};

Shape AsImage(Shape shape) {
  if (shape.size() == 3) shape.insert(shape.begin() + 2, 1);
  return shape;
}

host::Spatial AsImage(host::Spatial spatial) {
  for (auto* list : {&spatial.kernel, &spatial.strides, &spatial.dilations})
    if (list->size() == 1) list->insert(list->begin(), 1);
  if (spatial.pads.size() == 2) spatial.pads = {0, spatial.pads[0], 0, spatial.pads[1]};
  return spatial;
}

std::optional<Product> ProductOf(const NodeInfo& node, const Shape& x, const Shape& w, const Shape& y) {
  import::onnx::NodeView view(node);
  Product p;
  if (node.op == "Conv") {
    if (x.size() != 3 && x.size() != 4) return std::nullopt;
    p.x = AsImage(x);
    p.y = AsImage(y);
    const Shape kernel = AsImage(w);
    p.groups = view.Int("group", 1);
    p.outputs = w[0] / p.groups;
    p.taps = kernel[1] * kernel[2] * kernel[3];
    p.images = x[0];
    p.pixels = p.y[2] * p.y[3];
    p.window = host::PlaneWindow(AsImage(import::onnx::SpatialOf(view)), p.x, {kernel[2], kernel[3]});
    p.window->kernel = {kernel[2], kernel[3]};
  } else if ((node.op == "Gemm" || node.op == "MatMul") && w.size() == 2 && !x.empty()) {
    p.weights_by_tap = node.op == "MatMul" || view.Int("transB", 0) == 0;
    p.taps = w[p.weights_by_tap ? 0 : 1];
    p.outputs = w[p.weights_by_tap ? 1 : 0];
    p.images = p.taps > 0 ? graph::NumElements(x) / p.taps : 0;
    p.pixels = 1;
  } else {
    return std::nullopt;
  }
  const bool some = p.taps > 0 && p.outputs > 0 && p.images * p.pixels > 0;
  return some && p.taps <= kMostTaps ? std::optional(p) : std::nullopt;
}

/// What group `g` multiplies for one pixel of one image.
void Operands(const Product& p, std::span<const float> x, int64_t g, int64_t image, int64_t pixel,
              std::vector<float>& rows) {
  if (!p.window) {
    const auto row = x.subspan(image * p.taps, p.taps);
    rows.insert(rows.end(), row.begin(), row.end());
    return;
  }
  const host::Window2d& w = *p.window;
  const int64_t height = p.x[2], width = p.x[3], channels = p.x[1] / p.groups;
  const int64_t top = pixel / p.y[3] * w.stride[0] - w.pad[0], left = pixel % p.y[3] * w.stride[1] - w.pad[1];
  for (int64_t c = 0; c < channels; ++c) {
    const float* plane = x.data() + (image * p.x[1] + g * channels + c) * height * width;
    for (int64_t ky = 0; ky < w.kernel[0]; ++ky)
      for (int64_t kx = 0; kx < w.kernel[1]; ++kx) {
        const int64_t iy = top + ky * w.dilation[0], ix = left + kx * w.dilation[1];
        const bool inside = iy >= 0 && iy < height && ix >= 0 && ix < width;
        rows.push_back(inside ? plane[iy * width + ix] : 0);
      }
  }
}

/// What group `g` is to give there.
void Results(const Product& p, std::span<const float> y, int64_t g, int64_t image, int64_t pixel,
             std::vector<float>& rows) {
  for (int64_t o = 0; o < p.outputs; ++o)
    rows.push_back(y[(image * p.groups * p.outputs + g * p.outputs + o) * p.pixels + pixel]);
}

class Learner {
 public:
  Learner(Quantized& quantized, const import::onnx::File& exact, const Runs& runs, uint32_t seed)
      : file_(quantized.file),
        layers_(quantized.layers),
        runs_(runs),
        random_(seed),
        walk_(file_, runs.inputs) {
    for (size_t i = 0; i < file_.nodes.size(); ++i)
      for (const std::string& name : file_.nodes[i].outputs) producer_[name] = i;
    for (const NodeInfo& node : exact.nodes) {
      const auto weights = exact.initializers.find(node.inputs.size() > 1 ? node.inputs[1] : "");
      if (weights != exact.initializers.end()) exact_[node.outputs[0]] = weights->second;
    }
  }

  bool Run(const std::function<void(size_t, size_t)>& progress, std::string& error) {
    for (size_t i = 0; i < layers_.size(); ++i) {
      progress(i, layers_.size());
      const Layer& layer = layers_[i];
      const size_t at = producer_.at(layer.product == layer.value ? layer.computed : layer.product);
      const NodeInfo& node = file_.nodes[at];
      const NodeInfo* weights = ConstantOf(node, 1);
      if (!weights || (node.op != "Conv" && node.op != "Gemm" && node.op != "MatMul")) continue;
      if (!walk_.To(at, error)) return false;
      Learn(node, layer.product, *weights);
    }
    return true;
  }

 private:
  /// The DequantizeLinear of a constant.
  const NodeInfo* ConstantOf(const NodeInfo& node, size_t operand) const {
    if (operand >= node.inputs.size()) return nullptr;
    const auto at = producer_.find(node.inputs[operand]);
    if (at == producer_.end()) return nullptr;
    const NodeInfo& from = file_.nodes[at->second];
    return from.op == "DequantizeLinear" && file_.initializers.count(from.inputs[0]) ? &from : nullptr;
  }
  std::span<const float> Floats(const std::string& constant) const {
    return file_.initializers.at(constant)->data<float>();
  }

  /// Of rows of one run and one group, those to look at.
  std::vector<int64_t> RowsOf(const Product& p) {
    const int64_t all = p.images * p.pixels, runs = static_cast<int64_t>(walk_.runs());
    const double fit = kMostWork / static_cast<double>(p.taps * p.taps);
    const int64_t most = std::clamp(static_cast<int64_t>(fit), kFewestRows, kMostRows) / runs + 1;
    std::vector<int64_t> rows;
    for (int64_t i = 0; i < std::min(all, most); ++i)
      rows.push_back(all <= most ? i : static_cast<int64_t>(random_() % static_cast<uint64_t>(all)));
    return rows;
  }

  Reconstruction Seen(const Product& p, const NodeInfo& node, const std::string& product, int64_t group,
                      bool biased) {
    Reconstruction seen(p.taps, p.outputs, biased);
    for (size_t run = 0; run < walk_.runs(); ++run) {
      const auto x = walk_.Get(run, node.inputs[0]).data<float>();
      const auto y = runs_.reference[run]->at(product)->data<float>();
      std::vector<float> operands, results;
      for (const int64_t row : RowsOf(p)) {
        Operands(p, x, group, row / p.pixels, row % p.pixels, operands);
        Results(p, y, group, row / p.pixels, row % p.pixels, results);
      }
      seen.AddRows(operands, results);
    }
    return seen;
  }

  void Learn(const NodeInfo& node, const std::string& product, const NodeInfo& weights) {
    const Tensor& x = walk_.Get(0, node.inputs[0]);
    graph::TensorPtr& held = file_.initializers.at(weights.inputs[0]);
    const auto p = ProductOf(node, x.shape(), held->shape(), runs_.reference[0]->at(product)->shape());
    if (!p) return;
    const auto exact = exact_.at(product)->data<float>();
    const NodeInfo* bias = ConstantOf(node, 2);
    const auto scales = Floats(weights.inputs[1]);
    Tensor rounded = *held;
    const auto q = rounded.mutable_data<int8_t>();
    std::vector<double> sums;
    for (int64_t g = 0; g < p->groups; ++g) {
      const int64_t first = g * p->outputs;
      const auto at = [&](int64_t o, int64_t k) {
        return p->weights_by_tap ? k * p->outputs + o : (first + o) * p->taps + k;
      };
      const auto own = scales.size() == 1 ? scales : scales.subspan(first, p->outputs);
      std::vector<float> given;
      for (int64_t o = 0; o < p->outputs; ++o)
        for (int64_t k = 0; k < p->taps; ++k) given.push_back(exact[at(o, k)]);
      const auto learned = Seen(*p, node, product, g, bias != nullptr).Round(given, own, kWeightLevels);
      if (!learned) return;
      for (int64_t o = 0; o < p->outputs; ++o)
        for (int64_t k = 0; k < p->taps; ++k) q[at(o, k)] = learned->weights[o * p->taps + k];
      sums.insert(sums.end(), learned->bias.begin(), learned->bias.end());
    }
    held = std::make_shared<const Tensor>(std::move(rounded));
    if (bias) SetBias(*bias, sums);
  }

  void SetBias(const NodeInfo& bias, const std::vector<double>& sums) {
    graph::TensorPtr& held = file_.initializers.at(bias.inputs[0]);
    const auto scales = Floats(bias.inputs[1]);
    Tensor moved = *held;
    const auto q = moved.mutable_data<int32_t>();
    for (size_t c = 0; c < q.size(); ++c)
      q[c] = static_cast<int32_t>(std::clamp(
          std::nearbyint(sums[c] / static_cast<double>(scales[c % scales.size()])), -kMostBias, kMostBias));
    held = std::make_shared<const Tensor>(std::move(moved));
  }

  import::onnx::File& file_;
  const std::vector<Layer>& layers_;
  const Runs& runs_;
  std::mt19937 random_;
  std::map<std::string, size_t> producer_;
  std::map<std::string, graph::TensorPtr> exact_;  // weights, by the product's result
  Walk walk_;
};

}  // namespace

bool LearnRounding(Quantized& quantized, const import::onnx::File& exact, const Runs& runs, uint32_t seed,
                   const std::function<void(size_t, size_t)>& progress, std::string& error) {
  return Learner(quantized, exact, runs, seed).Run(progress, error);
}

}  // namespace cosim::quantize
