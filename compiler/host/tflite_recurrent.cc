// SPDX-License-Identifier: Apache-2.0
#include "compiler/host/tflite_recurrent.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "compiler/host/numeric.h"
#include "compiler/host/tflite_functions.h"
#include "compiler/host/tflite_hybrid.h"
#include "compiler/host/tflite_steps.h"

namespace cosim::host {
namespace {

using Reals64 = std::vector<double>;

double Applied(CellFunction function, double x) {
  switch (function) {
    case CellFunction::kNone:
      return x;
    case CellFunction::kRelu:
      return std::max(x, 0.0);
    case CellFunction::kReluN1To1:
      return std::clamp(x, -1.0, 1.0);
    case CellFunction::kRelu6:
      return std::clamp(x, 0.0, 6.0);
    case CellFunction::kTanh:
      return std::tanh(x);
  }
  return x;
}

/// Operands that are bytes instead.
void ExpectBytes(const ByteWeights& bytes, std::vector<TensorType>& want) {
  for (size_t i = 0; i < want.size(); ++i)
    if (bytes.ScaleOf(i) != 0) want[i].dtype = DType::kInt8;
}

/// Adds the rows of operand `matrix` times `vector` to `sums`.
template <typename Vector>
void AddProduct(Values in, size_t matrix, const ByteWeights& bytes, const Vector& vector, Reals64& sums) {
  const auto columns = static_cast<size_t>(in[matrix]->shape()[1]);
  if (const float scale = bytes.ScaleOf(matrix); scale != 0) {
    std::vector<float> real(vector.begin(), vector.end());
    std::vector<int16_t> steps(columns);
    const float unit = QuantizeRow(real, bytes.asymmetric, steps.data()) * scale;
    const auto m = in[matrix]->data<int8_t>();
    for (size_t i = 0; i < sums.size(); ++i) {
      int32_t sum = 0;
      for (size_t k = 0; k < columns; ++k) sum += m[i * columns + k] * steps[k];
      sums[i] += static_cast<double>(static_cast<float>(sum) * unit);
    }
    return;
  }
  const auto m = in[matrix]->data<float>();
  for (size_t i = 0; i < sums.size(); ++i)
    for (size_t k = 0; k < columns; ++k)
      sums[i] += static_cast<double>(m[i * columns + k]) * static_cast<double>(vector[k]);
}

void AddEach(const Tensor* addend, Reals64& sums) {
  for (size_t i = 0; addend && i < sums.size(); ++i) sums[i] += static_cast<double>(addend->data<float>()[i]);
}

void Normalize(const Tensor& coefficients, Reals64& x) {
  const auto n = static_cast<double>(x.size());
  double mean = 0, variance = 0;
  for (double v : x) mean += v / n;
  for (double v : x) variance += (v - mean) * (v - mean) / n;
  for (size_t i = 0; i < x.size(); ++i)
    x[i] = (x[i] - mean) / std::sqrt(variance + 1e-8) * static_cast<double>(coefficients.data<float>()[i]);
}

// Operands of LstmFloat.
constexpr size_t kInputWeights = 1, kRecurrentWeights = 5, kPeepholes = 9, kBiases = 12, kProjection = 16,
                 kHidden = 18, kCells = 19, kNorms = 20, kLstmOperands = 24;

/// What a gate sees before its function. Gates: input, forget, cell, output.
Reals64 Gate(const ByteWeights& bytes, Values in, size_t gate, std::span<const float> x, const Reals64& h,
             const Reals64& c) {
  constexpr size_t kNone = kLstmOperands;
  constexpr size_t kPeephole[] = {kPeepholes, kPeepholes + 1, kNone, kPeepholes + 2};
  Reals64 sums(c.size(), 0.0);
  const Tensor *norm = in[kNorms + gate], *bias = in[kBiases + gate];
  if (!norm) AddEach(bias, sums);
  AddProduct(in, kInputWeights + gate, bytes, x, sums);
  AddProduct(in, kRecurrentWeights + gate, bytes, h, sums);
  const Tensor* peephole = kPeephole[gate] == kNone ? nullptr : in[kPeephole[gate]];
  const float scale = bytes.ScaleOf(kPeephole[gate]);
  for (size_t i = 0; peephole && i < sums.size(); ++i) {
    const float w =
        scale != 0 ? static_cast<float>(peephole->data<int8_t>()[i]) * scale : peephole->data<float>()[i];
    sums[i] += static_cast<double>(w) * c[i];
  }
  if (norm) {
    Normalize(*norm, sums);
    AddEach(bias, sums);
  }
  return sums;
}

double Logistic(double x) { return 1 / (1 + std::exp(-x)); }
double Clipped(double x, double most) { return most > 0 ? std::clamp(x, -most, most) : x; }

void StepLstm(const TfliteLstm& a, Values in, std::span<const float> x, Reals64& h, Reals64& c) {
  const bool coupled = !in[kInputWeights];
  const Reals64 forget = Gate(a.bytes, in, 1, x, h, c), candidate = Gate(a.bytes, in, 2, x, h, c),
                input = coupled ? Reals64() : Gate(a.bytes, in, 0, x, h, c);
  for (size_t i = 0; i < c.size(); ++i) {
    const double kept = Logistic(forget[i]), added = coupled ? 1 - kept : Logistic(input[i]);
    c[i] = Clipped(kept * c[i] + added * Applied(a.function, candidate[i]), a.cell_clip);
  }
  Reals64 y = Gate(a.bytes, in, 3, x, h, c);
  for (size_t i = 0; i < y.size(); ++i) y[i] = Logistic(y[i]) * Applied(a.function, c[i]);
  if (!in[kProjection]) return void(h = y);
  std::ranges::fill(h, 0.0);
  AddEach(in[kProjection + 1], h);
  AddProduct(in, kProjection, a.bytes, y, h);
  for (double& v : h) v = Clipped(v, a.projection_clip);
}

Types InferLstm(const TfliteLstm& a, Operands in) {
  const auto s = StepsOf(in[0].type.shape, a.time_major);
  if (!s || in[kHidden].type.shape.size() != 2 || in[kCells].type.shape.size() != 2)
    return Refuse("input {} and states {} and {}", ToString(in[0].type), ToString(in[kHidden].type),
                  ToString(in[kCells].type));
  const int64_t outputs = in[kHidden].type.shape[1], cells = in[kCells].type.shape[1];
  const auto real = [](Shape shape) { return TensorType{DType::kFloat32, std::move(shape)}; };
  const TensorType row = real({cells}), from_x = real({cells, s->input}), from_h = real({cells, outputs});
  std::vector<TensorType> want = {
      real(in[0].type.shape), from_x, from_x, from_x, from_x, from_h, from_h, from_h, from_h};
  want.insert(want.end(), 7, row);
  want.insert(want.end(),
              {real({outputs, cells}), real({outputs}), real({s->batch, outputs}), real({s->batch, cells})});
  want.insert(want.end(), 4, row);
  ExpectBytes(a.bytes, want);
  if (const std::string unfit = Unfit(in, 0, want); !unfit.empty()) return Types{unfit};
  const bool coupled = in[kInputWeights].absent, normed = !in[kNorms + 1].absent;
  for (size_t i : {kRecurrentWeights, kBiases})
    if (in[i].absent != coupled) return Refuse("the input gate has some of its weights only");
  for (size_t gate : {1, 2, 3})
    for (size_t i : {kInputWeights + gate, kRecurrentWeights + gate, kBiases + gate})
      if (in[i].absent) return Refuse("operand {} is missing", i);
  if (in[kPeepholes + 1].absent != in[kPeepholes + 2].absent ||
      (!coupled && in[kPeepholes].absent != in[kPeepholes + 1].absent))
    return Refuse("some gates have peepholes and others none");
  for (size_t gate : {0, 2, 3})
    if ((gate != 0 || !coupled) && in[kNorms + gate].absent == normed)
      return Refuse("some gates are normalized and others not");
  if (in[kProjection].absent && (outputs != cells || !in[kProjection + 1].absent))
    return Refuse("{} outputs of {} cells without a projection", outputs, cells);
  const Shape y = s->Result(outputs);
  if (!IsReasonable(y)) return Refuse("the result is too large");
  return std::vector<TensorType>{real(y), want[kHidden], want[kCells]};
}

template <typename T>
void Store(const Reals64& list, Tensor& tensor, int64_t row) {
  auto* to = tensor.mutable_data<T>().data() + row * static_cast<int64_t>(list.size());
  for (double v : list) *to++ = static_cast<T>(v);
}

Reals64 StateRow(const Tensor& state, int64_t b) {
  const auto row = RowOf<float>(state, b, state.shape()[1]);
  return {row.begin(), row.end()};
}

// States are rounded to float32 after every step.
void Round(Reals64& list) {
  for (double& v : list) v = static_cast<double>(static_cast<float>(v));
}

void ComputeLstm(const TfliteLstm& a, Values in, Results out) {
  const Steps s = *StepsOf(in[0]->shape(), a.time_major);
  for (int64_t b = 0; b < s.batch; ++b) {
    Reals64 h = StateRow(*in[kHidden], b), c = StateRow(*in[kCells], b);
    for (int64_t t = 0; t < s.steps; ++t) {
      StepLstm(a, in, RowOf<float>(*in[0], s.Row(b, t), s.input), h, c);
      Round(h);
      Round(c);
      Store<float>(h, out[0], s.Row(b, t));
    }
    Store<float>(h, out[1], b);
    Store<float>(c, out[2], b);
  }
}

Types InferRnn(bool time_major, const ByteWeights& bytes, Operands in) {
  const auto s = StepsOf(in[0].type.shape, time_major);
  if (!s || in[4].type.shape.size() != 2) return Refuse("input {}", ToString(in[0].type));
  const int64_t cells = in[4].type.shape[1];
  const auto real = [](Shape shape) { return TensorType{DType::kFloat32, std::move(shape)}; };
  const TensorType h = real({s->batch, cells});
  std::vector<TensorType> want = {real(in[0].type.shape), real({cells, s->input}), real({cells, cells}),
                                  real({cells}), h};
  ExpectBytes(bytes, want);
  const std::string unfit = Unfit(in, 0, want);
  if (!unfit.empty()) return Types{unfit};
  const Shape y = s->Result(cells);
  if (!IsReasonable(y)) return Refuse("the result is too large");
  return std::vector<TensorType>{real(y), h};
}

void ComputeRnn(CellFunction function, bool time_major, const ByteWeights& bytes, Values in, Results out) {
  const Steps s = *StepsOf(in[0]->shape(), time_major);
  for (int64_t b = 0; b < s.batch; ++b) {
    Reals64 h = StateRow(*in[4], b);
    for (int64_t t = 0; t < s.steps; ++t) {
      Reals64 sums(h.size(), 0.0);
      AddEach(in[3], sums);
      AddProduct(in, 1, bytes, RowOf<float>(*in[0], s.Row(b, t), s.input), sums);
      AddProduct(in, 2, bytes, h, sums);
      for (size_t i = 0; i < h.size(); ++i) h[i] = Applied(function, sums[i]);
      Round(h);
      Store<float>(h, out[0], s.Row(b, t));
    }
    Store<float>(h, out[1], b);
  }
}

/// Of an SVDF's operands; its result is like x.
struct SvdfTypes {
  DType x, features, times, bias, past;
};

Types InferSvdf(int64_t rank, const SvdfTypes& types, Operands in) {
  const Shape &x = in[0].type.shape, &features = in[1].type.shape, &times = in[2].type.shape;
  if (x.size() != 2 || features.size() != 2 || times.size() != 2)
    return Refuse("input {}", ToString(in[0].type));
  const int64_t filters = features[0], memory = times[1];
  if (rank < 1 || filters % rank != 0) return Refuse("{} filters of rank {}", filters, rank);
  const TensorType past{types.past, {x[0], memory * filters}};
  const std::string unfit = Unfit(in, 0,
                                  {{types.x, x},
                                   {types.features, {filters, x[1]}},
                                   {types.times, {filters, memory}},
                                   {types.bias, {filters / rank}},
                                   past});
  if (!unfit.empty()) return Types{unfit};
  if (!IsReasonable({x[0], filters / rank})) return Refuse("the result is too large");
  return std::vector<TensorType>{{types.x, {x[0], filters / rank}}, past};
}

/// All past products but the oldest, with the new ones; calls f(b, unit, sum over its filters and times of
/// past - zero point) with each unit. Product(b, filter): the new ones.
template <typename T, typename Sum, typename Product, typename F>
void Remember(int64_t rank, Sum zero_point, Values in, Tensor& past, Product product, F f) {
  const int64_t filters = in[2]->shape()[0], memory = in[2]->shape()[1], batch = in[0]->shape()[0];
  const auto before = in[4]->data<T>(), times = in[2]->data<T>();
  const auto now = past.mutable_data<T>();
  for (int64_t b = 0; b < batch; ++b)
    for (int64_t unit = 0; unit < filters / rank; ++unit) {
      Sum sum = 0;
      for (int64_t r = unit * rank; r < (unit + 1) * rank; ++r)
        for (int64_t m = 0; m < memory; ++m) {
          const int64_t at = (b * filters + r) * memory + m;
          now[at] = m + 1 < memory ? before[at + 1] : product(b, r);
          sum += static_cast<Sum>(times[r * memory + m]) * (static_cast<Sum>(now[at]) - zero_point);
        }
      f(b, unit, sum);
    }
}

template <typename T>
void ComputeSvdfInt8(const TfliteSvdf& a, Values in, Results out) {
  const int64_t inputs = in[0]->shape()[1];
  const auto product = [&](int64_t b, int64_t filter) {
    const int32_t sum =
        Sum(RowOf<int8_t>(*in[0], b, inputs), a.x_zero_point, *in[1], static_cast<size_t>(filter), 0);
    return static_cast<T>(std::clamp<int64_t>(int64_t{a.features.Apply(sum)} + a.past_zero_point,
                                              std::numeric_limits<T>::min(), std::numeric_limits<T>::max()));
  };
  Remember<T, int64_t>(
      a.rank, a.past_zero_point, in, out[1], product, [&](int64_t b, int64_t unit, int64_t sum) {
        const int64_t biased = sum + (in[3] ? in[3]->data<int32_t>()[unit] : 0);
        const int64_t y =
            int64_t{a.times.Apply(static_cast<int32_t>(static_cast<uint32_t>(biased)))} + a.y_zero_point;
        out[0].mutable_data<int8_t>()[b * out[0].shape()[1] + unit] =
            static_cast<int8_t>(std::clamp<int64_t>(y, -128, 127));
      });
}

/// Bytes as real numbers.
Tensor RealNumbers(const Tensor& bytes, float scale) {
  Tensor real({DType::kFloat32, bytes.shape()});
  std::ranges::transform(bytes.data<int8_t>(), real.mutable_data<float>().begin(),
                         [&](int8_t q) { return static_cast<float>(q) * scale; });
  return real;
}

void ComputeSvdf(int64_t rank, CellFunction function, const ByteWeights& bytes, Values in, Results out) {
  const int64_t filters = in[1]->shape()[0], batch = in[0]->shape()[0], inputs = in[0]->shape()[1];
  std::vector<Reals64> products(batch, Reals64(filters, 0.0));
  for (int64_t b = 0; b < batch; ++b) AddProduct(in, 1, bytes, RowOf<float>(*in[0], b, inputs), products[b]);
  std::vector<const Tensor*> operands(in.begin(), in.end());
  Tensor times;
  if (const float scale = bytes.ScaleOf(2); scale != 0) {
    times = RealNumbers(*in[2], scale);
    operands[2] = &times;
  }
  const auto product = [&](int64_t b, int64_t filter) { return static_cast<float>(products[b][filter]); };
  Remember<float, double>(rank, 0.0, operands, out[1], product, [&](int64_t b, int64_t unit, double sum) {
    if (in[3]) sum += static_cast<double>(in[3]->data<float>()[unit]);
    out[0].mutable_data<float>()[b * out[0].shape()[1] + unit] = static_cast<float>(Applied(function, sum));
  });
}

}  // namespace

HostOperatorPtr LstmFloat(const TfliteLstm& a) {
  return Make(
      "tflite_lstm", 1, kLstmOperands, [=](Operands in) { return InferLstm(a, in); },
      [=](Values in, Results out) { ComputeLstm(a, in, out); }, MacsOfMatrices(1, kPeepholes, a.time_major));
}

HostOperatorPtr RnnFloat(CellFunction function, bool time_major, const ByteWeights& bytes) {
  return Make(
      "tflite_rnn", 5, 5, [=](Operands in) { return InferRnn(time_major, bytes, in); },
      [=](Values in, Results out) { ComputeRnn(function, time_major, bytes, in, out); },
      MacsOfMatrices(1, 3, time_major));
}

HostOperatorPtr SvdfFloat(int64_t rank, CellFunction function, const ByteWeights& bytes) {
  return Make(
      "tflite_svdf", 1, 5,
      [=](Operands in) {
        const auto type = [&](size_t i) { return bytes.ScaleOf(i) != 0 ? DType::kInt8 : DType::kFloat32; };
        return InferSvdf(rank, {DType::kFloat32, type(1), type(2), DType::kFloat32, DType::kFloat32}, in);
      },
      [=](Values in, Results out) { ComputeSvdf(rank, function, bytes, in, out); },
      MacsOfMatrices(1, 3, false));
}

HostOperatorPtr SvdfInt8(const TfliteSvdf& a) {
  return Make(
      "tflite_svdf_int8", 1, 5,
      [=](Operands in) {
        const DType wide = in[2].type.dtype;
        if (!graph::IsQuantized(wide)) return Refuse("weights of time must be int8 or int16");
        return InferSvdf(a.rank, {DType::kInt8, DType::kInt8, wide, DType::kInt32, wide}, in);
      },
      [=](Values in, Results out) {
        in[2]->dtype() == DType::kInt8 ? ComputeSvdfInt8<int8_t>(a, in, out)
                                       : ComputeSvdfInt8<int16_t>(a, in, out);
      },
      MacsOfMatrices(1, 3, false));
}

}  // namespace cosim::host
