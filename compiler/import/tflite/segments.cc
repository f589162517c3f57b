// SPDX-License-Identifier: Apache-2.0
// TensorFlow Lite's operators on rows that belong together (SEGMENT_SUM, UNSORTED_SEGMENT_*), and on the bits
// of integers (BITWISE_XOR, RIGHT_SHIFT).
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "compiler/host/bitwise.h"
#include "compiler/host/elementwise.h"
#include "compiler/host/index.h"
#include "compiler/host/movement.h"
#include "compiler/host/tflite.h"
#include "compiler/import/tflite/builder.h"

namespace cosim::import::tflite {

using graph::DType;
using graph::Shape;
using graph::Tensor;
using graph::ValueId;

namespace {

constexpr char kBySegment[] = "what it moves depends on values: the host does that";
constexpr char kOnBits[] = "no core operation works on bits";

}  // namespace

// Rows of no segment, those below 0, go into one behind the last, which is cut off.
ValueId Builder::Segmented(host::ScatterMode mode, double initial, int64_t segments) {
  const int data = op_->inputs[0], ids = op_->inputs[1];
  const DType type = Info(data).dtype;
  Shape shape = Info(data).shape, rows = Info(ids).shape;
  shape[0] = segments + 1;
  rows.push_back(1);
  Tensor first({type, {}});
  type == DType::kFloat32 ? void(first.mutable_data<float>()[0] = static_cast<float>(initial))
                          : void(first.mutable_data<int32_t>()[0] = static_cast<int32_t>(initial));
  const ValueId none = model_.graph.AddConstant(name_ + ".none", Tensor({}, std::vector<int32_t>{0})),
                behind = model_.graph.AddConstant(
                    name_ + ".behind", Tensor({}, std::vector<int32_t>{static_cast<int32_t>(segments)})),
                start = model_.graph.AddConstant(name_ + ".initial", std::move(first));
  const ValueId all = Host(name_ + ".start", host::Expand(), {start, List(".shape", shape)}, kMovesReason),
                below = Host(name_ + ".below", host::Compare("less", host::Comparison::kLess),
                             {Plain(ids), none}, kBySegment),
                places = Host(name_ + ".places", host::Where(), {below, behind, Plain(ids)}, kBySegment),
                each = Host(name_ + ".rows", host::ReshapeTo(rows), {places}, kMovesReason),
                sums = Host(name_ + ".all", host::ScatterNd(mode), {all, each, Plain(data)}, kBySegment);
  return Host(name_, host::Slice(), {sums, List(".from", {0}), List(".to", {segments}), List(".axes", {0})},
              kMovesReason);
}

bool Builder::HasSegments() {
  const TensorInfo &data = Info(op_->inputs[0]), &ids = Info(op_->inputs[1]);
  if ((data.dtype != DType::kFloat32 && data.dtype != DType::kInt32) || ids.dtype != DType::kInt32)
    return Unsupported("anything but float32 or int32 by segments of int32");
  if (data.shape.empty() || ids.shape != Shape{data.shape[0]})
    return Malformed("it does not have a segment for each row");
  return true;
}

// Segments follow each other, each at most one more than that of the row before.
bool Builder::SegmentSum() {
  if (!Operands(2, 2) || !HasSegments()) return false;
  const auto list = IntegersOf(1);
  if (!list) return Unsupported("segments that are not constant");
  int64_t last = -1;
  for (int64_t id : *list) {
    if (id != last && id != last + 1) return Malformed(fmt::format("segment {} behind {}", id, last));
    if (last < 0 && id != 0) return Malformed(fmt::format("segment {} first", id));
    last = id;
  }
  if (last < 0) return Unsupported("rows of no segment");
  return Finish(Segmented(host::ScatterMode::kAdd, 0, last + 1), false);
}

bool Builder::UnsortedSegment() {
  if (!Operands(3, 3) || !HasSegments()) return false;
  const TensorInfo& data = Info(op_->inputs[0]);
  const auto count = IntegersOf(2);
  if (!count || count->size() != 1) return Unsupported("a count of segments that is not constant");
  const int64_t segments = (*count)[0],
                row = graph::NumElements(data.shape) / std::max<int64_t>(data.shape[0], 1);
  if (segments < 1 || segments >= kMostElements || (segments + 1) * row > kMostElements)
    return Malformed(fmt::format("{} segments of rows of {}", segments, row));
  if (const auto list = IntegersOf(1))
    if (std::ranges::any_of(*list, [&](int64_t id) { return id >= segments; }))
      return Malformed(fmt::format("a segment beyond the {} that there are", segments));
  const bool is_float = data.dtype == DType::kFloat32;
  const double most = is_float ? static_cast<double>(std::numeric_limits<float>::max())
                               : static_cast<double>(std::numeric_limits<int32_t>::max()),
               least = is_float ? -most : static_cast<double>(std::numeric_limits<int32_t>::min());
  const std::string& op = op_->name;
  if (op == "UNSORTED_SEGMENT_MAX")
    return Finish(Segmented(host::ScatterMode::kMaximum, least, segments), false);
  if (op == "UNSORTED_SEGMENT_MIN")
    return Finish(Segmented(host::ScatterMode::kMinimum, most, segments), false);
  if (op == "UNSORTED_SEGMENT_PROD")
    return Finish(Segmented(host::ScatterMode::kMultiply, 1, segments), false);
  return Finish(Segmented(host::ScatterMode::kAdd, 0, segments), false);
}

// uint8 stands as int8 less 128 in the graph: its bits are those of the file for this.
bool Builder::BitsOfPairs(const graph::HostOperatorPtr& op) {
  if (!Operands(2, 2)) return false;
  const DType type = Info(op_->inputs[0]).dtype;
  if (type != DType::kInt8 && type != DType::kUint8 && type != DType::kInt16 && type != DType::kInt32)
    return Unsupported(fmt::format("{} values", graph::Name(type)));
  if (Info(op_->inputs[1]).dtype != type) return Malformed("operands of different types");
  Aligned operands = AlignedOperands();
  const bool is_unsigned = type == DType::kUint8;
  for (size_t i = 0; i < operands.values.size() && is_unsigned; ++i)
    operands.values[i] =
        Host(fmt::format("{}.uint8{}", name_, i), host::ToUint8(), {operands.values[i]}, kOnBits);
  const auto quantization = QuantizationOf(op_->outputs[0]);
  const ValueId bits = Host(is_unsigned ? name_ + ".bits" : name_, op, operands.values, kOnBits,
                            is_unsigned ? std::nullopt : quantization);
  return Finish(is_unsigned ? Host(name_, host::FromUint8(), {bits}, kOnBits, quantization) : bits,
                operands.nchw);
}

bool Builder::BitwiseXor() { return BitsOfPairs(host::CombineBits("bitwise_xor", host::Bitwise::kXor)); }

bool Builder::RightShift() { return BitsOfPairs(host::ShiftBitsRight()); }

}  // namespace cosim::import::tflite
