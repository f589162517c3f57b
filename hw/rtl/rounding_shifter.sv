// SPDX-License-Identifier: Apache-2.0
// Shifts right and rounds half up: (value + half of the last bit kept) >> amount, spread over as many cycles as its user
// can wait. What is shifted when is the user's business: a pair of operands comes in every cycle.
//
// Operands of cycle t give their result at t + Stages, 0 being the same cycle; cycles without enable_i do not count. The
// first register stands between the shift and the rounding, the second behind the rounding, the third within the shift;
// more of them only wait.
module rounding_shifter #(
  parameter int unsigned Width      = 64,
  parameter int unsigned AmountBits = 6,
  parameter int unsigned Stages     = 0
) (
  input  logic                  clk_i,
  input  logic                  enable_i,
  input  logic [Width-1:0]      value_i,    // signed
  input  logic [AmountBits-1:0] amount_i,
  output logic [Width-1:0]      rounded_o
);

  // Bits of the amount that the second part of a shift takes, the fine one.
  localparam int unsigned FineBits = (Stages >= 3 && AmountBits > 3) ? 3 : 0;
  localparam int unsigned Waiting  = (Stages > 3) ? Stages - 3 : 0;

  logic [Width:0]   shifted, kept;   // with one more bit below
  logic [Width-1:0] sum;

  // ---- Shift.
  if (FineBits == 0) begin : gen_at_once
    logic [Width:0] all;
    assign all = $signed({value_i, 1'b0}) >>> amount_i;
    enabled_delay #(.Width(Width + 1), .Stages((Stages >= 3) ? 1 : 0)) i_shifted (
      .clk_i, .enable_i, .data_i(all), .data_o(shifted)
    );
  end else begin : gen_parts
    logic [FineBits-1:0] fine_q;
    logic [Width:0]      coarse_q;
    always_ff @(posedge clk_i) if (enable_i) begin
      coarse_q <= $signed({value_i, 1'b0}) >>> {amount_i[AmountBits-1:FineBits], FineBits'(0)};
      fine_q   <= amount_i[FineBits-1:0];
    end
    assign shifted = $signed(coarse_q) >>> fine_q;
  end

  // ---- Rounding, by the bit below.
  enabled_delay #(.Width(Width + 1), .Stages((Stages >= 1) ? 1 : 0)) i_kept (
    .clk_i, .enable_i, .data_i(shifted), .data_o(kept)
  );
  assign sum = kept[Width:1] + Width'(kept[0]);
  enabled_delay #(.Width(Width), .Stages(((Stages >= 2) ? 1 : 0) + Waiting)) i_sum (
    .clk_i, .enable_i, .data_i(sum), .data_o(rounded_o)
  );

endmodule
