// SPDX-License-Identifier: Apache-2.0
// What delay.sv promises: its output is its input Stages cycles before (since the last reset, with HasReset).
module delay_formal #(
  parameter int unsigned Width    = 3,
  parameter int unsigned Stages   = 2,  // at most 4
  parameter bit          HasReset = 1'b0
) (
  input logic             clk_i,
  input logic             rst_ni,
  input logic [Width-1:0] data_i
);

  logic [Width-1:0] data, past1_q, past2_q, past3_q, past4_q, expected;
  logic [2:0]       age_q;    // cycles since the first one, or since the last reset; stays at Stages

  delay #(.Width(Width), .Stages(Stages), .HasReset(HasReset)) dut (.clk_i, .rst_ni, .data_i, .data_o(data));

  assign expected = (Stages == 0) ? data_i : (Stages == 1) ? past1_q : (Stages == 2) ? past2_q
                    : (Stages == 3) ? past3_q : past4_q;

  initial assume (!rst_ni && age_q == '0);

  always_ff @(posedge clk_i) begin
    past1_q <= data_i;
    past2_q <= past1_q;
    past3_q <= past2_q;
    past4_q <= past3_q;
    if (HasReset && !rst_ni)  age_q <= '0;
    else if (age_q != Stages) age_q <= age_q + 1'b1;
  end

  always @(posedge clk_i) begin
    a_age:   assert (age_q <= Stages);
    a_data:  assert (age_q != Stages || data == expected);
    c_data:  cover (age_q == Stages && data == '1);
  end

endmodule
