// SPDX-License-Identifier: Apache-2.0
// CONV_3D and CONV_3D_TRANSPOSE, float32 as TensorFlow Lite has them: convolutions over three dimensions, on
// the host.
#include <fmt/format.h>

#include <algorithm>

#include "compiler/host/movement.h"
#include "compiler/host/spatial.h"
#include "compiler/import/tflite/builder.h"

namespace cosim::import::tflite {

using graph::Shape;
using graph::ValueId;

namespace {

constexpr int64_t kMostSpread = 256;  // of what is transposed

}  // namespace

// x is [N,D,H,W,I], the weights are [KD,KH,KW,I,O].
bool Builder::Conv3d() {
  if (!Operands(2, 3)) return false;
  const auto* options = std::get_if<VolumeOptions>(&op_->options);
  if (!options) return Malformed("has no options");
  for (int tensor : op_->inputs)
    if (tensor >= 0 && !IsFloat(tensor)) return Unsupported("operands that are not float32");
  const Shape &x = Info(op_->inputs[0]).shape, &w = Info(op_->inputs[1]).shape;
  if (x.size() != 5 || w.size() != 5) return Malformed("input and weights must have 5 dimensions");
  if (x[4] % w[3] != 0) return Malformed("weights do not fit the input's channels");
  host::Spatial spatial;
  for (size_t d = 0; d < 3; ++d) {
    const int64_t stride = options->stride[d], dilation = options->dilation[d], extent = x[d + 1];
    if (stride < 1 || dilation < 1 || stride > kMostElements || dilation > kMostElements)
      return Malformed(fmt::format("stride {}, dilation {}", stride, dilation));
    spatial.strides.push_back(stride);
    spatial.dilations.push_back(dilation);
    const int64_t out = (extent + stride - 1) / stride,
                  total = std::max<int64_t>((out - 1) * stride + dilation * (w[d] - 1) + 1 - extent, 0);
    spatial.pads.push_back(options->same_padding ? total / 2 : 0);
  }
  for (size_t d = 0; d < 3; ++d) {
    const int64_t stride = spatial.strides[d], out = (x[d + 1] + stride - 1) / stride,
                  total = std::max<int64_t>(
                      (out - 1) * stride + spatial.dilations[d] * (w[d] - 1) + 1 - x[d + 1], 0);
    spatial.pads.push_back(options->same_padding ? total - total / 2 : 0);
  }
  constexpr char kMoves[] = "the file has channels last, the operator takes them second";
  std::vector<ValueId> operands = {
      Host(name_ + ".ncdhw", host::Transpose({0, 4, 1, 2, 3}), {Plain(op_->inputs[0])}, kMoves),
      Host(name_ + ".weights", host::Transpose({4, 3, 0, 1, 2}), {Plain(op_->inputs[1])}, kMoves)};
  if (HasOperand(2)) operands.push_back(Plain(op_->inputs[2]));
  ValueId y = Host(name_, host::Conv(spatial, x[4] / w[3]), operands, "float32 in three dimensions");
  if (y >= 0) y = Activate(y, options->activation, name_ + ".activation");
  if (y < 0) return false;
  return Finish(Host(name_ + ".ndhwc", host::Transpose({0, 2, 3, 4, 1}), {y}, kMoves), false);
}

// The operands are the shape of the result, weights [KD,KH,KW,O,I], x [N,D,H,W,I] and a bias. Where windows
// begin follows from the convolution that the result would be the input of.
bool Builder::Conv3dTransposed() {
  if (!Operands(3, 4)) return false;
  const auto* options = std::get_if<VolumeOptions>(&op_->options);
  if (!options) return Malformed("has no options");
  for (size_t i = 1; i < op_->inputs.size(); ++i)
    if (HasOperand(i) && !IsFloat(op_->inputs[i])) return Unsupported("operands that are not float32");
  const Shape &w = Info(op_->inputs[1]).shape, &x = Info(op_->inputs[2]).shape;
  const auto result = IntegersOf(0);
  if (!result) return Unsupported("a shape that is not constant");
  if (x.size() != 5 || w.size() != 5 || result->size() != 5)
    return Malformed("input, weights and result must have 5 dimensions");
  const Shape y(result->begin(), result->end());
  if (w[4] != x[4] || w[3] != y[4] || x[0] != y[0])
    return Malformed(fmt::format("weights {} do not fit input {} and output {}", graph::ToString(w),
                                 graph::ToString(x), graph::ToString(y)));
  host::Spatial spatial;
  host::Transposed transposed;
  std::vector<int64_t> ends;
  for (size_t d = 0; d < 3; ++d) {
    const int64_t stride = options->stride[d], dilation = options->dilation[d], extent = y[d + 1];
    if (stride < 1 || dilation < 1 || stride > kMostSpread || dilation > kMostSpread || extent < 1 ||
        extent > kMostElements)
      return Malformed(fmt::format("stride {}, dilation {}, extent {}", stride, dilation, extent));
    const int64_t kernel = dilation * (w[d] - 1) + 1, spread = (x[d + 1] - 1) * stride + kernel;
    const int64_t from =
        options->same_padding ? (extent + stride - 1) / stride : (extent + stride - kernel) / stride;
    const int64_t begin = std::max<int64_t>((from - 1) * stride + kernel - extent, 0) / 2,
                  end = spread - begin - extent;
    if (from != x[d + 1])
      return Unsupported(fmt::format("{} elements to {}, which no convolution takes back", x[d + 1], extent));
    spatial.strides.push_back(stride);
    spatial.dilations.push_back(dilation);
    spatial.pads.push_back(begin);
    ends.push_back(std::max<int64_t>(end, 0));
    transposed.output_padding.push_back(std::max<int64_t>(-end, 0));
  }
  spatial.pads.insert(spatial.pads.end(), ends.begin(), ends.end());
  constexpr char kMoves[] = "the file has channels last, the operator takes them second";
  std::vector<ValueId> operands = {
      Host(name_ + ".ncdhw", host::Transpose({0, 4, 1, 2, 3}), {Plain(op_->inputs[2])}, kMoves),
      Host(name_ + ".weights", host::Transpose({4, 3, 0, 1, 2}), {Plain(op_->inputs[1])}, kMoves)};
  if (HasOperand(3)) operands.push_back(Plain(op_->inputs[3]));
  ValueId value =
      Host(name_, host::ConvTranspose(spatial, transposed, 1), operands, "float32 in three dimensions");
  if (value >= 0) value = Activate(value, options->activation, name_ + ".activation");
  if (value < 0) return false;
  return Finish(Host(name_ + ".ndhwc", host::Transpose({0, 2, 3, 4, 1}), {value}, kMoves), false);
}

}  // namespace cosim::import::tflite
