// SPDX-License-Identifier: Apache-2.0
// Puts the bytes of a piece into their places of an element, all at once: keeps the two beats that were read before the
// newest, chooses for each byte one of the three, turns what was chosen, and says which bytes are written. The
// element's register, and parts of elements that do not come in pieces, are element_fill.sv's.
//
// A piece has at most two beats, so two halves of a beat each hold all of it, wherever it begins: byte b of the element
// is byte b modulo two beats. Numbers at the ends of names are cycles behind the one in which the piece was taken.
`ifndef MUTANT  // a fault that tests plant: tests/hw/mutants.sv
`define MUTANT(name) 1'b0
`endif

module piece_turn #(
  parameter  int unsigned PieceBytes = 16,   // of the widest element
  parameter  int unsigned PortBits   = 64,
  localparam int unsigned ByteBits   = $clog2(PieceBytes + 1),
  localparam int unsigned BeatBytes  = PortBits / 8,
  localparam int unsigned BeatShift  = $clog2(BeatBytes)
) (
  input  logic                  clk_i,
  input  logic                  read_i,      // a new beat is read, which is there in two cycles
  input  logic                  gathers_i,   // a piece, whose last beat is the newest; else all is of that beat
  input  logic [ByteBits-1:0]   first_i,     // bytes of the element that are written: from here …
  input  logic [ByteBits-1:0]   stop_i,      // … to before here
  input  logic [BeatShift:0]    last_i,      // bytes of the piece, less one
  input  logic [BeatShift-1:0]  offset1_i,   // place of its first byte in its first beat
  input  logic [PortBits-1:0]   beat2_i,     // the newest that was read
  output logic [2*PortBits-1:0] piece2_o,
  output logic [PieceBytes-1:0] slices3_o    // bytes of the element that are written at all
);

  localparam logic [BeatBytes-1:0]  All   = {BeatBytes{1'b1}};
  localparam logic [PieceBytes-1:0] Bytes = {PieceBytes{1'b1}};

  logic                   read1_q, gathers1_q, gathers2_q;
  logic [ByteBits-1:0]    first1_q, stop1_q;
  logic [BeatShift:0]     last1_q;
  logic [1:0]             parts1;             // beats the piece lies in, less one
  logic [BeatShift-1:0]   unused_end;
  logic [BeatShift:0]     turn1;              // byte b of the element is byte b + turn1 of three beats, modulo two
  logic [BeatShift-1:0]   turn2_q;
  logic [BeatBytes-1:0]   wraps1;             // places of a beat that turning moves over its border
  logic [BeatBytes-1:0]   odd1;
  logic [2*BeatBytes-1:0] middle1, middle2_q; // places of each half that the beat in the middle fills
  logic [BeatBytes-1:0]   oldest1, oldest2_q; // … of the others, those that the oldest one does
  logic [PieceBytes-1:0]  slices1, slices2_q, slices3_q;
  logic [PortBits-1:0]    before_q, before_that_q;

  assign {parts1, unused_end} = (BeatShift + 2)'(offset1_i) + (BeatShift + 2)'(last1_q);
  assign turn1                = {parts1[0], offset1_i} - (BeatShift + 1)'(first1_q);

  assign slices1 = (Bytes << first1_q) & ~(Bytes << ((ByteBits + 1)'(stop1_q) + (ByteBits + 1)'(`MUTANT(MaskShifted))));

  // Of beats 0 to 2, the oldest first, place j of half h takes number h + turn1 div a beat's bytes, or the one behind it if
  // turning moves j over a beat's border. Modulo two that says whether it is the one in the middle; of the others it is the
  // oldest that has the places from the piece's first byte on, if the piece lies in three.
  assign wraps1  = `MUTANT(WrapForgotten) ? '0 : ~(All << turn1[BeatShift-1:0]);
  assign odd1    = wraps1 ^ {BeatBytes{turn1[BeatShift]}};
  assign middle1 = {~odd1, odd1};
  assign oldest1 = (parts1 == 2'd2) ? All << offset1_i : '0;

  for (genvar h = 0; h < 2; h++) begin : gen_half
    logic [PortBits-1:0] chosen, unused_turned;
    always_comb begin
      chosen = beat2_i;
      if (gathers2_q) begin
        for (int j = 0; j < BeatBytes; j++) begin
          if (oldest2_q[j]) chosen[j*8 +: 8] = before_that_q[j*8 +: 8];
          if (middle2_q[h*BeatBytes+j] & ~`MUTANT(HistoryShort)) chosen[j*8 +: 8] = before_q[j*8 +: 8];
        end
      end
    end
    assign {unused_turned, piece2_o[h*PortBits +: PortBits]} = {chosen, chosen} >> {turn2_q, 3'b000};
  end

  assign slices3_o = slices3_q;

  always_ff @(posedge clk_i) begin
    read1_q    <= read_i;
    gathers1_q <= gathers_i;
    gathers2_q <= gathers1_q;
    first1_q   <= first_i;
    stop1_q    <= stop_i;
    last1_q    <= last_i;
    turn2_q    <= turn1[BeatShift-1:0];
    middle2_q  <= middle1;
    oldest2_q  <= oldest1;
    slices2_q  <= slices1;
    slices3_q  <= slices2_q;
    if (read1_q) begin
      before_q      <= beat2_i;
      before_that_q <= before_q;
    end
  end

endmodule
