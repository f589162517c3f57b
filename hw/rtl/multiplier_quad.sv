// SPDX-License-Identifier: Apache-2.0
// Two sums of two signed products, a0 * low0 + a1 * low1 and a0 * high0 + a1 * high1, from two multipliers and the adder
// behind the second: two DSP48, one's result cascaded into the other.
//
// A multiplier takes both other factors side by side, 2^P high + u, P the bits of a sum. u is low + 2^(BBits-1), low with
// its sign bit turned: never negative, so nothing is borrowed from high and no adder stands before the multiplier.
//
// To the first product, 2^(P-1) is added for each sum. So both are in offset binary, as adder_tree.sv takes them: never
// negative, so the low one borrows nothing from the high one, and no sign is to be extended. What is left to do is for the
// adders that come next: low_o is (a0 + a1) 2^(BBits-1) too much. With Offset, offset_i, 2^(P-1) - (a0 + a1) 2^(BBits-1),
// is added for the low sum instead, and both are right.
//
// Operands of cycle t (outputs of registers) and the offset of cycle t + 1 give the sums at t + 3. enable_i[0] takes
// operands, [1] and [2] go on.
`ifndef MUTANT  // a fault that tests plant: tests/hw/mutants.sv
`define MUTANT(name) 1'b0
`endif

module multiplier_quad #(
  parameter  int unsigned ABits   = 8,
  parameter  int unsigned BBits   = 8,
  parameter  bit          Offset  = 1'b0,
  localparam int unsigned SumBits = ABits + BBits + 1
) (
  input  logic                      clk_i,
  input  logic [2:0]                enable_i,
  input  logic signed [ABits-1:0]   a0_i,
  input  logic signed [ABits-1:0]   a1_i,
  input  logic [BBits-1:0]          low0_i,
  input  logic [BBits-1:0]          low1_i,
  input  logic [BBits-1:0]          high0_i,
  input  logic [BBits-1:0]          high1_i,
  input  logic [SumBits-1:0]        offset_i,
  output logic [SumBits-1:0]        low_o,
  output logic [SumBits-1:0]        high_o
);

  localparam int unsigned SideBits = SumBits + BBits;  // both factors side by side
  localparam int unsigned RawBits  = 2 * SumBits;
  localparam logic [BBits-1:0]   Sign = BBits'(1) << (BBits - 1);
  localparam logic [SumBits-1:0] Half = SumBits'(1) << (SumBits - 1);

  logic signed [SideBits-1:0] side0, side1;
  logic signed [ABits-1:0]    a1_q;
  logic [BBits-1:0]           low1_q, high1_q;
  logic signed [RawBits-1:0]  raw0_q, raw1_q, first_q, sum_q;
  logic [SumBits-1:0]         low_offset;

  assign side0 = {high0_i, (SumBits - BBits)'(0), low0_i ^ Sign};
  assign side1 = {high1_q, (SumBits - BBits)'(0), low1_q ^ Sign};

  if (Offset) begin : gen_offset
    assign low_offset = offset_i;
  end else begin : gen_plain
    assign low_offset = Half;
    logic unused_offset;
    assign unused_offset = ^offset_i;
  end

  // Products of 64 bits, of which synthesis keeps what is used: simulators are quickest with them.
  always_ff @(posedge clk_i) begin
    if (enable_i[0]) begin
      raw0_q  <= RawBits'(64'(a0_i) * 64'(side0));
      a1_q    <= a1_i;
      low1_q  <= low1_i;
      high1_q <= high1_i;
    end
    if (enable_i[1]) begin
      raw1_q  <= RawBits'(64'(a1_q) * 64'(side1));
      first_q <= raw0_q + {Half, `MUTANT(LowBorrows) ? '0 : low_offset};
    end
    if (enable_i[2]) sum_q <= raw1_q + first_q;
  end

  assign low_o  = sum_q[SumBits-1:0];
  assign high_o = sum_q[RawBits-1:SumBits];

endmodule
