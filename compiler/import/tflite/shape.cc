// SPDX-License-Identifier: Apache-2.0
// TensorFlow Lite's operators on shapes and places: what is known while the network is compiled becomes a
// constant.
#include <fmt/format.h>

#include <algorithm>

#include "compiler/host/broadcast.h"
#include "compiler/host/elementwise.h"
#include "compiler/host/index.h"
#include "compiler/host/movement.h"
#include "compiler/host/numeric.h"
#include "compiler/import/tflite/builder.h"

namespace cosim::import::tflite {

using graph::DType;
using graph::Shape;
using graph::Tensor;
using graph::ValueId;

bool Builder::Known(const Tensor& value) {
  const DType type = Info(op_->outputs[0]).dtype;
  if (type != DType::kInt32 && type != DType::kInt64)
    return Unsupported(fmt::format("a result of {}", graph::Name(type)));
  return Finish(model_.graph.AddConstant(name_, host::ConvertTo(value, type)), false);
}

bool Builder::ShapeOf() {
  if (!Operands(1, 1)) return false;
  const Shape& shape = Info(op_->inputs[0]).shape;
  if (shape.empty()) return Unsupported("the shape of a scalar, which has no elements");
  return Known(Tensor({std::ssize(shape)}, std::vector<int64_t>(shape)));
}

bool Builder::Rank() {
  if (!Operands(1, 1)) return false;
  return Known(Tensor({}, std::vector<int64_t>{std::ssize(Info(op_->inputs[0]).shape)}));
}

bool Builder::BroadcastArgs() {
  if (!Operands(2, 2)) return false;
  const auto a = IntegersOf(0), b = IntegersOf(1);
  if (!a || !b) return Unsupported("shapes that are not constant");
  const auto shape = host::BroadcastShape(*a, *b);
  if (!shape) return Malformed(fmt::format("{} and {}", graph::ToString(*a), graph::ToString(*b)));
  return Known(Tensor({std::ssize(*shape)}, std::vector<int64_t>(*shape)));
}

bool Builder::Fill() {
  if (!Operands(2, 2)) return false;
  const auto shape = IntegersOf(0);
  if (!shape) return Unsupported("a shape that is not constant");
  return Moved(host::Expand(), {Plain(op_->inputs[1]), List(".shape", *shape)});
}

bool Builder::ZerosLike() {
  if (!Operands(1, 1)) return false;
  // Of bytes, too, it is the number 0 and not the zero point.
  const DType type = Info(op_->inputs[0]).dtype;
  const ValueId zero = type == DType::kUint8
                           ? model_.graph.AddConstant(name_ + ".zero", Tensor({}, std::vector<int8_t>{-128}))
                           : model_.graph.AddConstant(name_ + ".zero", Tensor({type, {}}));
  return Moved(host::Expand(), {zero, List(".shape", Info(op_->inputs[0]).shape)});
}

bool Builder::Range() {
  if (!Operands(3, 3)) return false;
  std::vector<ValueId> values;
  for (int tensor : op_->inputs) {
    if (!Info(tensor).data) return Unsupported("bounds that are not constant");
    if (graph::NumElements(Info(tensor).shape) != 1 || Info(tensor).dtype != Info(op_->inputs[0]).dtype)
      return Malformed("bounds that are not three numbers of one type");
    values.push_back(Plain(tensor));
  }
  return Moved(host::Range(), std::move(values));
}

// The places of what is not 0, a row for each.
bool Builder::WhereNonZero() {
  if (!Operands(1, 1)) return false;
  const auto& data = Info(op_->inputs[0]).data;
  if (!data) return Unsupported("a condition that is not constant: the shape of the result depends on it");
  const Tensor* operand = data.get();
  const Tensor places = std::move(graph::Evaluate(*host::NonZero(), {&operand, 1})[0]);
  if (places.size() == 0) return Unsupported("a result without elements");
  const ValueId columns = model_.graph.AddConstant(name_ + ".columns", places);
  return Moved(host::Transpose({1, 0}), {columns});
}

bool Builder::Gather() {
  if (!Operands(2, 2)) return false;
  const auto* options = std::get_if<AxisOptions>(&op_->options);
  const Shape &x = Info(op_->inputs[0]).shape, &places = Info(op_->inputs[1]).shape;
  const int64_t given = options ? options->axis : 0;
  const auto axis = AxisOf(given, x.size());
  if (!axis) return Malformed(fmt::format("axis {} of {}", given, graph::ToString(x)));
  const int64_t batch = options ? options->batch : 0;
  const std::vector<ValueId> values = {Plain(op_->inputs[0]), Plain(op_->inputs[1])};
  if (batch == 0) return Moved(host::Gather(static_cast<int64_t>(*axis)), values);
  if (batch != static_cast<int64_t>(*axis) || batch > std::ssize(places))
    return Unsupported(fmt::format("{} batch dimensions before axis {}", batch, *axis));
  Shape each = places;
  each.push_back(1);
  const ValueId rows = Host(name_ + ".places", host::ReshapeTo(each), {values[1]}, kMovesReason);
  return Moved(host::GatherNd(batch), {values[0], rows});
}

bool Builder::GatherNd() {
  if (!Operands(2, 2)) return false;
  return Moved(host::GatherNd(0), {Plain(op_->inputs[0]), Plain(op_->inputs[1])});
}

bool Builder::EmbeddingLookup() {
  if (!Operands(2, 2)) return false;
  const int table = op_->inputs[1], to = op_->outputs[0];
  const ValueId rows = Host(IsFloat(to) && !IsFloat(table) ? name_ + ".bytes" : name_, host::Gather(0),
                            {Plain(table), Plain(op_->inputs[0])}, kMovesReason, QuantizationOf(table));
  if (rows < 0 || IsFloat(to) == IsFloat(table)) return Finish(rows, false);
  if (!IsQuantized(table) || !IsFloat(to)) return Unsupported("rows of bytes that have not one scale");
  return Finish(model_.graph.Add(name_, graph::Dequantize{Info(table).scales[0], ZeroPoint(table)}, {rows}),
                false);
}

// float32 of a number is the number; bytes are not moved by 128.
bool Builder::Cast() {
  if (!Operands(1, 1)) return false;
  const int from = op_->inputs[0], to = op_->outputs[0];
  const DType a = Info(from).dtype, b = Info(to).dtype;
  const bool nchw = Info(from).shape.size() == 4 && IsNchw(from);
  ValueId x = nchw ? Nchw(from) : Plain(from);
  if (a == b) return Moved(host::Identity(), {x}, nchw);
  if (a == DType::kUint8) x = Host(name_ + ".uint8", host::ToUint8(), {x}, "the file's tensor is uint8");
  const std::string why = "no core operation changes a type alone";
  if (b != DType::kUint8) return Finish(Host(name_, host::Cast(b), {x}, why), nchw);
  const ValueId bytes = Host(name_ + ".bytes", host::Cast(DType::kUint8), {x}, why);
  return Finish(Host(name_, host::FromUint8(), {bytes}, "the accelerator computes int8"), nchw);
}

}  // namespace cosim::import::tflite
