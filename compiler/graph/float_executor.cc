// SPDX-License-Identifier: Apache-2.0
// Float kernels: matrix products by Eigen, plain loops for everything else; convolutions are convolve.h's.
#include "compiler/graph/float_executor.h"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>

#include "compiler/graph/convolve.h"
#include "compiler/graph/infer.h"
#include "compiler/graph/rearrange.h"
#include "compiler/graph/winograd.h"
#include "isa/check.h"

namespace cosim::graph {
namespace {

using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using ConstMap = Eigen::Map<const Matrix>;
using MutableMap = Eigen::Map<Matrix>;

using Values = std::vector<TensorPtr>;

void Compute(const Conv2d& op, const Values& in, Tensor& out) {
  std::vector<Tensor> results = {std::move(out)};
  Convolve(op, *in[1], {in[0]}, results);
  out = std::move(results[0]);
}

void Compute(const Dense&, const Values& in, Tensor& out) {
  const Shape &x = in[0]->shape(), &w = in[1]->shape();
  const ConstMap input(in[0]->data<float>().data(), x[0], x[1]);
  const ConstMap weight(in[1]->data<float>().data(), w[0], w[1]);
  MutableMap result(out.mutable_data<float>().data(), x[0], w[0]);
  result.noalias() = input * weight.transpose();
}

/// y = x * gain[c] + offset[c] along dimension 1.
template <typename Gain, typename Offset>
void ScaleChannels(const Tensor& x, Tensor& out, Gain gain, Offset offset) {
  const int64_t channels = x.shape()[1];
  const int64_t planes = x.shape()[0] * channels, plane = x.size() / planes;
  const float* from = x.data<float>().data();
  float* to = out.mutable_data<float>().data();
  for (int64_t p = 0; p < planes; ++p) {
    const float a = gain(p % channels), b = offset(p % channels);
    for (int64_t i = p * plane; i < (p + 1) * plane; ++i) to[i] = from[i] * a + b;
  }
}

void Compute(const BiasAdd&, const Values& in, Tensor& out) {
  const auto bias = in[1]->data<float>();
  ScaleChannels(*in[0], out, [](int64_t) { return 1.0f; }, [&](int64_t c) { return bias[c]; });
}

void Compute(const BatchNorm& op, const Values& in, Tensor& out) {
  const auto gamma = in[1]->data<float>(), beta = in[2]->data<float>();
  const auto mean = in[3]->data<float>(), variance = in[4]->data<float>();
  auto gain = [&](int64_t c) { return gamma[c] / std::sqrt(variance[c] + op.epsilon); };
  ScaleChannels(*in[0], out, gain, [&](int64_t c) { return beta[c] - mean[c] * gain(c); });
}

/// By Eigen: of comparisons that depend on the values, compilers make branches. As std::max
/// has it, NaN becomes 0.
void Compute(const Relu& op, const Values& in, Tensor& out) {
  const Eigen::Map<const Eigen::ArrayXf> x(in[0]->data<float>().data(), in[0]->size());
  const float cap = op.cap > 0 ? op.cap : std::numeric_limits<float>::infinity();
  Eigen::Map<Eigen::ArrayXf>(out.mutable_data<float>().data(), out.size()) =
      Eigen::ArrayXf::Zero(x.size()).max(x).min(cap);
}

void Compute(const Add&, const Values& in, Tensor& out) {
  const auto a = in[0]->data<float>(), b = in[1]->data<float>();
  std::transform(a.begin(), a.end(), b.begin(), out.mutable_data<float>().begin(), std::plus<>());
}

float WindowMax(const MaxPool& op, const float* plane, int64_t height, int64_t width, int64_t oy,
                int64_t ox) {
  float best = -std::numeric_limits<float>::infinity();
  const int64_t top = oy * op.stride[0] - op.pad[0], left = ox * op.stride[1] - op.pad[1];
  for (int64_t iy = std::max<int64_t>(top, 0); iy < std::min(top + op.kernel[0], height); ++iy) {
    for (int64_t ix = std::max<int64_t>(left, 0); ix < std::min(left + op.kernel[1], width); ++ix) {
      best = std::max(best, plane[iy * width + ix]);
    }
  }
  return best;
}

void Compute(const MaxPool& op, const Values& in, Tensor& out) {
  const Shape &x = in[0]->shape(), &y = out.shape();
  const float* plane = in[0]->data<float>().data();
  float* to = out.mutable_data<float>().data();
  for (int64_t p = 0; p < x[0] * x[1]; ++p, plane += x[2] * x[3]) {
    for (int64_t oy = 0; oy < y[2]; ++oy) {
      for (int64_t ox = 0; ox < y[3]; ++ox) *to++ = WindowMax(op, plane, x[2], x[3], oy, ox);
    }
  }
}

void Compute(const AvgPool& op, const Values& in, Tensor& out) {
  const Shape &x = in[0]->shape(), &y = out.shape();
  const float* plane = in[0]->data<float>().data();
  float* to = out.mutable_data<float>().data();
  const float share = 1 / static_cast<float>(op.kernel[0] * op.kernel[1]);
  for (int64_t p = 0; p < x[0] * x[1]; ++p, plane += x[2] * x[3]) {
    for (int64_t oy = 0; oy < y[2]; ++oy) {
      for (int64_t ox = 0; ox < y[3]; ++ox) {
        const int64_t top = oy * op.stride[0] - op.pad[0], left = ox * op.stride[1] - op.pad[1];
        float sum = 0;
        for (int64_t iy = std::max<int64_t>(top, 0); iy < std::min(top + op.kernel[0], x[2]); ++iy) {
          for (int64_t ix = std::max<int64_t>(left, 0); ix < std::min(left + op.kernel[1], x[3]); ++ix) {
            sum += plane[iy * x[3] + ix];
          }
        }
        *to++ = sum * share;
      }
    }
  }
}

void Compute(const ConvTranspose2d& op, const Values& in, Tensor& out) {
  const Shape &x = in[0]->shape(), &w = in[1]->shape(), &y = out.shape();
  const auto from = in[0]->data<float>(), weight = in[1]->data<float>();
  const auto to = out.mutable_data<float>();
  for (int64_t n = 0; n < x[0]; ++n)
    for (int64_t o = 0; o < w[0]; ++o)
      for (int64_t c = 0; c < w[1]; ++c)
        for (int64_t i = 0; i < x[2] * x[3]; ++i)
          for (int64_t t = 0; t < w[2] * w[3]; ++t) {
            const int64_t oy = i / x[3] * op.stride[0] - op.pad[0] + t / w[3];
            const int64_t ox = i % x[3] * op.stride[1] - op.pad[1] + t % w[3];
            if (oy < 0 || oy >= y[2] || ox < 0 || ox >= y[3]) continue;
            to[((n * y[1] + o) * y[2] + oy) * y[3] + ox] +=
                from[(n * x[1] + c) * x[2] * x[3] + i] * weight[(o * w[1] + c) * w[2] * w[3] + t];
          }
}

void Compute(const DepthToSpace& op, const Values& in, Tensor& out) { Spread(op, *in[0], out); }
void Compute(const ResizeNearest& op, const Values& in, Tensor& out) { Repeat(op, *in[0], out); }
void Compute(const Pad& op, const Values& in, Tensor& out) { Frame(op, *in[0], out); }
void Compute(const Concat&, const Values& in, Tensor& out) { Concatenate(in, out); }

void Compute(const Sub&, const Values& in, Tensor& out) {
  const auto a = in[0]->data<float>(), b = in[1]->data<float>();
  std::transform(a.begin(), a.end(), b.begin(), out.mutable_data<float>().begin(), std::minus<>());
}

void Compute(const Mul&, const Values& in, Tensor& out) {
  const auto a = in[0]->data<float>(), b = in[1]->data<float>();
  std::transform(a.begin(), a.end(), b.begin(), out.mutable_data<float>().begin(), std::multiplies<>());
}

void Compute(const MatMul& op, const Values& in, Tensor& out) {
  const Shape &a = in[0]->shape(), &y = out.shape();
  const int64_t pixels = a[2] * a[3], summed = a[1] / op.groups, results = y[1] / op.groups;
  for (int64_t m = 0; m < a[0] * op.groups; ++m) {
    const ConstMap x(in[0]->data<float>().data() + m * summed * pixels, summed, pixels);
    const float* w = in[1]->data<float>().data() + m * summed * results;
    MutableMap to(out.mutable_data<float>().data() + m * results * pixels, results, pixels);
    if (op.transpose_b) {
      to.noalias() = ConstMap(w, results, summed) * x;
    } else {
      to.noalias() = ConstMap(w, summed, results).transpose() * x;
    }
  }
}

/// Calls f(column, first channel) for the channels of each group at each pixel; f may change them.
template <typename F>
void ForEachColumn(Tensor& x, int64_t groups, F f) {
  const int64_t channels = x.shape()[1] / groups, pixels = x.size() / (x.shape()[0] * x.shape()[1]);
  const int64_t columns = x.shape()[0] * groups * pixels;
  for (int64_t i = 0; i < columns; ++i) {
    Eigen::Map<Eigen::VectorXf, 0, Eigen::InnerStride<>> column(
        x.mutable_data<float>().data() + i / pixels * channels * pixels + i % pixels, channels,
        Eigen::InnerStride<>(pixels));
    f(column);
  }
}

void Compute(const Softmax& op, const Values& in, Tensor& out) {
  out = *in[0];
  ForEachColumn(out, op.groups, [&](auto& column) {
    column = (op.scale * (column.array() - column.maxCoeff())).exp().matrix();
    column /= column.sum();
  });
}

void Compute(const LayerNorm& op, const Values& in, Tensor& out) {
  out = *in[0];
  const Eigen::Map<const Eigen::ArrayXf> gamma(in[1]->data<float>().data(), in[1]->size());
  const Eigen::Map<const Eigen::ArrayXf> beta(in[2]->data<float>().data(), in[2]->size());
  ForEachColumn(out, 1, [&](auto& column) {
    const Eigen::ArrayXf centred = column.array() - column.mean();
    const float deviation = std::sqrt(centred.square().mean() + op.epsilon);
    column = (centred / deviation * gamma + beta).matrix();
  });
}

void Compute(const Gelu&, const Values& in, Tensor& out) {
  const auto x = in[0]->data<float>();
  std::transform(x.begin(), x.end(), out.mutable_data<float>().begin(),
                 [](float v) { return v / 2 * (1 + std::erf(v * 0.70710678f)); });
}

void Compute(const GlobalAvgPool&, const Values& in, Tensor& out) {
  const int64_t planes = out.size(), plane = in[0]->size() / planes;
  const float* x = in[0]->data<float>().data();
  for (int64_t p = 0; p < planes; ++p, x += plane) {
    double sum = 0;
    for (int64_t i = 0; i < plane; ++i) sum += x[i];
    out.mutable_data<float>()[p] = static_cast<float>(sum / static_cast<double>(plane));
  }
}

void Compute(const Flatten&, const Values& in, Tensor& out) { out = in[0]->Reshaped(out.shape()); }

void Compute(const HostOp& op, const Values& in, Tensor& out) {
  std::vector<const Tensor*> operands;
  for (const TensorPtr& operand : in) operands.push_back(operand.get());
  out = std::move(Evaluate(*op.op, operands).at(op.result));
}

template <typename OpType>
void Compute(const OpType& op, const Values&, Tensor&) {
  COSIM_CHECK(false, "{} is not a float operation", op.kMnemonic);
}

void ComputeInto(const Node& node, const Values& operands, Tensor& out) {
  std::visit([&](const auto& op) { Compute(op, operands, out); }, node.op);
}

/// Whether each element of the result comes from those that stand in its place.
bool IsElementwise(const Node& node) {
  return node.As<BiasAdd>() || node.As<BatchNorm>() || node.As<Relu>() || node.As<Add>() || node.As<Sub>() ||
         node.As<Mul>();
}

/// The results of `node` on the operands of each sample. Operands that nothing else holds may be overwritten.
Values EvaluateSamples(const Node& node, const std::vector<Values>& operands) {
  Values results;
  const auto* conv = node.As<Conv2d>();
  const auto shares_weights = [&](const Values& of) { return of[1] == operands[0][1]; };
  if (conv && std::ranges::all_of(operands, shares_weights)) {
    Values images;
    for (const Values& of : operands) images.push_back(of[0]);
    std::vector<Tensor> convolved;
    while (convolved.size() < operands.size()) convolved.emplace_back(node.type);
    const bool winograd = SuitsWinograd(*conv, operands[0][1]->shape(), node.type.shape);
    (winograd ? ConvolveWinograd : Convolve)(*conv, *operands[0][1], images, convolved);
    for (Tensor& result : convolved) results.push_back(std::make_shared<Tensor>(std::move(result)));
    return results;
  }
  for (const Values& of : operands) {
    const bool reuses = IsElementwise(node) && of[0].use_count() == 1;
    const auto result = reuses ? std::const_pointer_cast<Tensor>(of[0]) : std::make_shared<Tensor>(node.type);
    ComputeInto(node, of, *result);
    results.push_back(result);
  }
  return results;
}

}  // namespace

Tensor EvaluateFloat(const Node& node, const std::vector<TensorPtr>& operands) {
  Tensor out(node.type);
  ComputeInto(node, operands, out);
  return out;
}

void ForEachFloatValue(const Graph& graph, const std::vector<std::vector<Tensor>>& samples,
                       const std::function<void(ValueId, const std::vector<TensorPtr>&)>& visit) {
  for (const auto& inputs : samples)
    COSIM_CHECK(inputs.size() == graph.inputs().size(), "{} inputs for {}", inputs.size(), graph.name());
  std::vector<ValueId> last_reader(graph.nodes().size(), -1);
  for (ValueId id = 0; id < graph.size(); ++id)
    for (ValueId operand : graph.node(id).inputs) last_reader[operand] = id;
  std::vector<Values> values(graph.nodes().size());  // of each sample
  size_t next_input = 0;
  for (ValueId id = 0; id < graph.size(); ++id) {
    const Node& node = graph.node(id);
    if (node.As<Input>()) {
      for (const auto& inputs : samples) {
        const Tensor& input = inputs[next_input];
        COSIM_CHECK(input.type() == node.type, "input '{}' is {}, but was given {}", node.name,
                    ToString(node.type), ToString(input.type()));
        values[id].push_back(std::make_shared<Tensor>(input));
      }
      ++next_input;
    } else if (const auto* constant = node.As<Constant>()) {
      values[id].assign(samples.size(), constant->data);
    } else {
      std::vector<Values> operands(samples.size());
      for (ValueId operand : node.inputs)
        for (size_t i = 0; i < samples.size(); ++i) operands[i].push_back(values[operand][i]);
      for (ValueId operand : node.inputs)
        if (last_reader[operand] == id) values[operand].clear();
      values[id] = EvaluateSamples(node, operands);
    }
    visit(id, values[id]);
  }
}

std::vector<TensorPtr> RunFloat(const Graph& graph, const std::vector<Tensor>& inputs) {
  std::vector<TensorPtr> values;
  ForEachFloatValue(graph, {inputs}, [&](ValueId, const Values& of) { values.push_back(of[0]); });
  return values;
}

}  // namespace cosim::graph
