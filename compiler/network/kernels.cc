// SPDX-License-Identifier: Apache-2.0
// See kernels.h.
#include "compiler/network/kernels.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "compiler/te/lower.h"
#include "compiler/te/te.h"
#include "isa/check.h"

namespace cosim::network {
namespace {

using te::Indices;
using te::Tensor;
using tir::DataType;
using tir::Expr;

const DataType kInt32 = DataType::Int(32), kInt64 = DataType::Int(64);

Expr I32(Expr e) { return MakeCast(kInt32, std::move(e)); }
Expr I64(Expr e) { return MakeCast(kInt64, std::move(e)); }
Expr Clamp(Expr e, int64_t low, int64_t high) {
  const DataType type = e->type;
  return Max(Min(std::move(e), tir::Int(high, type)), tir::Int(low, type));
}

// term(v) of graph::QAdd.
Expr AddTerm(Expr value, const graph::QAdd::Operand& operand) {
  const Expr centred = std::move(value) - tir::Int(operand.zero_point, kInt32);
  return I32(
      RoundShift(I64(centred) * tir::Int(operand.multiplier, kInt64), tir::Int(operand.shift, kInt64)));
}

// graph::Twice of an int32. The last cast changes no value; it tells what the shift leaves.
Expr Twice(const Expr& x, const Expr& multiplier, const Expr& shift) {
  const Expr high = Clamp(RoundShift(I64(x) * I64(multiplier), tir::Int(31, kInt64)),
                          std::numeric_limits<int32_t>::min(), std::numeric_limits<int32_t>::max());
  const Expr away =
      MakeBinary(tir::BinaryOp::kAnd, I64(MakeBinary(tir::BinaryOp::kLt, high, tir::Int(0, kInt64))),
                 I64(MakeBinary(tir::BinaryOp::kNe, shift, tir::Int(0, kInt32))));
  return I32(RoundShift(high - away, I64(shift)));
}

class KernelBuilder {
 public:
  KernelBuilder(const isa::Spec& spec, const Array& array, Anchor anchor, const Window& window,
                const EpilogueInfo& epilogue, const Tile& tile)
      : spec_(spec),
        array_(array),
        lane_(DataType::Int(array.activation_bits)),
        anchor_(anchor),
        w_(window),
        e_(epilogue),
        t_(tile) {}

  KernelTe Build(const std::string& name) {
    DeclareInputs();
    if (anchor_ != Anchor::kNone) {
      window_ = MakeWindow();
      sum_ = MakeAnchor();
    }
    result_ = te::Compute(
        "result", OutShape(), [&](const Indices& i) -> te::Body { return ResultAt(i); }, OutNames());
    output_ = te::Compute(
        "output", OutShape(),
        [&](const Indices& i) -> te::Body {
          return array_.results_are_mirrored ? MakeCast(lane_, result_(i)) : result_(i);
        },
        OutNames());
    args_.push_back(output_);
    roles_.push_back(Role::kOutput);
    te::Schedule schedule({output_});
    Plan(schedule);
    return {te::Lower(schedule, args_, name), roles_};
  }

 private:
  const std::string& Name(int memory) const { return spec_.memories[memory].name; }
  std::vector<int64_t> OutShape() const {
    return {w_.n, w_.g, w_.co, w_.oh, w_.ow, w_.so, array_.batch, array_.block_out};
  }
  static std::vector<std::string> OutNames() { return {"n", "g", "co", "y", "x", "so", "b", "o"}; }
  // Pools and elementwise kernels keep their channels: the input has the output's blocks.
  int64_t InputBlocks() const { return anchor_ == Anchor::kConvolution ? w_.ci : w_.co; }
  int64_t InputLanes() const { return anchor_ == Anchor::kConvolution ? array_.block_in : array_.block_out; }
  int64_t InputElements() const { return anchor_ == Anchor::kConvolution ? w_.si : w_.so; }

  std::vector<int64_t> WeightsShape() const {
    std::vector<int64_t> shape = {w_.g, w_.co, w_.so, w_.ci, w_.si, w_.kh, w_.kw};
    if (array_.weights_by_input) {
      shape.insert(shape.end(), {array_.block_in, array_.block_out});
    } else {
      shape.insert(shape.end(), {array_.block_out, array_.block_in});
    }
    return shape;
  }

