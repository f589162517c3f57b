// SPDX-License-Identifier: Apache-2.0
// What quads (multiplier_quad.sv) of activations First to Last - 1 give too much in a sum of low products: the activations'
// sum times 2^(WgtBits-1). One for all outputs of a row.
//
// Activations of cycle t (outputs of registers) give their excess at t + 1 + Levels, when the last adder of the sum takes
// it. enable_i[k] lets the adders of level k take values.
module quad_excess #(
  parameter  int unsigned BlockIn = 16,
  parameter  int unsigned First   = 0,
  parameter  int unsigned Last    = 16,
  parameter  int unsigned InpBits = 8,
  parameter  int unsigned WgtBits = 8,
  localparam int unsigned Levels  = $clog2(BlockIn),
  localparam int unsigned SumBits = InpBits + WgtBits + Levels
) (
  input  logic                      clk_i,
  input  logic                      rst_ni,
  input  logic [Levels-1:0]         enable_i,
  input  logic [BlockIn*InpBits-1:0] inp_i,
  output logic [SumBits-1:0]        excess_o
);

  localparam int unsigned Terms      = (Last > First) ? Last - First : 0;
  localparam int unsigned TreeLevels = (Terms > 1) ? $clog2(Terms) : 1;
  localparam int unsigned TreeBits   = InpBits + TreeLevels;

  if (Terms == 0) begin : gen_none
    assign excess_o = '0;
    logic unused_inputs;
    assign unused_inputs = ^{clk_i, rst_ni, enable_i, inp_i};
  end else begin : gen_sum
    logic [Terms*InpBits-1:0]   terms;   // in offset binary: adder_tree.sv
    logic [TreeBits-1:0]        sum;
    logic signed [TreeBits-1:0] sum_q;

    for (genvar k = 0; k < Terms; k++) begin : gen_term
      assign terms[k*InpBits +: InpBits] = inp_i[(First+k)*InpBits +: InpBits] ^ (InpBits'(1) << (InpBits - 1));
    end

    adder_tree #(.N(Terms), .TermBits(InpBits), .Levels(TreeLevels)) i_tree (
      .clk_i, .enable_i(enable_i[TreeLevels-1:0]), .terms_i(terms), .less_i('0), .third_i('0), .sum_o(sum)
    );
    delay #(.Width(TreeBits), .Stages(1 + Levels - TreeLevels)) i_wait (
      .clk_i, .rst_ni, .data_i(sum ^ (TreeBits'(1) << (TreeBits - 1))), .data_o(sum_q)
    );
    assign excess_o = SumBits'(sum_q) << (WgtBits - 1);

    logic unused_inputs;
    assign unused_inputs = ^{enable_i, inp_i};
  end

endmodule
