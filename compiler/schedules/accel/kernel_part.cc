// SPDX-License-Identifier: Apache-2.0
// See kernel_part.h.
#include "compiler/schedules/accel/kernel_part.h"

#include <algorithm>

#include "compiler/layouts/relayout.h"
#include "compiler/ops/definition.h"
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

Tensor Define(const std::string& name, graph::Op op, const layouts::Layout& layout, DataType type,
              const std::vector<Tensor>& operands) {
  graph::Node node;
  node.name = name;
  node.op = std::move(op);
  node.type = {ops::DTypeOf(type), layouts::PlainShapeOf(layout)};
  return ops::Define(node, operands)->computations.back().tensor;
}

}  // namespace

KernelPart::KernelPart(const isa::Spec& spec, const Array& array, const Computation& what, std::string prefix)
    : spec_(spec),
      array_(array),
      lane_(DataType::Int(array.activation_bits)),
      kind_(*what.kind),
      w_(what.window),
      op_(kind_.Sums(w_, array)),
      e_(what.epilogue),
      prefix_(std::move(prefix)) {}

std::vector<int64_t> KernelPart::OutShape() const { return layouts::ShapeOf(OutputLayout()); }

void KernelPart::DeclareInputs(Arguments& arguments, Role weights, Role parameters, const Tensor& data) {
  const auto declare = [&](const char* name, std::vector<int64_t> shape, DataType type, Role role) {
    return arguments.Declare(Called(name), std::move(shape), type, role);
  };
  const bool is_on_chip = data.get() != nullptr;
  if (is_on_chip) window_ = data;
  if (!is_on_chip) data_ = declare("data", layouts::ShapeOf(InputLayout(w_.h, w_.w)), lane_, Role::kInput);
  if (const auto layout = kind_.Weights(w_, array_)) {
    const isa::ScalarType type = spec_.memories[kind_.WeightMemory(array_)].fields[0].type;
    weights_ = declare("weights", layouts::ShapeOf(*layout),
                       type.is_signed ? DataType::Int(type.width) : DataType::UInt(type.width), weights);
  }
  if (e_.HasParameters() && array_.HasParameters()) {
    const int64_t fields = std::ssize(spec_.memories[array_.parameters.memory].fields);
    std::vector<int64_t> shape = {w_.g, w_.co, w_.so, array_.block_out, fields};
    if (e_.HasCommonRecords()) shape = {3, 1, 1, array_.block_out, fields};
    parameters_ = declare("parameters", std::move(shape), kInt32, parameters);
  } else if (e_.requantize()) {
    bias_ = declare("bias", {w_.g, w_.co, w_.so, array_.batch, array_.block_out}, kInt32, Role::kBias);
  }
  if (e_.Find<graph::Table>())
    table_ =
        declare("table", {int64_t{1} << array_.table.bits}, DataType::Int(array_.table.bits), Role::kTable);
  if (e_.HasResidual()) residual_ = declare("residual", OutShape(), lane_, Role::kResidual);
}

void KernelPart::Compute() {
  if (op_) MakeSums();
  if (w_.pool) MakePool();
  result_ = te::Compute(
      Called("result"), OutShape(), [&](const Indices& i) -> te::Body { return ResultAt(i); }, OutNames());
}

// Channels that are summed over have blocks and lanes of their own; other kernels keep the output's.
layouts::Layout KernelPart::InputLayout(int64_t h, int64_t w) const {
  if (!kind_.SumsChannels()) return OutputLayout(h, w);
  return {{0, w_.n, "n"}, {1, w_.g, "g"},   {1, w_.ci, "ci"},       {2, h, "y"},
          {3, w, "x"},    {1, w_.si, "si"}, {0, array_.batch, "b"}, {1, array_.block_in, "k"}};
}

layouts::Layout KernelPart::OutputLayout(int64_t h, int64_t w) const {
  return {{0, w_.n, "n"}, {1, w_.g, "g"},   {1, w_.co, "co"},       {2, h, "y"},
          {3, w, "x"},    {1, w_.so, "so"}, {0, array_.batch, "b"}, {1, array_.block_out, "o"}};
}

// A layout with the parts of weights, which it does not have: of channels that are summed over before their
// lanes; else each channel is its own group, and they are its inputs.
layouts::Layout KernelPart::InParts(layouts::Layout layout) const {
  const layouts::Part part = {1, w_.parts, "part", true};
  if (kind_.SumsChannels())
    layout.insert(std::ranges::find(layout, "k", &layouts::Part::name), part);
  else if (w_.parts > 1)
    layout.push_back(part);
  return layout;
}

// The window and the sums over it: the operations' definitions on plain arrays, in blocks.
void KernelPart::MakeSums() {
  const layouts::Layout data = InputLayout(w_.h, w_.w),
                        window = InputLayout(w_.h + w_.top + w_.bottom, w_.w + w_.left + w_.right);
  if (!window_.get()) {
    const Tensor x = te::Placeholder("x", layouts::PlainShapeOf(data), lane_);
    const graph::Pad pad{{w_.top, w_.left, w_.bottom, w_.right}, static_cast<int32_t>(w_.pad_value), w_.edge};
    const Tensor padded = Define("padded", pad, window, lane_, {x});
    window_ = layouts::Relayout(Called("window"), padded, window, {{x, data_, data}}).tensor;
  }

  // Each part of a weight meets the same data.
  const layouts::Layout seen = InParts(window);
  const Tensor source = te::Placeholder("seen", layouts::PlainShapeOf(seen), lane_);
  std::vector<Tensor> operands = {source};
  std::vector<layouts::Read> reads = {{source, window_, seen}};
  std::vector<std::vector<layouts::ReducePart>> reduced = {kind_.ReducedRows(w_, array_), {{"kx", w_.kw}}};
  if (const auto layout = kind_.Weights(w_, array_)) {
    operands.push_back(te::Placeholder("w", layouts::PlainShapeOf(*layout), weights_.type()));
    reads.push_back({operands[1], weights_, *layout});
    reduced.insert(reduced.begin(), kind_.ReducedChannels(w_, array_));
  }
  const DataType type = kind_.KeepsType() ? lane_ : kInt32;
  const Tensor sums = Define("sums", *op_, SumsLayout(), type, operands);
  auto [sum, axes] = layouts::Relayout(Called("sum"), sums, SumsLayout(), reads, reduced);
  sum_ = largest_ = sum;
  reduced_ = std::move(axes);
}

