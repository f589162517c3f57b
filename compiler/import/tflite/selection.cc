// SPDX-License-Identifier: Apache-2.0
// TensorFlow Lite's operators that choose by value or place (TOPK_V2, ONE_HOT, SCATTER_ND, SPARSE_TO_DENSE,
// DYNAMIC_UPDATE_SLICE, REVERSE_SEQUENCE), and LOCAL_RESPONSE_NORMALIZATION.
#include <fmt/format.h>

#include <algorithm>

#include "compiler/host/elementwise.h"
#include "compiler/host/index.h"
#include "compiler/host/linear.h"
#include "compiler/host/movement.h"
#include "compiler/host/reduce.h"
#include "compiler/import/tflite/builder.h"

namespace cosim::import::tflite {

using graph::DType;
using graph::Shape;
using graph::ValueId;

namespace {

constexpr char kPlaces[] = "what it moves depends on values: the host does that";
/// Places that are written out while a file is read.
constexpr int64_t kMostListed = int64_t{1} << 22;
constexpr char kUnsignedSums[] = "its sums are of bytes without a sign";

}  // namespace

// Of equal values, those of lower places first.
bool Builder::TopK() {
  if (!Operands(2, 2)) return false;
  const auto k = IntegersOf(1);
  if (!k || k->size() != 1) return Unsupported("a count that is not constant");
  if (op_->outputs.size() != 2) return Malformed(fmt::format("has {} results", op_->outputs.size()));
  if (Info(op_->outputs[1]).dtype != DType::kInt32) return Unsupported("places that are not int32");
  const auto top = host::TopK(-1, true);
  const std::vector<ValueId> operands = {Plain(op_->inputs[0]), List(".count", *k)};
  const ValueId values = Host(name_, top, operands, kPlaces, QuantizationOf(op_->outputs[0])),
                places = Host(name_ + ".places", top, operands, kPlaces, {}, 1);
  return Finish(values, false) &&
         Finish(Host(name_ + ".1", host::Cast(DType::kInt32), {places}, kPlaces), false, 1);
}

// An index that is no place of the vector, a negative one too, gives `off` everywhere.
bool Builder::OneHot() {
  if (!Operands(4, 4)) return false;
  const auto depth = IntegersOf(1);
  if (!depth || depth->size() != 1 || (*depth)[0] < 0 || (*depth)[0] > kMostElements)
    return Unsupported("a depth that is not constant");
  if ((*depth)[0] > kMostListed)
    return Fail(codes::kTooLarge, fmt::format("a depth of more than {}", kMostListed));
  const TensorInfo& indices = Info(op_->inputs[0]);
  if (indices.dtype != DType::kInt32 && indices.dtype != DType::kInt64)
    return Unsupported(fmt::format("indices of {}", graph::Name(indices.dtype)));
  const auto* options = std::get_if<AxisOptions>(&op_->options);
  const int64_t given = options ? options->axis : -1, rank = static_cast<int64_t>(indices.shape.size());
  if (given < -1 || given > rank) return Malformed(fmt::format("axis {} of {} dimensions", given, rank + 1));
  const int64_t axis = given == -1 ? rank : given;
  Shape spread = indices.shape, along(rank - axis + 1, 1);
  spread.insert(spread.begin() + axis, 1);
  along[0] = (*depth)[0];
  graph::Tensor places({indices.dtype, along});
  graph::WithElementType(indices.dtype, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_integral_v<T>)
      for (int64_t i = 0; i < along[0]; ++i) places.mutable_data<T>()[i] = static_cast<T>(i);
  });
  const ValueId each =
                    Host(name_ + ".indices", host::ReshapeTo(spread), {Plain(op_->inputs[0])}, kMovesReason),
                here = Host(name_ + ".here", host::Compare("equal", host::Comparison::kEqual),
                            {each, model_.graph.AddConstant(name_ + ".range", std::move(places))}, kPlaces);
  return Finish(Host(name_, host::Where(), {here, Plain(op_->inputs[2]), Plain(op_->inputs[3])}, kPlaces,
                     QuantizationOf(op_->outputs[0])),
                false);
}

// Updates of one place are added; of truths one is enough.
bool Builder::ScatterNd() {
  if (!Operands(3, 3)) return false;
  const auto shape = IntegersOf(2);
  if (!shape) return Unsupported("a shape that is not constant");
  if (std::ranges::any_of(*shape, [](int64_t extent) { return extent < 0; }) ||
      graph::NumElements(*shape) > kMostElements)
    return Malformed(fmt::format("a result of {}", graph::ToString(*shape)));
  const DType type = Info(op_->inputs[1]).dtype;
  if (type == DType::kInt16 || type == DType::kFloat16)
    return Unsupported(fmt::format("{} values, which the reference does not compute", graph::Name(type)));
  const bool unsigned_bytes = type == DType::kUint8, truths = type == DType::kBool;
  const ValueId zero = model_.graph.AddConstant(name_ + ".zero", graph::Tensor({type, {}})),
                zeros = Host(name_ + ".zeros", host::Expand(), {zero, List(".shape", *shape)}, kMovesReason);
  ValueId updates = Plain(op_->inputs[1]);
  if (unsigned_bytes) updates = Host(name_ + ".uint8", host::ToUint8(), {updates}, kUnsignedSums);
  const auto quantization = QuantizationOf(op_->outputs[0]);
  const ValueId sums =
      Host(unsigned_bytes ? name_ + ".sums" : name_,
           host::ScatterNd(truths ? host::ScatterMode::kMaximum : host::ScatterMode::kAdd),
           {zeros, Plain(op_->inputs[0]), updates}, kPlaces, unsigned_bytes ? std::nullopt : quantization);
  return Finish(unsigned_bytes ? Host(name_, host::FromUint8(), {sums}, kUnsignedSums, quantization) : sums,
                false);
}

