// SPDX-License-Identifier: Apache-2.0
// Where the writer stands among the beats of a row of overlapping pieces: an element takes a cycle for each beat up to
// its last byte that was not taken before, and at least one. Beats themselves and elements are load_writer.sv's.
//
// All outputs but need_o are of the cycle that would be taken next, and come from registers: what comes after an
// element, in its row or in the next one, is worked out while it is taken. What a transfer's first element needs is
// worked out as the transfer comes (need_o: combinational), and waits with it.
`ifndef MUTANT  // a fault that tests plant: tests/hw/mutants.sv
`define MUTANT(name) 1'b0
`endif

module piece_walk #(
  parameter  int unsigned BeatShift = 3,   // of the bytes of a beat
  parameter  int unsigned StepBits  = 6,
  localparam int unsigned LeftBits  = (StepBits > BeatShift + 1) ? StepBits - BeatShift + 1 : 2,
  localparam int unsigned NeedBits  = LeftBits + BeatShift
) (
  input  logic                 clk_i,
  // The transfer that comes.
  input  logic [BeatShift-1:0] new_at_i,
  input  logic [BeatShift:0]   new_last_i,
  output logic [NeedBits-1:0]  need_o,
  // The transfer that is walked next, from the cycle after load_i on.
  input  logic                 load_i,
  input  logic [NeedBits-1:0]  load_need_i,
  input  logic [BeatShift-1:0] load_row_i,    // place of its second row's first byte
  // The transfer that is walked.
  input  logic                 gathers_i,
  input  logic [BeatShift:0]   last_i,        // a piece's bytes, less one
  input  logic [StepBits-1:0]  step_i,        // bytes from element to element
  input  logic [BeatShift-1:0] stride_i,      // from row to row, within a beat
  input  logic                 take_i,
  input  logic                 whole_i,       // … in the element's last cycle
  input  logic                 row_end_i,     // … and the row's
  output logic                 held_o,        // no new beat is needed: all of the element were taken before
  output logic                 done_o         // the element's last cycle
);

  typedef struct packed {
    logic [LeftBits-1:0]  left;   // beats that are to be taken, less one
    logic [BeatShift-1:0] stop;   // place of the element's last byte in its beat
  } need_t;

  need_t                need_d, need_q, follows, row_follows;
  logic                 held_d, held_q;
  logic [LeftBits-1:0]  beats;          // up to the last byte of the element that follows in the row
  logic [BeatShift-1:0] row_d, row_q;   // place of the next row's first byte

  assign need_o                = NeedBits'(new_at_i) + NeedBits'(new_last_i);
  assign {beats, follows.stop} = NeedBits'(need_q.stop) + NeedBits'(step_i);
  assign follows.left          = ((beats == '0) | `MUTANT(GapForgotten)) ? '0 : beats - 1'b1;
  assign row_follows           = NeedBits'(row_q) + NeedBits'(last_i);

  assign held_o = held_q;
  assign done_o = need_q.left == '0;

  always_comb begin
    need_d = need_q;
    held_d = held_q;
    row_d  = row_q;
    if (take_i) need_d.left = need_q.left - 1'b1;
    if (whole_i) begin
      need_d = follows;
      held_d = beats == '0;
    end
    if (row_end_i) begin
      need_d = row_follows;
      row_d  = row_q + stride_i;
      if (~`MUTANT(HeldKept)) held_d = 1'b0;
    end
    if (load_i) begin
      need_d = load_need_i;
      row_d  = load_row_i;
    end
    if (load_i | ~gathers_i) held_d = 1'b0;
  end

  always_ff @(posedge clk_i) begin
    need_q <= need_d;
    held_q <= held_d;
    row_q  <= row_d;
  end

endmodule
