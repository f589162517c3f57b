// SPDX-License-Identifier: Apache-2.0
// Where the writer stands among the beats of a row of overlapping pieces: which beat it takes again, and when an element
// is done with. Beats themselves, elements and parts are load_writer.sv's.
//
// All outputs but need_o are of the beat that would be taken next, and come from registers: what comes after an element,
// in its row or in the next one, is worked out while it is taken. What a transfer's first element needs is worked out as
// the transfer comes (need_o: combinational), and waits with it.
`ifndef MUTANT  // a fault that tests plant: tests/hw/mutants.sv
`define MUTANT(name) 1'b0
`endif

module piece_walk #(
  parameter  int unsigned BeatShift = 3,   // of the bytes of a beat
  parameter  int unsigned StepBits  = 6,
  parameter  int unsigned LeftBits  = 4,   // as piece_need.sv's
  localparam int unsigned NeedBits  = 4 + LeftBits + BeatShift
) (
  input  logic                 clk_i,
  // The transfer that comes.
  input  logic [BeatShift-1:0] new_at_i,
  input  logic [BeatShift:0]   new_last_i,
  input  logic [StepBits-1:0]  new_step_i,
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
  output logic [1:0]           again_o,       // the beat was taken before: the newest one (1), the one before (2), …; 0: not
  output logic                 touched_o,     // no beat of the element comes after it
  output logic                 done_o         // … nor one before the element that follows in the row
);

  typedef struct packed {
    logic [1:0]           parts;
    logic [LeftBits-1:0]  left;
    logic [1:0]           again;
    logic [BeatShift-1:0] next;
  } need_t;

  need_t                need_d, need_q, follows, row_follows;
  logic [1:0]           again_d, again_q, parts_d, parts_q;
  logic [LeftBits-1:0]  left_d, left_q;
  logic [BeatShift-1:0] row_d, row_q;   // place of the next row's first byte

  piece_need #(.BeatShift(BeatShift), .StepBits(StepBits), .LeftBits(LeftBits)) i_first (
    .at_i(new_at_i), .last_i(new_last_i), .step_i(new_step_i),
    .parts_o(need_o[NeedBits-1 -: 2]), .left_o(need_o[BeatShift+2 +: LeftBits]), .again_o(need_o[BeatShift +: 2]),
    .next_o(need_o[BeatShift-1:0])
  );

  piece_need #(.BeatShift(BeatShift), .StepBits(StepBits), .LeftBits(LeftBits)) i_element (
    .at_i(need_q.next), .last_i, .step_i,
    .parts_o(follows.parts), .left_o(follows.left), .again_o(follows.again), .next_o(follows.next)
  );

  piece_need #(.BeatShift(BeatShift), .StepBits(StepBits), .LeftBits(LeftBits)) i_row (
    .at_i(row_q), .last_i, .step_i,
    .parts_o(row_follows.parts), .left_o(row_follows.left), .again_o(row_follows.again), .next_o(row_follows.next)
  );

  assign again_o   = again_q;
  assign touched_o = parts_q == '0;
  assign done_o    = left_q == '0;

  always_comb begin
    need_d  = need_q;
    again_d = again_q;
    parts_d = parts_q;
    left_d  = left_q;
    row_d   = row_q;
    if (take_i) begin
      if (again_q != '0) again_d = again_q - 1'b1;
      if (parts_q != '0) parts_d = parts_q - 1'b1;
      left_d = left_q - 1'b1;
    end
    if (whole_i) begin
      need_d  = follows;
      again_d = need_q.again;
    end
    if (row_end_i) begin
      need_d = row_follows;
      row_d  = row_q + stride_i;
      if (~`MUTANT(AgainKept)) again_d = '0;
    end
    if (load_i) begin
      need_d = load_need_i;
      row_d  = load_row_i;
    end
    if (whole_i | load_i) begin
      parts_d = need_d.parts;
      left_d  = need_d.left;
    end
    if (load_i | ~gathers_i) again_d = '0;
  end

  always_ff @(posedge clk_i) begin
    need_q  <= need_d;
    again_q <= again_d;
    parts_q <= parts_d;
    left_q  <= left_d;
    row_q   <= row_d;
  end

endmodule
