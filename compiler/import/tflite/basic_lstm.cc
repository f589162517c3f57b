// SPDX-License-Identifier: Apache-2.0
// TensorFlow Lite's LSTM of the kernel that its options call basic: one matrix for all gates, on float32, put
// together of operators of the host.
#include <fmt/format.h>

#include "compiler/host/elementwise.h"
#include "compiler/host/functions.h"
#include "compiler/host/linear.h"
#include "compiler/host/movement.h"
#include "compiler/import/tflite/builder.h"

namespace cosim::import::tflite {

using graph::Shape;
using graph::ValueId;
using host::Arithmetic;

namespace {

constexpr char kFloatReason[] = "float32";

}  // namespace

// (x [B,I], the last result [B,O], weights [4O,I+O], bias [4O], cells [B,O]) -> result, cells, the two that
// it multiplies side by side, the products: of the input gate, the candidate, the forget and the output gate.
bool Builder::BasicLstm() {
  constexpr size_t kLast = 1, kWeights = 2, kBias = 3, kCells = 4;
  if (!Operands(5, 5)) return false;
  if (op_->outputs.size() != 4) return Malformed(fmt::format("has {} results, not 4", op_->outputs.size()));
  for (int tensor : op_->inputs)
    if (!IsFloat(tensor)) return Unsupported("its basic kernel on anything but float32");
  const Shape &x = Info(op_->inputs[0]).shape, &cells = Info(op_->inputs[kCells]).shape;
  if (x.size() != 2 || cells.size() != 2 || Info(op_->inputs[kLast]).shape != cells || x[0] != cells[0] ||
      Info(op_->inputs[kWeights]).shape != Shape{4 * cells[1], x[1] + cells[1]} ||
      Info(op_->inputs[kBias]).shape != Shape{4 * cells[1]})
    return Malformed("its operands do not fit each other");
  const auto state = [&](size_t operand) {
    const int tensor = op_->inputs[operand];
    return Info(tensor).variable ? StateOf(tensor) : Plain(tensor);
  };
  const ValueId last = state(kLast), before = state(kCells);
  if (last < 0 || before < 0) return false;
  const ValueId both =
      Host(name_ + ".operands", host::Concat(1), {Plain(op_->inputs[0]), last}, kMovesReason);
  const ValueId sums = Host(name_ + ".sums", host::Gemm(1, 1, false, true),
                            {both, Plain(op_->inputs[kWeights]), Plain(op_->inputs[kBias])}, kFloatReason);
  const auto gate = [&](int64_t index, const char* function) {
    const std::string what = fmt::format("{}.gate{}", name_, index);
    const std::string at = what.substr(name_.size());
    const ValueId part = Host(what + ".sums", host::Slice(),
                              {sums, List(at + ".starts", {index * cells[1]}),
                               List(at + ".stops", {(index + 1) * cells[1]}), List(at + ".axes", {1})},
                              kMovesReason);
    return Host(what, host::Function(function), {part}, kFloatReason);
  };
  const auto times = [&](const char* what, ValueId a, ValueId b) {
    return Host(name_ + what, host::Binary("mul", Arithmetic::kMultiply), {a, b}, kFloatReason);
  };
  const ValueId input = gate(0, "sigmoid"), candidate = gate(1, "tanh"), forget = gate(2, "sigmoid"),
                output = gate(3, "sigmoid");
  const ValueId after =
      Host(name_ + ".cells", host::Binary("add", Arithmetic::kAdd),
           {times(".added", input, candidate), times(".kept", forget, before)}, kFloatReason);
  const ValueId y = times("", output, Host(name_ + ".tanh", host::Function("tanh"), {after}, kFloatReason));
  if (y < 0) return false;
  for (const auto& [operand, value] : {std::pair{kLast, y}, {kCells, after}})
    if (Info(op_->inputs[operand]).variable) SetState(op_->inputs[operand], value);
  return Finish(y, false) && Finish(after, false, 1) && Finish(both, false, 2) && Finish(sums, false, 3);
}

}  // namespace cosim::import::tflite
