// SPDX-License-Identifier: Apache-2.0
// TensorFlow Lite's comparisons, logic and choices.
#include <algorithm>

#include "compiler/host/movement.h"
#include "compiler/host/tflite_pairs.h"
#include "compiler/import/tflite/builder.h"

namespace cosim::import::tflite {

using graph::DType;
using graph::Shape;
using graph::ValueId;
using host::Comparison;

namespace {

constexpr char kNoBooleans[] = "the accelerator has no booleans";

}  // namespace

bool Builder::Compare() {
  if (!Operands(2, 2)) return false;
  static const std::map<std::string, Comparison> kinds = {
      {"EQUAL", Comparison::kEqual},     {"NOT_EQUAL", Comparison::kEqual},
      {"LESS", Comparison::kLess},       {"LESS_EQUAL", Comparison::kLessOrEqual},
      {"GREATER", Comparison::kGreater}, {"GREATER_EQUAL", Comparison::kGreaterOrEqual}};
  const Comparison comparison = kinds.at(op_->name);
  const int a = op_->inputs[0], b = op_->inputs[1];
  if (Info(a).dtype != Info(b).dtype) return Malformed("operands of different types");
  const bool negate = op_->name == "NOT_EQUAL";
  if (IsByte(a) && Info(a).scales.size() + Info(b).scales.size() > 0)
    return QuantizedCompare(comparison, negate);
  const Aligned operands = AlignedOperands();
  const ValueId holds = Host(negate ? name_ + ".equal" : name_, host::Compare(Lower(op_->name), comparison),
                             operands.values, kNoBooleans);
  return Finish(negate ? Host(name_, host::Not(), {holds}, kNoBooleans) : holds, operands.nchw);
}

bool Builder::QuantizedCompare(Comparison comparison, bool negate) {
  const int a = op_->inputs[0], b = op_->inputs[1];
  if (!IsQuantized(a) || !IsQuantized(b)) return Unsupported("bytes of which one is not quantized");
  if (Info(a).scales[0] >= 1 || Info(b).scales[0] >= 1)
    return Unsupported("bytes of a scale of 1 or more, which the reference does not define");
  host::TfliteComparison compare{{ZeroPoint(a), ZeroPoint(b)}, {}, comparison, negate};
  for (int k : {0, 1})
    compare.multipliers[k] = host::Multiplier::Of(static_cast<double>(Info(op_->inputs[k]).scales[0]));
  const Aligned operands = AlignedOperands();
  return Finish(Host(name_, host::QuantizedComparison(compare), operands.values, kNoBooleans), operands.nchw);
}

bool Builder::Combine() {
  if (!Operands(2, 2)) return false;
  const host::Logic logic = op_->name == "LOGICAL_AND" ? host::Logic::kAnd : host::Logic::kOr;
  const Aligned operands = AlignedOperands();
  return Finish(Host(name_, host::Combine(Lower(op_->name), logic), operands.values, kNoBooleans),
                operands.nchw);
}

bool Builder::Not() {
  if (!Operands(1, 1)) return false;
  const int from = op_->inputs[0];
  if (Info(from).dtype != DType::kBool) return Malformed("its operand is not bool");
  return Finish(Host(name_, host::Not(), {Plain(from)}, kNoBooleans), false);
}

// A condition of SELECT that is a vector chooses rows.
bool Builder::Select() {
  if (!Operands(3, 3)) return false;
  const int condition = op_->inputs[0], a = op_->inputs[1];
  if (Info(condition).dtype != DType::kBool || Info(a).dtype != Info(op_->inputs[2]).dtype)
    return Malformed("a condition that is not bool, or values of different types");
  const Shape& shape = Info(condition).shape;
  const size_t rank = Info(a).shape.size();
  if (op_->name == "SELECT" && shape.size() == 1 && rank > 1) {
    Shape rows = {shape[0]};
    rows.resize(rank, 1);
    const ValueId each = Host(name_ + ".rows", host::ReshapeTo(rows), {Plain(condition)}, kMovesReason);
    return Finish(Host(name_, host::Where(), {each, Plain(a), Plain(op_->inputs[2])}, kNoBooleans,
                       QuantizationOf(op_->outputs[0])),
                  false);
  }
  const Aligned operands = AlignedOperands();
  return Finish(Host(name_, host::Where(), operands.values, kNoBooleans, QuantizationOf(op_->outputs[0])),
                operands.nchw);
}

}  // namespace cosim::import::tflite
