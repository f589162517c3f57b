// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/onnx/conformance.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <filesystem>
#include <set>

#include "compiler/graph/float_executor.h"
#include "compiler/import/diagnostic_codes.h"
#include "compiler/import/import.h"
#include "compiler/import/onnx/operators.h"
#include "compiler/import/onnx/reader.h"
#include "isa/text_escape.h"

namespace cosim::import {
namespace {

namespace fs = std::filesystem;
using graph::Tensor;

/// What is not to be supported.
constexpr std::pair<const char*, const char*> kLeftOut[] = {
    {"strings", "elements are numbers here"},
    {"training", "networks are run, not trained: gradients and optimizers"},
    {"maps", "values are tensors, sequences and optionals of tensors"},
    {"random", "what is drawn at random cannot be compared"}};

constexpr const char* kSuites[] = {"node", "simple", "pytorch-converted", "pytorch-operator"};

std::string FirstMessage(const Diagnostics& diagnostics) {
  return diagnostics.HasErrors() ? diagnostics.list().front().message : "";
}

/// The suite has the bits of bfloat16 as uint16.
graph::TensorPtr FromBfloat16(const graph::TensorPtr& tensor) {
  if (tensor->dtype() != graph::DType::kUint16) return tensor;
  std::vector<float> values;
  for (uint16_t bits : tensor->data<uint16_t>())
    values.push_back(std::bit_cast<float>(static_cast<uint32_t>(bits) << 16));
  return std::make_shared<const Tensor>(tensor->shape(), std::move(values));
}

/// The values "<prefix>_0.pb", "<prefix>_1.pb" …, or nothing and why.
std::optional<std::vector<Elements>> ReadValues(const fs::path& folder, const std::string& prefix,
                                                const std::vector<onnx::ValueInfo>& infos,
                                                const onnx::File& file, std::string& error) {
  std::vector<Elements> values;
  for (size_t i = 0;; ++i) {
    const fs::path path = folder / fmt::format("{}_{}.pb", prefix, i);
    if (!fs::exists(path)) return values;
    Diagnostics diagnostics;
    const auto bytes = ReadFile(path.string(), diagnostics);
    const onnx::Form form = i < infos.size() ? infos[i].form : onnx::Form::kTensor;
    auto value = bytes ? onnx::ReadValue(*bytes, form, error) : std::nullopt;
    if (!value) return std::nullopt;
    if (i < infos.size() && file.bfloat16.count(infos[i].name) > 0)
      for (graph::TensorPtr& tensor : value->tensors) tensor = FromBfloat16(tensor);
    values.push_back(std::move(*value));
  }
}

/// All tensors, one behind the other.
std::vector<graph::TensorPtr> Flat(const std::vector<Elements>& values) {
  std::vector<graph::TensorPtr> all;
  for (const Elements& value : values) all.insert(all.end(), value.tensors.begin(), value.tensors.end());
  return all;
}

constexpr double kTolerance = 1e-3;  // as ONNX's own runner
// The suite cuts off what bfloat16 has no bits for; ONNX says since to round.
constexpr double kBfloat16Tolerance = 1.0 / 128;

/// Empty, or the first place where they differ: floats by more than `tolerance` of the expected value,
/// integers at all.
std::string Difference(const Tensor& got, const Tensor& want, double tolerance) {
  if (got.type() != want.type())
    return fmt::format("{} instead of {}", graph::ToString(got.type()), graph::ToString(want.type()));
  std::string difference;
  graph::WithElementType(want.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const auto a = got.data<T>(), b = want.data<T>();
    for (size_t i = 0; i < b.size() && difference.empty(); ++i) {
      if constexpr (std::is_integral_v<T>) {
        if (a[i] != b[i]) difference = fmt::format("element {} is {} instead of {}", i, +a[i], +b[i]);
      } else {
        const auto x = static_cast<double>(static_cast<float>(a[i])),
                   y = static_cast<double>(static_cast<float>(b[i]));
        const bool same =
            x == y || (std::isnan(x) && std::isnan(y)) || std::abs(x - y) <= 1e-7 + tolerance * std::abs(y);
        if (!same) difference = fmt::format("element {} is {} instead of {}", i, x, y);
      }
    }
  });
  return difference;
}

std::optional<std::vector<Tensor>> RunOnHost(const Model& model, const std::vector<Tensor>& inputs,
                                             std::string&) {
  const auto values = graph::RunFloat(model.graph, inputs);
  std::vector<Tensor> outputs;
  for (graph::ValueId id : model.graph.outputs()) outputs.push_back(*values[id]);
  return outputs;
}

/// The case's inputs as options: what is no tensor is known, tensors have their shapes, or are known too.
Options OptionsFor(const onnx::File& file, const std::vector<Elements>& inputs, bool known) {
  Options options;
  for (size_t i = 0; i < std::min(inputs.size(), file.inputs.size()); ++i) {
    const onnx::ValueInfo& info = file.inputs[i];
    if (info.form != onnx::Form::kTensor) {
      options.elements[info.name] = inputs[i];
    } else if (known) {
      options.constants[info.name] = inputs[i].tensors[0];
    } else {
      options.shapes[info.name] = inputs[i].tensors[0]->shape();
    }
  }
  return options;
}

/// One data set; empty if it passes. `unsupported` is set when it cannot be said.
std::string RunDataSet(const std::vector<uint8_t>& bytes, const onnx::File& file, const fs::path& folder,
                       const ModelRunner& run, bool& unsupported) {
  std::string error;
  const auto inputs = ReadValues(folder, "input", file.inputs, file, error),
             outputs = inputs ? ReadValues(folder, "output", file.outputs, file, error) : std::nullopt;
  if (!outputs) return unsupported = true, error;
  std::vector<Tensor> given;
  for (size_t i = 0; i < inputs->size(); ++i)
    if (i >= file.inputs.size() || file.inputs[i].form == onnx::Form::kTensor)
      given.push_back(*(*inputs)[i].tensors[0]);
  Options options = OptionsFor(file, *inputs, false);
  options.host_only = !run;
  Diagnostics first;
  auto model = ImportOnnx(bytes, file.name, "", options, first);
  if (!model) {
    options = OptionsFor(file, *inputs, true);
    options.host_only = !run;
    Diagnostics second;
    model = ImportOnnx(bytes, file.name, "", options, second);
    given.clear();
    if (!model) {
      unsupported = second.list().front().code == codes::kUnsupported;
      return FirstMessage(second);
    }
  }
  if (given.size() != model->graph.inputs().size()) return unsupported = true, "inputs that are no tensors";
  for (size_t i = 0; i < given.size(); ++i)
    if (given[i].type() != model->graph.node(model->graph.inputs()[i]).type)
      return "an input of another type";
  const auto got = run ? run(*model, given, error) : RunOnHost(*model, given, error);
  if (!got) return error;
  const auto want = Flat(*outputs);
  if (want.size() != got->size()) return fmt::format("{} outputs instead of {}", got->size(), want.size());
  for (size_t i = 0; i < want.size(); ++i) {
    const bool is_bfloat16 = i < file.outputs.size() && file.bfloat16.count(file.outputs[i].name) > 0;
    const std::string difference =
        Difference((*got)[i], *want[i], is_bfloat16 ? kBfloat16Tolerance : kTolerance);
    if (!difference.empty()) return fmt::format("output {}: {}", i, difference);
  }
  return "";
}

/// What a case that is not supported is of, when that is left out; else nothing.
std::string LeftOut(const CaseResult& result, const onnx::File& file) {
  for (const std::string& op : result.operators) {
    if (op.starts_with("ai.onnx.preview.training.")) return "training";
    if (op == "StringNormalizer") return "strings";
    if (op == "Bernoulli" || op.starts_with("Random")) return "random";
    // What is dropped while training is drawn.
    if (op == "Dropout" && result.detail.find("training") != result.detail.npos) return "random";
  }
  for (const auto* list : {&file.inputs, &file.outputs})
    for (const onnx::ValueInfo& value : *list) {
      if (value.unsupported.find("STRING") != std::string::npos) return "strings";
      if (value.unsupported.find("map") != std::string::npos) return "maps";
    }
  return "";
}

}  // namespace

