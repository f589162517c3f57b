// SPDX-License-Identifier: Apache-2.0
// TensorFlow Lite's operators that few files have: diagonals, places among bounds, different elements of a
// constant, bits as another type, and what training left (FAKE_QUANT, DENSIFY).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "compiler/host/elementwise.h"
#include "compiler/host/movement.h"
#include "compiler/host/numeric.h"
#include "compiler/host/reduce.h"
#include "compiler/host/reinterpret.h"
#include "compiler/host/selection.h"
#include "compiler/host/tflite_functions.h"
#include "compiler/import/tflite/builder.h"

namespace cosim::import::tflite {

using graph::DType;
using graph::Shape;
using graph::Tensor;
using graph::ValueId;

namespace {

constexpr char kMatrices[] = "no core operation knows matrices";
constexpr char kBounds[] = "the accelerator compares no places";
/// Of a mask that is written out.
constexpr int64_t kMostMasked = int64_t{1} << 22;

}  // namespace

// A vector, or the diagonal of matrices, stands where row and column are the same; else 0, of bytes too the
// number, or what the matrices have.
bool Builder::MatrixDiagonal() {
  const bool set = op_->name == "MATRIX_SET_DIAG";
  if (!Operands(set ? 2 : 1, set ? 2 : 1)) return false;
  const int from = op_->inputs[0], diagonal = op_->inputs[set ? 1 : 0];
  const DType type = Info(from).dtype;
  if (Info(diagonal).dtype != type) return Malformed("operands of different types");
  Shape shape = Info(from).shape;
  if (!set && !shape.empty()) shape.push_back(shape.back());
  const size_t rank = shape.size();
  if (rank < 2) return Malformed(fmt::format("an operand of {}", graph::ToString(Info(from).shape)));
  const int64_t rows = shape[rank - 2], columns = shape[rank - 1], length = std::min(rows, columns);
  Shape given(shape.begin(), shape.end() - 2);
  given.push_back(length);
  if (Info(diagonal).shape != given)
    return Malformed(
        fmt::format("a diagonal of {} in {}", graph::ToString(Info(diagonal).shape), graph::ToString(shape)));
  if (rows > kMostMasked / std::max<int64_t>(columns, 1))
    return Fail(codes::kTooLarge, fmt::format("matrices of more than {} elements", kMostMasked));
  Tensor mask({DType::kBool, {rows, columns}});
  for (int64_t i = 0; i < length; ++i) mask.mutable_bytes()[static_cast<size_t>(i * columns + i)] = 1;
  given.insert(given.end() - (columns > rows ? 0 : 1), 1);  // one number a row, or a column
  const ValueId here = model_.graph.AddConstant(name_ + ".here", std::move(mask)),
                each = Host(name_ + ".diagonal", host::ReshapeTo(given), {Plain(diagonal)}, kMovesReason),
                rest = set ? Plain(from)
                       : type == DType::kUint8
                           ? model_.graph.AddConstant(name_ + ".zero", Tensor({}, std::vector<int8_t>{-128}))
                           : model_.graph.AddConstant(name_ + ".zero", Tensor({type, {}}));
  return Finish(Host(name_, host::Where(), {here, each, rest}, kMatrices, QuantizationOf(op_->outputs[0])),
                false);
}

// How many bounds are not above each element, which for no number are all.
bool Builder::Bucketize() {
  if (!Operands(1, 1)) return false;
  const auto* options = std::get_if<BucketOptions>(&op_->options);
  if (!options) return Malformed("has no options");
  const TensorInfo& x = Info(op_->inputs[0]);
  if (x.dtype != DType::kFloat32 && x.dtype != DType::kInt32 && x.dtype != DType::kInt64)
    return Unsupported(fmt::format("{} values", graph::Name(x.dtype)));
  if (!std::ranges::is_sorted(options->bounds)) return Malformed("its bounds do not ascend");
  const auto count = static_cast<int64_t>(options->bounds.size());
  if (count == 0 || count > kMostMasked) return Unsupported(fmt::format("{} bounds", count));
  Shape each = x.shape;
  each.push_back(1);
  ValueId value = Plain(op_->inputs[0]);
  if (x.dtype != DType::kFloat32)
    value = Host(name_ + ".real", host::Cast(DType::kFloat32), {value}, kBounds);
  const ValueId bounds = model_.graph.AddConstant(name_ + ".bounds",
                                                  Tensor({count}, std::vector(options->bounds))),
                row = Host(name_ + ".each", host::ReshapeTo(each), {value}, kMovesReason),
                below = Host(name_ + ".below", host::Compare("less", host::Comparison::kLess), {row, bounds},
                             kBounds),
                reached = Host(name_ + ".reached", host::Not(), {below}, kBounds),
                ones = Host(name_ + ".ones", host::Cast(DType::kInt32), {reached}, kBounds);
  return Finish(Host(name_, host::Reduce("sum", host::Reduction::kSum, {-1}, false, true), {ones}, kBounds),
                false);
}

// Of a constant alone, since what it gives has as many elements as differ.
bool Builder::Unique() {
  if (!Operands(1, 1)) return false;
  if (op_->outputs.size() != 2) return Malformed(fmt::format("has {} results, not 2", op_->outputs.size()));
  const graph::TensorPtr data = ConstantOf(op_->inputs[0]);
  if (!data) return Unsupported("elements that are not constant: the shape of the result depends on them");
  if (data->shape().size() != 1) return Malformed("an operand that is no vector");
  const DType places = Info(op_->outputs[1]).dtype;
  if (places != DType::kInt32 && places != DType::kInt64)
    return Unsupported(fmt::format("places of {}", graph::Name(places)));
  const Tensor operand = host::ConvertTo(*data, data->dtype());
  const Tensor* operands[] = {&operand};
  auto results = graph::Evaluate(*host::Unique(std::nullopt, false), operands);
  Tensor& values = results[0];
  if (values.dtype() == DType::kUint8) {  // as int8, less by 128
    Tensor bytes({DType::kInt8, values.shape()});
    std::ranges::transform(values.data<uint8_t>(), bytes.mutable_data<int8_t>().begin(),
                           [](uint8_t v) { return static_cast<int8_t>(v - 128); });
    values = std::move(bytes);
  }
  return Finish(model_.graph.AddConstant(name_, std::move(values), QuantizationOf(op_->outputs[0])), false) &&
         Finish(model_.graph.AddConstant(name_ + ".places", host::ConvertTo(results[2], places)), false, 1);
}

// uint8 stands as int8 less 128 in the graph: its bits are those of the file for this.
bool Builder::Bitcast() {
  if (!Operands(1, 1)) return false;
  const DType from = Info(op_->inputs[0]).dtype, to = Info(op_->outputs[0]).dtype;
  if (from == DType::kBool || to == DType::kBool) return Unsupported("bool, which has no bits");
  constexpr char kBits[] = "no core operation works on bits";
  ValueId x = Plain(op_->inputs[0]);
  if (from == DType::kUint8) x = Host(name_ + ".uint8", host::ToUint8(), {x}, kBits);
  const auto quantization = QuantizationOf(op_->outputs[0]);
  if (to != DType::kUint8) return Finish(Host(name_, host::Bitcast(to), {x}, kBits, quantization), false);
  const ValueId bytes = Host(name_ + ".bits", host::Bitcast(to), {x}, kBits);
  return Finish(Host(name_, host::FromUint8(), {bytes}, kBits, quantization), false);
}

bool Builder::FakeQuant() {
  if (!Operands(1, 1)) return false;
  const auto* options = std::get_if<FakeQuantOptions>(&op_->options);
  if (!options) return Malformed("has no options");
  const int from = op_->inputs[0];
  if (!IsFloat(from)) return Unsupported("anything but float32");
  const bool range = options->min <= 0 && options->max >= 0 && options->min < options->max;
  if (!range || !std::isfinite(options->max - options->min) || options->bits < 2 || options->bits > 16)
    return Malformed(fmt::format("{} bits from {} to {}", options->bits, options->min, options->max));
  const bool nchw = Info(from).shape.size() == 4 && IsNchw(from);
  const auto op =
      host::FakeQuantize({options->min, options->max, static_cast<int>(options->bits), options->narrow});
  return Finish(Host(name_, op, {nchw ? Nchw(from) : Plain(from)}, "float32"), nchw);
}

// What is stored sparsely has been filled in while the file was read.
bool Builder::Densify() {
  if (!Operands(1, 1)) return false;
  if (!Info(op_->inputs[0]).data) return Unsupported("an operand that is no constant");
  return Moved(host::Identity(), {Plain(op_->inputs[0])});
}

}  // namespace cosim::import::tflite
