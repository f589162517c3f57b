// SPDX-License-Identifier: Apache-2.0
// The LSTM of integers (tflite_recurrent.h).
#include <algorithm>
#include <limits>

#include "compiler/host/numeric.h"
#include "compiler/host/tflite_functions.h"
#include "compiler/host/tflite_recurrent.h"
#include "compiler/host/tflite_steps.h"

namespace cosim::host {
namespace {

// Of integers: operands (x, 4 w, 4 r, 4 bias, h, c).
constexpr size_t kByteBiases = 9, kByteHidden = 13, kByteCells = 14;

int32_t Clamped16(int64_t x) {
  return static_cast<int32_t>(
      std::clamp<int64_t>(x, std::numeric_limits<int16_t>::min(), std::numeric_limits<int16_t>::max()));
}

int64_t WideSum(std::span<const int16_t> vector, const Tensor& matrix, size_t row, int64_t bias) {
  const auto weights = matrix.data<int8_t>().subspan(row * vector.size(), vector.size());
  for (size_t k = 0; k < vector.size(); ++k) bias += int32_t{vector[k]} * weights[k];
  return bias;
}

/// T: int8_t, or int16_t of wide sums.
template <typename T>
struct IntegerCell {
  const TfliteLstmInteger& a;
  Values in;

  static int32_t Scaled(const Multiplier& m, int64_t sum) {
    if constexpr (std::is_same_v<T, int16_t>) return m.ApplyWide(sum);
    return m.Apply(static_cast<int32_t>(sum));
  }

  int64_t SumOf(std::span<const T> vector, int32_t zero_point, const Tensor& matrix, size_t row,
                int64_t bias) const {
    if constexpr (std::is_same_v<T, int16_t>) {
      return WideSum(vector, matrix, row, bias);
    } else {
      return Sum(vector, zero_point, matrix, row, static_cast<int32_t>(bias));
    }
  }

  int32_t Gate(size_t gate, size_t i, std::span<const T> x, std::span<const T> h) const {
    const Tensor& biases = *in[kByteBiases + gate];
    const int64_t bias = a.wide ? biases.data<int64_t>()[i] : biases.data<int32_t>()[i];
    const int32_t from_x =
                      Clamped16(Scaled(a.from_x[gate], SumOf(x, a.x_zero_point, *in[1 + gate], i, bias))),
                  from_h = Clamped16(Scaled(a.from_h[gate], SumOf(h, a.h_zero_point, *in[5 + gate], i, 0)));
    return Clamped16(int64_t{from_x} + from_h);
  }

  int16_t TanhOfCell(int32_t c) const {
    const int shift = 15 + a.cell_exponent - 3;
    return TanhInt16(shift >= 0 ? c * (3 << shift) : (c * 3 + (1 << (-shift - 1))) >> -shift);
  }

  void Step(std::span<const T> x, std::vector<T>& h, std::vector<int16_t>& c) const {
    std::vector<T> next(h.size());
    for (size_t i = 0; i < c.size(); ++i) {
      const int32_t forget = LogisticInt16(3 * Gate(1, i, x, h)), input = LogisticInt16(3 * Gate(0, i, x, h)),
                    candidate = TanhInt16(3 * Gate(2, i, x, h)), output = LogisticInt16(3 * Gate(3, i, x, h));
      int32_t cell = Clamped16(int64_t{Clamped16(a.kept.Apply(forget * c[i]))} +
                               Clamped16(a.added.Apply(input * candidate)));
      if (a.cell_clip > 0) cell = std::clamp(cell, -a.cell_clip, a.cell_clip);
      c[i] = static_cast<int16_t>(cell);
      const int64_t product = a.output.Apply(output * TanhOfCell(cell));
      next[i] = static_cast<T>(std::clamp<int64_t>(product + a.h_zero_point, std::numeric_limits<T>::min(),
                                                   std::numeric_limits<T>::max()));
    }
    h = next;
  }
};

Types InferLstmInteger(const TfliteLstmInteger& a, Operands in) {
  const auto s = StepsOf(in[0].type.shape, a.time_major);
  if (!s || in[kByteCells].type.shape.size() != 2) return Refuse("input {}", ToString(in[0].type));
  const int64_t cells = in[kByteCells].type.shape[1];
  const DType values = a.wide ? DType::kInt16 : DType::kInt8;
  const TensorType from_x{DType::kInt8, {cells, s->input}}, from_h{DType::kInt8, {cells, cells}},
      bias{a.wide ? DType::kInt64 : DType::kInt32, {cells}};
  std::vector<TensorType> want = {{values, in[0].type.shape}};
  for (const TensorType& type : {from_x, from_h, bias}) want.insert(want.end(), 4, type);
  want.push_back({values, {s->batch, cells}});
  want.push_back({DType::kInt16, {s->batch, cells}});
  if (const std::string unfit = Unfit(in, 0, want); !unfit.empty()) return Types{unfit};
  const TensorType y{values, s->Result(cells)};
  if (!IsReasonable(y.shape)) return Refuse("the result is too large");
  return std::vector<TensorType>{y, want[kByteHidden], want[kByteCells]};
}

template <typename T>
void ComputeLstmInteger(const TfliteLstmInteger& a, Values in, Results out) {
  const Steps s = *StepsOf(in[0]->shape(), a.time_major);
  const int64_t cells = in[kByteCells]->shape()[1];
  const IntegerCell<T> cell{a, in};
  for (int64_t b = 0; b < s.batch; ++b) {
    const auto h0 = RowOf<T>(*in[kByteHidden], b, cells);
    const auto c0 = RowOf<int16_t>(*in[kByteCells], b, cells);
    std::vector<T> h(h0.begin(), h0.end());
    std::vector<int16_t> c(c0.begin(), c0.end());
    for (int64_t t = 0; t < s.steps; ++t) {
      cell.Step(RowOf<T>(*in[0], s.Row(b, t), s.input), h, c);
      std::ranges::copy(h, out[0].mutable_data<T>().begin() + s.Row(b, t) * cells);
    }
    std::ranges::copy(h, out[1].mutable_data<T>().begin() + b * cells);
    std::ranges::copy(c, out[2].mutable_data<int16_t>().begin() + b * cells);
  }
}

}  // namespace

HostOperatorPtr LstmInteger(const TfliteLstmInteger& a) {
  return Make(
      a.wide ? "tflite_lstm_int16" : "tflite_lstm_int8", 15, 15,
      [=](Operands in) { return InferLstmInteger(a, in); },
      [=](Values in, Results out) {
        a.wide ? ComputeLstmInteger<int16_t>(a, in, out) : ComputeLstmInteger<int8_t>(a, in, out);
      },
      MacsOfMatrices(1, kByteBiases, a.time_major));
}

}  // namespace cosim::host
