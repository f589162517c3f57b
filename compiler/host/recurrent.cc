// SPDX-License-Identifier: Apache-2.0
#include "compiler/host/recurrent.h"

#include <algorithm>

#include "compiler/host/numeric.h"

namespace cosim::host {
namespace {

using List = std::vector<double>;

int64_t Gates(Cell cell) { return cell == Cell::kRnn ? 1 : cell == Cell::kGru ? 3 : 4; }

/// Extents of a layer.
struct Sizes {
  int64_t steps, batch, input, directions, hidden, gates;
};

Sizes SizesOf(const RecurrentAttributes& r, const Shape& x) {
  return {x[r.batch_first ? 1 : 0],
          x[r.batch_first ? 0 : 1],
          x[2],
          static_cast<int64_t>(r.reversed.size()),
          r.hidden,
          Gates(r.cell)};
}

Shape StateShape(const RecurrentAttributes& r, const Sizes& s) {
  return r.batch_first ? Shape{s.batch, s.directions, s.hidden} : Shape{s.directions, s.batch, s.hidden};
}

/// One direction's parameters.
struct Weights {
  const float *w, *r, *bias, *peepholes;  ///< the last two may be null
};

/// One sequence in one direction: its state and how a step changes it.
class Sequence {
 public:
  Sequence(const RecurrentAttributes& r, const Sizes& s, const Weights& weights, size_t direction, List h,
           List c)
      : r_(r), s_(s), weights_(weights), h_(std::move(h)), c_(std::move(c)) {
    const size_t count = ActivationsOf(r.cell);
    f_ = &r.activations[direction * count];
  }

  const List& h() const { return h_; }
  const List& c() const { return c_; }

  void Step(const float* x) {
    List from_x = Product(weights_.w, x, s_.input), from_h = Product(weights_.r, h_.data(), s_.hidden);
    if (weights_.bias) {
      const int64_t rows = s_.gates * s_.hidden;
      for (int64_t i = 0; i < rows; ++i) {
        from_x[i] += static_cast<double>(weights_.bias[i]);
        from_h[i] += static_cast<double>(weights_.bias[rows + i]);
      }
    }
    if (r_.cell == Cell::kRnn) {
      for (int64_t j = 0; j < s_.hidden; ++j) h_[j] = f_[0](Clipped(from_x[j] + from_h[j]));
    } else if (r_.cell == Cell::kGru) {
      StepGru(from_x, from_h);
    } else {
      StepLstm(from_x, from_h);
    }
  }

 private:
  /// Rows of a matrix [gates * hidden, columns] times a vector.
  template <typename T>
  List Product(const float* matrix, const T* vector, int64_t columns) const {
    List y(s_.gates * s_.hidden, 0.0);
    for (size_t i = 0; i < y.size(); ++i)
      for (int64_t k = 0; k < columns; ++k)
        y[i] += static_cast<double>(matrix[static_cast<int64_t>(i) * columns + k]) *
                static_cast<double>(vector[k]);
    return y;
  }

  double Clipped(double x) const { return r_.clip > 0 ? std::clamp(x, -r_.clip, r_.clip) : x; }

  void StepGru(const List& from_x, const List& from_h) {
    const int64_t n = s_.hidden;
    List reset(n), candidate(n);
    for (int64_t j = 0; j < n; ++j) reset[j] = f_[0](Clipped(from_x[n + j] + from_h[n + j]));
    if (r_.linear_before_reset) {
      for (int64_t j = 0; j < n; ++j) candidate[j] = from_x[2 * n + j] + reset[j] * from_h[2 * n + j];
    } else {
      List kept(n);
      for (int64_t j = 0; j < n; ++j) kept[j] = reset[j] * h_[j];
      const List product = Product(weights_.r, kept.data(), n);
      for (int64_t j = 0; j < n; ++j) {
        const double bias = weights_.bias ? static_cast<double>(weights_.bias[3 * n + 2 * n + j]) : 0;
        candidate[j] = from_x[2 * n + j] + product[2 * n + j] + bias;
      }
    }
    for (int64_t j = 0; j < n; ++j) {
      const double update = f_[0](Clipped(from_x[j] + from_h[j]));
      h_[j] = (1 - update) * f_[1](Clipped(candidate[j])) + update * h_[j];
    }
  }

  void StepLstm(const List& from_x, const List& from_h) {
    const int64_t n = s_.hidden;
    const auto gate = [&](int64_t g, int64_t j, double cell) {
      // Peepholes stand in the order of the first three gates: input, output, forget.
      const double peep = weights_.peepholes ? static_cast<double>(weights_.peepholes[g * n + j]) * cell : 0;
      return f_[0](Clipped(from_x[g * n + j] + from_h[g * n + j] + peep));
    };
    for (int64_t j = 0; j < n; ++j) {
      const double input = gate(0, j, c_[j]), forget = r_.input_forget ? 1 - input : gate(2, j, c_[j]);
      c_[j] = forget * c_[j] + input * f_[1](Clipped(from_x[3 * n + j] + from_h[3 * n + j]));
      h_[j] = gate(1, j, c_[j]) * f_[2](c_[j]);
    }
  }