  Tensor Declare(const std::string& name, std::vector<int64_t> shape, DataType type, Role role) {
    args_.push_back(te::Placeholder(name, std::move(shape), type));
    roles_.push_back(role);
    return args_.back();
  }

  void DeclareInputs() {
    data_ =
        Declare("data", {w_.n, w_.g, InputBlocks(), w_.h, w_.w, InputElements(), array_.batch, InputLanes()},
                lane_, Role::kInput);
    if (anchor_ == Anchor::kConvolution)
      weights_ =
          Declare("weights", WeightsShape(), DataType::Int(array_.weight_bits > 8 ? 16 : 8), Role::kWeights);
    if (e_.HasParameters() && array_.HasParameters()) {
      const int64_t fields = static_cast<int64_t>(spec_.memories[array_.parameters.memory].fields.size());
      parameters_ = e_.scaled_add ? Declare("parameters", {3, 1, 1, array_.block_out, fields}, kInt32,
                                            Role::kParameters)
                                  : Declare("parameters", {w_.g, w_.co, w_.so, array_.block_out, fields},
                                            kInt32, Role::kParameters);
    } else if (e_.requantize) {
      bias_ = Declare("bias", {w_.g, w_.co, w_.so, array_.batch, array_.block_out}, kInt32, Role::kBias);
    }
    if (e_.HasResidual()) residual_ = Declare("residual", OutShape(), lane_, Role::kResidual);
  }

  Tensor MakeWindow() {
    const std::vector<int64_t> shape = {w_.n,
                                        w_.g,
                                        InputBlocks(),
                                        w_.h + w_.top + w_.bottom,
                                        w_.w + w_.left + w_.right,
                                        InputElements(),
                                        array_.batch,
                                        InputLanes()};
    return te::Compute(
        "window", shape,
        [&](const Indices& i) -> te::Body {
          const Expr y = i[3] - tir::Int(w_.top), x = i[4] - tir::Int(w_.left);
          const Expr value = data_({i[0], i[1], i[2], y, x, i[5], i[6], i[7]});
          if (!w_.Padded()) return value;
          const auto inside = [](const Expr& at, int64_t extent) {
            return MakeBinary(tir::BinaryOp::kLogicalAnd, MakeBinary(tir::BinaryOp::kLe, tir::Int(0), at),
                              MakeBinary(tir::BinaryOp::kLt, at, tir::Int(extent)));
          };
          const Expr both = MakeBinary(tir::BinaryOp::kLogicalAnd, inside(y, w_.h), inside(x, w_.w));
          return MakeSelect(both, value, tir::Int(w_.pad_value, lane_));
        },
        {"n", "g", "ci", "y", "x", "si", "b", "k"});
  }

  Tensor MakeAnchor() {
    ky_ = te::ReduceAxis(w_.kh, "ky");
    kx_ = te::ReduceAxis(w_.kw, "kx");
    const auto at = [&](const Indices& i, Expr c, Expr element, Expr lane) {
      return window_({i[0], i[1], c, i[3] * tir::Int(w_.sh) + Expr(ky_) * tir::Int(w_.dh),
                      i[4] * tir::Int(w_.sw) + Expr(kx_) * tir::Int(w_.dw), element, i[6], lane});
    };
    if (anchor_ == Anchor::kConvolution) {
      ci_ = te::ReduceAxis(w_.ci, "ci");
      si_ = te::ReduceAxis(w_.si, "si");
      k_ = te::ReduceAxis(array_.block_in, "k");
      return te::Compute(
          "sum", OutShape(),
          [&](const Indices& i) -> te::Body {
            Indices weight = {i[1], i[2], i[5], ci_, si_, ky_, kx_, i[7], k_};
            if (array_.weights_by_input) std::swap(weight[7], weight[8]);
            return te::Sum(I32(at(i, ci_, si_, k_)) * I32(weights_(weight)), {ci_, si_, ky_, kx_, k_});
          },
          OutNames());
    }
    return te::Compute(
        "sum", OutShape(),
        [&](const Indices& i) -> te::Body {
          const Expr value = I32(at(i, i[2], i[5], i[7]));
          return anchor_ == Anchor::kMaxPool ? te::MaxReduce(value, {ky_, kx_}) : te::Sum(value, {ky_, kx_});
        },
        OutNames());
  }