void KernelPart::MakePool() {
  constexpr size_t kRows = 3, kCols = 4;
  largest_ = LargestAlong(largest_, kRows, w_.pool->rows, pool_);
  largest_ = LargestAlong(largest_, kCols, w_.pool->cols, pool_);
}

// A requantization where the ISA has no records: a shift. The bias already holds the rounding.
Expr KernelPart::Shifted(const graph::Requantize& op, const Expr& sum, const Indices& i) const {
  Expr value = sum + bias_({i[1], i[2], i[5], i[6], i[7]});
  if (op.shift[0] > 0) value = MakeBinary(tir::BinaryOp::kShr, value, tir::Int(op.shift[0], kInt32));
  if (op.zero_point != 0) value = value + tir::Int(op.zero_point, kInt32);
  return ops::Saturated(DataType::Int(op.bits), value);
}

// The value of a step's node from that of the node before.
Expr KernelPart::After(const EpilogueStep& step, const Expr& value, const Indices& i) const {
  const graph::Node& node = *step.node;
  Records records(array_.parameters, parameters_, e_.HasCommonRecords(), i);
  if (node.As<graph::BiasAdd>()) return value;  // a part of the record, where each sum gets one
  if (const auto* requantize = node.As<graph::Requantize>()) {
    if (!array_.HasParameters()) return Shifted(*requantize, value, i);
    return ops::Element(node, {{value + records.Get(0, ops::Part::kOffset, {})}}, records);
  }
  if (node.As<graph::Table>())
    return table_({ops::As(DataType::Index(), ops::As(DataType::UInt(array_.table.bits), value))});
  if (node.inputs.size() < 2) return ops::Element(node, {{value}}, records);
  const Expr other = residual_(i);
  return step.from == 0 ? ops::Element(node, {{value, other}}, records)
                        : ops::Element(node, {{other, value}}, records);
}

Expr KernelPart::ResultAt(const Indices& i) const {
  Expr value = op_ ? largest_(i) : data_(i);
  // What pools find is a value of their input.
  if (op_ && e_.type != kInt32) value = ops::Saturated(e_.type, value);
  for (const EpilogueStep& step : e_.steps) value = After(step, value, i);
  // Nothing moves elements alone: they go through the accumulators.
  if (!op_ && e_.steps.empty()) value = ops::Saturated(lane_, ops::As(kInt32, value));
  return MakeCast(array_.results_are_mirrored ? kInt32 : lane_, value);
}

void KernelPart::CacheReads(te::Schedule& schedule) {
  if (weights_.get()) {
    weights_here_ = schedule.CacheRead(weights_, Name(kind_.WeightMemory(array_)), {sum_});
    // Elements are loaded whole, also where some of their lanes mean nothing.
    te::Stage& loaded = schedule[weights_here_];
    loaded.ComputeWhole(loaded.axes().back());
  }
  const auto read = [&](const Tensor& tensor, int memory) {
    return tensor.get() ? schedule.CacheRead(tensor, Name(memory), {result_}) : Tensor();
  };
  parameters_here_ = read(parameters_, array_.parameters.memory);
  bias_here_ = read(bias_, array_.accumulators);
  table_here_ = read(table_, array_.table.memory);  // the same for all tiles: it gets no loop and stays
  residual_here_ = read(residual_, array_.alu_activations);
  if (!op_) data_here_ = read(data_, array_.alu_activations);
}

KernelPart::Loop KernelPart::Plan(te::Schedule& schedule, const Loop& at, const Tile& tile, int result_memory,
                                  bool parameters_resident) {
  const auto compute_at = [&](const Tensor& tensor, const Loop& loop) {
    if (tensor.get()) schedule[tensor].ComputeAt(*loop.stage, loop.axis);
  };
  schedule[result_].SetScope(Name(result_memory));
  for (const Tensor& tensor : {result_, bias_here_, residual_here_, data_here_}) compute_at(tensor, at);
  if (!parameters_resident) compute_at(parameters_here_, at);
  Loop operands = at;
  if (op_) {
    te::Stage& sum = schedule[sum_];
    sum.SetScope(Name(array_.accumulators));
    compute_at(sum_, at);
    if (tile.thread_axis == Tile::ThreadAxis::kX) sum.Slide(sum.axis(3));
    if (const std::optional<te::Axis> part = kind_.Order(sum, reduced_, tile)) operands = {&sum, *part};
    if (data_.get()) {
      schedule[window_].SetScope(Name(kind_.WindowMemory(array_)));
      compute_at(window_, operands);
    }
    if (!tile.weights_resident) compute_at(weights_here_, operands);
  }
  for (const PoolStage& made : pool_) {
    te::Stage& stage = schedule[made.tensor];
    stage.SetScope(Name(array_.accumulators));
    compute_at(made.tensor, at);
    if (made.source.get()) stage.ComputeInPlace(made.source, made.at);
  }
  return operands;
}

}  // namespace cosim::kernels
