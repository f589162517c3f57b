// SPDX-License-Identifier: Apache-2.0
// Operators on the bits of elements.
#pragma once

#include <string>

#include "compiler/host/make.h"

namespace cosim::host {

enum class Bitwise { kAnd, kOr, kXor };
/// (a, b) integers of one type, broadcast.
HostOperatorPtr CombineBits(std::string name, Bitwise op);
/// (a, b) integers of one type of up to 32 bits, broadcast: a shifted right by b with its sign; b counts as 0
/// below 0, and as one less than there are bits beyond that.
HostOperatorPtr ShiftBitsRight();
/// (x integer) -> every bit inverted.
HostOperatorPtr InvertBits();

/// (x float32) -> the nearest value that a bfloat16 has, ties to even, as float32.
HostOperatorPtr RoundToBfloat16();

}  // namespace cosim::host
