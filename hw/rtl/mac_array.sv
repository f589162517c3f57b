// SPDX-License-Identifier: Apache-2.0
// One tile of multiply-accumulate a cycle, up to the accumulation: sum[b, o] = sum over k of inp[b, k] * wgt[o, k].
// Reading the tiles is gemm_unit.sv's, adding the sums to memory accumulator.sv's.
//
// Operands of cycle t (outputs of registers: a multiplier's first input register) give their sums at t + 3 + Levels:
// a second input register, the product, Levels of adders, and a register behind them.
module mac_array #(
  parameter  int unsigned Batch    = 1,
  parameter  int unsigned BlockIn  = 16,
  parameter  int unsigned BlockOut = 16,
  parameter  int unsigned InpBits  = 8,
  parameter  int unsigned WgtBits  = 8,
  localparam int unsigned Levels   = $clog2(BlockIn),
  localparam int unsigned SumBits  = InpBits + WgtBits + Levels
) (
  input  logic                                clk_i,
  input  logic                                rst_ni,
  input  logic                                valid_i,
  input  logic [Batch*BlockIn*InpBits-1:0]    inp_i,
  input  logic [BlockOut*BlockIn*WgtBits-1:0] wgt_i,
  output logic [Batch*BlockOut*SumBits-1:0]   sum_o
);

  logic [Batch*BlockIn*InpBits-1:0]    inp_q;
  logic [BlockOut*BlockIn*WgtBits-1:0] wgt_q;
  logic [Levels+1:0]                   valid_q;   // [0]: operands, [1]: products, [2 + k]: level k of the adders
  logic [Batch*BlockOut*SumBits-1:0]   sum, sum_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) valid_q <= '0;
    else         valid_q <= (Levels + 2)'({valid_q, valid_i});
  end

  always_ff @(posedge clk_i) begin
    if (valid_i) begin
      inp_q <= inp_i;
      wgt_q <= wgt_i;
    end
    if (valid_q[Levels+1]) sum_q <= sum;
  end

  for (genvar b = 0; b < Batch; b++) begin : gen_batch
    for (genvar o = 0; o < BlockOut; o++) begin : gen_out
      dot_product #(.N(BlockIn), .ABits(InpBits), .BBits(WgtBits), .Levels(Levels)) i_dot (
        .clk_i,
        .enable_i(valid_q[Levels:0]),
        .a_i     (inp_q[b*BlockIn*InpBits +: BlockIn*InpBits]),
        .b_i     (wgt_q[o*BlockIn*WgtBits +: BlockIn*WgtBits]),
        .sum_o   (sum[(b*BlockOut+o)*SumBits +: SumBits])
      );
    end
  end

  assign sum_o = sum_q;

endmodule
