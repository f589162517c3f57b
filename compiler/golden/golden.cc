// SPDX-License-Identifier: Apache-2.0
// One overload of Compute an operation, each a transcription of its definition in ops.h.
#include "compiler/golden/golden.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "compiler/golden/attention.h"
#include "compiler/golden/clamp.h"
#include "compiler/golden/convolution.h"
#include "compiler/graph/float_executor.h"
#include "compiler/graph/quantized.h"
#include "compiler/graph/rearrange.h"
#include "isa/check.h"

namespace cosim::golden {
namespace {

using graph::DType;
using graph::Tensor;
using Operands = std::vector<graph::TensorPtr>;

int64_t RoundShift(int64_t x, int32_t shift) {
  COSIM_CHECK(shift >= 0 && shift < 63, "a shift by {} bits", shift);
  return shift == 0 ? x : (x + (int64_t{1} << (shift - 1))) >> shift;
}

int64_t Sat32(int64_t x) {
  return std::clamp<int64_t>(x, std::numeric_limits<int32_t>::min(), std::numeric_limits<int32_t>::max());
}

int32_t WrappingAdd(int32_t a, int32_t b) {
  return static_cast<int32_t>(static_cast<uint32_t>(a) + static_cast<uint32_t>(b));
}

void Compute(const graph::Conv2d& op, const Operands& in, Tensor& out) { Convolve(op, *in[0], *in[1], out); }

void Compute(const graph::Dense& op, const Operands& in, Tensor& out) { Multiply(op, *in[0], *in[1], out); }

/// Calls f(channel, index) for every element; dimension 1 is the channel.
template <typename F>
void ForEachElement(const graph::Shape& shape, F f) {
  const int64_t channels = shape[1], planes = shape[0] * channels;
  const int64_t plane = graph::NumElements(shape) / planes;
  for (int64_t p = 0; p < planes; ++p) {
    for (int64_t i = 0; i < plane; ++i) f(p % channels, p * plane + i);
  }
}

void Compute(const graph::BiasAdd&, const Operands& in, Tensor& out) {
  const auto x = in[0]->data<int32_t>(), bias = in[1]->data<int32_t>();
  const auto y = out.mutable_data<int32_t>();
  ForEachElement(out.shape(), [&](int64_t c, int64_t i) { y[i] = WrappingAdd(x[i], bias[c]); });
}

/// out[i] = Clamp(element(x[i])), x and out of one quantized type.
template <typename Element>
void Map(const Tensor& x, Tensor& out, Element element) {
  graph::WithQuantized(out.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const auto from = x.data<T>();
    const auto to = out.mutable_data<T>();
    for (size_t i = 0; i < from.size(); ++i) to[i] = Clamp<T>(element(int32_t{from[i]}));
  });
}

/// The same of two tensors.
template <typename Element>
void Map(const Tensor& a, const Tensor& b, Tensor& out, Element element) {
  graph::WithQuantized(out.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const auto x = a.data<T>(), y = b.data<T>();
    const auto to = out.mutable_data<T>();
    for (size_t i = 0; i < x.size(); ++i) to[i] = Clamp<T>(element(int32_t{x[i]}, int32_t{y[i]}));
  });
}

void Compute(const graph::Clip& op, const Operands& in, Tensor& out) {
  Map(*in[0], out, [&](int32_t x) { return std::min(std::max(x, op.lo), op.hi); });
}

int32_t QAddTerm(const graph::QAdd::Operand& operand, int32_t value) {
  const int64_t product = int64_t{value - operand.zero_point} * operand.multiplier;
  return static_cast<int32_t>(RoundShift(product, operand.shift));
}

void Compute(const graph::QAdd& op, const Operands& in, Tensor& out) {
  Map(*in[0], *in[1], out, [&](int32_t a, int32_t b) {
    return WrappingAdd(WrappingAdd(QAddTerm(op.a, a), QAddTerm(op.b, b)), op.output_zero_point);
  });
}

int64_t AwayShift(int64_t x, int32_t shift) { return RoundShift(x - (x < 0 && shift > 0 ? 1 : 0), shift); }

int64_t Twice(int64_t x, int32_t multiplier, int32_t shift) {
  return AwayShift(RoundShift(x * multiplier, 31), shift);
}

int64_t ScaledAddTerm(const graph::QAdd::Operand& operand, int32_t value) {
  return Twice(int64_t{value - operand.zero_point} << graph::ScaledAdd::kLeftShift, operand.multiplier,
               operand.shift);
}

void Compute(const graph::ScaledAdd& op, const Operands& in, Tensor& out) {
  Map(*in[0], *in[1], out, [&](int32_t a, int32_t b) {
    const int64_t sum = ScaledAddTerm(op.a, a) + ScaledAddTerm(op.b, b);
    return Twice(sum, op.multiplier, op.shift) + op.output_zero_point;
  });
}

