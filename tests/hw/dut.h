// SPDX-License-Identifier: Apache-2.0
// What tests do to a module that stands alone under Verilator.
#pragma once

namespace cosim::testing {

/// A clock of a module, whose outputs are then those behind its edge.
template <typename Dut>
void Clock(Dut& dut) {
  dut.clk_i = 0;
  dut.eval();
  dut.clk_i = 1;
  dut.eval();
}

}  // namespace cosim::testing
