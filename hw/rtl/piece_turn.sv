// SPDX-License-Identifier: Apache-2.0
// Puts the bytes of overlapping pieces into their places of an element: turns beats, keeps those that are taken again,
// and says which bytes of the element each of them fills. The element's register, and whose turn it is, are
// load_writer.sv's.
//
// Numbers at the ends of names are cycles behind the one in which the beat was taken, or taken again.
`ifndef MUTANT  // a fault that tests plant: tests/hw/mutants.sv
`define MUTANT(name) 1'b0
`endif

module piece_turn #(
  parameter  int unsigned PieceBytes = 16,   // of the widest element
  parameter  int unsigned PortBits   = 64,
  parameter  int unsigned PartBits   = 4,
  localparam int unsigned ByteBits   = $clog2(PieceBytes + 1),
  localparam int unsigned BeatShift  = $clog2(PortBits / 8)
) (
  input  logic                  clk_i,
  input  logic                  read_i,      // a new beat is read, which is there in two cycles
  input  logic [1:0]            again_i,     // as piece_walk.sv's
  input  logic [ByteBits-1:0]   first_i,     // bytes of the element that are written: from here …
  input  logic [ByteBits-1:0]   stop_i,      // … to before here
  input  logic [BeatShift-1:0]  offset1_i,   // place of the piece's first byte in its first beat
  input  logic [PartBits-1:0]   part1_i,     // beat of the piece
  input  logic [PortBits-1:0]   beat2_i,     // the newest that was read
  output logic [PortBits-1:0]   piece2_o,    // the beat that is taken, its bytes at their places of the element
  output logic [PieceBytes-1:0] fresh2_o,    // bytes of the element it is for: those of later beats are written over
  output logic [PieceBytes-1:0] slices3_o    // bytes of the element that are written at all
);

  localparam int unsigned LeadBits = ((PartBits + BeatShift > ByteBits) ? PartBits + BeatShift : ByteBits) + 2;

  logic                  read1_q;
  logic [1:0]            again1_q, again2_q;
  logic [ByteBits-1:0]   first1_q, stop1_q;
  logic [BeatShift-1:0]  turn2_q;
  logic [PieceBytes-1:0] fresh1, fresh2_q, slices1, slices2_q, slices3_q;
  logic [PortBits-1:0]   before_q, before_that_q;   // the two beats that were read before the newest
  logic [PortBits-1:0]   chosen, unused_half;
  logic [LeadBits-1:0]   lead;                      // byte of the element where the beat's first belongs; may be negative

  assign lead = LeadBits'({part1_i, BeatShift'(0)}) + LeadBits'(first1_q) - LeadBits'(offset1_i);

  for (genvar b = 0; b < PieceBytes; b++) begin : gen_byte
    assign fresh1[b]  = $signed(LeadBits'(b)) >= $signed(lead);
    assign slices1[b] = (ByteBits'(b) >= first1_q)
                        & (`MUTANT(MaskShifted) ? ByteBits'(b) <= stop1_q : ByteBits'(b) < stop1_q);
  end

  always_comb begin
    chosen = beat2_i;
    if (again2_q == 2'd2) chosen = `MUTANT(HistoryShort) ? beat2_i : before_q;
    if (again2_q == 2'd3) chosen = before_that_q;
  end

  assign {unused_half, piece2_o} = {chosen, chosen} >> {turn2_q, 3'b000};
  assign fresh2_o  = fresh2_q;
  assign slices3_o = slices3_q;

  always_ff @(posedge clk_i) begin
    read1_q   <= read_i;
    again1_q  <= again_i;
    again2_q  <= again1_q;
    first1_q  <= first_i;
    stop1_q   <= stop_i;
    turn2_q   <= offset1_i - BeatShift'(first1_q);
    fresh2_q  <= fresh1;
    slices2_q <= slices1;
    slices3_q <= slices2_q;
    if (read1_q) begin
      before_q      <= beat2_i;
      before_that_q <= before_q;
    end
  end

endmodule