  Expr Requantized(const Expr& sum, const Indices& i) {
    if (!array_.HasParameters()) {  // the bias already holds the rounding
      Expr value = sum + bias_({i[1], i[2], i[5], i[6], i[7]});
      if (e_.shift > 0) value = MakeBinary(tir::BinaryOp::kShr, value, tir::Int(e_.shift, kInt32));
      if (e_.output_zero_point != 0) value = value + tir::Int(e_.output_zero_point, kInt32);
      return value;
    }
    const auto field = [&](int f) {
      return e_.scaled_add ? ScaledParameter(2, f, i) : parameters_({i[1], i[2], i[5], i[7], tir::Int(f)});
    };
    const Expr biased = sum + field(array_.parameters.bias);
    if (e_.twice || e_.scaled_add)
      return I64(Twice(biased, field(array_.parameters.multiplier), field(array_.parameters.shift))) +
             tir::Int(e_.output_zero_point, kInt64);
    const Expr product = I64(biased) * I64(field(array_.parameters.multiplier));
    const Expr scaled = Clamp(RoundShift(product, I64(field(array_.parameters.shift))),
                              std::numeric_limits<int32_t>::min(), std::numeric_limits<int32_t>::max());
    return scaled + tir::Int(e_.output_zero_point, kInt64);
  }

  // Field `f` of record `k` of a scaled add: the same for all channels.
  Expr ScaledParameter(int64_t k, int f, const Indices& i) {
    return parameters_({tir::Int(k), tir::Int(0), tir::Int(0), i[7], tir::Int(f)});
  }

  // The term of graph::ScaledAdd whose record is number `k`.
  Expr ScaledTerm(const Expr& x, int64_t k, const Indices& i) {
    const auto field = [&](int f) { return ScaledParameter(k, f, i); };
    const Expr centred = I32(x) + field(array_.parameters.bias);
    const Expr shifted =
        MakeBinary(tir::BinaryOp::kShl, centred, tir::Int(graph::ScaledAdd::kLeftShift, kInt32));
    return Twice(shifted, field(array_.parameters.multiplier), field(array_.parameters.shift));
  }

  // What graph::QMul makes of two values, before it is clamped.
  Expr Product(const Expr& a, const Expr& b) const {
    const graph::QMul& m = *e_.mul;
    const Expr product = (a - tir::Int(m.a_zero_point, kInt32)) * (b - tir::Int(m.b_zero_point, kInt32));
    const Expr scaled = RoundShift(I64(product) * tir::Int(m.multiplier, kInt64), tir::Int(m.shift, kInt64));
    return scaled + tir::Int(m.output_zero_point, kInt64);
  }

  Expr ResultAt(const Indices& i) {
    if (e_.scaled_add) {
      const Expr sum = ScaledTerm(data_(i), 0, i) + ScaledTerm(residual_(i), 1, i);
      const Expr result = I32(Clamp(Requantized(sum, i), e_.low, e_.high));
      return array_.results_are_mirrored ? result : MakeCast(lane_, result);
    }
    Expr value = I32(anchor_ == Anchor::kNone ? data_(i) : sum_(i));
    if (e_.requantize) value = I32(Clamp(Requantized(value, i), e_.first_low, e_.first_high));
    if (e_.rescale) {
      const auto& r = *e_.rescale;
      value =
          AddTerm(value, {r.input_zero_point, r.multiplier, r.shift}) + tir::Int(r.output_zero_point, kInt32);
    }
    if (e_.mul) value = I32(Clamp(Product(value, I32(residual_(i))), e_.low, e_.high));
    if (e_.add) {
      const Expr mine = AddTerm(value, e_.residual_is_a ? e_.add->b : e_.add->a);
      const Expr other = AddTerm(I32(residual_(i)), e_.residual_is_a ? e_.add->a : e_.add->b);
      value = mine + other + tir::Int(e_.add->output_zero_point, kInt32);
    }
    value = Clamp(value, e_.low, e_.high);
    return array_.results_are_mirrored ? value : MakeCast(lane_, value);
  }

