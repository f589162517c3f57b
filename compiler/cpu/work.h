// SPDX-License-Identifier: Apache-2.0
// Counts what loop IR does when a compiler has made vectors of it: the facts that times of the host are
// estimated from. What an operation takes is isa/spec/host_processor.h's.
#pragma once

#include "compiler/tir/ir.h"
#include "runtime/host_work.h"

namespace cosim::cpu {

/// The work of one call, by these rules:
/// - A value is computed once for each run of the innermost loop that it depends on: what is invariant moves
///   out of loops, unrolled ones included. Addresses that are sums of loop variables cost nothing.
/// - An innermost loop becomes vectors of 16 bytes of its widest array when it stores to neighbours, or sums
///   into one place, no address in it takes a division (but under a single condition), nothing is looked up
///   at a place that was loaded, and nothing is a float of 64 bits. Iterations that fill no vector stay
///   scalar. Of every second to fourth place, whole vectors are loaded; loads from anywhere else, and those
///   under a condition, are gathered, for which lanes' places are computed on 64 bits.
/// - A load under a condition takes branches where lanes of vectors, or what looks values up, would go apart.
/// - The same real number is computed once, however often it stands in an expression.
/// - Minima, maxima and selections count twice outside of vectors, a rounding shift as three operations. A
///   sum of two int8 that saturates is one.
runtime::HostWork WorkOf(const tir::Function& function);

}  // namespace cosim::cpu
