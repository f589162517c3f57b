// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/onnx/qdq.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "compiler/host/numeric.h"
#include "compiler/host/quantized.h"
#include "compiler/import/onnx/operators.h"

namespace cosim::import::onnx {
namespace {

using graph::DType;
using graph::TensorPtr;

bool IsSteps(const TensorPtr& t) { return t && host::IsStepType(t->dtype()); }

/// A tensor of integers of 8 or 16 bits and what they mean; `zero` is a constant of the tensor's
/// type.
struct Steps {
  std::string q, scale, zero;
};

/// What an activation leaves of the real numbers.
struct Limits {
  double low = -std::numeric_limits<double>::infinity(), high = std::numeric_limits<double>::infinity();
};

class Folder {
 public:
  explicit Folder(File& file) : file_(file) {}

  void Run() {
    for (const NodeInfo& given : file_.nodes) {
      const NodeInfo node = AsOnnx(given);
      if (node.op == "QuantizeLinear" && Fold(node)) continue;
      Push(node);
      Learn(node);
    }
    RemoveUnused();
  }

 private:
  /// ONNX Runtime's own spelling, of 16 bits below operator set 21, is ONNX's.
  static NodeInfo AsOnnx(NodeInfo node) {
    for (const char* op : {"QuantizeLinear", "DequantizeLinear"})
      if (node.op == std::string("com.microsoft.") + op) {
        node.op = op;
        node.opset = 21;
      }
    return node;
  }

  void Push(NodeInfo node) {
    for (const std::string& output : node.outputs)
      if (!output.empty()) producer_[output] = nodes_.size();
    nodes_.push_back(std::move(node));
  }

  /// Null when nothing computes it. Good until the next Push.
  const NodeInfo* Producer(const std::string& name) const {
    const auto at = producer_.find(name);
    return at == producer_.end() ? nullptr : &nodes_[at->second];
  }

  TensorPtr Constant(const std::string& name) const {
    if (const auto at = file_.initializers.find(name); at != file_.initializers.end()) return at->second;
    const NodeInfo* node = Producer(name);
    if (!node || node->op != "Constant") return nullptr;
    const auto value = node->attributes.find("value");
    const auto* tensor = value == node->attributes.end() ? nullptr : std::get_if<TensorPtr>(&value->second);
    return tensor ? *tensor : nullptr;
  }

  std::string Operand(const NodeInfo& node, size_t i) const {
    return i < node.inputs.size() ? node.inputs[i] : "";
  }
  int64_t Int(const NodeInfo& node, const std::string& name, int64_t otherwise) const {
    const auto at = node.attributes.find(name);
    const auto* value = at == node.attributes.end() ? nullptr : std::get_if<int64_t>(&at->second);
    return value ? *value : otherwise;
  }
  float Float(const NodeInfo& node, const std::string& name, float otherwise) const {
    const auto at = node.attributes.find(name);
    const auto* value = at == node.attributes.end() ? nullptr : std::get_if<float>(&at->second);
    return value ? *value : otherwise;
  }

  std::string NewName(std::string name) {
    while (producer_.count(name) || file_.initializers.count(name)) name += "'";
    return name;
  }
  std::string AddConstant(const std::string& name, graph::Tensor tensor) {
    const std::string unique = NewName(name);
    file_.initializers[unique] = std::make_shared<const graph::Tensor>(std::move(tensor));
    return unique;
  }

  /// The scale and zero point of a (de)quantization, when they are constants, and not of blocks.
  std::optional<Steps> Parameters(const NodeInfo& node) const {
    const Steps steps{node.inputs[0], Operand(node, 1), Operand(node, 2)};
    const TensorPtr scale = Constant(steps.scale);
    if (!scale || scale->dtype() != DType::kFloat32 || !IsSteps(Constant(steps.zero))) return std::nullopt;
    if (Int(node, "block_size", 0) != 0) return std::nullopt;
    return steps;
  }
  bool IsPerTensor(const Steps& steps) const {
    return Constant(steps.scale)->size() == 1 && Constant(steps.zero)->size() == 1;
  }
  bool IsSame(const Steps& a, const Steps& b) const {
    return IsPerTensor(a) && IsPerTensor(b) &&
           Constant(a.scale)->data<float>()[0] == Constant(b.scale)->data<float>()[0] &&
           Constant(a.zero)->dtype() == Constant(b.zero)->dtype() &&
           std::ranges::equal(Constant(a.zero)->bytes(), Constant(b.zero)->bytes());
  }

