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
  logic [AllBits-1:0] taps;

  // A function, called where it is asked for: simulators do nothing of it where there are no rows.
  function automatic logic [AllBits-1:0] moved(logic [AllBits-1:0] old, logic [Lines*PartBits-1:0] lines);
    for (int p = 0; p < Lines * Taps; p++) begin
      if (p % Taps == Taps - 1)     moved[p*PartBits +: PartBits] = lines[p/Taps*PartBits +: PartBits];
      else if (`MUTANT(TapsStay))   moved[p*PartBits +: PartBits] = old[p*PartBits +: PartBits];
      else                          moved[p*PartBits +: PartBits] = old[(p+1)*PartBits +: PartBits];
    end
  endfunction

  always_ff @(posedge clk_i) begin
    if (valid_i) begin
      if (rows_i) own_q <= OwnBits'(moved(taps, lines_i));
      else        own_q <= inp_i;
    end
  end

  // What lies beyond them is apart: simulators are quickest with words.
  if (AllBits > OwnBits) begin : gen_rest
    logic [AllBits-OwnBits-1:0] rest_q;
    always_ff @(posedge clk_i) begin
      if (valid_i) begin
        if (rows_i) rest_q <= (AllBits-OwnBits)'(moved(taps, lines_i) >> OwnBits);
        else        rest_q <= '0;
      end
    end
    assign taps = {rest_q, own_q};
  end else begin : gen_all
    assign taps = own_q;
  end

  assign taps_o = taps;

endmodule