std::vector<std::string> ConformanceCases(const std::string& root) {
  std::vector<std::string> cases;
  for (const char* suite : kSuites) {
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(fs::path(root) / suite, error))
      if (fs::exists(entry.path() / "model.onnx"))
        cases.push_back(fmt::format("{}/{}", suite, entry.path().filename().string()));
  }
  std::sort(cases.begin(), cases.end());
  return cases;
}

CaseResult RunConformanceCase(const std::string& root, const std::string& name, const ModelRunner& run) {
  CaseResult result{name};
  const fs::path folder = fs::path(root) / name;
  Diagnostics diagnostics;
  const auto bytes = ReadFile((folder / "model.onnx").string(), diagnostics);
  const auto file = bytes ? onnx::Read(*bytes, name, "", diagnostics, onnx::Structure::kKept) : std::nullopt;
  if (!file) {
    result.status = CaseStatus::kUnsupported;
    result.detail = FirstMessage(diagnostics);
    return result;
  }
  std::set<std::string> operators;
  for (const auto& node : file->nodes) operators.insert(node.op);
  result.operators.assign(operators.begin(), operators.end());
  result.status = CaseStatus::kPass;
  for (int set = 0; fs::exists(folder / fmt::format("test_data_set_{}", set)); ++set) {
    bool unsupported = false;
    result.detail =
        RunDataSet(*bytes, *file, folder / fmt::format("test_data_set_{}", set), run, unsupported);
    if (result.detail.empty()) continue;
    result.status = unsupported ? CaseStatus::kUnsupported : CaseStatus::kFail;
    break;
  }
  if (result.status == CaseStatus::kUnsupported) result.left_out = LeftOut(result, *file);
  return result;
}

