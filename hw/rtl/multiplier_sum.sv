// SPDX-License-Identifier: Apache-2.0
// The sum of two signed products, or one product, in offset binary (adder_tree.sv). The products of the last InLuts terms
// are made of LUTs.
//
// Operands of cycle t (outputs of registers) give their sum at t + 3. enable_i[0] takes operands, [1] and [2] go on.
module multiplier_sum #(
  parameter  int unsigned Terms   = 2,   // 1 or 2
  parameter  int unsigned InLuts  = 0,
  parameter  int unsigned ABits   = 8,
  parameter  int unsigned BBits   = 8,
  localparam int unsigned SumBits = ABits + BBits + 1
) (
  input  logic                      clk_i,
  input  logic [2:0]                enable_i,
  input  logic [Terms*ABits-1:0]    a_i,
  input  logic [Terms*BBits-1:0]    b_i,
  output logic [SumBits-1:0]        sum_o
);

  localparam int unsigned ProductBits = ABits + BBits;

  logic [Terms*ProductBits-1:0] products, terms;

  for (genvar k = 0; k < Terms; k++) begin : gen_term
    multiplier #(.ABits(ABits), .BBits(BBits), .InLuts(k + InLuts >= Terms)) i_multiplier (
      .clk_i,
      .enable_i (enable_i[1:0]),
      .a_i      (a_i[k*ABits +: ABits]),
      .b_i      (b_i[k*BBits +: BBits]),
      .product_o(products[k*ProductBits +: ProductBits])
    );
    assign terms[k*ProductBits +: ProductBits] = products[k*ProductBits +: ProductBits] ^ (ProductBits'(1) << (ProductBits - 1));
  end

  adder_tree #(.N(Terms), .TermBits(ProductBits), .Levels(1)) i_sum (
    .clk_i, .enable_i(enable_i[2]), .terms_i(terms), .less_i('0), .third_i('0), .sum_o
  );

endmodule