  /// Operators that compute nothing new of their first operand (of all, Concat), so that they commute with a
  /// monotonous quantization.
  static bool Moves(const NodeInfo& node) {
    static const std::set<std::string> names = {
        "Concat",  "DepthToSpace", "Expand",       "Flatten", "Gather", "Identity",  "MaxPool",
        "Reshape", "Slice",        "SpaceToDepth", "Squeeze", "Tile",   "Transpose", "Unsqueeze"};
    return names.count(node.op) > 0 && node.outputs.size() == 1 && !node.inputs.empty();
  }

  /// Functions of one element, whose form on steps is a table (AddContributed in numeric.cc).
  static bool IsFunction(const NodeInfo& node) {
    return IsKnown("com.microsoft.QLinear" + node.op) && node.inputs.size() == 1 && node.op != "Softmax" &&
           node.op.find("Pool") == std::string::npos;
  }

  /// The steps behind a real value, one scale for all: a DequantizeLinear's operand, moved where it was
  /// moved.
  std::optional<Steps> StepsOf(const std::string& name) const {
    const auto at = steps_.find(name);
    return at == steps_.end() ? std::nullopt : std::optional<Steps>(at->second);
  }

  /// Fills StepsOf of the node's result, whose operands are known by then.
  void Learn(const NodeInfo& node) {
    std::optional<Steps> steps;
    if (node.op == "DequantizeLinear") {
      steps = Parameters(node);
      if (steps && !IsPerTensor(*steps)) return;
    } else if (Moves(node)) {
      steps = Moved(node);
    }
    if (steps && !node.outputs.empty()) steps_[node.outputs[0]] = *steps;
  }

  std::optional<Steps> Moved(NodeInfo node) {
    std::optional<Steps> all;
    const size_t operands = node.op == "Concat" ? node.inputs.size() : 1;
    for (size_t i = 0; i < operands; ++i) {
      const auto steps = StepsOf(node.inputs[i]);
      if (!steps || (all && !IsSame(*all, *steps))) return std::nullopt;
      node.inputs[i] = steps->q;
      all = steps;
    }
    all->q = node.outputs[0] = NewName(node.outputs[0] + ".quantized");
    Push(std::move(node));
    return all;
  }

  /// Weights: constant steps, whose scales may be one for each index of `axis`.
  std::optional<Steps> WeightsOf(const std::string& name, int64_t axis) const {
    const NodeInfo* node = Producer(name);
    if (!node || node->op != "DequantizeLinear") return std::nullopt;
    const auto steps = Parameters(*node);
    if (!steps || !IsSteps(Constant(steps->q))) return std::nullopt;
    const auto rank = static_cast<int64_t>(Constant(steps->q)->shape().size());
    const int64_t given = Int(*node, "axis", 1);
    return IsPerTensor(*steps) || (given < 0 ? given + rank : given) == axis ? steps : std::nullopt;
  }

  /// A bias in the unit of the products: its int32 constant, "" for none; nothing if it is in another.
  std::optional<std::string> BiasOf(const std::string& name, const Steps& x, const Steps& w) const {
    if (name.empty()) return "";
    const NodeInfo* node = Producer(name);
    if (!node || node->op != "DequantizeLinear") return std::nullopt;
    const TensorPtr q = Constant(node->inputs[0]), scale = Constant(Operand(*node, 1));
    const TensorPtr zero = Constant(Operand(*node, 2));
    if (!q || q->dtype() != DType::kInt32 || !scale || scale->dtype() != DType::kFloat32) return std::nullopt;
    if (!Operand(*node, 2).empty() &&
        (!zero || std::ranges::any_of(zero->bytes(), [](uint8_t v) { return v; })))
      return std::nullopt;
    const float unit = Constant(x.scale)->data<float>()[0];
    const auto given = scale->data<float>(), weights = Constant(w.scale)->data<float>();
    for (size_t i = 0; i < std::max(given.size(), weights.size()); ++i) {
      const float want = unit * weights[weights.size() == 1 ? 0 : i], is = given[given.size() == 1 ? 0 : i];
      if (given.size() != 1 && given.size() != weights.size() && weights.size() != 1) return std::nullopt;
      if (!(std::abs(is - want) <= 1e-5f * want)) return std::nullopt;
    }
    return node->inputs[0];
  }

