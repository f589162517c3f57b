// SPDX-License-Identifier: Apache-2.0
// How the operators of the host library are written: a description, a function that types the results, one
// that fills them, and one that says the same as tensor expressions, all closed over typed attributes. Every
// operator of the library is a free function that returns one; its header says what it computes. What fills
// results is the reference: simple, exact where integers are concerned. It runs for the golden model, and in
// a network where there are no tensor expressions.
#pragma once

#include <fmt/format.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "compiler/graph/host_operator.h"
#include "compiler/ops/definable.h"
#include "compiler/ops/map.h"

namespace cosim::host {

using graph::DType;
using graph::HostOperand;
using graph::HostOperatorPtr;
using graph::Name;
using graph::Shape;
using graph::Tensor;
using graph::TensorType;
using graph::ToString;

using Operands = std::span<const HostOperand>;
using Values = std::span<const Tensor* const>;
using Results = std::span<Tensor>;
using Types = std::variant<std::vector<TensorType>, std::string>;

using InferFunction = std::function<Types(Operands)>;
using ComputeFunction = std::function<void(Values, Results)>;

/// Multiply-accumulates for the first result's type. Operands as an InferFunction gets them.
using MacsFunction = std::function<int64_t(Operands, const TensorType&)>;

/// As ops::Definable. Operands that are not given count as absent.
using DefineFunction = std::function<std::optional<ops::Definition>(const ops::HostSite&)>;
/// Each element of the result from the elements of all operands at its place, broadcast.
DefineFunction DefineMap(ops::MapFn element);

/// No limit on the number of operands.
inline constexpr size_t kAny = static_cast<size_t>(-1);

/// `description` as HostOperator::Describe. Operand counts below `least` or above `most`, and absent operands
/// among the first `least`, are refused before `infer` sees them; operands that are not given count as
/// absent.
HostOperatorPtr Make(std::string description, size_t least, size_t most, InferFunction infer,
                     ComputeFunction compute, MacsFunction macs = {}, DefineFunction define = {});

/// Each element of the result sums over one output channel of the weights [O,...], operand `weights`.
MacsFunction MacsOfWeights(size_t weights);
/// … over the last dimension of operand 0, or the one before with `transposed`.
MacsFunction MacsOfRows(bool transposed = false);

/// Of an operator that moves the elements of operand 0 (HostOperator::Moves).
HostOperatorPtr MakeMove(std::string description, size_t least, size_t most, InferFunction infer,
                         ComputeFunction compute, DefineFunction define);

/// An error of an InferFunction.
template <typename... Args>
Types Refuse(fmt::format_string<Args...> text, Args&&... args) {
  return fmt::format(text, std::forward<Args>(args)...);
}

/// One result of that type.
inline Types One(DType dtype, Shape shape) { return std::vector<TensorType>{{dtype, std::move(shape)}}; }
inline Types One(TensorType type) { return std::vector<TensorType>{std::move(type)}; }

/// `op` as an operator that takes only the operands of which `present` is true, for graphs that have no
/// absent operands.
HostOperatorPtr WithoutAbsent(HostOperatorPtr op, std::vector<bool> present);

}  // namespace cosim::host