  void Plan(te::Schedule& schedule) {
    te::Stage& out = schedule[output_];
    auto [go, gi] = out.Split(out.axis(1), t_.g);
    auto [coo, coi] = out.Split(out.axis(2), t_.co);
    auto [yo, yi] = out.Split(out.axis(3), t_.y);
    auto [xo, xi] = out.Split(out.axis(4), t_.x);
    const te::Axis n = out.axis(0), so = out.axis(5), b = out.axis(6), o = out.axis(7);
    te::Axis inner = xo;
    if (t_.threads > 1) {
      te::Axis& split = t_.thread_axis == Tile::ThreadAxis::kY ? yo : w_.g > 1 ? go : coo;
      auto [outer, thread] = out.Split(split, t_.threads);
      split = outer;
      out.Reorder({n, go, coo, yo, xo, thread, gi, coi, yi, xi, so, b, o});
      out.VirtualThread(thread);
      inner = thread;
    } else {
      out.Reorder({n, go, coo, yo, xo, gi, coi, yi, xi, so, b, o});
    }
    // On-chip copies first (they change what the stages read), then where each stage is computed.
    Tensor weights, parameters, bias, residual, data;
    if (weights_.get()) weights = schedule.CacheRead(weights_, Name(array_.weights), {sum_});
    if (parameters_.get())
      parameters = schedule.CacheRead(parameters_, Name(array_.parameters.memory), {result_});
    if (bias_.get()) bias = schedule.CacheRead(bias_, Name(array_.accumulators), {result_});
    if (residual_.get()) residual = schedule.CacheRead(residual_, Name(array_.activations), {result_});
    if (anchor_ == Anchor::kNone) data = schedule.CacheRead(data_, Name(array_.activations), {result_});

    schedule[result_].SetScope(Name(array_.ResultMemory()));
    schedule[result_].ComputeAt(out, inner);
    for (const Tensor& tensor : {bias, residual, data})
      if (tensor.get()) schedule[tensor].ComputeAt(out, inner);
    if (parameters.get() && !ParametersResident(spec_, array_, w_))
      schedule[parameters].ComputeAt(out, inner);
    if (anchor_ != Anchor::kNone) PlanAnchor(schedule, out, inner, weights);
  }

  void PlanAnchor(te::Schedule& schedule, te::Stage& out, const te::Axis& inner, const Tensor& weights) {
    te::Stage& sum = schedule[sum_];
    te::Stage& window = schedule[window_];
    sum.SetScope(Name(array_.accumulators));
    sum.ComputeAt(out, inner);
    window.SetScope(Name(array_.activations));
    const te::Axis n = sum.axis(0), g = sum.axis(1), co = sum.axis(2), y = sum.axis(3), x = sum.axis(4),
                   so = sum.axis(5), b = sum.axis(6), o = sum.axis(7);
    if (anchor_ != Anchor::kConvolution) {
      sum.Reorder({ky_, kx_, n, g, co, y, x, so, b, o});
      window.ComputeAt(out, inner);
      return;
    }
    auto [cio, cii] = sum.Split(ci_, t_.ci);
    sum.Reorder({cio, n, g, co, y, x, so, cii, si_, ky_, kx_, b, o, k_});
    sum.Tensorize(b);
    window.ComputeAt(sum, cio);
    if (!t_.weights_resident) schedule[weights].ComputeAt(sum, cio);
  }

  const isa::Spec& spec_;
  const Array& array_;
  const DataType lane_;  // of values in DRAM
  Anchor anchor_;
  const Window& w_;
  const EpilogueInfo& e_;
  const Tile& t_;
  std::vector<Tensor> args_;
  std::vector<Role> roles_;
  Tensor data_, weights_, parameters_, bias_, residual_, window_, sum_, result_, output_;
  te::Axis ci_, si_, k_, ky_, kx_;
};

}  // namespace

bool ParametersResident(const isa::Spec& spec, const Array& array, const Window& window) {
  return window.g * window.co * window.so <= spec.memories[array.parameters.memory].depth / 2;
}

std::string ToString(const Tile& tile) {
  return fmt::format("{}co={} ci={} y={} x={} threads={} by {}{}",
                     tile.g > 1 ? fmt::format("g={} ", tile.g) : "", tile.co, tile.ci, tile.y, tile.x,
                     tile.threads, tile.thread_axis == Tile::ThreadAxis::kCo ? "co" : "y",
                     tile.weights_resident ? " weights resident" : "");
}

KernelTe BuildKernel(const isa::Spec& spec, const Array& array, const std::string& name, Anchor anchor,
                     const Window& window, const EpilogueInfo& epilogue, const Tile& tile) {
  return KernelBuilder(spec, array, anchor, window, epilogue, tile).Build(name);
}

}  // namespace cosim::network
