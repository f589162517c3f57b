// SPDX-License-Identifier: Apache-2.0
// TensorFlow Lite's operators on complex64: RFFT2D makes such values, COMPLEX_ABS, IMAG and REAL end them,
// and between them only their shape may change. In the graph they are floats with a last dimension of 2.
#include <fmt/format.h>

#include "compiler/host/movement.h"
#include "compiler/host/reduce.h"
#include "compiler/host/signal.h"
#include "compiler/import/tflite/builder.h"

namespace cosim::import::tflite {

using graph::Shape;
using graph::ValueId;

namespace {

constexpr char kComplex[] = "its numbers are complex: the host computes them";

Shape WithParts(Shape shape, int64_t parts) {
  shape.push_back(parts);
  return shape;
}

}  // namespace

ValueId Builder::ComplexOperand(int tensor) {
  const auto at = plain_.find(tensor);
  if (!Info(tensor).complex || at == plain_.end())
    return Unsupported("anything but complex64 that RFFT2D has computed"), -1;
  return at->second;
}

bool Builder::FinishComplex(ValueId value) {
  if (value < 0) return false;  // already reported
  const int to = op_->outputs[0];
  const Shape& shape = model_.graph.node(value).type.shape;
  if (!Info(to).complex || shape != WithParts(Info(to).shape, 2))
    return Malformed(fmt::format("computes complex64{}, but the file says {}{}",
                                 graph::ToString(Shape(shape.begin(), shape.end() - 1)), TypeName(Info(to)),
                                 graph::ToString(Info(to).shape)));
  plain_[to] = value;
  return true;
}

bool Builder::ReshapeComplex() {
  const int from = op_->inputs[0], to = op_->outputs[0];
  const ValueId x = ComplexOperand(from);
  if (x < 0) return false;
  if (graph::NumElements(Info(from).shape) != graph::NumElements(Info(to).shape))
    return Malformed("changes the number of elements");
  return FinishComplex(HostNode(name_, host::ReshapeTo(WithParts(Info(to).shape, 2)), {x}, kComplex));
}

// Rows first, of which half is enough, then columns; what is given is cut or filled with zeros to the
// lengths.
bool Builder::Spectrum() {
  if (!Operands(2, 2)) return false;
  const int from = op_->inputs[0];
  const auto lengths = IntegersOf(1);
  if (!lengths || lengths->size() != 2) return Unsupported("lengths that are not two constants");
  if (!IsFloat(from) || Info(from).complex) return Unsupported("an input that is not float32");
  const Shape& shape = Info(from).shape;
  if (shape.size() < 2) return Malformed(fmt::format("an input of {}", graph::ToString(shape)));
  for (int64_t length : *lengths)
    if (length < 1 || (length & (length - 1)) != 0)
      return Unsupported(fmt::format("a length of {}: the reference computes powers of two", length));
  const auto columns = static_cast<int64_t>(shape.size()) - 2, rows = columns + 1;
  const ValueId real = HostNode(name_ + ".real", host::ReshapeTo(WithParts(shape, 1)), {Plain(from)},
                                kMovesReason),
                width = List(".width", {(*lengths)[1]}), height = List(".height", {(*lengths)[0]});
  const ValueId across =
      HostNode(name_ + ".rows", host::Dft({.axis = rows, .onesided = true}), {real, width}, kComplex);
  return FinishComplex(HostNode(name_, host::Dft({.axis = columns}), {across, height}, kComplex));
}

bool Builder::ComplexPart() {
  if (!Operands(1, 1)) return false;
  const ValueId x = ComplexOperand(op_->inputs[0]);
  if (x < 0) return false;
  if (op_->name == "COMPLEX_ABS")
    return Finish(Host(name_, host::Reduce("l2", host::Reduction::kL2, {-1}, false, true), {x}, kComplex),
                  false);
  const int64_t part = op_->name == "REAL" ? 0 : 1;
  const ValueId one =
      Host(name_ + ".part", host::Slice(),
           {x, List(".start", {part}), List(".stop", {part + 1}), List(".axis", {-1})}, kMovesReason);
  return Finish(Host(name_, host::ReshapeTo(Info(op_->inputs[0]).shape), {one}, kMovesReason), false);
}

}  // namespace cosim::import::tflite
