// SPDX-License-Identifier: Apache-2.0
// Executes a loop IR function on host arrays, one node at a time: the oracle that tests compare generated
// code with. Speed is left to the back ends.
#pragma once

#include <span>

#include "compiler/tir/ir.h"

namespace cosim::tir {

struct InterpretOptions {
  /// Runs parallel, vectorized, unrolled and virtual-thread loops backwards: a program that depends on their
  /// order shows.
  bool reverse_independent_loops = false;
};

/// Runs `function`; `args[i]` points to the elements of `function.params[i]`, row-major, in host byte order:
/// int8_t … int64_t, uint8_t … uint64_t, float, double; bool is one byte. Writes the outputs in place.
/// COSIM_CHECKs that every access is in bounds and that nothing is read from an allocation before it is
/// written.
void Interpret(const Function& function, std::span<void* const> args, const InterpretOptions& options = {});

/// Bytes of one element of `type` in such an array: 1, 2, 4 or 8.
int ByteSize(DataType type);

}  // namespace cosim::tir
