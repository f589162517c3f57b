// SPDX-License-Identifier: Apache-2.0
// The forms in which a value may stand in DRAM, and the host's steps from one to another.
#pragma once

#include <string>

#include "compiler/graph/graph.h"
#include "compiler/layouts/layout.h"
#include "compiler/network/geometry.h"
#include "compiler/tir/ir.h"

namespace cosim::network {

struct FormKey {
  graph::ValueId value = -1;
  Layout layout;
  friend auto operator<=>(const FormKey&, const FormKey&) = default;
};

/// Bits of an element of the plain array.
int BitsOf(const graph::Graph& graph, graph::ValueId value);

/// How a kBlocked or kPatches form is cut.
layouts::Blocking BlockingOf(const graph::Graph& graph, const FormKey& form, const Array& array);

/// Whether a blocked form begins with the plain one, to the byte: pixels in one row of blocks, channels
/// alone.
bool IsPlain(const graph::Graph& graph, const FormKey& form, const Array& array);

/// A step of the host that makes one form from another: a function of two parameters, and what the report
/// says.
struct Conversion {
  tir::Function function;
  std::string name, op, reason;
};

/// What a form is made from: the plain form of the value, or, of an image that a node has but brought from
/// [N,H,W,C] to [N,C,H,W], of that node's operand.
FormKey SourceOf(const graph::Graph& graph, const FormKey& form);

/// From the plain form to any other, or from a blocked one to the plain one or matrices; `from` is
/// SourceOf's, or blocked.
Conversion ConversionOf(const graph::Graph& graph, const FormKey& from, const FormKey& form,
                        const Array& array);

}  // namespace cosim::network
