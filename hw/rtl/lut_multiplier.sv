// SPDX-License-Identifier: Apache-2.0
// One signed product from LUTs and carry chains, whatever a tool would do with a `*`: multiplier.sv's ports and times.
//
// Booth's recoding: two bits of b and the one below them are a digit of -2 to 2, whose multiple of a is added to what the
// digits below gave, shifted by two. A bit of a sum needs one bit of that, two of a and the digit: one LUT of six inputs
// before the carry chain.
//
// Operands of cycle t (outputs of registers) give their product at t + 2: the lower digits in the first cycle, the others
// in the second. enable_i[0] takes operands, [1] goes on.
`ifndef MUTANT  // a fault that tests plant: tests/hw/mutants.sv
`define MUTANT(name) 1'b0
`endif

module lut_multiplier #(
  parameter  int unsigned ABits       = 8,
  parameter  int unsigned BBits       = 8,
  localparam int unsigned ProductBits = ABits + BBits
) (
  input  logic                          clk_i,
  input  logic [1:0]                    enable_i,
  input  logic signed [ABits-1:0]       a_i,
  input  logic signed [BBits-1:0]       b_i,
  output logic signed [ProductBits-1:0] product_o
);

  localparam int unsigned Digits   = (BBits + 1) / 2;
  localparam int unsigned First    = (Digits + 1) / 2;  // digits of the first cycle
  localparam int unsigned PartBits = ABits + 2;         // of a sum: never beyond 8/3 of a
  localparam int unsigned AllBits  = 2 * Digits + ABits;

  logic signed [2*Digits:0]      digits_d, digits_q;  // b above a zero
  logic signed [ABits-1:0]       a_q;
  logic signed [AllBits-1:0]     product;             // the lowest two bits of each sum, and all of the last
  logic signed [ProductBits-1:0] product_q;

  assign digits_d = (2*Digits + 1)'($signed({b_i, 1'b0}));

  for (genvar d = 0; d < Digits; d++) begin : gen_digit
    logic [2:0]                 digit;
    logic signed [ABits-1:0]    a;
    logic signed [PartBits-1:0] below, multiple, sum_d, sum;  // sum: of the digits up to this, in the second cycle
    logic                       once, twice, unused_carry;

    assign digit = (d < First) ? digits_d[2*d +: 3] : digits_q[2*d +: 3];
    assign a     = (d < First) ? a_i : a_q;

    if (d == 0) begin : gen_lowest
      assign below = '0;
    end else if (d < First) begin : gen_first_cycle
      assign below = gen_digit[d-1].sum_d >>> 2;
    end else begin : gen_second_cycle
      assign below = gen_digit[d-1].sum >>> 2;
    end

    // A negative multiple is inverted, and one is carried into the sum: the lowest bit. Written as a difference, because
    // then Yosys, too, gives the carry chain the sum below and not the multiple, which would be LUTs of its own.
    assign once     = digit[1] ^ digit[0];
    assign twice    = (digit[2] ^ digit[1]) & ~once;
    assign multiple = ((PartBits'(a) & {PartBits{once}}) | ((PartBits'(a) << 1) & {PartBits{twice}}))
                      ^ {PartBits{digit[2]}};
    assign {sum_d, unused_carry} = {below, digit[2] & ~`MUTANT(DigitUnsigned)} - {~multiple, 1'b1};

    if (d < First) begin : gen_register
      logic signed [PartBits-1:0] sum_q;
      always_ff @(posedge clk_i) if (enable_i[0]) sum_q <= sum_d;
      assign sum = sum_q;
    end else begin : gen_no_register
      assign sum = sum_d;
    end

    if (d + 1 == Digits) begin : gen_last
      assign product[AllBits-1:2*d] = sum;
    end else begin : gen_low
      assign product[2*d +: 2] = sum[1:0];
      logic unused_sum;
      assign unused_sum = ^sum;
    end
  end

  always_ff @(posedge clk_i) begin
    if (enable_i[0]) begin
      digits_q <= digits_d;
      a_q      <= a_i;
    end
    if (enable_i[1]) product_q <= ProductBits'(product);
  end

  assign product_o = product_q;

  logic unused_product;
  assign unused_product = ^product;

endmodule
