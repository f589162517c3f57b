// SPDX-License-Identifier: Apache-2.0
// Shape and element type rules, one overload of Infer an operation.
#include "compiler/graph/infer.h"

#include <fmt/format.h>

#include "compiler/graph/rules.h"
#include "isa/check.h"

namespace cosim::graph {
namespace {

using Result = std::variant<TensorType, std::string>;
using Operands = std::span<const TensorType>;

template <typename... Args>
Result Fail(fmt::format_string<Args...> text, Args&&... args) {
  return fmt::format(text, std::forward<Args>(args)...);
}

/// What is wrong with a window (convolution or pooling) over `x`; empty when nothing is.
struct Window {
  std::array<int64_t, 2> kernel, stride, dilation;
  std::array<int64_t, 4> pad;

  int64_t Extent(const Shape& x, int axis) const {
    return WindowExtent(x[2 + axis], kernel[axis], stride[axis], dilation[axis], pad[axis], pad[axis + 2]);
  }
  std::string Fault(const Shape& x) const {
    for (int axis : {0, 1}) {
      if (kernel[axis] < 1 || stride[axis] < 1 || dilation[axis] < 1) {
        return "kernel, stride and dilation must be at least 1";
      }
    }
    for (int64_t p : pad) {
      if (p < 0) return "padding must not be negative";
    }
    for (int axis : {0, 1}) {
      if (Extent(x, axis) < 1) return fmt::format("the window does not fit into {}", ToString(x));
    }
    return "";
  }
};

Result Infer(const Input&, Operands) { return "an input has no operands to infer a type from"; }

Result Infer(const Constant& op, Operands) {
  if (!op.data) return "a constant needs data";
  return op.data->type();
}

/// Rules that Conv2d and Dense share: element types and the zero point. Of integers at most one is int16.
std::string MultiplyFault(const TensorType& x, const TensorType& w, int32_t zero_point) {
  const bool wide_weights = x.dtype == DType::kInt8 && w.dtype == DType::kInt16;
  if (!wide_weights && w.dtype != (x.dtype == DType::kInt16 ? DType::kInt8 : x.dtype)) {
    return fmt::format("input is {}, but weight is {}", Name(x.dtype), Name(w.dtype));
  }
  if (x.dtype != DType::kFloat32 && !IsQuantized(x.dtype)) return "operands must be float32, int8 or int16";
  return ZeroPointFault(x.dtype, {zero_point});
}

DType MultiplyResult(DType operand) { return IsQuantized(operand) ? DType::kInt32 : operand; }

Result Infer(const Conv2d& op, Operands in) {
  const Shape &x = in[0].shape, &w = in[1].shape;
  if (x.size() != 4 || w.size() != 4) {
    return Fail("input and weight must have 4 dimensions, not {} and {}", x.size(), w.size());
  }
  if (std::string fault = MultiplyFault(in[0], in[1], op.input_zero_point); !fault.empty()) return fault;
  if (op.groups < 1 || x[1] % op.groups != 0 || w[0] % op.groups != 0) {
    return Fail("{} groups do not divide {} input and {} output channels", op.groups, x[1], w[0]);
  }
  if (w[1] != x[1] / op.groups) {
    return Fail("weight has {} input channels, but a group of the input has {}", w[1], x[1] / op.groups);
  }
  const Window window{{w[2], w[3]}, op.stride, op.dilation, op.pad};
  if (std::string fault = window.Fault(x); !fault.empty()) return fault;
  return TensorType{MultiplyResult(in[0].dtype), {x[0], w[0], window.Extent(x, 0), window.Extent(x, 1)}};
}

Result Infer(const Dense& op, Operands in) {
  const Shape &x = in[0].shape, &w = in[1].shape;
  if (x.size() != 2 || w.size() != 2) {
    return Fail("input and weight must have 2 dimensions, not {} and {}", x.size(), w.size());
  }
  if (std::string fault = MultiplyFault(in[0], in[1], op.input_zero_point); !fault.empty()) return fault;
  if (x[1] != w[1]) return Fail("input has {} features, but weight has {}", x[1], w[1]);
  return TensorType{MultiplyResult(in[0].dtype), {x[0], w[0]}};
}

/// Rules for vectors with one element a channel of `x`.
std::string ChannelVectorFault(const TensorType& x, const TensorType& vector) {
  if (x.shape.size() < 2) return "input must have a channel dimension";
  if (vector.dtype != x.dtype) {
    return fmt::format("input is {}, but a channel vector is {}", Name(x.dtype), Name(vector.dtype));
  }
  if (vector.shape != Shape{x.shape[1]}) {
    return fmt::format("a channel vector has shape {}, but the input has {} channels", ToString(vector.shape),
                       x.shape[1]);
  }
  return "";
}

Result Infer(const BiasAdd&, Operands in) {
  if (in[0].dtype != DType::kFloat32 && in[0].dtype != DType::kInt32) return "input must be float32 or int32";
  if (std::string fault = ChannelVectorFault(in[0], in[1]); !fault.empty()) return fault;
  return in[0];
}

Result Infer(const BatchNorm& op, Operands in) {
  if (in[0].dtype != DType::kFloat32) return "input must be float32";
  if (!(op.epsilon >= 0)) return Fail("epsilon is {}, but must not be negative", op.epsilon);
  for (const TensorType& vector : in.subspan(1)) {
    if (std::string fault = ChannelVectorFault(in[0], vector); !fault.empty()) return fault;
  }
  return in[0];
}

Result Infer(const Relu&, Operands in) {
  if (in[0].dtype != DType::kFloat32) return "input must be float32";
  return in[0];
}

Result Infer(const Clip& op, Operands in) {
  if (!IsQuantized(in[0].dtype)) return kNotQuantized;
  if (!IsIn(in[0].dtype, op.lo) || !IsIn(in[0].dtype, op.hi) || op.lo > op.hi) {
    return Fail("limits {} and {} are no range of {}", op.lo, op.hi, Name(in[0].dtype));
  }
  return in[0];
}

Result Infer(const Add&, Operands in) {
  if (in[0].dtype != DType::kFloat32 || in[1].dtype != DType::kFloat32) return "operands must be float32";
  if (std::string fault = ShapeFault(in); !fault.empty()) return fault;
  return in[0];
}

Result Infer(const QAdd& op, Operands in) {
  if (std::string fault = PairFault(in); !fault.empty()) return fault;
  for (const QAdd::Operand& operand : {op.a, op.b}) {
    if (operand.multiplier == 0) return Fail("a multiplier is 0");
    if (!IsShift(operand.shift)) return Fail("shift {} is not in [0, 62]", operand.shift);
  }
  const auto fault = ZeroPointFault(in[0].dtype, {op.a.zero_point, op.b.zero_point, op.output_zero_point});
  if (!fault.empty()) return fault;
  return in[0];
}

Result Infer(const ScaledAdd& op, Operands in) {
  if (in[0].dtype != DType::kInt8 || in[1].dtype != DType::kInt8) return "operands must be int8";
  if (std::string fault = ShapeFault(in); !fault.empty()) return fault;
  for (const QAdd::Operand& operand : {op.a, op.b}) {
    if (std::string fault = TwiceFault(operand.multiplier, operand.shift); !fault.empty()) return fault;
  }
  if (std::string fault = TwiceFault(op.multiplier, op.shift); !fault.empty()) return fault;
  const auto fault = ZeroPointFault(DType::kInt8, {op.a.zero_point, op.b.zero_point, op.output_zero_point});
  if (!fault.empty()) return fault;
  return in[0];
}

Result Infer(const HostOp& op, Operands) { return op.type; }

Result Infer(const MaxPool& op, Operands in) {
  if (!IsValue(in[0].dtype)) return "input must be float32, int8 or int16";
  const Shape& x = in[0].shape;
  if (x.size() != 4) return Fail("input must have 4 dimensions, not {}", x.size());
  const Window window{op.kernel, op.stride, {1, 1}, op.pad};
  if (std::string fault = window.Fault(x); !fault.empty()) return fault;
  for (int side = 0; side < 4; ++side) {
    if (op.pad[side] >= op.kernel[side % 2]) return "padding must be smaller than the kernel";
  }
  return TensorType{in[0].dtype, {x[0], x[1], window.Extent(x, 0), window.Extent(x, 1)}};
}

Result InferGlobalPool(const TensorType& x, DType result) {
  if (x.shape.size() != 4) return Fail("input must have 4 dimensions, not {}", x.shape.size());
  return TensorType{result, {x.shape[0], x.shape[1], 1, 1}};
}

Result Infer(const GlobalAvgPool&, Operands in) {
  if (in[0].dtype != DType::kFloat32) return "input must be float32";
  return InferGlobalPool(in[0], DType::kFloat32);
}

Result Infer(const GlobalSumPool&, Operands in) {
  if (!IsQuantized(in[0].dtype)) return kNotQuantized;
  return InferGlobalPool(in[0], DType::kInt32);
}

/// Element types of the operations that are not the host's alone.
bool IsCore(DType dtype) { return IsValue(dtype) || dtype == DType::kInt32; }

/// AvgPool and SumPool.
template <typename Pool>
Result InferPool(const Pool& op, const TensorType& x, DType result) {
  if (x.shape.size() != 4) return Fail("input must have 4 dimensions, not {}", x.shape.size());
  const Window window{op.kernel, op.stride, {1, 1}, op.pad};
  if (std::string fault = window.Fault(x.shape); !fault.empty()) return fault;
  return TensorType{result, {x.shape[0], x.shape[1], window.Extent(x.shape, 0), window.Extent(x.shape, 1)}};
}

Result Infer(const AvgPool& op, Operands in) {
  if (in[0].dtype != DType::kFloat32) return "input must be float32";
  return InferPool(op, in[0], DType::kFloat32);
}

Result Infer(const SumPool& op, Operands in) {
  if (!IsQuantized(in[0].dtype)) return kNotQuantized;
  if (!IsIn(in[0].dtype, op.pad_value)) {
    return Fail("pad value {} is not an {}", op.pad_value, Name(in[0].dtype));
  }
  return InferPool(op, in[0], DType::kInt32);
}

Result Infer(const ConvTranspose2d& op, Operands in) {
  const Shape &x = in[0].shape, &w = in[1].shape;
  if (in[0].dtype != DType::kFloat32 || in[1].dtype != DType::kFloat32) return "operands must be float32";
  if (x.size() != 4 || w.size() != 4) {
    return Fail("input and weight must have 4 dimensions, not {} and {}", x.size(), w.size());
  }
  if (w[1] != x[1]) return Fail("weight has {} input channels, but the input has {}", w[1], x[1]);
  TensorType result{DType::kFloat32, {x[0], w[0]}};
  for (int axis : {0, 1}) {
    if (op.stride[axis] < 1 || op.pad[axis] < 0) return "stride must be at least 1, padding not negative";
    const int64_t extent =
        (x[2 + axis] - 1) * op.stride[axis] + w[2 + axis] - op.pad[axis] - op.pad[axis + 2];
    if (extent < 1) return "nothing is left of the result";
    result.shape.push_back(extent);
  }
  return result;
}

Result Infer(const DepthToSpace& op, Operands in) {
  const Shape& x = in[0].shape;
  const auto [sy, sx] = op.block;
  if (!IsCore(in[0].dtype)) return "input must be float32, int8, int16 or int32";
  if (x.size() != 4) return Fail("input must have 4 dimensions, not {}", x.size());
  if (sy < 1 || sx < 1 || x[1] % (sy * sx) != 0) return Fail("{} channels in blocks of {}", x[1], sy * sx);
  return TensorType{in[0].dtype, {x[0], x[1] / (sy * sx), x[2] * sy, x[3] * sx}};
}

Result Infer(const ResizeNearest& op, Operands in) {
  const Shape& x = in[0].shape;
  if (!IsCore(in[0].dtype)) return "input must be float32, int8, int16 or int32";
  if (x.size() != 4) return Fail("input must have 4 dimensions, not {}", x.size());
  if (op.scale[0] < 1 || op.scale[1] < 1) return "scales must be at least 1";
  return TensorType{in[0].dtype, {x[0], x[1], x[2] * op.scale[0], x[3] * op.scale[1]}};
}

Result Infer(const Concat&, Operands in) {
  if (in.empty()) return "needs an operand";
  TensorType result = in[0];
  if (result.shape.size() < 2 || !IsValue(result.dtype))
    return "operands must be float32, int8 or int16 [N,C,...]";
  for (const TensorType& operand : in.subspan(1)) {
    Shape like = operand.shape;
    if (like.size() < 2) return "operands must be float32, int8 or int16 [N,C,...]";
    like[1] = in[0].shape[1];
    if (operand.dtype != in[0].dtype || like != in[0].shape) {
      return Fail("operands are {} and {}", ToString(in[0]), ToString(operand));
    }
    result.shape[1] += operand.shape[1];
  }
  return result;
}

Result Infer(const Pad& op, Operands in) {
  const Shape& x = in[0].shape;
  if (!IsValue(in[0].dtype)) return "input must be float32, int8 or int16";
  if (x.size() != 4) return Fail("input must have 4 dimensions, not {}", x.size());
  if (in[0].dtype == DType::kFloat32 ? op.value != 0 : !IsIn(in[0].dtype, op.value)) {
    return Fail("value {} is no value of {}", op.value, Name(in[0].dtype));
  }
  for (int64_t p : op.pad) {
    if (p < 0) return "padding must not be negative";
  }
  return TensorType{in[0].dtype, {x[0], x[1], x[2] + op.pad[0] + op.pad[2], x[3] + op.pad[1] + op.pad[3]}};
}

Result Infer(const Sub&, Operands in) { return Infer(Add{}, in); }
Result Infer(const Mul&, Operands in) { return Infer(Add{}, in); }

Result Infer(const QMul& op, Operands in) {
  if (std::string fault = PairFault(in); !fault.empty()) return fault;
  const auto fault = ScalingFault(in[0].dtype, op.multiplier, op.shift,
                                  {op.a_zero_point, op.b_zero_point, op.output_zero_point});
  if (!fault.empty()) return fault;
  return in[0];
}

Result Infer(const Rescale& op, Operands in) {
  if (!IsQuantized(in[0].dtype)) return kNotQuantized;
  const auto fault =
      ScalingFault(in[0].dtype, op.multiplier, op.shift, {op.input_zero_point, op.output_zero_point});
  if (!fault.empty()) return fault;
  return in[0];
}

Result Infer(const QLeakyRelu& op, Operands in) {
  const Rescale positive{op.input_zero_point, op.positive_multiplier, op.positive_shift,
                         op.output_zero_point};
  const Rescale negative{op.input_zero_point, op.negative_multiplier, op.negative_shift,
                         op.output_zero_point};
  const Result result = Infer(positive, in);
  return std::holds_alternative<std::string>(result) ? result : Infer(negative, in);
}

Result Infer(const QHardSwish& op, Operands in) {
  if (op.three < 1 || op.three > 1 << 15) return Fail("three is {}, not from 1 to {}", op.three, 1 << 15);
  return Infer(Rescale{op.input_zero_point, op.multiplier, op.shift, op.output_zero_point}, in);
}

/// What is wrong with `groups` of the channels of `x`.
std::string GroupsFault(const TensorType& x, int64_t groups) {
  if (x.shape.size() < 2) return "input must have a channel dimension";
  if (groups < 1 || x.shape[1] % groups != 0) {
    return fmt::format("{} groups do not divide {} channels", groups, x.shape[1]);
  }
  return "";
}

Result Infer(const MatMul& op, Operands in) {
  const Shape &a = in[0].shape, &b = in[1].shape;
  if (in[0].dtype != in[1].dtype || !IsValue(in[0].dtype))
    return "operands must both be float32, int8 or int16";
  if (a.size() != 4 || b.size() != 4 || a[0] != b[0]) {
    return Fail("operands have shapes {} and {}", ToString(a), ToString(b));
  }
  for (const TensorType& operand : in) {
    if (std::string fault = GroupsFault(operand, op.groups); !fault.empty()) return fault;
  }
  const int64_t summed = a[1] / op.groups, pixels = b[2] * b[3], rows = b[1] / op.groups;
  if (summed != (op.transpose_b ? pixels : rows)) {
    return Fail("sums over {} channels of one operand and {} values of the other", summed,
                op.transpose_b ? pixels : rows);
  }
  return TensorType{MultiplyResult(in[0].dtype),
                    {a[0], op.groups * (op.transpose_b ? rows : pixels), a[2], a[3]}};
}

Result Infer(const Softmax& op, Operands in) {
  if (in[0].dtype != DType::kFloat32) return "input must be float32";
  if (std::string fault = GroupsFault(in[0], op.groups); !fault.empty()) return fault;
  return in[0];
}

Result Infer(const QSoftmax& op, Operands in) {
  if (!IsQuantized(in[0].dtype)) return kNotQuantized;
  if (std::string fault = GroupsFault(in[0], op.groups); !fault.empty()) return fault;
  const int64_t steps = StepsOf(in[0].dtype);
  if (std::ssize(op.exponentials) != steps) {
    return Fail("{} exponentials, not {}", op.exponentials.size(), steps);
  }
  for (int32_t e : op.exponentials) {
    if (e < 0 || e > (1 << 24)) return Fail("exponential {} is not in [0, 2^24]", e);
  }
  if (op.exponentials[0] == 0) return "the first exponential is 0";
  if (op.levels < 1 || op.levels > steps) return Fail("{} levels are not in [1, {}]", op.levels, steps);
  if (std::string fault = ZeroPointFault(in[0].dtype, {op.zero_point}); !fault.empty()) return fault;
  return in[0];
}

/// A layer norm of `x` with two float vectors.
Result InferLayerNorm(Operands in, float epsilon) {
  if (!(epsilon > 0)) return Fail("epsilon is {}, but must be positive", epsilon);
  const TensorType like{DType::kFloat32, in[0].shape};
  for (const TensorType& vector : in.subspan(1)) {
    if (std::string fault = ChannelVectorFault(like, vector); !fault.empty()) return fault;
  }
  return in[0];
}

Result Infer(const LayerNorm& op, Operands in) {
  if (in[0].dtype != DType::kFloat32) return "input must be float32";
  return InferLayerNorm(in, op.epsilon);
}

Result Infer(const QLayerNorm& op, Operands in) {
  if (!IsQuantized(in[0].dtype)) return kNotQuantized;
  return InferLayerNorm(in, op.epsilon);
}

Result Infer(const Gelu&, Operands in) {
  if (in[0].dtype != DType::kFloat32) return "input must be float32";
  return in[0];
}

Result Infer(const Table& op, Operands in) {
  if (!IsQuantized(in[0].dtype)) return kNotQuantized;
  const int64_t steps = StepsOf(in[0].dtype);
  if (std::ssize(op.table) != steps) return Fail("{} entries, not {}", op.table.size(), steps);
  for (int32_t entry : op.table) {
    if (!IsIn(in[0].dtype, entry)) return Fail("entry {} is not an {}", entry, Name(in[0].dtype));
  }
  return in[0];
}

Result Infer(const Requantize& op, Operands in) {
  if (in[0].dtype != DType::kInt32) return "input must be int32";
  if (in[0].shape.size() < 2) return "input must have a channel dimension";
  const size_t count = op.multiplier.size();
  if (count != op.shift.size() || (count != 1 && static_cast<int64_t>(count) != in[0].shape[1])) {
    return Fail("{} multipliers and {} shifts for {} channels", count, op.shift.size(), in[0].shape[1]);
  }
  for (size_t i = 0; op.twice && i < count; ++i) {
    if (std::string fault = TwiceFault(op.multiplier[i], op.shift[i]); !fault.empty()) return fault;
  }
  for (int32_t multiplier : op.multiplier) {
    if (!op.twice && multiplier != 1 && multiplier < (1 << 30)) {
      return Fail("multiplier {} is neither 1 nor in [2^30, 2^31)", multiplier);
    }
  }
  for (int32_t shift : op.shift) {
    if (!IsShift(shift)) return Fail("shift {} is not in [0, 62]", shift);
  }
  if (op.bits != 8 && op.bits != 16) return Fail("a result of {} bits: neither 8 nor 16", op.bits);
  const DType result = op.bits == 8 ? DType::kInt8 : DType::kInt16;
  if (std::string fault = ZeroPointFault(result, {op.zero_point}); !fault.empty()) return fault;
  return TensorType{result, in[0].shape};
}

Result Infer(const Flatten&, Operands in) {
  const Shape& x = in[0].shape;
  if (x.size() < 2) return Fail("input must have at least 2 dimensions, not {}", x.size());
  return TensorType{in[0].dtype, {x[0], NumElements(Shape(x.begin() + 1, x.end()))}};
}

std::string ScaleFault(float scale, int32_t zero_point) {
  if (!(scale > 0)) return fmt::format("scale {} is not positive", scale);
  return ZeroPointFault(DType::kInt8, {zero_point});
}

Result Infer(const Quantize& op, Operands in) {
  if (in[0].dtype != DType::kFloat32) return "input must be float32";
  if (std::string fault = ScaleFault(op.scale, op.zero_point); !fault.empty()) return fault;
  return TensorType{DType::kInt8, in[0].shape};
}

Result Infer(const Dequantize& op, Operands in) {
  if (in[0].dtype != DType::kInt8) return "input must be int8";
  if (std::string fault = ScaleFault(op.scale, op.zero_point); !fault.empty()) return fault;
  return TensorType{DType::kFloat32, in[0].shape};
}

size_t OperandCount(const Op& op) {
  return std::visit(
      Overloaded{[](const Input&) { return 0; }, [](const Constant&) { return 0; },
                 [](const Conv2d&) { return 2; }, [](const Dense&) { return 2; },
                 [](const BiasAdd&) { return 2; }, [](const BatchNorm&) { return 5; },
                 [](const Add&) { return 2; }, [](const QAdd&) { return 2; },
                 [](const ScaledAdd&) { return 2; }, [](const Sub&) { return 2; },
                 [](const Mul&) { return 2; }, [](const QMul&) { return 2; }, [](const MatMul&) { return 2; },
                 [](const ConvTranspose2d&) { return 2; }, [](const LayerNorm&) { return 3; },
                 [](const QLayerNorm&) { return 3; }, [](const auto&) { return 1; }},
      op);
}

}  // namespace

int64_t WindowExtent(int64_t extent, int64_t kernel, int64_t stride, int64_t dilation, int64_t pad_before,
                     int64_t pad_after) {
  const int64_t room = extent + pad_before + pad_after - dilation * (kernel - 1) - 1;
  return room < 0 ? 0 : room / stride + 1;
}

std::variant<TensorType, std::string> InferType(const Op& op, std::span<const TensorType> operands) {
  const bool any = std::holds_alternative<HostOp>(op) || std::holds_alternative<Concat>(op);
  if (operands.size() != OperandCount(op) && !any) {
    return Fail("takes {} operands, not {}", OperandCount(op), operands.size());
  }
  return std::visit([&](const auto& o) { return Infer(o, operands); }, op);
}

}  // namespace cosim::graph
