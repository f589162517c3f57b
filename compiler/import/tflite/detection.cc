// SPDX-License-Identifier: Apache-2.0
// What stands at the end of detectors: TFLite_Detection_PostProcess, the one custom operator that is known,
// and NON_MAX_SUPPRESSION_V4 and _V5.
#include "compiler/host/detection.h"

#include <fmt/format.h>

#include <cmath>

#include "compiler/host/tflite_suppression.h"
#include "compiler/import/tflite/builder.h"

namespace cosim::import::tflite {

using graph::ValueId;

/// A float32 tensor, or bytes as such.
ValueId Builder::AsReal(int tensor) {
  if (IsFloat(tensor)) return Plain(tensor);
  if (!IsQuantized(tensor) || Info(tensor).dtype != graph::DType::kUint8)
    return Unsupported("operands that are neither float32 nor quantized uint8"), -1;
  return model_.graph.Add(fmt::format("{}.real{}", name_, tensor),
                          graph::Dequantize{Info(tensor).scales[0], ZeroPoint(tensor)}, {Plain(tensor)});
}

bool Builder::DetectionPostProcess() {
  if (!Operands(3, 3)) return false;
  if (op_->outputs.size() != 4) return Malformed(fmt::format("has {} results, not 4", op_->outputs.size()));
  if (!op_->custom_options) return Malformed("its options are no map that can be read");
  const auto number = [&](const char* key, double otherwise) {
    const auto at = op_->custom_options->find(key);
    return at == op_->custom_options->end() || !std::isfinite(at->second) ? otherwise : at->second;
  };
  const auto whole = [&](const char* key, int64_t otherwise) {
    const double value = number(key, static_cast<double>(otherwise));
    return std::abs(value) < 1e9 ? static_cast<int64_t>(value) : -1;
  };
  host::Detection detection{.most_detections = whole("max_detections", 0),
                            .classes_per_detection = whole("max_classes_per_detection", 0),
                            .detections_per_class = whole("detections_per_class", 100),
                            .regular = number("use_regular_nms", 0) != 0,
                            .score_threshold = static_cast<float>(number("nms_score_threshold", 0)),
                            .overlap_threshold = static_cast<float>(number("nms_iou_threshold", 0)),
                            .classes = whole("num_classes", 0)};
  const char* keys[] = {"y_scale", "x_scale", "h_scale", "w_scale"};
  for (size_t i = 0; i < 4; ++i) {
    detection.scales[i] = static_cast<float>(number(keys[i], 0));
    if (detection.scales[i] == 0)
      return Malformed(fmt::format("its option {} is 0, or is not there", keys[i]));
  }
  std::vector<ValueId> inputs;
  std::vector<graph::HostOperand> operands;
  for (int tensor : op_->inputs) {
    inputs.push_back(AsReal(tensor));
    if (inputs.back() < 0) return false;
    operands.push_back({model_.graph.node(inputs.back()).type});
  }
  const auto op = host::DetectionPostProcess(detection);
  const auto types = op->Infer(operands);
  if (const auto* error = std::get_if<std::string>(&types)) return Malformed(*error);
  for (size_t k = 0; k < op_->outputs.size(); ++k) {
    const graph::TensorType& type = std::get<0>(types)[k];
    const TensorInfo& info = Info(op_->outputs[k]);
    // Converters leave the shapes out.
    if (info.dtype != graph::DType::kFloat32 || (!info.shape.empty() && info.shape != type.shape))
      return Malformed(fmt::format("result {} is {}, but the file says {}", k, graph::ToString(type),
                                   graph::ToString(graph::TensorType{info.dtype, info.shape})));
    graph::HostOp node{op, static_cast<int32_t>(k), type,
                       "what it does depends on the scores: the host sorts them"};
    plain_[op_->outputs[k]] = model_.graph.Add(fmt::format("{}.{}", name_, k), std::move(node), inputs);
  }
  return true;
}

// Places, with sigma their scores too, and how many there are.
bool Builder::Suppress() {
  const bool soft = op_->name == "NON_MAX_SUPPRESSION_V5";
  const size_t count = soft ? 6 : 5, results = soft ? 3 : 2;
  if (!Operands(count, count)) return false;
  if (op_->outputs.size() != results) return Malformed(fmt::format("has {} results", op_->outputs.size()));
  const auto most = IntegersOf(2);
  if (!most || most->size() != 1) return Unsupported("a count that is not constant");
  std::vector<ValueId> inputs;
  for (size_t i = 0; i < count; ++i) {
    if (i == 2) continue;
    if (!IsFloat(op_->inputs[i])) return Unsupported("boxes, scores or bounds that are not float32");
    inputs.push_back(Plain(op_->inputs[i]));
  }
  const auto op = host::TfliteNonMaxSuppression((*most)[0]);
  for (size_t k = 0; k < results; ++k) {
    const int32_t result = k == 1 && !soft ? 2 : static_cast<int32_t>(k);
    const ValueId value = HostNode(k == 0 ? name_ : fmt::format("{}.{}", name_, k), op, inputs,
                                   "what it chooses depends on the scores: the host sorts them", {}, result);
    if (!Finish(value, false, k)) return false;
  }
  return true;
}

}  // namespace cosim::import::tflite
