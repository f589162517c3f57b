// SPDX-License-Identifier: Apache-2.0
// One signed product with the times of multiplier_quad.sv: registers before a multiplier that a DSP has as well.
//
// a_i of cycle t (output of a register) and b_i of cycle t - 1 give their product at t + 3. enable_i[0] takes b_i, [1] both,
// [2] and [3] go on.
module extra_product #(
  parameter  int unsigned ABits       = 8,
  parameter  int unsigned BBits       = 8,
  localparam int unsigned ProductBits = ABits + BBits
) (
  input  logic                          clk_i,
  input  logic [3:0]                    enable_i,
  input  logic signed [ABits-1:0]       a_i,
  input  logic signed [BBits-1:0]       b_i,
  output logic signed [ProductBits-1:0] product_o
);

  logic signed [ABits-1:0] a_q;
  logic signed [BBits-1:0] b1_q, b2_q;

  always_ff @(posedge clk_i) begin
    if (enable_i[0]) b1_q <= b_i;
    if (enable_i[1]) begin
      a_q  <= a_i;
      b2_q <= b1_q;
    end
  end

  multiplier #(.ABits(ABits), .BBits(BBits)) i_multiplier (
    .clk_i, .enable_i(enable_i[3:2]), .a_i(a_q), .b_i(b2_q), .product_o
  );

endmodule
