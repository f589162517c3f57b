// SPDX-License-Identifier: Apache-2.0
// The activations of one group of channels along rows (mac_array.sv): of each of Lines rows the last Taps, oldest first.
// They pass from tap to tap. Where a cycle is along no row, the first Own hold what the group's products take then, and the
// others zeros.
//
// What comes in a cycle with valid_i is held in the cycles after it, up to the next.
`ifndef MUTANT  // a fault that tests plant: tests/hw/mutants.sv
`define MUTANT(name) 1'b0
`endif

module row_taps #(
  parameter  int unsigned Lanes    = 1,   // channels
  parameter  int unsigned LaneBits = 8,
  parameter  int unsigned Lines    = 1,
  parameter  int unsigned Taps     = 3,
  parameter  int unsigned Own      = Lines * Taps * Lanes,
  localparam int unsigned PartBits = Lanes * LaneBits,
  localparam int unsigned AllBits  = Lines * Taps * PartBits
) (
  input  logic                      clk_i,
  input  logic                      valid_i,
  input  logic                      rows_i,
  input  logic [Own*LaneBits-1:0]   inp_i,     // along no row
  input  logic [Lines*PartBits-1:0] lines_i,   // along rows
  output logic [AllBits-1:0]        taps_o
);

  localparam int unsigned OwnBits = Own * LaneBits;

  logic [OwnBits-1:0] own_q;
  logic [AllBits-1:0] taps, taps_d;

  for (genvar p = 0; p < Lines * Taps; p++) begin : gen_tap
    if (p % Taps == Taps - 1) begin : gen_newest
      assign taps_d[p*PartBits +: PartBits] = lines_i[p/Taps*PartBits +: PartBits];
    end else begin : gen_older
      assign taps_d[p*PartBits +: PartBits] =
          `MUTANT(TapsStay) ? taps[p*PartBits +: PartBits] : taps[(p+1)*PartBits +: PartBits];
    end
  end

  always_ff @(posedge clk_i) begin
    if (valid_i) own_q <= rows_i ? taps_d[OwnBits-1:0] : inp_i;
  end

  // What lies beyond them is apart: simulators are quickest with words.
  if (AllBits > OwnBits) begin : gen_rest
    logic [AllBits-OwnBits-1:0] rest_q;
    always_ff @(posedge clk_i) begin
      if (valid_i) rest_q <= rows_i ? taps_d[AllBits-1:OwnBits] : '0;
    end
    assign taps = {rest_q, own_q};
  end else begin : gen_all
    assign taps = own_q;
  end

  assign taps_o = taps;

endmodule
