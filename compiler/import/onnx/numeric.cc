// SPDX-License-Identifier: Apache-2.0
// Operators that sum: windows, matrices, reductions, quantization.
#include "compiler/host/elementwise.h"
#include "compiler/host/functions.h"
#include "compiler/host/linear.h"
#include "compiler/host/loss.h"
#include "compiler/host/quantized.h"
#include "compiler/host/reduce.h"
#include "compiler/host/spatial.h"
#include "compiler/import/onnx/node_view.h"

namespace cosim::import::onnx {
namespace {

using graph::HostOperatorPtr;
using host::Reduction;

HostOperatorPtr MakeAveragePool(NodeView& n) {
  const bool padding = n.Int("count_include_pad", 0) != 0;
  return host::Pooling("average_pool", padding ? host::Pool::kAverageWithPadding : host::Pool::kAverage,
                       SpatialOf(n), 0, false);
}

/// Functions of one element on bytes: Sigmoid and LeakyRelu as onnxruntime has them, and their like.
void AddFunctionsOnBytes(Factories& all) {
  for (const char* op : {"Celu", "Elu", "HardSigmoid", "HardSwish", "LeakyRelu", "Selu", "Sigmoid",
                         "Softplus", "Softsign", "Tanh"})
    all[std::string("com.microsoft.QLinear") + op] = [make = all.at(op), op](NodeView& n) -> HostOperatorPtr {
      const auto function = make(n);
      return function ? host::OnBytes(std::string("qlinear ") + op, function, 1) : nullptr;
    };
}

/// Operators that onnxruntime's quantizer writes beside ONNX's own.
void AddContributed(Factories& all) {
  AddFunctionsOnBytes(all);
  all["com.microsoft.QLinearAdd"] = [](NodeView&) {
    return host::OnBytes("qlinear_add", host::Binary("add", host::Arithmetic::kAdd), 2);
  };
  all["com.microsoft.QLinearMul"] = [](NodeView&) {
    return host::OnBytes("qlinear_mul", host::Binary("mul", host::Arithmetic::kMultiply), 2);
  };
  all["com.microsoft.QLinearAveragePool"] = [](NodeView& n) -> HostOperatorPtr {
    if (n.Int("channels_last", 0) != 0) return n.Fail("channels last");
    return host::AverageOnBytes("qlinear_average_pool", MakeAveragePool(n));
  };
  all["com.microsoft.QLinearGlobalAveragePool"] = [](NodeView& n) -> HostOperatorPtr {
    if (n.Int("channels_last", 0) != 0) return n.Fail("channels last");
    return host::AverageOnBytes("qlinear_global_average_pool",
                                host::GlobalPooling("global_average_pool", host::Pool::kAverage, 0));
  };
  all["com.microsoft.QGemm"] = [](NodeView& n) -> HostOperatorPtr {
    if (n.Int("transA", 0) != 0) return n.Fail("a transposed first operand");
    if (n.Float("alpha", 1) != 1) return n.Fail("an alpha other than 1");
    return host::QGemm(n.Int("transB", 0) != 0);
  };
  all["com.microsoft.QLinearReduceMean"] = [](NodeView& n) {
    return host::OnBytes(
        "qlinear_reduce_mean",
        host::Reduce("ReduceMean", Reduction::kMean, n.Ints("axes"), n.Int("keepdims", 1) != 0, false), 1);
  };
  all["com.microsoft.QLinearSoftmax"] = [](NodeView& n) {
    const bool old = n.Int("opset", 13) < 13;
    return host::OnBytes(
        "qlinear_softmax",
        host::Normalize("softmax", host::Normalization::kSoftmax, n.Int("axis", old ? 1 : -1), old), 1);
  };
}

void AddWindows(Factories& all) {
  all["Conv"] = [](NodeView& n) { return host::Conv(SpatialOf(n), n.Int("group", 1)); };
  all["ConvTranspose"] = [](NodeView& n) {
    return host::ConvTranspose(SpatialOf(n), {n.Ints("output_padding"), n.Ints("output_shape")},
                               n.Int("group", 1));
  };
  all["ConvInteger"] = [](NodeView& n) { return host::ConvInteger(SpatialOf(n), n.Int("group", 1)); };
  all["QLinearConv"] = [](NodeView& n) { return host::QLinearConv(SpatialOf(n), n.Int("group", 1)); };
  all["MaxUnpool"] = [](NodeView& n) { return host::MaxUnpool(SpatialOf(n)); };
  all["MaxPool"] = [](NodeView& n) {
    return host::Pooling("max_pool", host::Pool::kMax, SpatialOf(n), 0, n.Int("storage_order", 0) != 0);
  };
  all["AveragePool"] = MakeAveragePool;
  all["LpPool"] = [](NodeView& n) {
    return host::Pooling("lp_pool", host::Pool::kLp, SpatialOf(n), n.Int("p", 2), false);
  };
  all["GlobalMaxPool"] = [](NodeView&) {
    return host::GlobalPooling("global_max_pool", host::Pool::kMax, 0);
  };
  all["GlobalAveragePool"] = [](NodeView&) {
    return host::GlobalPooling("global_average_pool", host::Pool::kAverage, 0);
  };
  all["GlobalLpPool"] = [](NodeView& n) {
    return host::GlobalPooling("global_lp_pool", host::Pool::kLp, n.Int("p", 2));
  };
}

void AddReductions(Factories& all) {
  const std::pair<const char*, Reduction> reductions[] = {{"ReduceSum", Reduction::kSum},
                                                          {"ReduceMean", Reduction::kMean},
                                                          {"ReduceMax", Reduction::kMax},
                                                          {"ReduceMin", Reduction::kMin},
                                                          {"ReduceProd", Reduction::kProduct},
                                                          {"ReduceL1", Reduction::kL1},
                                                          {"ReduceL2", Reduction::kL2},
                                                          {"ReduceLogSum", Reduction::kLogSum},
                                                          {"ReduceLogSumExp", Reduction::kLogSumExp},
                                                          {"ReduceSumSquare", Reduction::kSumSquare}};
  for (const auto& [op, reduction] : reductions)
    all[op] = [op = op, reduction = reduction](NodeView& n) {
      return host::Reduce(op, reduction, n.Ints("axes"), n.Int("keepdims", 1) != 0,
                          n.Int("noop_with_empty_axes", 0) != 0);
    };
  for (const bool largest : {true, false})
    all[largest ? "ArgMax" : "ArgMin"] = [largest](NodeView& n) {
      return host::ArgExtreme(largest, n.Int("axis", 0), n.Int("keepdims", 1) != 0,
                              n.Int("select_last_index", 0) != 0);
    };
  all["CumSum"] = [](NodeView& n) {
    return host::CumulativeSum(n.Int("exclusive", 0) != 0, n.Int("reverse", 0) != 0);
  };
  const std::tuple<const char*, const char*, host::Normalization> normalizations[] = {
      {"Softmax", "softmax", host::Normalization::kSoftmax},
      {"LogSoftmax", "log_softmax", host::Normalization::kLogSoftmax},
      {"Hardmax", "hardmax", host::Normalization::kHardmax}};
  for (const auto& [op, name, kind] : normalizations)
    all[op] = [name = name, kind = kind](NodeView& n) {
      const bool old = n.opset() < 13;
      return host::Normalize(name, kind, n.Int("axis", old ? 1 : -1), old);
    };
  all["TopK"] = [](NodeView& n) {
    if (n.opset() < 10) n.AppendInts({n.Int("k", 0)});
    return host::TopK(n.Int("axis", -1), n.Int("largest", 1) != 0);
  };
}

void AddLosses(Factories& all) {
  for (const bool scores : {true, false})
    all[scores ? "SoftmaxCrossEntropyLoss" : "NegativeLogLikelihoodLoss"] =
        [scores](NodeView& n) -> HostOperatorPtr {
      const std::string text = n.Text("reduction", "mean");
      if (text != "none" && text != "sum" && text != "mean") return n.Fail("reduction " + text);
      const auto reduction = text == "none"  ? host::LossReduction::kNone
                             : text == "sum" ? host::LossReduction::kSum
                                             : host::LossReduction::kMean;
      std::optional<int64_t> ignored;
      if (n.Has("ignore_index")) ignored = n.Int("ignore_index", 0);
      return host::NegativeLogLikelihood(scores, reduction, ignored);
    };
  all["Dropout"] = [](NodeView&) { return host::Dropout(); };
}

}  // namespace

host::Spatial SpatialOf(NodeView& n) {
  host::Spatial spatial;
  const std::string pad = n.Text("auto_pad", "NOTSET");
  if (pad == "VALID") spatial.auto_pad = host::AutoPad::kValid;
  if (pad == "SAME_UPPER") spatial.auto_pad = host::AutoPad::kSameUpper;
  if (pad == "SAME_LOWER") spatial.auto_pad = host::AutoPad::kSameLower;
  spatial.kernel = n.Ints("kernel_shape");
  spatial.strides = n.Ints("strides");
  spatial.dilations = n.Ints("dilations");
  if (spatial.auto_pad == host::AutoPad::kNotSet) spatial.pads = n.Ints("pads");
  spatial.ceil_mode = n.Int("ceil_mode", 0) != 0;
  return spatial;
}

void AddNumeric(Factories& all) {
  AddWindows(all);
  AddReductions(all);
  AddLosses(all);
  AddContributed(all);
  all["MatMul"] = [](NodeView&) { return host::MatMul(); };
  all["Gemm"] = [](NodeView& n) {
    return host::Gemm(n.Float("alpha", 1), n.Float("beta", 1), n.Int("transA", 0) != 0,
                      n.Int("transB", 0) != 0);
  };
  all["BatchNormalization"] = [](NodeView& n) -> HostOperatorPtr {
    if (n.Int("training_mode", 0) != 0)
      return host::BatchNormalizationTraining(n.Float("epsilon", 1e-5f), n.Float("momentum", 0.9f));
    if (n.outputs() > 1) return n.Fail("training");
    return host::BatchNormalization(n.Float("epsilon", 1e-5f));
  };
  all["InstanceNormalization"] = [](NodeView& n) {
    return host::InstanceNormalization(n.Float("epsilon", 1e-5f));
  };
  all["LayerNormalization"] = [](NodeView& n) {
    return host::LayerNormalization(n.Int("axis", -1), n.Float("epsilon", 1e-5f));
  };
  all["LRN"] = [](NodeView& n) {
    return host::LocalResponseNormalization(n.Int("size", 0), n.Float("alpha", 1e-4f), n.Float("beta", 0.75f),
                                            n.Float("bias", 1));
  };
  all["MeanVarianceNormalization"] = [](NodeView& n) {
    return host::MeanVarianceNormalization(n.Has("axes") ? n.Ints("axes") : std::vector<int64_t>{0, 2, 3});
  };
  all["QuantizeLinear"] = [](NodeView& n) -> HostOperatorPtr {
    if (n.Int("block_size", 0) != 0 || n.Int("output_dtype", 0) != 0)
      return n.Fail("blocks, or another type");
    return host::QuantizeLinear(n.Int("axis", 1));
  };
  all["DequantizeLinear"] = [](NodeView& n) -> HostOperatorPtr {
    if (n.Int("block_size", 0) != 0 || n.Int("output_dtype", 0) != 0)
      return n.Fail("blocks, or another type");
    return host::DequantizeLinear(n.Int("axis", 1));
  };
  all["DynamicQuantizeLinear"] = [](NodeView&) { return host::DynamicQuantizeLinear(); };
  all["MatMulInteger"] = [](NodeView&) { return host::MatMulInteger(); };
  all["QLinearMatMul"] = [](NodeView&) { return host::QLinearMatMul(); };
}

}  // namespace cosim::import::onnx