  /// Replaces a QuantizeLinear; false leaves it.
  bool Fold(const NodeInfo& quantize) {
    const auto to = Parameters(quantize);
    if (!to || !IsPerTensor(*to)) return false;
    if (const float scale = Constant(to->scale)->data<float>()[0]; !(scale > 0) || !std::isfinite(scale))
      return false;
    std::string source = quantize.inputs[0];
    const Limits limits = ThroughActivations(source);
    NodeInfo node;
    if (const auto steps = StepsOf(source); steps && IsSame(*steps, *to)) {
      node = {.op = "Identity", .opset = quantize.opset, .inputs = {steps->q}};
    } else if (const NodeInfo* real = Producer(source)) {
      auto folded = OnSteps(NodeInfo(*real), *to);
      if (!folded) return false;
      node = std::move(*folded);
    } else {
      return false;
    }
    if (node.name.empty()) node.name = quantize.inputs[0];
    Emit(std::move(node), quantize, *to, limits);
    return true;
  }

  /// Behind `node` a Clip, unless saturation does what the activation did.
  void Emit(NodeInfo node, const NodeInfo& quantize, const Steps& to, const Limits& limits) {
    const TensorPtr zero = Constant(to.zero);
    const bool is_signed = zero->dtype() == DType::kInt8 || zero->dtype() == DType::kInt16;
    const double range = host::IsByteType(zero->dtype()) ? 255 : 65535;
    const double least = is_signed ? -(range + 1) / 2 : 0, offset = host::Reals(*zero)[0];
    const auto quantized = [&](double real) {
      const float steps = static_cast<float>(real) / Constant(to.scale)->data<float>()[0];
      return std::clamp(static_cast<double>(std::nearbyint(steps)) + offset, least, least + range);
    };
    const double low = quantized(limits.low), high = quantized(limits.high);
    if (low == least && high == least + range) {
      node.outputs = quantize.outputs;
      return Push(std::move(node));
    }
    NodeInfo clip{.op = "Clip", .name = node.name + ".clip", .opset = 13, .outputs = quantize.outputs};
    node.outputs = {NewName(quantize.outputs[0] + ".unclipped")};
    clip.inputs = {node.outputs[0]};
    for (const double bound : {low, high}) {
      graph::Tensor tensor(graph::TensorType{zero->dtype(), {}});
      host::StoreStep(tensor, 0, bound);
      clip.inputs.push_back(AddConstant(clip.name + ".bound", std::move(tensor)));
    }
    Push(std::move(node));
    Push(std::move(clip));
  }

  Limits ThroughActivations(std::string& name) const {
    Limits limits;
    for (const NodeInfo* node = Producer(name); node; node = Producer(name)) {
      Limits own;
      if (node->op == "Relu") {
        own.low = 0;
      } else if (node->op == "Clip" && !ClipLimits(*node, own)) {
        return limits;
      } else if (node->op != "Clip") {
        return limits;
      }
      // The outer activation has the last word.
      limits = {std::max(limits.low, std::min(own.low, limits.high)),
                std::min(limits.high, std::max(own.high, limits.low))};
      name = node->inputs[0];
    }
    return limits;
  }

  bool ClipLimits(const NodeInfo& node, Limits& limits) const {
    if (node.opset < 11) {
      limits = {static_cast<double>(Float(node, "min", std::numeric_limits<float>::lowest())),
                static_cast<double>(Float(node, "max", std::numeric_limits<float>::max()))};
      return limits.low <= limits.high;
    }
    for (const size_t i : {1, 2}) {
      if (Operand(node, i).empty()) continue;
      const TensorPtr bound = Constant(node.inputs[i]);
      if (!bound || bound->dtype() != DType::kFloat32 || bound->size() != 1) return false;
      (i == 1 ? limits.low : limits.high) = static_cast<double>(bound->data<float>()[0]);
    }
    return limits.low <= limits.high;
  }

