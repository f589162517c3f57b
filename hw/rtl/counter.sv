// SPDX-License-Identifier: Apache-2.0
// Sums what comes in each cycle since the last start. Wraps.
module counter #(
  parameter int unsigned Width    = 40,
  parameter int unsigned StepBits = 1
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic                start_i,   // forgets what came before this cycle
  input  logic [StepBits-1:0] step_i,
  output logic [Width-1:0]    value_o
);

  logic [Width-1:0] value_d, value_q;

  assign value_d = (start_i ? '0 : value_q) + Width'(step_i);
  assign value_o = value_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) value_q <= '0;
    else         value_q <= value_d;
  end

endmodule
