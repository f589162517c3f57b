// SPDX-License-Identifier: Apache-2.0
// What an element takes of the beats of a row of overlapping pieces, by the place of its first byte in its beat, and
// where the next element begins. Combinational; piece_walk.sv counts with it.
`ifndef MUTANT  // a fault that tests plant: tests/hw/mutants.sv
`define MUTANT(name) 1'b0
`endif

module piece_need #(
  parameter int unsigned BeatShift = 3,   // of the bytes of a beat
  parameter int unsigned StepBits  = 6,
  parameter int unsigned LeftBits  = 4    // holds the beats from an element's first byte to the next one's
) (
  input  logic [BeatShift-1:0] at_i,
  input  logic [BeatShift:0]   last_i,    // a piece's bytes, less one
  input  logic [StepBits-1:0]  step_i,    // bytes from element to element
  output logic [1:0]           parts_o,   // beats it touches, less one
  output logic [LeftBits-1:0]  left_o,    // its cycles, less one, if an element follows in the row
  output logic [1:0]           again_o,   // of its beats, those that the element that follows takes again
  output logic [BeatShift-1:0] next_o     // place of that one's first byte
);

  localparam int unsigned AheadBits = LeftBits + BeatShift;

  logic [BeatShift-1:0] unused_end;
  logic [LeftBits-1:0]  beats;       // from its first byte's to the next one's
  logic                 is_apart;    // the next one begins in a beat of its own

  assign {parts_o, unused_end} = (BeatShift + 2)'(at_i) + (BeatShift + 2)'(last_i);
  assign {beats, next_o}       = AheadBits'(at_i) + AheadBits'(step_i);
  assign is_apart              = beats > LeftBits'(parts_o);
  assign left_o                = (is_apart & ~`MUTANT(GapForgotten)) ? beats - 1'b1 : LeftBits'(parts_o);
  assign again_o               = is_apart ? 2'd0 : parts_o + 2'd1 - 2'(beats);

endmodule
