// SPDX-License-Identifier: Apache-2.0
// Division and rounding upwards, of non-negative numbers by positive ones.
#pragma once

namespace cosim::tir {

template <typename A, typename B>
constexpr auto CeilDiv(A a, B b) {
  return (a + b - 1) / b;
}

template <typename A, typename B>
constexpr auto RoundUp(A a, B to) {
  return CeilDiv(a, to) * to;
}

}  // namespace cosim::tir
