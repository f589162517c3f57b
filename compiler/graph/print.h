// SPDX-License-Identifier: Apache-2.0
// The text form of a graph: one line a value, stable between runs and machines, so that tests and people can
// compare graphs.
#pragma once

#include <string>

#include "compiler/graph/graph.h"

namespace cosim::graph {

/// For example
///   graph mlp
///   %x = input() : float32[1,784]
///   %fc.weight = constant() {data=#9e3779b97f4a7c15} : float32[10,784]
///   %fc = dense(%x, %fc.weight) {input_zero_point=0} : float32[1,10]
///   return %fc
/// A constant is shown as a hash of its elements, a quantization as `scale=... zero_point=...` behind the
/// type.
std::string Print(const Graph& graph);

}  // namespace cosim::graph
