// SPDX-License-Identifier: Apache-2.0
// Each handler writes the nodes of one operator. Values of four dimensions are called by one name as the file
// has them and by another with channels second, as in the importer.
#include "compiler/quantize/from_tflite.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "compiler/host/movement.h"
#include "compiler/import/diagnostic_codes.h"

namespace cosim::quantize {
namespace {

using graph::DType;
using graph::Shape;
using graph::Tensor;
using import::onnx::NodeInfo;
using import::tflite::Activation;
using import::tflite::OperatorInfo;
using import::tflite::TensorInfo;
using Ints = std::vector<int64_t>;

constexpr int64_t kOpset = 13;

class Converter {
 public:
  Converter(const import::tflite::File& file, Diagnostics& diagnostics)
      : file_(file), diagnostics_(diagnostics) {
    to_.name = file.name;
    to_.opsets[""] = kOpset;
  }

  std::optional<import::onnx::File> Run() {
    for (const TensorInfo& tensor : file_.tensors) {
      if (tensor.data || tensor.dtype == DType::kFloat32) continue;
      if (!tensor.scales.empty()) {
        Refuse(fmt::format("the network is quantized already: value '{}' is {}", tensor.name,
                           graph::Name(tensor.dtype)));
        return std::nullopt;
      }
      Refuse(fmt::format("value '{}' is {}; a float32 network can be quantized", tensor.name,
                         graph::Name(tensor.dtype)));
    }
    for (size_t i = 0; i < file_.operators.size(); ++i)
      if (const std::string& op = file_.operators[i].name; !Handlers().count(op))
        Refuse(fmt::format("operator {} of {} ({}) has no float counterpart in ONNX here", i,
                           file_.operators.size(), op));
    for (int input : file_.inputs) AddInput(input);
    for (size_t i = 0; i < file_.operators.size() && !diagnostics_.HasErrors(); ++i) {
      op_ = &file_.operators[i];
      const Handler convert = Handlers().at(op_->name);
      name_ = op_->name;
      std::transform(name_.begin(), name_.end(), name_.begin(),
                     [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
      name_ += fmt::format(".{}", i);
      convert(*this);
    }
    if (!diagnostics_.HasErrors()) AddOutputs();
    if (diagnostics_.HasErrors()) return std::nullopt;
    return std::move(to_);
  }

 private:
  void Refuse(const std::string& what) {
    diagnostics_.Error(import::codes::kUnsupported, {file_.name}, what);
  }
  const TensorInfo& Info(int tensor) const { return file_.tensors[tensor]; }
  const TensorInfo& Operand(size_t i) const { return Info(op_->inputs[i]); }
  bool HasOperand(size_t i) const { return i < op_->inputs.size() && op_->inputs[i] >= 0; }

  void AddInput(int tensor) {
    const TensorInfo& info = Info(tensor);
    import::onnx::ValueInfo value{.name = info.name.empty() ? fmt::format("input{}", tensor) : info.name};
    value.dimensions.assign(info.shape.begin(), info.shape.end());
    plain_[tensor] = value.name;
    to_.inputs.push_back(std::move(value));
  }

  void AddOutputs() {
    for (int tensor : file_.outputs) {
      const TensorInfo& info = Info(tensor);
      const std::string name = info.name.empty() ? fmt::format("output{}", tensor) : info.name;
      Node("Identity", name, {Plain(tensor)});
      import::onnx::ValueInfo value{.name = name};
      value.dimensions.assign(info.shape.begin(), info.shape.end());
      to_.outputs.push_back(std::move(value));
    }
  }

  NodeInfo& Node(const char* op, const std::string& output, std::vector<std::string> inputs) {
    to_.nodes.push_back({op, output, kOpset, std::move(inputs), {output}, {}, ""});
    return to_.nodes.back();
  }
  std::string Constant(const std::string& name, Tensor tensor) {
    to_.initializers[name] = std::make_shared<const Tensor>(std::move(tensor));
    return name;
  }
  std::string ShapeConstant(const std::string& name, const Shape& shape) {
    return Constant(name, Tensor({static_cast<int64_t>(shape.size())}, shape));
  }

  static bool OnePixel(const Shape& nhwc) { return nhwc[1] * nhwc[2] == 1; }

  std::string Plain(int tensor) {
    const TensorInfo& info = Info(tensor);
    if (const auto at = plain_.find(tensor); at != plain_.end()) return at->second;
    if (info.data) return plain_[tensor] = Constant(fmt::format("constant.{}", tensor), *info.data);
    const std::string from = nchw_.at(tensor), name = from + ".nhwc";
    if (OnePixel(info.shape)) {
      Node("Reshape", name, {from, ShapeConstant(name + ".shape", info.shape)});
    } else {
      Node("Transpose", name, {from}).attributes["perm"] = Ints{0, 2, 3, 1};
    }
    return plain_[tensor] = name;
  }

  std::string Nchw(int tensor) {
    if (const auto at = nchw_.find(tensor); at != nchw_.end()) return at->second;
    const std::string from = Plain(tensor), name = from + ".nchw";
    const Shape& s = Info(tensor).shape;
    if (OnePixel(s)) {
      Node("Reshape", name, {from, ShapeConstant(name + ".shape", {s[0], s[3], s[1], s[2]})});
    } else {
      Node("Transpose", name, {from}).attributes["perm"] = Ints{0, 3, 1, 2};
    }
    return nchw_[tensor] = name;
  }

  /// The operator's result, called name_ unless an activation follows.
  void Finish(std::string value, Activation activation, bool nchw) {
    if (activation == Activation::kRelu) {
      Node("Relu", name_ + ".activation", {value});
      value = name_ + ".activation";
    } else if (activation == Activation::kRelu6 || activation == Activation::kReluN1To1) {
      const float low = activation == Activation::kRelu6 ? 0 : -1,
                  high = activation == Activation::kRelu6 ? 6 : 1;
      Node("Clip", name_ + ".activation",
           {value, Constant(name_ + ".low", Tensor({}, std::vector<float>{low})),
            Constant(name_ + ".high", Tensor({}, std::vector<float>{high}))});
      value = name_ + ".activation";
    } else if (activation != Activation::kNone) {
      Refuse(fmt::format("{}: its fused activation function is not supported", name_));
    }
    (nchw ? nchw_ : plain_)[op_->outputs[0]] = value;
  }

  using Handler = void (*)(Converter&);
  static const std::map<std::string, Handler>& Handlers() {
    static const std::map<std::string, Handler> handlers = {
        {"ADD", [](Converter& c) { c.Elementwise("Add"); }},
        {"AVERAGE_POOL_2D", [](Converter& c) { c.Pool(false); }},
        {"CONV_2D", [](Converter& c) { c.Conv(false); }},
        {"DEPTHWISE_CONV_2D", [](Converter& c) { c.Conv(true); }},
        {"ELU", [](Converter& c) { c.Function("Elu"); }},
        {"EXPAND_DIMS", [](Converter& c) { c.Reshape(); }},
        {"FULLY_CONNECTED", [](Converter& c) { c.Dense(); }},
        {"HARD_SWISH", [](Converter& c) { c.HardSwish(); }},
        {"LOGISTIC", [](Converter& c) { c.Function("Sigmoid"); }},
        {"MAX_POOL_2D", [](Converter& c) { c.Pool(true); }},
        {"MEAN", [](Converter& c) { c.Mean(); }},
        {"MUL", [](Converter& c) { c.Elementwise("Mul"); }},
        {"RELU", [](Converter& c) { c.Relu(false); }},
        {"RELU6", [](Converter& c) { c.Relu(true); }},
        {"RESHAPE", [](Converter& c) { c.Reshape(); }},
        {"SOFTMAX", [](Converter& c) { c.Softmax(); }},
        {"SQUEEZE", [](Converter& c) { c.Reshape(); }},
        {"SUB", [](Converter& c) { c.Elementwise("Sub"); }},
        {"TANH", [](Converter& c) { c.Function("Tanh"); }}};
    return handlers;
  }

  /// A value in the layout in which it is there.
  std::string AsItIs(int tensor, bool& nchw) {
    nchw = nchw_.count(tensor) > 0;
    return nchw ? nchw_.at(tensor) : Plain(tensor);
  }

  void Function(const char* op) {
    bool nchw = false;
    Node(op, name_, {AsItIs(op_->inputs[0], nchw)});
    Finish(name_, Activation::kNone, nchw);
  }

  void HardSwish() {
    bool nchw = false;
    const std::string x = AsItIs(op_->inputs[0], nchw);
    NodeInfo& gate = Node("HardSigmoid", name_ + ".gate", {x});
    gate.attributes = {{"alpha", 1.0f / 6}, {"beta", 0.5f}};
    Node("Mul", name_, {x, name_ + ".gate"});
    Finish(name_, Activation::kNone, nchw);
  }

  /// Over the pixels of images.
  void Mean() {
    const auto* options = std::get_if<import::tflite::ReduceOptions>(&op_->options);
    const Shape& x = Operand(0).shape;
    const graph::TensorPtr axes = Operand(1).data;
    std::set<int64_t> reduced;
    if (axes && axes->dtype() == DType::kInt32)
      for (int64_t axis : axes->data<int32_t>())
        reduced.insert(axis < 0 ? axis + static_cast<int64_t>(x.size()) : axis);
    if (x.size() != 4 || reduced != std::set<int64_t>{1, 2})
      return Refuse(fmt::format("{}: a mean over other dimensions than height and width", name_));
    Node("GlobalAveragePool", name_, {Nchw(op_->inputs[0])});
    const bool keeps = options && options->keep_dimensions;
    if (!keeps) {
      Node("Reshape", name_ + ".flat", {name_, ShapeConstant(name_ + ".flat.shape", {x[0], x[3]})});
      plain_[op_->outputs[0]] = name_ + ".flat";
    } else {
      nchw_[op_->outputs[0]] = name_;
    }
  }

  void SetWindow(NodeInfo& node, const import::tflite::WindowOptions& options, const Shape& nhwc,
                 const int64_t (&kernel)[2]) {
    node.attributes["kernel_shape"] = Ints{kernel[0], kernel[1]};
    node.attributes["strides"] = Ints{options.stride[0], options.stride[1]};
    Ints pads(4, 0);
    for (int d : {0, 1}) {
      if (!options.same_padding) continue;
      const int64_t extent = nhwc[1 + d], stride = options.stride[d], out = (extent + stride - 1) / stride;
      const int64_t covered = (out - 1) * stride + options.dilation[d] * (kernel[d] - 1) + 1;
      const int64_t total = std::max<int64_t>(covered - extent, 0);
      pads[d] = total / 2;
      pads[d + 2] = total - total / 2;
    }
    node.attributes["pads"] = std::move(pads);
  }

  void Conv(bool depthwise) {
    const auto& options = std::get<import::tflite::WindowOptions>(op_->options);
    const TensorInfo &x = Operand(0), &w = Operand(1);
    const auto transpose = host::Transpose(depthwise ? Ints{3, 0, 1, 2} : Ints{0, 3, 1, 2});
    const Tensor* data = w.data.get();
    std::vector<std::string> inputs = {
        Nchw(op_->inputs[0]), Constant(name_ + ".weights", graph::Evaluate(*transpose, {&data, 1})[0])};
    if (HasOperand(2)) inputs.push_back(Plain(op_->inputs[2]));
    NodeInfo& node = Node("Conv", name_, std::move(inputs));
    SetWindow(node, options, x.shape, {w.shape[1], w.shape[2]});
    node.attributes["dilations"] = Ints{options.dilation[0], options.dilation[1]};
    node.attributes["group"] = depthwise ? x.shape[3] : x.shape[3] / w.shape[3];
    Finish(name_, options.activation, true);
  }

  void Pool(bool max) {
    const auto& options = std::get<import::tflite::WindowOptions>(op_->options);
    const Shape& x = Operand(0).shape;
    const std::string input = Nchw(op_->inputs[0]);
    if (!max && options.kernel[0] == x[1] && options.kernel[1] == x[2] && !options.same_padding) {
      Node("GlobalAveragePool", name_, {input});
    } else {
      SetWindow(Node(max ? "MaxPool" : "AveragePool", name_, {input}), options, x, options.kernel);
    }
    Finish(name_, options.activation, true);
  }

  void Dense() {
    const auto* given = std::get_if<import::tflite::DenseOptions>(&op_->options);
    const TensorInfo& w = Operand(1);
    const int64_t rows = graph::NumElements(Operand(0).shape) / w.shape[1];
    std::string x = Plain(op_->inputs[0]);
    if (Operand(0).shape != Shape{rows, w.shape[1]}) {
      Node("Reshape", name_ + ".rows", {x, ShapeConstant(name_ + ".rows.shape", {rows, w.shape[1]})});
      x = name_ + ".rows";
    }
    std::vector<std::string> inputs = {x, Plain(op_->inputs[1])};
    if (HasOperand(2)) inputs.push_back(Plain(op_->inputs[2]));
    Node("Gemm", name_, std::move(inputs)).attributes["transB"] = int64_t{1};
    Finish(name_, given ? given->activation : Activation::kNone, false);
    const Shape& want = Info(op_->outputs[0]).shape;
    if (want == Shape{rows, w.shape[0]}) return;
    const std::string flat = plain_.at(op_->outputs[0]);
    Node("Reshape", name_ + ".shaped", {flat, ShapeConstant(name_ + ".shaped.shape", want)});
    plain_[op_->outputs[0]] = name_ + ".shaped";
  }

  void Elementwise(const char* op) {
    const auto* options = std::get_if<import::tflite::ElementwiseOptions>(&op_->options);
    const int a = op_->inputs[0], b = op_->inputs[1];
    // Dimensions that meet are the same in any layout where both have four, and a number needs none.
    const auto is_image = [&](int tensor) { return Info(tensor).shape.size() == 4 && !Info(tensor).data; };
    const auto is_number = [&](int tensor) {
      return Info(tensor).data && graph::NumElements(Info(tensor).shape) == 1;
    };
    const bool nchw = (nchw_.count(a) > 0 || nchw_.count(b) > 0) && (is_image(a) || is_number(a)) &&
                      (is_image(b) || is_number(b));
    const auto operand = [&](int tensor) { return nchw && is_image(tensor) ? Nchw(tensor) : Plain(tensor); };
    const std::string x = operand(a), y = operand(b);
    Node(op, name_, {x, y});
    Finish(name_, options ? options->activation : Activation::kNone, nchw);
  }

  void Relu(bool six) {
    const int x = op_->inputs[0];
    const bool nchw = nchw_.count(x) > 0;
    const std::string from = nchw ? nchw_.at(x) : Plain(x);
    Finish(from, six ? Activation::kRelu6 : Activation::kRelu, nchw);
  }

  void Reshape() {
    const int from = op_->inputs[0];
    const bool same = nchw_.count(from) > 0 && OnePixel(Info(from).shape);
    const std::string x = same ? nchw_.at(from) : Plain(from);
    Node("Reshape", name_, {x, ShapeConstant(name_ + ".shape", Info(op_->outputs[0]).shape)});
    Finish(name_, Activation::kNone, false);
  }

  void Softmax() {
    const auto* options = std::get_if<import::tflite::SoftmaxOptions>(&op_->options);
    std::string x = Plain(op_->inputs[0]);
    if (options && options->beta != 1) {
      Node("Mul", name_ + ".scaled",
           {x, Constant(name_ + ".beta", Tensor({}, std::vector<float>{options->beta}))});
      x = name_ + ".scaled";
    }
    Node("Softmax", name_, {x}).attributes["axis"] = int64_t{-1};
    Finish(name_, Activation::kNone, false);
  }

  const import::tflite::File& file_;
  Diagnostics& diagnostics_;
  import::onnx::File to_;
  std::map<int, std::string> plain_, nchw_;
  const OperatorInfo* op_ = nullptr;
  std::string name_;
};

}  // namespace

std::optional<import::onnx::File> FromTflite(const import::tflite::File& file, Diagnostics& diagnostics) {
  return Converter(file, diagnostics).Run();
}

}  // namespace cosim::quantize
