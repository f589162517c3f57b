// SPDX-License-Identifier: Apache-2.0
// The sum of N signed terms: a registered adder tree of Levels levels, written as a tree of itself.
//
// Terms of cycle t give their sum at t + Levels. enable_i[k] lets the adders of level k, from the terms on, take values.
module adder_tree #(
  parameter  int unsigned N        = 16,
  parameter  int unsigned TermBits = 16,
  parameter  int unsigned Levels   = 4,   // at least 1 and log2 of N, rounded up
  localparam int unsigned SumBits  = TermBits + Levels
) (
  input  logic                      clk_i,
  input  logic [Levels-1:0]         enable_i,
  input  logic [N*TermBits-1:0]     terms_i,
  output logic signed [SumBits-1:0] sum_o
);

  localparam int unsigned Half = 2 ** (Levels - 1);
  localparam int unsigned Left = (N > Half) ? Half : N;

  logic signed [SumBits-2:0] left, right;
  logic signed [SumBits-1:0] sum_q;

  if (Levels == 1) begin : gen_left
    assign left = terms_i[TermBits-1:0];
  end else begin : gen_left_tree
    adder_tree #(.N(Left), .TermBits(TermBits), .Levels(Levels - 1)) i_left (
      .clk_i, .enable_i(enable_i[Levels-2:0]), .terms_i(terms_i[Left*TermBits-1:0]), .sum_o(left)
    );
  end

  if (N == Left) begin : gen_alone
    assign right = '0;
  end else if (Levels == 1) begin : gen_right
    assign right = terms_i[N*TermBits-1:TermBits];
  end else begin : gen_right_tree
    adder_tree #(.N(N - Left), .TermBits(TermBits), .Levels(Levels - 1)) i_right (
      .clk_i, .enable_i(enable_i[Levels-2:0]), .terms_i(terms_i[N*TermBits-1:Left*TermBits]), .sum_o(right)
    );
  end

  always_ff @(posedge clk_i) begin
    if (enable_i[Levels-1]) sum_q <= SumBits'(left) + SumBits'(right);
  end

  assign sum_o = sum_q;

endmodule
