// SPDX-License-Identifier: Apache-2.0
// TensorFlow Lite's operators that move blocks of pixels to channels or images, and back.
#include <fmt/format.h>

#include <algorithm>

#include "compiler/host/movement.h"
#include "compiler/import/tflite/builder.h"

namespace cosim::import::tflite {

using graph::DType;
using graph::Shape;
using graph::ValueId;

namespace {

/// What BATCH_TO_SPACE_ND and SPACE_TO_BATCH_ND divide: dimensions 1 to that many.
std::string BlocksFault(const Shape& x, const std::vector<int64_t>& blocks,
                        const std::vector<int64_t>& edges) {
  if (blocks.empty() || blocks.size() + 1 > x.size() || edges.size() != 2 * blocks.size())
    return fmt::format("{} blocks and {} edges for {}", blocks.size(), edges.size(), graph::ToString(x));
  for (int64_t block : blocks)
    if (block < 1 || block > kMostElements) return fmt::format("a block of {}", block);
  for (int64_t edge : edges)
    if (edge < 0 || edge > kMostElements) return fmt::format("an edge of {}", edge);
  return "";
}

}  // namespace

bool Builder::DepthToSpace() {
  if (!Operands(1, 1)) return false;
  const auto* options = std::get_if<BlockOptions>(&op_->options);
  const int from = op_->inputs[0], to = op_->outputs[0];
  const int64_t block = options ? options->block : 0;
  const Shape& shape = Info(from).shape;
  if (block < 1 || block > 1 << 15 || shape.size() != 4 || shape[3] % (block * block) != 0)
    return Malformed(fmt::format("blocks of {} in {}", block, graph::ToString(shape)));
  const DType type = model_.graph.node(Nchw(from)).type.dtype;
  if (type == DType::kFloat32 || type == DType::kInt8 || type == DType::kInt16 || type == DType::kInt32)
    return Finish(
        model_.graph.Add(name_, graph::DepthToSpace{{block, block}}, {Nchw(from)}, QuantizationOf(to)), true);
  return Moved(host::DepthToSpace(block, true), {Nchw(from)}, true);
}

bool Builder::SpaceToDepth() {
  if (!Operands(1, 1)) return false;
  const auto* options = std::get_if<BlockOptions>(&op_->options);
  if (Info(op_->inputs[0]).shape.size() != 4) return Malformed("input must have 4 dimensions");
  return Moved(host::SpaceToDepth(options ? options->block : 0), {Nchw(op_->inputs[0])}, true);
}

bool Builder::SpaceToBatch() {
  if (!Operands(3, 3)) return false;
  const int from = op_->inputs[0], to = op_->outputs[0];
  const auto blocks = IntegersOf(1), pads = IntegersOf(2);
  if (!blocks || !pads) return Unsupported("blocks or paddings that are not constant");
  Shape shape = Info(from).shape;
  if (const std::string fault = BlocksFault(shape, *blocks, *pads); !fault.empty()) return Malformed(fault);
  const size_t count = blocks->size(), rank = shape.size();
  std::vector<int64_t> frame(2 * rank, 0), order, behind;
  Shape apart = {shape[0]}, result = {shape[0]};
  for (size_t i = 0; i < count; ++i) {
    const int64_t before = (*pads)[2 * i], after = (*pads)[2 * i + 1], block = (*blocks)[i];
    frame[i + 1] = before;
    frame[rank + i + 1] = after;
    const int64_t extent = shape[i + 1] + before + after;
    if (extent % block != 0) return Malformed(fmt::format("blocks of {} in {} pixels", block, extent));
    apart.insert(apart.end(), {extent / block, block});
    order.push_back(static_cast<int64_t>(2 * i + 2));
    behind.push_back(static_cast<int64_t>(2 * i + 1));
    result[0] = std::min(result[0] * block, 2 * kMostElements);
    result.push_back(extent / block);
  }
  order.push_back(0);
  order.insert(order.end(), behind.begin(), behind.end());
  for (size_t d = count + 1; d < rank; ++d) {
    order.push_back(static_cast<int64_t>(apart.size()));
    apart.push_back(shape[d]);
    result.push_back(shape[d]);
  }
  const auto step = [&](const char* what, graph::HostOperatorPtr op, std::vector<ValueId> values) {
    return Host(name_ + what, std::move(op), std::move(values), kMovesReason, QuantizationOf(to));
  };
  const ValueId padded = step(".padded", host::Pad(host::PadMode::kConstant),
                              {Plain(from), List(".pads", frame), Nothing(to, ".value")});
  const ValueId split = step(".blocks", host::ReshapeTo(apart), {padded});
  const ValueId turned = step(".turned", host::Transpose(order), {split});
  return Moved(host::ReshapeTo(result), {turned});
}

bool Builder::BatchToSpace() {
  if (!Operands(3, 3)) return false;
  const int from = op_->inputs[0], to = op_->outputs[0];
  const auto blocks = IntegersOf(1), crops = IntegersOf(2);
  if (!blocks || !crops) return Unsupported("blocks or crops that are not constant");
  const Shape shape = Info(from).shape;
  if (const std::string fault = BlocksFault(shape, *blocks, *crops); !fault.empty()) return Malformed(fault);
  const size_t count = blocks->size(), rank = shape.size();
  int64_t images = shape[0];
  Shape apart, whole;
  std::vector<int64_t> order, starts = {0}, stops, steps(rank, 1), axes;
  for (size_t i = 0; i < count; ++i) {
    const int64_t block = (*blocks)[i];
    if (images % block != 0) return Malformed(fmt::format("{} images in blocks of {}", shape[0], block));
    images /= block;
    apart.push_back(block);
  }
  apart.push_back(images);
  order.push_back(static_cast<int64_t>(count));
  whole.push_back(images);
  stops.push_back(images);
  for (size_t i = 0; i < count; ++i) {
    order.push_back(static_cast<int64_t>(count + 1 + i));
    order.push_back(static_cast<int64_t>(i));
    apart.push_back(shape[i + 1]);
    whole.push_back(shape[i + 1] * (*blocks)[i]);
    starts.push_back((*crops)[2 * i]);
    stops.push_back(whole.back() - (*crops)[2 * i + 1]);
    if (stops.back() <= starts.back()) return Malformed("crops everything");
  }
  for (size_t d = count + 1; d < rank; ++d) {
    order.push_back(static_cast<int64_t>(apart.size()));
    apart.push_back(shape[d]);
    whole.push_back(shape[d]);
    starts.push_back(0);
    stops.push_back(shape[d]);
  }
  for (size_t d = 0; d < rank; ++d) axes.push_back(static_cast<int64_t>(d));
  const auto step = [&](const char* what, graph::HostOperatorPtr op, std::vector<ValueId> values) {
    return Host(name_ + what, std::move(op), std::move(values), kMovesReason, QuantizationOf(to));
  };
  const ValueId split = step(".blocks", host::ReshapeTo(apart), {Plain(from)});
  const ValueId turned = step(".turned", host::Transpose(order), {split});
  const ValueId joined = step(".pixels", host::ReshapeTo(whole), {turned});
  return Moved(host::Slice(), {joined, List(".starts", starts), List(".stops", stops), List(".axes", axes),
                               List(".steps", steps)});
}

}  // namespace cosim::import::tflite
