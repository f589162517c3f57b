// SPDX-License-Identifier: Apache-2.0
// Shifts right and rounds half up: (value + half of the last bit kept) >> amount, spread over as many cycles as its user
// can wait. What is shifted when is the user's business: a pair of operands comes in every cycle.
//
// Of the result only the low OutBits come out; fits_o says whether they are all of it, negative_o its sign where they are
// not. (Where the rounded value is the least that fits, fits_o may be 0: saturation gives the same.)
//
// Operands of cycle t give their result at t + Stages, 0 being the same cycle; cycles without enable_i do not count. The
// first register stands between the shift and the rounding, the second behind the rounding, the third within the shift;
// more of them only wait.
module rounding_shifter #(
  parameter int unsigned Width      = 64,
  parameter int unsigned OutBits    = Width,   // at most Width
  parameter int unsigned AmountBits = 6,
  parameter int unsigned Stages     = 0
) (
  input  logic                  clk_i,
  input  logic                  enable_i,
  input  logic [Width-1:0]      value_i,    // signed
  input  logic [AmountBits-1:0] amount_i,
  output logic [OutBits-1:0]    rounded_o,
  output logic                  fits_o,
  output logic                  negative_o
);

  // The shift is a chain of levels, each by two bits of the amount, the highest first: one level is a multiplexer of four.
  localparam int unsigned Levels  = (AmountBits + 1) / 2;
  localparam int unsigned Coarse  = (Stages >= 3) ? (Levels + 1) / 2 : 0;   // levels before the third register, if any
  localparam int unsigned Waiting = (Stages > 3) ? Stages - 3 : 0;

  // ---- Shift. What a level drops must be as the sign is, or else the result does not fit.
  for (genvar l = 0; l <= Levels; l++) begin : gen_level
    // Bits that the levels behind this one look at: what comes out, one more below, and what they may shift to there.
    localparam int unsigned Wanted = OutBits + (1 << (2 * (Levels - l)));
    localparam int unsigned Bits   = (Wanted < Width + 1) ? Wanted : Width + 1;
    logic [Bits-1:0]         bits;
    logic                    sign, misfit;
    logic [2*Levels-1:0]     amount;   // those bits of it that are still to come
    if (l == 0) begin : gen_input
      localparam int unsigned Given = Width + 1;
      logic [Given-1:0] given;
      assign given  = {value_i, 1'b0};
      assign bits   = given[Bits-1:0];
      assign sign   = value_i[Width-1];
      assign amount = (2*Levels)'(amount_i);
      if (Bits < Given) begin : gen_dropped
        assign misfit = given[Given-1:Bits] != {(Given-Bits){sign}};
      end else begin : gen_all
        assign misfit = 1'b0;
      end
    end else begin : gen_shift
      localparam int unsigned Step   = 1 << (2 * (Levels - l));
      localparam int unsigned Before = (OutBits + 4 * Step < Width + 1) ? OutBits + 4 * Step : Width + 1;
      localparam int unsigned Padded = (Before > Bits + 3 * Step) ? Before : Bits + 3 * Step;
      logic [Padded-1:0] padded;
      logic [1:0]        by;
      logic [Bits-1:0]   shifted;
      logic [3:0]        beyond;   // a group of bits as wide as a step is not all sign
      logic              lost;
      assign by = gen_level[l-1].amount[2*(Levels-l) +: 2];
      if (Padded > Before) begin : gen_sign
        assign padded = {{(Padded-Before){gen_level[l-1].sign}}, gen_level[l-1].bits};
      end else begin : gen_whole
        assign padded = gen_level[l-1].bits;
      end
      assign shifted = by[1] ? (by[0] ? padded[3*Step +: Bits] : padded[2*Step +: Bits])
                             : (by[0] ? padded[Step +: Bits] : padded[0 +: Bits]);
      for (genvar g = 0; g < 4; g++) begin : gen_group
        localparam int unsigned From = Bits + g * Step;
        localparam int unsigned To   = (g == 3 || From + Step > Before) ? Before : From + Step;
        if (From < Before) begin : gen_some
          assign beyond[g] = gen_level[l-1].bits[To-1:From] != {(To-From){gen_level[l-1].sign}};
        end else begin : gen_none
          assign beyond[g] = 1'b0;
        end
      end
      logic unused_padded;   // where steps are further apart than what comes out is wide
      assign unused_padded = ^padded;
      assign lost = beyond[3] | (beyond[2] & (by != 2'd3)) | (beyond[1] & ~by[1]) | (beyond[0] & (by == 2'd0));
      enabled_delay #(.Width(Bits + 2 + 2 * Levels), .Stages((l == Coarse) ? 1 : 0)) i_level (
        .clk_i, .enable_i,
        .data_i({shifted, gen_level[l-1].sign, gen_level[l-1].misfit | lost, gen_level[l-1].amount}),
        .data_o({bits, sign, misfit, amount})
      );
    end
    logic unused_amount;
    assign unused_amount = ^amount;
  end

  // ---- Rounding, by the bit below.
  logic [OutBits:0]   kept;
  logic [OutBits-1:0] sum;
  logic               kept_sign, kept_misfit;
  enabled_delay #(.Width(OutBits + 3), .Stages((Stages >= 1) ? 1 : 0)) i_kept (
    .clk_i, .enable_i,
    .data_i({gen_level[Levels].bits, gen_level[Levels].sign,
             gen_level[Levels].misfit | (gen_level[Levels].bits[OutBits] != gen_level[Levels].sign)}),
    .data_o({kept, kept_sign, kept_misfit})
  );
  assign sum = kept[OutBits:1] + OutBits'(kept[0]);
  enabled_delay #(.Width(OutBits + 2), .Stages(((Stages >= 2) ? 1 : 0) + Waiting)) i_sum (
    .clk_i, .enable_i,
    .data_i({sum, ~kept_misfit & (kept_sign | ~sum[OutBits-1]), kept_sign}),
    .data_o({rounded_o, fits_o, negative_o})
  );

endmodule
