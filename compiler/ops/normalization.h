// SPDX-License-Identifier: Apache-2.0
// Tensor expressions of the graph's normalizations: batch norm, and what reduces over the channels of a
// pixel, softmax and layer norm. The quantized forms are operations of their own, exact as
// compiler/graph/ops.h says.
#pragma once

#include <vector>

#include "compiler/graph/graph.h"
#include "compiler/ops/definition.h"
#include "compiler/te/te.h"

namespace cosim::ops {

Definition Normalize(const graph::BatchNorm& op, const graph::Node& node, const std::vector<te::Tensor>& in);
Definition Normalize(const graph::Softmax& op, const graph::Node& node, const std::vector<te::Tensor>& in);
Definition Normalize(const graph::QSoftmax& op, const graph::Node& node, const std::vector<te::Tensor>& in);
Definition Normalize(const graph::LayerNorm& op, const graph::Node& node, const std::vector<te::Tensor>& in);
Definition Normalize(const graph::QLayerNorm& op, const graph::Node& node, const std::vector<te::Tensor>& in);

}  // namespace cosim::ops
