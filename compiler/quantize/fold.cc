// SPDX-License-Identifier: Apache-2.0
// Constants that can be computed now, and what can be computed by the weights of the product before it.
#include <algorithm>
#include <cmath>
#include <set>

#include "compiler/import/onnx/operators.h"
#include "compiler/quantize/interpreter.h"
#include "compiler/quantize/names.h"
#include "compiler/quantize/simplify.h"

namespace cosim::quantize {
namespace {

using graph::Tensor;
using graph::TensorPtr;
using import::onnx::File;
using import::onnx::NodeInfo;

constexpr int64_t kMostFolded = int64_t{1} << 24, kMostFoldedInAll = int64_t{1} << 26;

void RemoveUnused(File& file) {
  std::set<std::string> used;
  for (const auto& output : file.outputs) used.insert(output.name);
  for (const NodeInfo& node : file.nodes) used.insert(node.inputs.begin(), node.inputs.end());
  std::erase_if(file.initializers, [&](const auto& entry) { return !used.count(entry.first); });
}

/// Scale and shift of each channel: y = scale * x + shift.
struct Affine {
  std::vector<double> scale, shift;
};

class Folder {
 public:
  explicit Folder(File& file) : file_(file), names_(file) {}

  void Run() {
    Index();
    for (size_t i = 0; i < file_.nodes.size(); ++i) {
      NodeInfo& node = file_.nodes[i];
      if (node.op == "Add" && MakeGemm(node)) continue;
      const auto affine = AffineBehind(node);
      if (!affine) continue;
      const size_t product = producer_.at(node.inputs[affine->operand]);
      if (Absorb(file_.nodes[product], affine->channels)) Merge(product, i);
    }
    std::erase_if(file_.nodes, [](const NodeInfo& node) { return node.op.empty(); });
    RemoveUnused(file_);
  }

 private:
  struct Behind {
    Affine channels;
    size_t operand;
  };

  void Index() {
    for (size_t i = 0; i < file_.nodes.size(); ++i) {
      for (const std::string& name : file_.nodes[i].inputs) ++uses_[name];
      for (const std::string& name : file_.nodes[i].outputs) producer_[name] = i;
    }
    for (const auto& output : file_.outputs) ++uses_[output.name];
  }

  const Tensor* Constant(const NodeInfo& node, size_t operand) const {
    if (operand >= node.inputs.size()) return nullptr;
    const auto at = file_.initializers.find(node.inputs[operand]);
    return at == file_.initializers.end() || at->second->dtype() != graph::DType::kFloat32 ? nullptr
                                                                                           : at->second.get();
  }

  /// The convolution that computes an operand which nothing else reads; null when there is none.
  const NodeInfo* ProductBefore(const NodeInfo& node, size_t operand, const char* op) const {
    const auto at = producer_.find(node.inputs[operand]);
    if (at == producer_.end() || uses_.at(node.inputs[operand]) != 1) return nullptr;
    const NodeInfo& before = file_.nodes[at->second];
    return before.op == op ? &before : nullptr;
  }

  std::optional<Behind> AffineBehind(const NodeInfo& node) const {
    for (size_t operand : {0, 1}) {
      if (operand >= node.inputs.size() || (operand == 1 && node.op != "Add" && node.op != "Mul")) break;
      const NodeInfo* conv = ProductBefore(node, operand, "Conv");
      const Tensor* weights = conv ? Constant(*conv, 1) : nullptr;
      if (!weights || (conv->inputs.size() > 2 && !conv->inputs[2].empty() && !Constant(*conv, 2))) continue;
      const int64_t channels = weights->shape()[0];
      if (channels < 1) continue;
      if (auto affine = AffineOf(node, 1 - operand, channels, weights->shape().size()))
        return Behind{std::move(*affine), operand};
    }
    return std::nullopt;
  }

  /// `other`: which operand is the constant of an Add or Mul.
  std::optional<Affine> AffineOf(const NodeInfo& node, size_t other, int64_t channels, size_t rank) const {
    Affine result{std::vector<double>(channels, 1), std::vector<double>(channels, 0)};
    if (node.op == "BatchNormalization") {
      const Tensor* list[4];
      for (size_t i = 0; i < 4; ++i) {
        list[i] = Constant(node, i + 1);
        if (!list[i] || list[i]->size() != channels) return std::nullopt;
      }
      const auto epsilon = node.attributes.find("epsilon");
      const float* given = epsilon == node.attributes.end() ? nullptr : std::get_if<float>(&epsilon->second);
      for (int64_t c = 0; c < channels; ++c) {
        const auto at = [&](int i) { return static_cast<double>(list[i]->data<float>()[c]); };
        result.scale[c] = at(0) / std::sqrt(at(3) + (given ? *given : 1e-5f));
        result.shift[c] = at(1) - at(2) * result.scale[c];
      }
      return result;
    }
    if (node.op != "Add" && node.op != "Mul") return std::nullopt;
    const Tensor* constant = Constant(node, other);
    if (!constant) return std::nullopt;
    // One element, or [.., C, 1, 1]: one for each channel of a convolution's result.
    graph::Shape shape = constant->shape();
    if (constant->size() != 1) {
      if (shape.size() > rank) return std::nullopt;
      shape.insert(shape.begin(), rank - shape.size(), 1);
      if (shape[1] != channels || constant->size() != channels) return std::nullopt;
    }
    for (int64_t c = 0; c < channels; ++c) {
      const double v = constant->data<float>()[constant->size() == 1 ? 0 : c];
      (node.op == "Add" ? result.shift : result.scale)[c] = v;
    }
    return result;
  }