  const RecurrentAttributes& r_;
  const Sizes& s_;
  Weights weights_;
  const std::function<double(double)>* f_;
  List h_, c_;
};

const float* FloatsOf(const Tensor* tensor, int64_t at) {
  return tensor ? tensor->data<float>().data() + at : nullptr;
}

void Compute(const RecurrentAttributes& r, Values in, Results out) {
  const Sizes s = SizesOf(r, in[0]->shape());
  const bool lstm = r.cell == Cell::kLstm;
  const auto lengths = in[4] ? Integers(*in[4]) : std::vector<int64_t>(s.batch, s.steps);
  const auto x = in[0]->data<float>();
  for (int64_t d = 0; d < s.directions; ++d)
    for (int64_t b = 0; b < s.batch; ++b) {
      const int64_t rows = s.gates * s.hidden,
                    state = (r.batch_first ? b * s.directions + d : d * s.batch + b) * s.hidden;
      const auto initial = [&](const Tensor* tensor) {
        const float* from = FloatsOf(tensor, state);
        return from ? List(from, from + s.hidden) : List(s.hidden, 0.0);
      };
      const Weights weights{FloatsOf(in[1], d * rows * s.input), FloatsOf(in[2], d * rows * s.hidden),
                            FloatsOf(in[3], d * 2 * rows),
                            lstm ? FloatsOf(in[7], d * 3 * s.hidden) : nullptr};
      Sequence sequence(r, s, weights, d, initial(in[5]), lstm ? initial(in[6]) : List());
      const int64_t length = std::clamp<int64_t>(lengths[b], 0, s.steps);
      for (int64_t k = 0; k < length; ++k) {
        const int64_t t = r.reversed[d] ? length - 1 - k : k;
        const int64_t row = r.batch_first ? b * s.steps + t : t * s.batch + b;
        sequence.Step(x.data() + row * s.input);
        const int64_t to = r.batch_first ? row * s.directions + d : (t * s.directions + d) * s.batch + b;
        std::ranges::copy(sequence.h(), out[0].mutable_data<float>().begin() + to * s.hidden);
      }
      std::ranges::copy(sequence.h(), out[1].mutable_data<float>().begin() + state);
      if (lstm) std::ranges::copy(sequence.c(), out[2].mutable_data<float>().begin() + state);
    }
}

}  // namespace

size_t ActivationsOf(Cell cell) { return cell == Cell::kRnn ? 1 : cell == Cell::kGru ? 2 : 3; }

HostOperatorPtr Recurrent(const RecurrentAttributes& attributes) {
  const bool lstm = attributes.cell == Cell::kLstm;
  const char* name = lstm ? "lstm" : attributes.cell == Cell::kGru ? "gru" : "rnn";
  return Make(
      name, 3, lstm ? 8 : 6,
      [=](Operands in) {
        if (in[0].type.shape.size() != 3 || attributes.hidden < 1)
          return Refuse("input {}", ToString(in[0].type));
        const Sizes s = SizesOf(attributes, in[0].type.shape);
        const int64_t rows = s.gates * s.hidden;
        const Shape state = StateShape(attributes, s);
        const std::vector<Shape> shapes = {in[0].type.shape,
                                           {s.directions, rows, s.input},
                                           {s.directions, rows, s.hidden},
                                           {s.directions, 2 * rows},
                                           {s.batch},
                                           state,
                                           state,
                                           {s.directions, 3 * s.hidden}};
        for (size_t i = 0; i < in.size(); ++i)
          if (!in[i].absent && in[i].type != TensorType{i == 4 ? DType::kInt32 : DType::kFloat32, shapes[i]})
            return Refuse("operand {} is {}, not {}", i, ToString(in[i].type), ToString(shapes[i]));
        const Shape y = attributes.batch_first ? Shape{s.batch, s.steps, s.directions, s.hidden}
                                               : Shape{s.steps, s.directions, s.batch, s.hidden};
        if (!IsReasonable(y)) return Refuse("the result is too large");
        std::vector<TensorType> types = {{DType::kFloat32, y}, {DType::kFloat32, state}};
        if (lstm) types.push_back({DType::kFloat32, state});
        return Types{types};
      },
      [=](Values in, Results out) { host::Compute(attributes, in, out); },
      [=](Operands in, const TensorType&) {
        const Sizes s = SizesOf(attributes, in[0].type.shape);
        return s.steps * s.batch * s.directions * s.gates * s.hidden * (s.input + s.hidden);
      });
}

}  // namespace cosim::host
