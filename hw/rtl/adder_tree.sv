// SPDX-License-Identifier: Apache-2.0
// The sum of N terms: a registered adder tree of Levels levels, written as a tree of itself. The last adder can also
// subtract. The first can take a third term, for which the others must leave room: what they are sums of has one bit less
// than a term and a half.
//
// Terms and sum are in offset binary, n bits that say 2^(n-1) more than the number: of two terms the sum says twice as much
// more, and that is what the next width wants. No sign is extended anywhere, which is quicker to simulate. What is added as a
// third or subtracted is signed.
//
// Terms of cycle t give their sum at t + Levels; less_i is the one of cycle t + Levels - 1. enable_i[k] lets the adders of
// level k, from the terms on, take values.
module adder_tree #(
  parameter  int unsigned N        = 16,
  parameter  int unsigned TermBits = 16,
  parameter  int unsigned Levels   = 4,     // at least 1 and log2 of N, rounded up
  parameter  bit          HasLess  = 1'b0,  // subtracts less_i
  parameter  bit          HasThird = 1'b0,  // adds third_i
  localparam int unsigned SumBits  = TermBits + Levels
) (
  input  logic                  clk_i,
  input  logic [Levels-1:0]     enable_i,
  input  logic [N*TermBits-1:0] terms_i,
  input  logic [SumBits-1:0]    less_i,
  input  logic [TermBits-1:0]   third_i,
  output logic [SumBits-1:0]    sum_o
);

  localparam int unsigned Half  = 2 ** (Levels - 1);
  localparam int unsigned Left  = (N > Half) ? Half : N;
  localparam int unsigned Right = N - Left;

  logic [SumBits-2:0] left;
  logic [SumBits-1:0] sum, sum_q;

  if (Levels == 1) begin : gen_left
    assign left = terms_i[TermBits-1:0];
  end else begin : gen_left_tree
    adder_tree #(.N(Left), .TermBits(TermBits), .Levels(Levels - 1), .HasThird(HasThird)) i_left (
      .clk_i, .enable_i(enable_i[Levels-2:0]), .terms_i(terms_i[Left*TermBits-1:0]), .less_i('0), .third_i, .sum_o(left)
    );
  end

  if (Right == 0) begin : gen_alone
    assign sum = {left[SumBits-2], ~left[SumBits-2], left[SumBits-3:0]};   // the same number in a bit more
  end else begin : gen_both
    logic [SumBits-2:0] right;

    if (Levels == 1) begin : gen_right
      assign right = terms_i[N*TermBits-1:TermBits];
    end else begin : gen_right_tree
      adder_tree #(.N(Right), .TermBits(TermBits), .Levels(Levels - 1)) i_right (
        .clk_i, .enable_i(enable_i[Levels-2:0]), .terms_i(terms_i[N*TermBits-1:Left*TermBits]), .less_i('0), .third_i('0),
        .sum_o(right)
      );
    end
    if (HasThird && Levels == 1) begin : gen_third
      assign sum = SumBits'(left) + SumBits'(right) + SumBits'($signed(third_i));
    end else begin : gen_two
      assign sum = SumBits'(left) + SumBits'(right);
    end
  end

  if (!HasThird) begin : gen_no_third
    logic unused_third;
    assign unused_third = ^third_i;
  end

  if (HasLess) begin : gen_less
    always_ff @(posedge clk_i) if (enable_i[Levels-1]) sum_q <= sum - less_i;
  end else begin : gen_plain
    logic unused_less;
    assign unused_less = ^less_i;
    always_ff @(posedge clk_i) if (enable_i[Levels-1]) sum_q <= sum;
  end

  assign sum_o = sum_q;

endmodule
