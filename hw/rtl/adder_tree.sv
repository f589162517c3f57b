// SPDX-License-Identifier: Apache-2.0
// The sum of N signed terms: a registered adder tree of Levels levels, written as a tree of itself. Each of its N - 1
// adders can carry a one in, where Carries says so; the last can also subtract. The first can take a third term instead of
// a carry, for which the others must leave room: what they are sums of has one bit less than a term and a half.
//
// Terms and carries of cycle t give their sum at t + Levels; less_i is the one of cycle t + Levels - 1. enable_i[k] lets
// the adders of level k, from the terms on, take values.
module adder_tree #(
  parameter  int unsigned N        = 16,
  parameter  int unsigned TermBits = 16,
  parameter  int unsigned Levels   = 4,     // at least 1 and log2 of N, rounded up
  parameter  bit          HasLess  = 1'b0,  // subtracts less_i
  parameter  bit          HasThird = 1'b0,  // adds third_i
  localparam int unsigned SumBits  = TermBits + Levels,
  localparam int unsigned Adders   = (N > 1) ? N - 1 : 1,
  parameter  logic [Adders-1:0] Carries = '1  // adders whose carry may be one
) (
  input  logic                      clk_i,
  input  logic [Levels-1:0]         enable_i,
  input  logic [N*TermBits-1:0]     terms_i,
  input  logic [Adders-1:0]         carries_i,
  input  logic [SumBits-1:0]        less_i,
  input  logic [TermBits-1:0]       third_i,
  output logic signed [SumBits-1:0] sum_o
);

  localparam int unsigned Half       = 2 ** (Levels - 1);
  localparam int unsigned Left       = (N > Half) ? Half : N;
  localparam int unsigned Right      = N - Left;
  localparam int unsigned LeftAdders = (Left > 1) ? Left - 1 : 0;

  logic signed [SumBits-2:0] left, right;
  logic                      carry, unused_carry;
  logic signed [SumBits-1:0] sum, sum_q;

  // The last adder has the highest carry, its left tree the lowest ones.
  if (Levels == 1) begin : gen_left
    assign left = terms_i[TermBits-1:0];
  end else begin : gen_left_tree
    adder_tree #(
      .N(Left), .TermBits(TermBits), .Levels(Levels - 1), .HasThird(HasThird),
      .Carries(Carries[(LeftAdders > 0 ? LeftAdders : 1)-1:0])
    ) i_left (
      .clk_i, .enable_i(enable_i[Levels-2:0]), .terms_i(terms_i[Left*TermBits-1:0]),
      .carries_i(carries_i[(LeftAdders > 0 ? LeftAdders : 1)-1:0]), .less_i('0), .third_i, .sum_o(left)
    );
  end

  if (Right == 0) begin : gen_alone
    assign right = '0;
    assign carry = 1'b0;
    logic unused_carries;
    assign unused_carries = ^carries_i;
  end else begin : gen_both
    delay #(.Width(1), .Stages(Levels - 1)) i_carry (
      .clk_i, .rst_ni(1'b1), .data_i(carries_i[N-2]), .data_o(carry)
    );
    if (Levels == 1) begin : gen_right
      assign right = terms_i[N*TermBits-1:TermBits];
    end else begin : gen_right_tree
      adder_tree #(
        .N(Right), .TermBits(TermBits), .Levels(Levels - 1),
        .Carries(Carries[LeftAdders +: (Right > 1 ? Right - 1 : 1)])
      ) i_right (
        .clk_i, .enable_i(enable_i[Levels-2:0]), .terms_i(terms_i[N*TermBits-1:Left*TermBits]),
        .carries_i(carries_i[LeftAdders +: (Right > 1 ? Right - 1 : 1)]), .less_i('0), .third_i('0), .sum_o(right)
      );
    end
  end

  if (HasThird && Levels == 1) begin : gen_third
    assign sum = SumBits'(left) + SumBits'(right) + SumBits'($signed(third_i));
    assign unused_carry = carry;
  end else if (Right != 0 && Carries[Adders-1]) begin : gen_carry
    assign {sum, unused_carry} = {SumBits'(left), carry} + {SumBits'(right), carry};
  end else begin : gen_no_carry
    assign sum = SumBits'(left) + SumBits'(right);
    assign unused_carry = carry;
  end

  if (!HasThird) begin : gen_two
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