  /// conv with `affine` behind it, as one convolution.
  bool Absorb(NodeInfo& conv, const Affine& affine) {
    Tensor weights = *Constant(conv, 1);
    const int64_t channels = weights.shape()[0], depth = weights.size() / channels;
    std::vector<float> bias(channels);
    const Tensor* old = Constant(conv, 2);
    if (old && old->size() != channels) return false;
    for (int64_t c = 0; c < channels; ++c) {
      for (int64_t k = 0; k < depth; ++k) {
        float& w = weights.mutable_data<float>()[c * depth + k];
        w = static_cast<float>(w * affine.scale[c]);
      }
      const double b = old ? static_cast<double>(old->data<float>()[c]) : 0;
      bias[c] = static_cast<float>(b * affine.scale[c] + affine.shift[c]);
    }
    const std::string name = conv.outputs[0];
    conv.inputs.resize(3);
    conv.inputs[1] = Add(name + "_weight", std::move(weights));
    conv.inputs[2] = Add(name + "_bias", Tensor({channels}, std::move(bias)));
    return true;
  }

  /// Node `i` is done by `product` now.
  void Merge(size_t product, size_t i) {
    NodeInfo& into = file_.nodes[product];
    into.outputs[0] = file_.nodes[i].outputs[0];
    producer_[into.outputs[0]] = product;
    file_.nodes[i] = {};
  }

  bool MakeGemm(const NodeInfo& add) {
    for (size_t operand : {0, 1}) {
      if (add.inputs.size() != 2) return false;
      const NodeInfo* product = ProductBefore(add, operand, "MatMul");
      const Tensor *weights = product ? Constant(*product, 1) : nullptr, *bias = Constant(add, 1 - operand);
      if (!weights || !bias || weights->shape().size() != 2 || bias->size() != weights->shape()[1]) continue;
      // Gemm takes matrices only; what computes one for certain is a Reshape to two extents, or Flatten.
      if (!IsMatrix(product->inputs[0])) continue;
      const size_t at = producer_.at(add.inputs[operand]), own = &add - file_.nodes.data();
      NodeInfo gemm = {"Gemm", product->name, product->opset, product->inputs, product->outputs, {}, ""};
      gemm.inputs.push_back(Add(add.outputs[0] + "_bias", bias->Reshaped({bias->size()})));
      file_.nodes[at] = std::move(gemm);
      Merge(at, own);
      return true;
    }
    return false;
  }

  bool IsMatrix(std::string name) const {
    for (auto at = producer_.find(name); at != producer_.end(); at = producer_.find(name)) {
      const NodeInfo& node = file_.nodes[at->second];
      if (node.op == "Flatten" || node.op == "Gemm") return true;
      if (node.op == "Reshape" && node.inputs.size() > 1) {
        const auto shape = file_.initializers.find(node.inputs[1]);
        return shape != file_.initializers.end() && shape->second->size() == 2;
      }
      if (node.op != "Relu" && node.op != "Clip" && node.op != "Dropout" && node.op != "Identity")
        return false;
      name = node.inputs[0];
    }
    for (const auto& input : file_.inputs)
      if (input.name == name) return input.has_shape && input.dimensions.size() == 2;
    return false;
  }

  std::string Add(std::string name, Tensor tensor) {
    name = names_.Make(std::move(name));
    file_.initializers[name] = std::make_shared<const Tensor>(std::move(tensor));
    return name;
  }

  File& file_;
  Names names_;
  std::map<std::string, size_t> producer_;
  std::map<std::string, int> uses_;
};

}  // namespace

void FoldConstants(File& file) {
  int64_t folded = 0;             // elements, in all
  std::set<std::string> outputs;  // are computed by nodes
  for (const auto& output : file.outputs) outputs.insert(output.name);
  std::erase_if(file.nodes, [&](const NodeInfo& node) {
    for (const std::string& name : node.outputs)
      if (outputs.count(name)) return false;
    if (!import::onnx::IsKnown(node.op) || !node.unsupported.empty()) return false;
    for (const std::string& name : node.inputs)
      if (!name.empty() && !file.initializers.count(name)) return false;
    Values values;
    std::string error;
    for (const std::string& name : node.inputs)
      if (!name.empty()) values[name] = file.initializers.at(name);
    if (!EvaluateNode(node, values, error, std::min(kMostFolded, kMostFoldedInAll - folded))) return false;
    for (const std::string& name : node.outputs) {
      if (name.empty()) continue;
      file.initializers[name] = values.at(name);
      folded += values.at(name)->size();
    }
    return true;
  });
  RemoveUnused(file);
}

void FoldIntoProducts(File& file) { Folder(file).Run(); }

}  // namespace cosim::quantize