template <typename T>
void TakeLargest(const graph::MaxPool& op, const Tensor& x, Tensor& out) {
  const graph::Shape &xs = x.shape(), &ys = out.shape();
  const T* plane = x.data<T>().data();
  T* y = out.mutable_data<T>().data();
  for (int64_t p = 0; p < xs[0] * xs[1]; ++p, plane += xs[2] * xs[3]) {
    for (int64_t oy = 0; oy < ys[2]; ++oy) {
      for (int64_t ox = 0; ox < ys[3]; ++ox) {
        T best = std::numeric_limits<T>::min();
        for (int64_t ky = 0; ky < op.kernel[0]; ++ky) {
          for (int64_t kx = 0; kx < op.kernel[1]; ++kx) {
            const int64_t iy = oy * op.stride[0] - op.pad[0] + ky, ix = ox * op.stride[1] - op.pad[1] + kx;
            if (iy >= 0 && iy < xs[2] && ix >= 0 && ix < xs[3]) best = std::max(best, plane[iy * xs[3] + ix]);
          }
        }
        *y++ = best;
      }
    }
  }
}

void Compute(const graph::MaxPool& op, const Operands& in, Tensor& out) {
  graph::WithQuantized(out.dtype(), [&](auto zero) { TakeLargest<decltype(zero)>(op, *in[0], out); });
}

void Compute(const graph::GlobalSumPool&, const Operands& in, Tensor& out) {
  graph::WithQuantized(in[0]->dtype(), [&](auto zero) {
    const auto x = in[0]->data<decltype(zero)>();
    const auto y = out.mutable_data<int32_t>();
    const size_t plane = x.size() / y.size();
    for (size_t i = 0; i < x.size(); ++i) y[i / plane] = WrappingAdd(y[i / plane], x[i]);
  });
}

void Compute(const graph::Requantize& op, const Operands& in, Tensor& out) {
  const auto x = in[0]->data<int32_t>();
  const bool per_channel = op.multiplier.size() > 1;
  graph::WithQuantized(out.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const auto y = out.mutable_data<T>();
    ForEachElement(out.shape(), [&](int64_t c, int64_t i) {
      const int64_t k = per_channel ? c : 0;
      const int64_t scaled = op.twice ? Twice(x[i], op.multiplier[k], op.shift[k])
                                      : Sat32(RoundShift(int64_t{x[i]} * op.multiplier[k], op.shift[k]));
      y[i] = Clamp<T>(scaled + op.zero_point);
    });
  });
}

template <typename T>
void AddUp(const graph::SumPool& op, const Tensor& x, Tensor& out) {
  const graph::Shape &xs = x.shape(), &ys = out.shape();
  const T* plane = x.data<T>().data();
  int32_t* y = out.mutable_data<int32_t>().data();
  for (int64_t p = 0; p < xs[0] * xs[1]; ++p, plane += xs[2] * xs[3]) {
    for (int64_t oy = 0; oy < ys[2]; ++oy) {
      for (int64_t ox = 0; ox < ys[3]; ++ox, ++y) {
        for (int64_t ky = 0; ky < op.kernel[0]; ++ky) {
          for (int64_t kx = 0; kx < op.kernel[1]; ++kx) {
            const int64_t iy = oy * op.stride[0] - op.pad[0] + ky, ix = ox * op.stride[1] - op.pad[1] + kx;
            const bool inside = iy >= 0 && iy < xs[2] && ix >= 0 && ix < xs[3];
            *y = WrappingAdd(*y, inside ? plane[iy * xs[3] + ix] : op.pad_value);
          }
        }
      }
    }
  }
}

void Compute(const graph::SumPool& op, const Operands& in, Tensor& out) {
  graph::WithQuantized(in[0]->dtype(), [&](auto zero) { AddUp<decltype(zero)>(op, *in[0], out); });
}

void Compute(const graph::QMul& op, const Operands& in, Tensor& out) {
  Map(*in[0], *in[1], out, [&](int32_t a, int32_t b) {
    const int64_t product = int64_t{a - op.a_zero_point} * (b - op.b_zero_point);
    return Sat32(RoundShift(product * op.multiplier, op.shift)) + op.output_zero_point;
  });
}

void Compute(const graph::Rescale& op, const Operands& in, Tensor& out) {
  const graph::QAdd::Operand operand{op.input_zero_point, op.multiplier, op.shift};
  Map(*in[0], out, [&](int32_t x) { return WrappingAdd(QAddTerm(operand, x), op.output_zero_point); });
}

