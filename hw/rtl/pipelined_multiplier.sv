// SPDX-License-Identifier: Apache-2.0
// A signed product of any width, spread over as many cycles as its user can wait, so that the multipliers it is made of
// have registers around them. What is multiplied when is the user's business: a pair of operands comes in every cycle.
//
// Operands of cycle t give their product at t + Stages, 0 being the same cycle; cycles without enable_i do not count. From
// two stages on, parts as wide as a DSP multiplies are multiplied and registered, then added and registered; from three
// stages on, operands are registered too.
//
// Where four parts would be multiplied, three are enough for ThreeParts: of the middle parts only the sum is needed, which
// is the product of both sums less the other two products (A. Karatsuba, Y. Ofman, 1962). That takes more adders.
module pipelined_multiplier #(
  parameter  int unsigned ABits       = 32,
  parameter  int unsigned BBits       = 32,
  parameter  int unsigned Stages      = 2,
  parameter  bit          ThreeParts  = 1'b0,
  localparam int unsigned ProductBits = ABits + BBits
) (
  input  logic                          clk_i,
  input  logic                          enable_i,
  input  logic signed [ABits-1:0]       a_i,
  input  logic signed [BBits-1:0]       b_i,
  output logic signed [ProductBits-1:0] product_o
);

  if (Stages == 0) begin : gen_at_once
    assign product_o = a_i * b_i;
    logic unused_clk;
    assign unused_clk = clk_i ^ enable_i;
  end else if (Stages == 1) begin : gen_one_register
    logic signed [ProductBits-1:0] product_q;
    always_ff @(posedge clk_i) if (enable_i) product_q <= a_i * b_i;
    assign product_o = product_q;
  end else begin : gen_parts
    // All parts but the highest are unsigned, so one bit narrower than a DSP's operands.
    localparam int unsigned APart  = 24;
    localparam int unsigned BPart  = 17;
    localparam int unsigned AParts = (ABits > APart + 1) ? (ABits - 2) / APart + 1 : 1;
    localparam int unsigned BParts = (BBits > BPart + 1) ? (BBits - 2) / BPart + 1 : 1;
    // The product of one part of each begins where that of the parts below them ends: these stand side by side in one
    // term. Term 0 begins with the lowest parts, terms 1, 2, ... with higher parts of a, the others with higher ones of b.
    localparam int unsigned Terms  = AParts + BParts - 1;

    // Halves of which the sums are no wider than a DSP's narrower operand.
    localparam int unsigned Half   = 16;
    localparam bit          Halves = ThreeParts && AParts == 2 && BParts == 2 && ABits <= 2 * Half && BBits <= 2 * Half;

    logic signed [ABits-1:0]       a;
    logic signed [BBits-1:0]       b;
    logic signed [ProductBits-1:0] sum_q;

    if (Stages == 2) begin : gen_operands
      assign a = a_i;
      assign b = b_i;
    end else begin : gen_operand_registers
      enabled_delay #(.Width(ABits), .Stages(Stages - 2)) i_a (.clk_i, .enable_i, .data_i(a_i), .data_o(a));
      enabled_delay #(.Width(BBits), .Stages(Stages - 2)) i_b (.clk_i, .enable_i, .data_i(b_i), .data_o(b));
    end

    if (Halves) begin : gen_halves
      localparam int unsigned Sum = Half + 2;
      logic signed [Sum-1:0]               a_sum_i, b_sum_i, a_sum, b_sum;
      logic signed [2*Half+1:0]            low_q;
      logic signed [ProductBits-2*Half-1:0] high_q;
      logic signed [2*Sum-1:0]             both_q;
      logic        [ProductBits-1:Half]    with_both, twice;
      assign a_sum_i = Sum'($signed(a_i[ABits-1:Half])) + Sum'(a_i[Half-1:0]);
      assign b_sum_i = Sum'($signed(b_i[BBits-1:Half])) + Sum'(b_i[Half-1:0]);
      enabled_delay #(.Width(Sum), .Stages(Stages - 2)) i_a_sum (.clk_i, .enable_i, .data_i(a_sum_i), .data_o(a_sum));
      enabled_delay #(.Width(Sum), .Stages(Stages - 2)) i_b_sum (.clk_i, .enable_i, .data_i(b_sum_i), .data_o(b_sum));
      always_ff @(posedge clk_i) if (enable_i) begin
        low_q  <= $signed({1'b0, a[Half-1:0]}) * $signed({1'b0, b[Half-1:0]});
        high_q <= $signed(a[ABits-1:Half]) * $signed(b[BBits-1:Half]);
        both_q <= a_sum * b_sum;
        sum_q  <= {{with_both, low_q[Half-1]} - {twice, 1'b0}, low_q[Half-2:0]};   // two adders, not one of three operands
      end
      assign with_both = {high_q, low_q[2*Half-1:Half]} + (ProductBits-Half)'(both_q);
      assign twice     = (ProductBits-Half)'(high_q) + (ProductBits-Half)'(low_q[2*Half-1:0]);

      logic unused_signs;   // of a product of unsigned parts, and of one wider than what it is added to
      assign unused_signs = ^{low_q, both_q};
    end else begin : gen_products
      for (genvar i = 0; i < AParts; i++) begin : gen_a
        localparam int unsigned AWidth = (i + 1 < AParts) ? APart + 1 : ABits - i * APart;
        logic signed [AWidth-1:0] a_part;
        if (i + 1 < AParts) begin : gen_low
          assign a_part = {1'b0, a[i*APart +: APart]};
        end else begin : gen_high
          assign a_part = a[ABits-1:i*APart];
        end

        for (genvar j = 0; j < BParts; j++) begin : gen_b
          localparam int unsigned BWidth = (j + 1 < BParts) ? BPart + 1 : BBits - j * BPart;
          logic signed [BWidth-1:0]        b_part;
          logic signed [AWidth+BWidth-1:0] part_q;
          if (j + 1 < BParts) begin : gen_low
            assign b_part = {1'b0, b[j*BPart +: BPart]};
          end else begin : gen_high
            assign b_part = b[BBits-1:j*BPart];
          end
          always_ff @(posedge clk_i) if (enable_i) part_q <= a_part * b_part;

          logic unused_sign;   // of a product of unsigned parts
          assign unused_sign = ^part_q;
        end
      end

      // The first term, and one after the other the next ones where they have bits.
      for (genvar t = 0; t < Terms; t++) begin : gen_term
        localparam int unsigned Skip = (t < AParts) ? t * APart : (t + 1 - AParts) * BPart;
        logic [ProductBits-1:Skip] term;
        logic [ProductBits-1:0]    sum;
        for (genvar i = 0; i < AParts; i++) begin : gen_a_of
          for (genvar j = 0; j < BParts; j++) begin : gen_b_of
            localparam int unsigned Place = i * APart + j * BPart;
            localparam bit          IsTop = i + 1 == AParts || j + 1 == BParts;   // of its term: has the sign
            localparam int unsigned Width = IsTop ? ProductBits - Place : APart + BPart;
            if (t == ((i >= j) ? i - j : AParts - 1 + j - i)) begin : gen_here
              assign term[Place +: Width] = Width'(gen_a[i].gen_b[j].part_q);
            end
          end
        end
        if (t == 0) begin : gen_first
          assign sum = term;
        end else begin : gen_next
          assign sum[ProductBits-1:Skip] = gen_term[t-1].sum[ProductBits-1:Skip] + term;
          assign sum[Skip-1:0] = gen_term[t-1].sum[Skip-1:0];
        end
      end
      always_ff @(posedge clk_i) if (enable_i) sum_q <= gen_term[Terms-1].sum;
    end
    assign product_o = sum_q;
  end

endmodule
