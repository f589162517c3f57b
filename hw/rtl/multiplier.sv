// SPDX-License-Identifier: Apache-2.0
// One signed product, registered twice: behind the multiplier and behind the adder that a DSP has there; or from LUTs.
//
// Operands of cycle t (outputs of registers) give their product at t + 2. enable_i[0] takes operands, [1] goes on.
module multiplier #(
  parameter  int unsigned ABits       = 8,
  parameter  int unsigned BBits       = 8,
  parameter  bit          InLuts      = 1'b0,
  localparam int unsigned ProductBits = ABits + BBits
) (
  input  logic                          clk_i,
  input  logic [1:0]                    enable_i,
  input  logic signed [ABits-1:0]       a_i,
  input  logic signed [BBits-1:0]       b_i,
  output logic signed [ProductBits-1:0] product_o
);

  if (InLuts) begin : gen_luts
    lut_multiplier #(.ABits(ABits), .BBits(BBits)) i_luts (.clk_i, .enable_i, .a_i, .b_i, .product_o);
  end else begin : gen_dsp
    logic signed [ProductBits-1:0] raw_q, product_q;

    always_ff @(posedge clk_i) begin
      if (enable_i[0]) raw_q <= a_i * b_i;
      if (enable_i[1]) product_q <= raw_q;
    end

    assign product_o = product_q;
  end

endmodule