Share NetworkOperators(const std::vector<CaseResult>& results) {
  static const std::set<std::string> operators = {"Abs",
                                                  "Add",
                                                  "And",
                                                  "ArgMax",
                                                  "ArgMin",
                                                  "AveragePool",
                                                  "BatchNormalization",
                                                  "Cast",
                                                  "CastLike",
                                                  "Ceil",
                                                  "Celu",
                                                  "Clip",
                                                  "Concat",
                                                  "Constant",
                                                  "ConstantOfShape",
                                                  "Conv",
                                                  "ConvInteger",
                                                  "ConvTranspose",
                                                  "CumSum",
                                                  "DepthToSpace",
                                                  "DequantizeLinear",
                                                  "Div",
                                                  "Dropout",
                                                  "DynamicQuantizeLinear",
                                                  "Einsum",
                                                  "Elu",
                                                  "Equal",
                                                  "Erf",
                                                  "Exp",
                                                  "Expand",
                                                  "Flatten",
                                                  "Floor",
                                                  "GRU",
                                                  "Gather",
                                                  "GatherElements",
                                                  "GatherND",
                                                  "Gemm",
                                                  "GlobalAveragePool",
                                                  "GlobalLpPool",
                                                  "GlobalMaxPool",
                                                  "Greater",
                                                  "GreaterOrEqual",
                                                  "HardSigmoid",
                                                  "HardSwish",
                                                  "Hardmax",
                                                  "Identity",
                                                  "InstanceNormalization",
                                                  "LSTM",
                                                  "LayerNormalization",
                                                  "LeakyRelu",
                                                  "Less",
                                                  "LessOrEqual",
                                                  "Log",
                                                  "LogSoftmax",
                                                  "LpPool",
                                                  "MatMul",
                                                  "MatMulInteger",
                                                  "Max",
                                                  "MaxPool",
                                                  "Mean",
                                                  "Min",
                                                  "Mod",
                                                  "Mul",
                                                  "Neg",
                                                  "Not",
                                                  "OneHot",
                                                  "Or",
                                                  "PRelu",
                                                  "Pad",
                                                  "Pow",
                                                  "QLinearConv",
                                                  "QLinearMatMul",
                                                  "QuantizeLinear",
                                                  "Range",
                                                  "Reciprocal",
                                                  "ReduceL1",
                                                  "ReduceL2",
                                                  "ReduceLogSum",
                                                  "ReduceLogSumExp",
                                                  "ReduceMax",
                                                  "ReduceMean",
                                                  "ReduceMin",
                                                  "ReduceProd",
                                                  "ReduceSum",
                                                  "ReduceSumSquare",
                                                  "Relu",
                                                  "Reshape",
                                                  "Resize",
                                                  "Round",
                                                  "Scatter",
                                                  "ScatterElements",
                                                  "ScatterND",
                                                  "Selu",
                                                  "Shape",
                                                  "Sigmoid",
                                                  "Sign",
                                                  "Size",
                                                  "Slice",
                                                  "Softmax",
                                                  "Softplus",
                                                  "Softsign",
                                                  "SpaceToDepth",
                                                  "Split",
                                                  "Sqrt",
                                                  "Squeeze",
                                                  "Sub",
                                                  "Sum",
                                                  "Tanh",
                                                  "ThresholdedRelu",
                                                  "Tile",
                                                  "TopK",
                                                  "Transpose",
                                                  "Trilu",
                                                  "Unsqueeze",
                                                  "Where",
                                                  "Xor"};
  Share share;
  for (const CaseResult& result : results) {
    const bool all = !result.operators.empty() && std::ranges::all_of(result.operators, [&](const auto& op) {
      return operators.count(op) > 0;
    });
    if (!result.left_out.empty()) continue;
    share.cases += all;
    share.passed += all && result.status == CaseStatus::kPass;
  }
  return share;
}