  /// `real` on the steps of its operands, without its result's name.
  std::optional<NodeInfo> OnSteps(NodeInfo real, const Steps& to) {
    NodeInfo node{.name = real.name, .opset = 1};
    const auto add = [&](const Steps& steps) {
      node.inputs.insert(node.inputs.end(), {steps.q, steps.scale, steps.zero});
    };
    if (real.op == "Conv") {
      const auto x = StepsOf(real.inputs[0]), w = WeightsOf(Operand(real, 1), 0);
      const auto bias = x && w ? BiasOf(Operand(real, 2), *x, *w) : std::nullopt;
      if (!bias) return std::nullopt;
      node.op = "QLinearConv";
      node.opset = 10;
      node.attributes = real.attributes;
      add(*x);
      add(*w);
      node.inputs.insert(node.inputs.end(), {to.scale, to.zero});
      if (!bias->empty()) node.inputs.push_back(*bias);
      return node;
    }
    if (real.op == "Gemm" || real.op == "MatMul" || real.op == "Add")
      if (auto product = Product(real, to)) return product;
    if (real.op == "MatMul" || real.op == "Add" || real.op == "Mul") {
      for (size_t i = 0; i < 2; ++i) {
        auto steps = StepsOf(Operand(real, i));
        if (!steps) return std::nullopt;
        add(*steps);
      }
      node.op = real.op == "MatMul" ? "QLinearMatMul" : "com.microsoft.QLinear" + real.op;
    } else if (real.op == "AveragePool" || real.op == "GlobalAveragePool" || real.op == "Softmax" ||
               IsFunction(real)) {
      const auto x = StepsOf(real.inputs[0]);
      if (!x) return std::nullopt;
      node.op = "com.microsoft.QLinear" + real.op;
      node.attributes = real.attributes;
      if (real.op == "Softmax") node.attributes["opset"] = real.opset;
      add(*x);
    } else {
      return std::nullopt;
    }
    node.inputs.insert(node.inputs.end(), {to.scale, to.zero});
    return node;
  }

  /// A matrix of constants times an activation, and a bias: Gemm, MatMul, or Add of a MatMul and a constant.
  std::optional<NodeInfo> Product(const NodeInfo& real, const Steps& to) {
    NodeInfo product = real;
    std::string bias = real.op == "Gemm" ? Operand(real, 2) : "";
    if (real.op == "Add") {
      for (const size_t i : {0, 1}) {
        const NodeInfo* from = Producer(real.inputs[i]);
        if (!from || from->op != "MatMul") continue;
        product = *from;
        bias = real.inputs[1 - i];
      }
      if (product.op != "MatMul") return std::nullopt;
    }
    const bool transposed = Int(product, "transB", 0) != 0;
    if (Int(product, "transA", 0) != 0 || Float(product, "alpha", 1) != 1 || Float(product, "beta", 1) != 1)
      return std::nullopt;
    const auto w = WeightsOf(Operand(product, 1), transposed ? 0 : 1);
    if (!w || Constant(w->q)->shape().size() != 2) return std::nullopt;
    const auto x = StepsOf(product.inputs[0]);
    const auto sum = x ? BiasOf(bias, *x, *w) : std::nullopt;
    if (!sum || (!sum->empty() && Constant(*sum)->size() != Constant(w->q)->shape()[transposed ? 0 : 1]))
      return std::nullopt;
    NodeInfo node{.op = "com.microsoft.QGemm", .name = real.name, .opset = 1};
    node.attributes["transB"] = int64_t{transposed};
    node.inputs = {x->q, x->scale, x->zero, w->q, w->scale, w->zero, *sum, to.scale, to.zero};
    return node;
  }

  void RemoveUnused() {
    std::set<std::string> needed;
    for (const ValueInfo& output : file_.outputs) needed.insert(output.name);
    std::vector<NodeInfo> kept;
    for (auto node = nodes_.rbegin(); node != nodes_.rend(); ++node) {
      if (std::ranges::none_of(node->outputs, [&](const auto& name) { return needed.count(name) > 0; }))
        continue;
      needed.insert(node->inputs.begin(), node->inputs.end());
      needed.insert(node->captured.begin(), node->captured.end());
      kept.push_back(std::move(*node));
    }
    file_.nodes.assign(std::make_move_iterator(kept.rbegin()), std::make_move_iterator(kept.rend()));
  }

  File& file_;
  std::vector<NodeInfo> nodes_;
  std::map<std::string, size_t> producer_;
  std::map<std::string, Steps> steps_;
};

}  // namespace

void FoldQdq(File& file) { Folder(file).Run(); }

}  // namespace cosim::import::onnx
