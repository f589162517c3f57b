// SPDX-License-Identifier: Apache-2.0
// One tile of multiply-accumulate a cycle, up to the accumulation: sum[b, o] = sum over k of inp[b, k] * wgt[o, k].
// Reading the tiles is gemm_unit.sv's, adding the sums to memory accumulator.sv's.
//
// Operands of cycle t give their sums at t + 3 + Levels: a register before the multipliers, two in them, and Levels
// registered adders. With MacsPerDsp = 2, the products of one activation for two neighbouring outputs share a multiplier.
module mac_array #(
  parameter  int unsigned Batch      = 1,
  parameter  int unsigned BlockIn    = 16,
  parameter  int unsigned BlockOut   = 16,
  parameter  int unsigned InpBits    = 8,
  parameter  int unsigned WgtBits    = 8,
  parameter  int unsigned MacsPerDsp = 1,
  localparam int unsigned Levels     = $clog2(BlockIn),
  localparam int unsigned SumBits    = InpBits + WgtBits + Levels
) (
  input  logic                                clk_i,
  input  logic                                rst_ni,
  input  logic                                valid_i,
  input  logic [Batch*BlockIn*InpBits-1:0]    inp_i,
  input  logic [BlockOut*BlockIn*WgtBits-1:0] wgt_i,
  output logic [Batch*BlockOut*SumBits-1:0]   sum_o
);

  localparam int unsigned ProductBits = InpBits + WgtBits;
  localparam int unsigned RowBits     = BlockIn * ProductBits;   // the products of one sum
  localparam int unsigned Paired      = (MacsPerDsp == 2) ? BlockOut / 2 * 2 : 0;

  logic [Batch*BlockIn*InpBits-1:0]    inp_q;
  logic [BlockOut*BlockIn*WgtBits-1:0] wgt_q;
  logic [Levels+1:0]                   valid_q;   // [0]: operands, [1]: in the multipliers, [2 + k]: before level k
  logic [Batch*BlockOut*RowBits-1:0]   products;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) valid_q <= '0;
    else         valid_q <= (Levels + 2)'({valid_q, valid_i});
  end

  always_ff @(posedge clk_i) begin
    if (valid_i) begin
      inp_q <= inp_i;
      wgt_q <= wgt_i;
    end
  end

  for (genvar b = 0; b < Batch; b++) begin : gen_batch
    for (genvar k = 0; k < BlockIn; k++) begin : gen_in
      localparam int unsigned Inp = (b * BlockIn + k) * InpBits;
      logic signed [InpBits-1:0] inp;

      assign inp = inp_q[Inp +: InpBits];

      if (Paired != 0) begin : gen_pairs
        logic signed [ProductBits:0] offset_q;   // multiplier_pair.sv says what for

        always_ff @(posedge clk_i) begin
          if (valid_q[0]) begin
            offset_q <= ((ProductBits + 1)'(1) << (ProductBits - 1)) - ((ProductBits + 1)'(inp) << (WgtBits - 1));
          end
        end

        for (genvar o = 0; o < Paired; o += 2) begin : gen_out
          localparam int unsigned Product = (b * BlockOut + o) * RowBits + k * ProductBits;
          localparam int unsigned Wgt     = (o * BlockIn + k) * WgtBits;

          multiplier_pair #(.ABits(InpBits), .BBits(WgtBits)) i_pair (
            .clk_i,
            .enable_i(valid_q[1:0]),
            .a_i     (inp),
            .low_i   (wgt_q[Wgt +: WgtBits]),
            .high_i  (wgt_q[Wgt+BlockIn*WgtBits +: WgtBits]),
            .offset_i(offset_q),
            .low_o   (products[Product +: ProductBits]),
            .high_o  (products[Product+RowBits +: ProductBits])
          );
        end
      end

      for (genvar o = Paired; o < BlockOut; o++) begin : gen_out
        multiplier #(.ABits(InpBits), .BBits(WgtBits)) i_multiplier (
          .clk_i,
          .enable_i (valid_q[1:0]),
          .a_i      (inp),
          .b_i      (wgt_q[(o*BlockIn+k)*WgtBits +: WgtBits]),
          .product_o(products[(b*BlockOut+o)*RowBits+k*ProductBits +: ProductBits])
        );
      end
    end
  end

  if (Levels == 0) begin : gen_products
    assign sum_o = products;
  end else begin : gen_sums
    for (genvar s = 0; s < Batch * BlockOut; s++) begin : gen_sum
      adder_tree #(.N(BlockIn), .TermBits(ProductBits), .Levels(Levels)) i_tree (
        .clk_i,
        .enable_i(valid_q[Levels+1:2]),
        .terms_i (products[s*RowBits +: RowBits]),
        .sum_o   (sum_o[s*SumBits +: SumBits])
      );
    end
  end

endmodule