std::string ConformanceTable(const std::vector<CaseResult>& results) {
  std::map<std::string, std::array<int, 3>> rows;
  std::array<int, 3> total{};
  for (const CaseResult& result : results) {
    const auto status = static_cast<size_t>(result.status);
    ++total[status];
    for (const std::string& op : result.operators) ++rows[op][status];
    if (result.operators.empty()) ++rows["(not readable)"][status];
  }
  std::string text =
      "# ONNX operators\n\nCases of the ONNX backend suite by the operators in their models; a case counts "
      "for each of "
      "its operators.\nWritten by `cosim conformance onnx -o docs/reference/onnx-operators.md`.\n\n"
      "| operator | passed | failed | unsupported |\n|---|---|---|---|\n";
  for (const auto& [op, counts] : rows)
    text += fmt::format("| {} | {} | {} | {} |\n", isa::MarkdownText(op), counts[0], counts[1], counts[2]);
  const Share share = NetworkOperators(results);
  text += fmt::format("\n{} cases: {} passed, {} failed, {} unsupported.", results.size(), total[0], total[1],
                      total[2]);
  std::map<std::string, int> left_out;
  for (const CaseResult& result : results)
    if (!result.left_out.empty()) ++left_out[result.left_out];
  int others = static_cast<int>(results.size());
  std::string reasons;
  for (const auto& [kind, what] : kLeftOut) {
    const int count = left_out.count(kind) ? left_out.at(kind) : 0;
    others -= count;
    reasons += fmt::format("| {} | {} | {} |\n", kind, count, what);
  }
  return text +
         fmt::format(
             " Of the {} cases of nothing but operators "
             "of convolutional networks, perceptrons and transformer encoders, {} passed ({:.1f} %).\n\n"
             "What is left out by intent, and why:\n\n| cases of | number | why |\n|---|---|---|\n{}\n"
             "Of the other {} cases, {} passed ({:.1f} %).\n",
             share.cases, share.passed, 100.0 * share.passed / std::max(share.cases, 1), reasons, others,
             total[0], 100.0 * total[0] / std::max(others, 1));
}

}  // namespace cosim::import