// A value for each row of indices, or one for all; a vector of indices has a place in each.
bool Builder::SparseToDense() {
  if (!Operands(4, 4)) return false;
  const auto shape = IntegersOf(1);
  if (!shape) return Unsupported("a shape that is not constant");
  if (std::ranges::any_of(*shape, [](int64_t extent) { return extent < 1 || extent > kMostElements; }) ||
      graph::NumElements(*shape) > kMostElements)
    return Malformed(fmt::format("a result of {}", graph::ToString(*shape)));
  const int places = op_->inputs[0], values = op_->inputs[2], other = op_->inputs[3];
  const Shape& given = Info(places).shape;
  if (given.size() > 2 || Info(values).shape.size() > 1 || graph::NumElements(Info(other).shape) != 1)
    return Malformed("indices, values or a default of too many dimensions");
  if (Info(values).dtype != Info(other).dtype) return Malformed("a default of another type");
  if (Info(places).dtype != DType::kInt32 && Info(places).dtype != DType::kInt64)
    return Unsupported(fmt::format("indices of {}", graph::Name(Info(places).dtype)));
  const Shape rows = {given.empty() ? 1 : given[0], given.size() == 2 ? given[1] : 1};
  const auto quantization = QuantizationOf(op_->outputs[0]);
  const ValueId nothing = Host(name_ + ".default", host::ReshapeTo({}), {Plain(other)}, kMovesReason),
                dense = Host(name_ + ".dense", host::Expand(), {nothing, List(".shape", *shape)},
                             kMovesReason, quantization),
                indices = Host(name_ + ".rows", host::ReshapeTo(rows), {Plain(places)}, kMovesReason),
                each = Host(name_ + ".values", host::Expand(), {Plain(values), List(".count", {rows[0]})},
                            kMovesReason);
  return Finish(Host(name_, host::ScatterNd(host::ScatterMode::kReplace), {dense, indices, each}, kPlaces,
                     quantization),
                false);
}

bool Builder::UpdateSlice() {
  if (!Operands(3, 3)) return false;
  const int from = op_->inputs[0];
  if (Info(from).dtype != Info(op_->inputs[1]).dtype) return Malformed("operands of different types");
  const DType starts = Info(op_->inputs[2]).dtype;
  if (starts != DType::kInt32 && starts != DType::kInt64)
    return Unsupported(fmt::format("starts of {}", graph::Name(starts)));
  return Finish(Host(name_, host::UpdateSlice(), {Plain(from), Plain(op_->inputs[1]), Plain(op_->inputs[2])},
                     kPlaces, QuantizationOf(op_->outputs[0])),
                false);
}

bool Builder::ReverseSequence() {
  if (!Operands(2, 2)) return false;
  const auto* options = std::get_if<AxisOptions>(&op_->options);
  const Shape& shape = Info(op_->inputs[0]).shape;
  const auto rank = static_cast<int64_t>(shape.size());
  const int64_t time = options ? options->axis : 0, batch = options ? options->batch : 0;
  if (time < 0 || batch < 0 || time >= rank || batch >= rank || time == batch)
    return Malformed(fmt::format("steps along axis {}, sequences along axis {} of {}", time, batch,
                                 graph::ToString(shape)));
  std::vector<int64_t> order = {batch, time}, back(rank);
  for (int64_t d = 0; d < rank; ++d)
    if (d != batch && d != time) order.push_back(d);
  for (int64_t d = 0; d < rank; ++d) back[order[d]] = d;
  const auto quantization = QuantizationOf(op_->inputs[0]);
  const ValueId x = Host(name_ + ".sequences", host::Transpose(order), {Plain(op_->inputs[0])}, kMovesReason,
                         quantization),
                y = Host(name_ + ".reversed", host::ReverseSequence(0, 1), {x, Plain(op_->inputs[1])},
                         kPlaces, quantization);
  return Finish(Host(name_, host::Transpose(back), {y}, kMovesReason, QuantizationOf(op_->outputs[0])),
                false);
}

// x / (bias + alpha * the sum of squares of 2 * radius + 1 channels) ^ beta.
bool Builder::LocalResponse() {
  if (!Operands(1, 1)) return false;
  const auto* options = std::get_if<LocalResponseOptions>(&op_->options);
  if (!options) return Malformed("has no options");
  const int from = op_->inputs[0];
  if (!IsFloat(from) || Info(from).shape.size() != 4)
    return Unsupported("anything but float32 of 4 dimensions");
  if (options->radius < 0 || options->radius > kMostElements)
    return Malformed(fmt::format("a radius of {}", options->radius));
  const int64_t size = 2 * options->radius + 1;
  const auto op = host::LocalResponseNormalization(size, options->alpha * static_cast<float>(size),
                                                   options->beta, options->bias);
  return Finish(Host(name_, op, {Nchw(from)}, "float32"), true);
}

}  // namespace cosim::import::tflite
