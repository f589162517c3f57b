// SPDX-License-Identifier: Apache-2.0
// The clock of registers that all wait for enable_i. In hardware it is the clock: they stand still by their own enables.
// With COSIM_STOP_CLOCKS, which a simulator of whole networks sets, it stops, so that nothing behind it is computed
// while nothing can change.
module enabled_clock (
  input  logic clk_i,
  input  logic enable_i,   // in the cycle that an edge ends
  output logic clk_o
);

`ifdef COSIM_STOP_CLOCKS
  logic enable_q;   // stands while the clock is high
  always_latch if (!clk_i) enable_q = enable_i;
  assign clk_o = clk_i & enable_q;
`else
  logic unused_enable;
  assign unused_enable = enable_i;
  assign clk_o = clk_i;
`endif

endmodule
