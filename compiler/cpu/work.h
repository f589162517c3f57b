// SPDX-License-Identifier: Apache-2.0
// Counts what loop IR does when a compiler has made vectors of it: the facts that times of the host are
// estimated from. What an operation takes is isa/host_processor.h's.
#pragma once

#include "compiler/tir/ir.h"
#include "runtime/host_work.h"

namespace cosim::cpu {

/// The work of one call, by these rules:
/// - A value is computed once for each run of the innermost loop that it depends on: what is invariant moves
///   out of loops, unrolled ones included. Addresses that are sums of loop variables cost nothing.
/// - An innermost loop becomes vectors of 16 bytes in its widest element when it stores to neighbours, or
///   sums integers into one place, and no address in it takes a division or a comparison. Loads from anywhere
///   but neighbours are gathered. Iterations that fill no vector stay scalar.
/// - Minima, maxima and selections count twice outside of vectors, a rounding shift as three operations.
runtime::HostWork WorkOf(const tir::Function& function);

}  // namespace cosim::cpu
