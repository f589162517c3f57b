// SPDX-License-Identifier: Apache-2.0
// The sum of N signed products: one registered multiplier a pair, then a registered adder tree of Levels levels,
// written as a tree of itself. Gathering the operands is mac_array.sv's.
//
// Operands of cycle t give their sum at t + 1 + Levels. enable_i[k] lets level k take a value (0: the products).
module dot_product #(
  parameter  int unsigned N       = 16,
  parameter  int unsigned ABits   = 8,
  parameter  int unsigned BBits   = 8,
  parameter  int unsigned Levels  = 4,   // at least log2 of N, rounded up
  localparam int unsigned SumBits = ABits + BBits + Levels
) (
  input  logic                      clk_i,
  input  logic [Levels:0]           enable_i,
  input  logic [N*ABits-1:0]        a_i,
  input  logic [N*BBits-1:0]        b_i,
  output logic signed [SumBits-1:0] sum_o
);

  if (Levels == 0) begin : gen_product
    logic signed [ABits-1:0]   a;
    logic signed [BBits-1:0]   b;
    logic signed [SumBits-1:0] product_q;
    assign a = a_i;
    assign b = b_i;
    always_ff @(posedge clk_i) begin
      if (enable_i[0]) product_q <= SumBits'(a) * SumBits'(b);
    end
    assign sum_o = product_q;
  end else begin : gen_sum
    localparam int unsigned Half = 2 ** (Levels - 1);
    localparam int unsigned Left = (N > Half) ? Half : N;
    logic signed [SumBits-2:0] left, right;
    logic signed [SumBits-1:0] sum_q;

    dot_product #(.N(Left), .ABits(ABits), .BBits(BBits), .Levels(Levels - 1)) i_left (
      .clk_i,
      .enable_i(enable_i[Levels-1:0]),
      .a_i     (a_i[Left*ABits-1:0]),
      .b_i     (b_i[Left*BBits-1:0]),
      .sum_o   (left)
    );
    if (N > Left) begin : gen_right
      dot_product #(.N(N - Left), .ABits(ABits), .BBits(BBits), .Levels(Levels - 1)) i_right (
        .clk_i,
        .enable_i(enable_i[Levels-1:0]),
        .a_i     (a_i[N*ABits-1:Left*ABits]),
        .b_i     (b_i[N*BBits-1:Left*BBits]),
        .sum_o   (right)
      );
    end else begin : gen_alone
      assign right = '0;
    end
    always_ff @(posedge clk_i) begin
      if (enable_i[Levels]) sum_q <= SumBits'(left) + SumBits'(right);
    end
    assign sum_o = sum_q;
  end

endmodule
