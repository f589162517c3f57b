// SPDX-License-Identifier: Apache-2.0
// See kernel.h.
#include "compiler/schedules/accel/kernel.h"

#include <algorithm>
#include <utility>

#include "compiler/layouts/relayout.h"
#include "compiler/ops/definition.h"
#include "compiler/ops/elementwise.h"
#include "compiler/schedules/accel/pool.h"
#include "compiler/te/lower.h"
#include "compiler/te/te.h"
#include "isa/check.h"

namespace cosim::kernels {
namespace {

using te::Indices;
using te::Tensor;
using tir::DataType;
using tir::Expr;

using accel::ChannelRecord;
using ops::kInt32;

// The numbers of an operation in the records of the parameter memory: one a channel, or the same three of an
// operation for all channels.
class Records : public ops::Parameters {
 public:
  Records(const ChannelRecord& record, Tensor parameters, bool common, const Indices& i)
      : record_(record), parameters_(std::move(parameters)), common_(common), i_(i) {}

  Expr Get(int record, ops::Part part, std::span<const int32_t>) override {
    const int fields[] = {record_.bias, record_.multiplier, record_.shift};
    const Expr field = tir::Int(fields[static_cast<size_t>(part)]);
    if (common_) return parameters_({tir::Int(record), tir::Int(0), tir::Int(0), i_[7], field});
    return parameters_({i_[1], i_[2], i_[5], i_[7], field});
  }
  bool InRange() const override { return false; }

 private:
  const ChannelRecord& record_;
  Tensor parameters_;
  bool common_;
  const Indices& i_;
};

class KernelBuilder {
 public:
  KernelBuilder(const isa::Spec& spec, const Array& array, const KernelTemplate& kind, const Window& window,
                const Epilogue& epilogue, const Tile& tile)
      : spec_(spec),
        array_(array),
        lane_(DataType::Int(array.activation_bits)),
        kind_(kind),
        op_(kind.Sums(window, array)),
        w_(window),
        e_(epilogue),
        t_(tile) {}