void Compute(const graph::QLeakyRelu& op, const Operands& in, Tensor& out) {
  Map(*in[0], out, [&](int32_t x) {
    const bool negative = x < op.input_zero_point;
    const graph::QAdd::Operand operand{op.input_zero_point,
                                       negative ? op.negative_multiplier : op.positive_multiplier,
                                       negative ? op.negative_shift : op.positive_shift};
    return WrappingAdd(QAddTerm(operand, x), op.output_zero_point);
  });
}

void Compute(const graph::QHardSwish& op, const Operands& in, Tensor& out) {
  Map(*in[0], out, [&](int32_t x) {
    const int64_t v = int64_t{x} - op.input_zero_point;
    const int64_t gate = v <= -op.three ? 0 : v >= op.three ? 2 * int64_t{op.three} : v + op.three;
    const int64_t scaled = RoundShift(v * gate * op.multiplier, op.shift);
    return WrappingAdd(static_cast<int32_t>(static_cast<uint64_t>(scaled)), op.output_zero_point);
  });
}

void Compute(const graph::Table& op, const Operands& in, Tensor& out) {
  const auto middle = static_cast<int32_t>(op.table.size() / 2);
  Map(*in[0], out, [&](int32_t x) { return op.table[x + middle]; });
}

void Compute(const graph::MatMul& op, const Operands& in, Tensor& out) { Multiply(op, *in[0], *in[1], out); }
void Compute(const graph::QSoftmax& op, const Operands& in, Tensor& out) { Normalize(op, *in[0], out); }
void Compute(const graph::QLayerNorm& op, const Operands& in, Tensor& out) {
  Normalize(op, *in[0], *in[1], *in[2], out);
}
void Compute(const graph::Concat&, const Operands& in, Tensor& out) { graph::Concatenate(in, out); }
void Compute(const graph::Pad& op, const Operands& in, Tensor& out) { graph::Frame(op, *in[0], out); }
void Compute(const graph::DepthToSpace& op, const Operands& in, Tensor& out) {
  graph::Spread(op, *in[0], out);
}
void Compute(const graph::ResizeNearest& op, const Operands& in, Tensor& out) {
  graph::Repeat(op, *in[0], out);
}

void Compute(const graph::Flatten&, const Operands& in, Tensor& out) { out = in[0]->Reshaped(out.shape()); }

void Compute(const graph::Quantize& op, const Operands& in, Tensor& out) {
  const auto x = in[0]->data<float>();
  const auto y = out.mutable_data<int8_t>();
  for (size_t i = 0; i < x.size(); ++i) {
    const double steps = std::floor(double{x[i]} / double{op.scale} + 0.5) + op.zero_point;
    y[i] = static_cast<int8_t>(std::clamp(steps, -128.0, 127.0));
  }
}

void Compute(const graph::Dequantize& op, const Operands& in, Tensor& out) {
  const auto x = in[0]->data<int8_t>();
  const auto y = out.mutable_data<float>();
  for (size_t i = 0; i < x.size(); ++i) y[i] = static_cast<float>(x[i] - op.zero_point) * op.scale;
}

template <typename OpType>
void Compute(const OpType& op, const Operands&, Tensor&) {
  COSIM_CHECK(false, "{} is not an integer operation", op.kMnemonic);
}

graph::TensorPtr Evaluate(const graph::Node& node, const std::vector<graph::TensorPtr>& values) {
  Operands operands;
  for (graph::ValueId id : node.inputs) operands.push_back(values[id]);
  const bool real = !node.As<graph::Quantize>() && !node.As<graph::Flatten>() && !operands.empty() &&
                    operands[0]->dtype() == DType::kFloat32;
  if (real || node.As<graph::HostOp>())
    return std::make_shared<const Tensor>(graph::EvaluateFloat(node, operands));
  Tensor out(node.type);
  std::visit([&](const auto& op) { Compute(op, operands, out); }, node.op);
  return std::make_shared<const Tensor>(std::move(out));
}

}  // namespace

std::vector<graph::TensorPtr> Run(const graph::Graph& graph, const std::vector<Tensor>& inputs) {
  COSIM_CHECK(inputs.size() == graph.inputs().size(), "{} inputs for {}", inputs.size(), graph.name());
  std::vector<graph::TensorPtr> values;
  values.reserve(graph.nodes().size());
  size_t next_input = 0;
  for (const graph::Node& node : graph.nodes()) {
    if (node.As<graph::Input>()) {
      const Tensor& input = inputs[next_input++];
      COSIM_CHECK(input.type() == node.type, "input '{}' is {}, but was given {}", node.name,
                  graph::ToString(node.type), graph::ToString(input.type()));
      values.push_back(std::make_shared<const Tensor>(input));
    } else if (const auto* constant = node.As<graph::Constant>()) {
      values.push_back(constant->data);
    } else {
      values.push_back(Evaluate(node, values));
    }
  }
  return values;
}

}  // namespace cosim::golden
