// SPDX-License-Identifier: Apache-2.0
// Two signed products of one factor, a * low and a * high, from one multiplier and the adder behind it: one DSP48.
//
// The multiplier takes both other factors side by side, 2^P high + u, P the bits of a product. u is low + 2^(BBits-1), low
// with its sign bit turned: never negative, so nothing is borrowed from high and no adder stands before the multiplier.
// The adder takes off what that was too much, a 2^(BBits-1), and adds 2^(P-1), so that the low product is not negative
// either and nothing is borrowed from the high one. Both are one term, offset_i, which all pairs of a factor share.
//
// Operands of cycle t (outputs of registers) and the offset of cycle t + 1 give the products at t + 2. enable_i[0] takes
// operands, [1] the offset.
module multiplier_pair #(
  parameter  int unsigned ABits       = 8,
  parameter  int unsigned BBits       = 8,
  localparam int unsigned ProductBits = ABits + BBits
) (
  input  logic                          clk_i,
  input  logic [1:0]                    enable_i,
  input  logic signed [ABits-1:0]       a_i,
  input  logic [BBits-1:0]              low_i,
  input  logic [BBits-1:0]              high_i,
  input  logic signed [ProductBits:0]   offset_i,  // 2^(P-1) - a 2^(BBits-1)
  output logic signed [ProductBits-1:0] low_o,
  output logic signed [ProductBits-1:0] high_o
);

  localparam int unsigned SideBits = ProductBits + BBits;  // both factors side by side
  localparam int unsigned RawBits  = 2 * ProductBits;

  logic signed [SideBits-1:0] side;
  logic signed [RawBits-1:0]  raw_q, sum_q;

  assign side = {high_i, ABits'(0), low_i ^ (BBits'(1) << (BBits - 1))};

  always_ff @(posedge clk_i) begin
    if (enable_i[0]) raw_q <= RawBits'(a_i) * RawBits'(side);
    if (enable_i[1]) sum_q <= raw_q + RawBits'(offset_i);
  end

  assign low_o  = sum_q[ProductBits-1:0] ^ (ProductBits'(1) << (ProductBits - 1));
  assign high_o = sum_q[RawBits-1:ProductBits];

endmodule
