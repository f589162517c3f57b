// SPDX-License-Identifier: Apache-2.0
// CONV_3D, float32 as TensorFlow Lite has it: a convolution over three dimensions, on the host.
#include <fmt/format.h>

#include <algorithm>

#include "compiler/host/movement.h"
#include "compiler/host/spatial.h"
#include "compiler/import/tflite/builder.h"

namespace cosim::import::tflite {

using graph::Shape;
using graph::ValueId;

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

}  // namespace cosim::import::tflite
