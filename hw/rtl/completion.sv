// SPDX-License-Identifier: Apache-2.0
// Says when a program is done: in the cycle after its last instruction retired, and from then on until the next start.
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

  logic        running_d, running_q;
  logic [31:0] left_d, left_q;        // not retired yet

  always_comb begin
    running_d = running_q | start_i;
    left_d    = left_q;
    for (int u = 0; u < Units; u++) begin
      if (~`MUTANT(RetireDropped) | (left_d == left_q)) left_d = left_d - 32'(retire_i[u]);
    end
    if (start_i) left_d = words_i;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      running_q <= 1'b0;
      left_q    <= '0;
    end else begin
      running_q <= running_d;
      left_q    <= left_d;
    end
  end

  assign done_o = running_q & (left_q == '0);

endmodule