  KernelTe Build(const std::string& name) {
    DeclareInputs();
    if (op_) MakeSums();
    if (w_.pool) MakePool();
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
  std::vector<int64_t> OutShape() const { return layouts::ShapeOf(OutputLayout()); }
  static std::vector<std::string> OutNames() { return {"n", "g", "co", "y", "x", "so", "b", "o"}; }
  Tensor Declare(const std::string& name, std::vector<int64_t> shape, DataType type, Role role) {
    args_.push_back(te::Placeholder(name, std::move(shape), type));
    roles_.push_back(role);
    return args_.back();
  }

  void DeclareInputs() {
    data_ = Declare("data", layouts::ShapeOf(InputLayout(w_.h, w_.w)), lane_, Role::kInput);
    if (const auto layout = kind_.Weights(w_, array_)) {
      const isa::ScalarType type = spec_.memories[kind_.WeightMemory(array_)].fields[0].type;
      weights_ =
          Declare("weights", layouts::ShapeOf(*layout),
                  type.is_signed ? DataType::Int(type.width) : DataType::UInt(type.width), Role::kWeights);
    }
    if (e_.HasParameters() && array_.HasParameters()) {
      const int64_t fields = static_cast<int64_t>(spec_.memories[array_.parameters.memory].fields.size());
      parameters_ =
          e_.HasCommonRecords()
              ? Declare("parameters", {3, 1, 1, array_.block_out, fields}, kInt32, Role::kParameters)
              : Declare("parameters", {w_.g, w_.co, w_.so, array_.block_out, fields}, kInt32,
                        Role::kParameters);
    } else if (e_.requantize()) {
      bias_ = Declare("bias", {w_.g, w_.co, w_.so, array_.batch, array_.block_out}, kInt32, Role::kBias);
    }
    if (e_.HasResidual()) residual_ = Declare("residual", OutShape(), lane_, Role::kResidual);
  }

  // Channels that are summed over have blocks and lanes of their own; other kernels keep the output's.
  layouts::Layout InputLayout(int64_t h, int64_t w) const {
    if (!kind_.SumsChannels()) return OutputLayout(h, w);
    return {{0, w_.n, "n"}, {1, w_.g, "g"},   {1, w_.ci, "ci"},       {2, h, "y"},
            {3, w, "x"},    {1, w_.si, "si"}, {0, array_.batch, "b"}, {1, array_.block_in, "k"}};
  }
  layouts::Layout OutputLayout(int64_t h, int64_t w) const {
    return {{0, w_.n, "n"}, {1, w_.g, "g"},   {1, w_.co, "co"},       {2, h, "y"},
            {3, w, "x"},    {1, w_.so, "so"}, {0, array_.batch, "b"}, {1, array_.block_out, "o"}};
  }
  layouts::Layout OutputLayout() const { return OutputLayout(w_.OutRows(), w_.OutCols()); }
  layouts::Layout SumsLayout() const { return OutputLayout(w_.oh, w_.ow); }
  /// A layout of channels that are summed over, with the parts of their weights, which it does not have.
  layouts::Layout InParts(layouts::Layout layout) const {
    const auto lanes = std::ranges::find(layout, "k", &layouts::Part::name);
    layout.insert(lanes, {1, w_.parts, "part", true});
    return layout;
  }
  static Tensor Define(const std::string& name, graph::Op op, const layouts::Layout& layout, DataType type,
                       const std::vector<Tensor>& operands) {
    graph::Node node;
    node.name = name;
    node.op = std::move(op);
    node.type = {ops::DTypeOf(type), layouts::PlainShapeOf(layout)};
    return ops::Define(node, operands)->computations.back().tensor;
  }

  // The window and the sums over it: the operations' definitions on plain arrays, in blocks.
  void MakeSums() {
    const layouts::Layout data = InputLayout(w_.h, w_.w),
                          window = InputLayout(w_.h + w_.top + w_.bottom, w_.w + w_.left + w_.right);
    const Tensor x = te::Placeholder("x", layouts::PlainShapeOf(data), lane_);
    const graph::Pad pad{{w_.top, w_.left, w_.bottom, w_.right}, static_cast<int32_t>(w_.pad_value)};
    const Tensor padded = Define("padded", pad, window, lane_, {x});
    window_ = layouts::Relayout("window", padded, window, {{x, data_, data}}).tensor;

    // Each part of a weight meets the same data.
    const layouts::Layout seen = kind_.SumsChannels() ? InParts(window) : window;
    const Tensor source = te::Placeholder("seen", layouts::PlainShapeOf(seen), lane_);
    std::vector<Tensor> operands = {source};
    std::vector<layouts::Read> reads = {{source, window_, seen}};
    std::vector<std::vector<layouts::ReducePart>> reduced = {{{"ky", w_.kh}}, {{"kx", w_.kw}}};
    if (const auto layout = kind_.Weights(w_, array_)) {
      operands.push_back(te::Placeholder("w", layouts::PlainShapeOf(*layout), weights_.type()));
      reads.push_back({operands[1], weights_, *layout});
      reduced.insert(reduced.begin(), kind_.ReducedChannels(w_, array_));
    }
    const DataType type = kind_.KeepsType() ? lane_ : kInt32;
    const Tensor sums = Define("sums", *op_, SumsLayout(), type, operands);
    auto [sum, axes] = layouts::Relayout("sum", sums, SumsLayout(), reads, reduced);
    sum_ = largest_ = sum;
    reduced_ = std::move(axes);
  }

  void MakePool() {
    constexpr size_t kRows = 3, kCols = 4;
    largest_ = LargestAlong(largest_, kRows, w_.pool->rows, pool_);
    largest_ = LargestAlong(largest_, kCols, w_.pool->cols, pool_);
  }

  // A requantization where the ISA has no records: a shift. The bias already holds the rounding.
  Expr Shifted(const graph::Requantize& op, const Expr& sum, const Indices& i) const {
    Expr value = sum + bias_({i[1], i[2], i[5], i[6], i[7]});
    if (op.shift[0] > 0) value = MakeBinary(tir::BinaryOp::kShr, value, tir::Int(op.shift[0], kInt32));
    if (op.zero_point != 0) value = value + tir::Int(op.zero_point, kInt32);
    return ops::Saturated(DataType::Int(op.bits), value);
  }

  // The value of a step's node from that of the node before.
  Expr After(const EpilogueStep& step, const Expr& value, const Indices& i) const {
    const graph::Node& node = *step.node;
    Records records(array_.parameters, parameters_, e_.HasCommonRecords(), i);
    if (node.As<graph::BiasAdd>()) return value;  // a part of the record, where each sum gets one
    if (const auto* requantize = node.As<graph::Requantize>()) {
      if (!array_.HasParameters()) return Shifted(*requantize, value, i);
      return ops::Element(node, {{value + records.Get(0, ops::Part::kOffset, {})}}, records);
    }
    if (node.inputs.size() < 2) return ops::Element(node, {{value}}, records);
    const Expr other = residual_(i);
    return step.from == 0 ? ops::Element(node, {{value, other}}, records)
                          : ops::Element(node, {{other, value}}, records);
  }

  Expr ResultAt(const Indices& i) const {
    Expr value = op_ ? largest_(i) : data_(i);
    // What pools find is a value of their input.
    if (op_ && e_.type != kInt32) value = ops::Saturated(e_.type, value);
    for (const EpilogueStep& step : e_.steps) value = After(step, value, i);
    return MakeCast(array_.results_are_mirrored ? kInt32 : lane_, value);
  }

  bool Slides() const { return t_.thread_axis == Tile::ThreadAxis::kX; }

  void Plan(te::Schedule& schedule) {
    te::Stage& out = schedule[output_];
    auto [go, gi] = out.Split(out.axis(1), t_.g);
    auto [coo, coi] = out.Split(out.axis(2), t_.co);
    auto [yo, yi] = out.Split(out.axis(3), t_.y);
    auto [xo, xi] = out.Split(out.axis(4), t_.x);
    const te::Axis n = out.axis(0), so = out.axis(5), b = out.axis(6), o = out.axis(7);
    te::Axis inner = xo;
    if (Slides()) {
      const auto [outer, thread] = out.Split(xo, t_.threads);
      out.Reorder({n, go, coo, outer, thread, yo, gi, coi, yi, xi, so, b, o});
      out.VirtualThread(thread);
      inner = yo;
    } else if (t_.threads > 1) {
      te::Axis& split = t_.thread_axis == Tile::ThreadAxis::kY ? yo : w_.g > 1 ? go : coo;
      auto [outer, thread] = out.Split(split, t_.threads);
      split = outer;
      t_.rows_first ? out.Reorder({n, yo, xo, go, coo, thread, gi, coi, yi, xi, so, b, o})
                    : out.Reorder({n, go, coo, yo, xo, thread, gi, coi, yi, xi, so, b, o});
      out.VirtualThread(thread);
      inner = thread;
    } else if (t_.rows_first) {
      out.Reorder({n, yo, xo, go, coo, gi, coi, yi, xi, so, b, o});
      inner = coo;
    } else {
      out.Reorder({n, go, coo, yo, xo, gi, coi, yi, xi, so, b, o});
    }
    // On-chip copies first (they change what the stages read), then where each stage is computed.
    Tensor weights, parameters, bias, residual, data;
    if (weights_.get()) {
      weights = schedule.CacheRead(weights_, Name(kind_.WeightMemory(array_)), {sum_});
      // Elements are loaded whole, also where some of their lanes mean nothing.
      te::Stage& loaded = schedule[weights];
      loaded.ComputeWhole(loaded.axes().back());
    }
    if (parameters_.get())
      parameters = schedule.CacheRead(parameters_, Name(array_.parameters.memory), {result_});
    if (bias_.get()) bias = schedule.CacheRead(bias_, Name(array_.accumulators), {result_});
    if (residual_.get()) residual = schedule.CacheRead(residual_, Name(array_.alu_activations), {result_});
    if (!op_) data = schedule.CacheRead(data_, Name(array_.alu_activations), {result_});

    schedule[result_].SetScope(Name(array_.ResultMemory()));
    schedule[result_].ComputeAt(out, inner);
    for (const Tensor& tensor : {bias, residual, data})
      if (tensor.get()) schedule[tensor].ComputeAt(out, inner);
    if (parameters.get() && !ParametersResident(spec_, array_, w_))
      schedule[parameters].ComputeAt(out, inner);
    if (op_) PlanSums(schedule, out, inner, weights);
    for (const PoolStage& made : pool_) {
      te::Stage& stage = schedule[made.tensor];
      stage.SetScope(Name(array_.accumulators));
      stage.ComputeAt(out, inner);
      if (made.source.get()) stage.ComputeInPlace(made.source, made.at);
    }
  }

  void PlanSums(te::Schedule& schedule, te::Stage& out, const te::Axis& inner, const Tensor& weights) {
    te::Stage& sum = schedule[sum_];
    sum.SetScope(Name(array_.accumulators));
    sum.ComputeAt(out, inner);
    if (Slides()) sum.Slide(sum.axis(3));
    te::Stage& window = schedule[window_];
    window.SetScope(Name(kind_.WindowMemory(array_)));
    const std::optional<te::Axis> part = kind_.Order(sum, reduced_, t_);
    const auto load = [&](te::Stage& stage) {
      part ? stage.ComputeAt(sum, *part) : stage.ComputeAt(out, inner);
    };
    load(window);
    if (weights.get() && !t_.weights_resident) load(schedule[weights]);
  }

  const isa::Spec& spec_;
  const Array& array_;
  const DataType lane_;  // of values in DRAM
  const KernelTemplate& kind_;
  const std::optional<graph::Op> op_;  // of the sums
  const Window& w_;
  const Epilogue& e_;
  const Tile& t_;
  std::vector<Tensor> args_;
  std::vector<Role> roles_;
  Tensor data_, weights_, parameters_, bias_, residual_, window_, sum_, result_, output_;
  Tensor largest_;               // of the sums, or the sums
  std::vector<PoolStage> pool_;  // what makes the largest of them
  std::vector<te::Axis> reduced_;
};

}  // namespace

bool ParametersResident(const isa::Spec& spec, const Array& array, const Window& window) {
  return window.g * window.co * window.so <= spec.memories[array.parameters.memory].depth / 2;
}

std::string_view ToString(Tile::ThreadAxis axis) {
  return axis == Tile::ThreadAxis::kCo ? "co" : axis == Tile::ThreadAxis::kX ? "x" : "y";
}

std::string ToString(const Tile& tile) {
  return fmt::format(
      "{}co={} ci={} y={} x={}{}{} threads={} by {}{}{}", tile.g > 1 ? fmt::format("g={} ", tile.g) : "",
      tile.co, tile.ci, tile.y, tile.x, tile.ky > 0 ? fmt::format(" ky={}", tile.ky) : "",
      tile.kx > 0 ? fmt::format(" kx={}", tile.kx) : "", tile.threads, ToString(tile.thread_axis),
      fmt::format("{}{}", tile.rows_first ? " rows first" : "",
                  tile.weights_resident ? " weights resident" : ""),
      tile.units > 1 ? fmt::format(" units={}", tile.units) : "");
}

KernelTe BuildKernel(const isa::Spec& spec, const Array& array, const std::string& name,
                     const KernelTemplate& kind, const Window& window, const Epilogue& epilogue,
                     const Tile& tile) {
  return KernelBuilder(spec, array, kind, window, epilogue, tile).Build(name);
}

}  // namespace cosim::kernels
