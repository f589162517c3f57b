// SPDX-License-Identifier: Apache-2.0
// Says when a program is done: in the cycle after its last instruction retired, and from then on until the next start.
//
// That the count is small is known a cycle late, and in time: it falls by one a unit, so it is not 0 the cycle it gets small.
`ifndef MUTANT  // a fault that tests plant: tests/hw/mutants.sv
`define MUTANT(name) 1'b0
`endif

module completion #(
  parameter int unsigned Units = 2
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             start_i,
  input  logic [31:0]      words_i,   // instructions of the program
  input  logic [Units-1:0] retire_i,
  output logic             done_o
);

  localparam int unsigned SmallBits = $clog2(Units + 1);

  logic        running_d, running_q;
  logic [31:0] left_d, left_q;        // not retired yet
  logic [31:0] counted;               // of the cycle before, or of a start's
  logic        small_d, small_q;      // it had no more than SmallBits bits

  always_comb begin
    running_d = running_q | start_i;
    left_d    = left_q;
    for (int u = 0; u < Units; u++) begin
      if (~`MUTANT(RetireDropped) | (left_d == left_q)) left_d = left_d - 32'(retire_i[u]);
    end
    if (start_i) left_d = words_i;
    counted = start_i ? words_i : left_q;
    small_d = (counted >> SmallBits) == '0;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      running_q <= 1'b0;
      left_q    <= '0;
      small_q   <= 1'b1;
    end else begin
      running_q <= running_d;
      left_q    <= left_d;
      small_q   <= small_d;
    end
  end

  assign done_o = running_q & small_q & (left_q[SmallBits-1:0] == '0);

endmodule
