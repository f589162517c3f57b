// SPDX-License-Identifier: Apache-2.0
// Cuts the rows of one transfer into bursts, each row from its first byte on. Whether a burst may go is the unit's.
//
// Started in cycle t, the first burst stands at t + 3; the next one in the cycle after one was taken (burst_ready_i, only
// while one stands). busy_o is high from t + 1 on and falls in the cycle after the last burst was taken. A row takes the
// whole beats it touches. A transfer that starts has rows, and bytes in each.
//
// A burst ends at its row's end, at a 4 KiB page's, or after BurstBeats. Which it will be is worked out from what is left
// of both before the burst that stands, so that no length waits for another.
`ifndef MUTANT  // a fault that tests plant: tests/hw/mutants.sv
`define MUTANT(name) 1'b0
`endif

module burst_splitter #(
  parameter  int unsigned PortBits   = 64,
  parameter  int unsigned BurstBeats = 16,
  parameter  int unsigned DimBits    = 16,
  localparam int unsigned LenBits    = $clog2(BurstBeats + 1)
) (
  input  logic               clk_i,
  input  logic               rst_ni,
  input  logic               start_i,         // only while busy_o is low
  input  logic [31:0]        addr_i,          // first byte of the first row
  input  logic [DimBits-1:0] rows_i,
  input  logic [31:0]        row_bytes_i,
  input  logic [31:0]        stride_bytes_i,
  output logic               busy_o,
  output logic               burst_valid_o,
  output logic [31:0]        burst_addr_o,    // a multiple of a beat
  output logic [LenBits-1:0] burst_len_o,     // beats
  output logic               burst_last_o,    // of the transfer
  input  logic               burst_ready_i
);

  localparam int unsigned BeatBytes = PortBits / 8;
  localparam int unsigned BeatShift = $clog2(BeatBytes);
  localparam int unsigned LeftBits  = 32 - BeatShift;
  localparam int unsigned EndBits   = LeftBits + 1;
  localparam int unsigned PageBits  = 12 - BeatShift;   // of a beat's place in its page
  localparam int unsigned PageBeats = 1 << PageBits;

  // A row's beats are known two cycles after the start: two numbers, and its first byte's place in its beat says which.
  // The row after the one that is cut is always at hand, so is its first burst.
  logic [1:0]           fill_d, fill_q;          // cycles until the first burst stands, less one
  logic [DimBits-1:0]   rows_d, rows_q;          // rows left, the one that is cut included
  logic [31:0]          row_bytes_q, stride_q;
  logic [BeatShift-1:0] odd;                     // bytes that a row with no offset takes of its last beat, less one
  logic [LeftBits-1:0]  beats, more_beats;
  logic [31:0]          ahead_d, ahead_q;        // first byte of the row after the one that is cut
  logic [31:0]          after;                   // of the one after that
  logic                 is_odd, after_is_odd;    // it touches one more beat
  logic [LeftBits-1:0]  row_left_d, row_left_q;  // its beats
  // The burst that stands.
  logic [LeftBits-1:0]  beat_q;                  // address, in beats
  logic [EndBits-1:0]   end_q;                   // one past the row's last beat, from the burst's page on
  logic [LenBits-1:0]   len_q;
  logic                 ends_q;                  // the row's last
  logic                 turns_q;                 // else the page's last
  // What may stand next: the row's next burst, or the next row's first.
  logic [LeftBits-1:0]  next_beat, row_beat;
  logic [EndBits-1:0]   next_end, row_end;
  logic [PageBits-1:0]  place, next_place, row_place;   // a burst's first beat in its page
  logic [LenBits-1:0]   next_len, row_len;
  logic                 next_fits, row_fits;     // the row ends in the page
  logic [PageBits:0]    next_left;               // the row's beats from that burst on, if it ends in the page
  logic                 row_short;               // the row has BurstBeats at most
  logic                 next_near, row_near;     // the page has
  logic                 next_ends, row_ends, next_turns, row_turns;
  logic                 endless, late;           // mutants: there is no page's end; it is a beat later
  logic                 busy_d, busy_q, valid_d, valid_q, taken, row_begins, is_row;

  assign busy_o        = busy_q;
  assign burst_valid_o = valid_q;
  assign burst_addr_o  = {beat_q, BeatShift'(0)};
  assign burst_len_o   = len_q;
  assign burst_last_o  = ends_q & (rows_q == DimBits'(1));
  assign taken         = valid_q & burst_ready_i;
  assign row_begins    = (fill_q == 2'd1) | (taken & ends_q);
  // Which of the two stands next is known before it is known whether the one that stands is taken.
  assign is_row        = ends_q | (fill_q != '0);

  always_comb begin
    fill_d  = (fill_q == '0) ? '0 : fill_q - 1'b1;
    rows_d  = (taken & ends_q) ? rows_q - 1'b1 : rows_q;
    after   = ahead_q + stride_q;
    ahead_d = row_begins ? after : ahead_q;
    busy_d  = busy_q & ~(taken & burst_last_o);
    valid_d = (fill_q == 2'd1) | (valid_q & ~(taken & burst_last_o));
    if (start_i) begin
      busy_d  = 1'b1;
      fill_d  = 2'd2;
      rows_d  = rows_i;
      ahead_d = addr_i;
    end
    {beats, odd} = row_bytes_q + 32'(BeatBytes - 1);
    more_beats   = LeftBits'((row_bytes_q + 32'(2 * BeatBytes - 1)) >> BeatShift);
    is_odd       = 32'(ahead_q[BeatShift-1:0]) + 32'(odd) >= 32'(BeatBytes);
    after_is_odd = 32'(after[BeatShift-1:0]) + 32'(odd) >= 32'(BeatBytes);
    row_left_d   = (row_begins ? after_is_odd : is_odd) & ~`MUTANT(ForgetsOffset) ? more_beats : beats;
    next_beat    = beat_q + LeftBits'(len_q);
    row_beat     = ahead_q[31:BeatShift];
  end

  assign endless    = `MUTANT(CrossesPages);
  assign late       = `MUTANT(PageLate);

  // The next burst begins where the page does, or BurstBeats further on; where the row ends it is not asked for.
  assign place      = beat_q[PageBits-1:0];
  assign next_place = turns_q ? '0 : place + PageBits'(BurstBeats);
  assign next_end   = turns_q ? end_q - EndBits'(PageBeats) : end_q;
  assign next_fits  = (turns_q ? end_q <= EndBits'(2 * PageBeats) : end_q <= EndBits'(PageBeats)) | endless;
  assign next_left  = (PageBits + 1)'(next_end) - (PageBits + 1)'(next_place);
  assign next_near  = 32'(place) + 2 * BurstBeats >= PageBeats;

  assign row_place  = row_beat[PageBits-1:0];
  assign row_end    = EndBits'(row_left_q) + EndBits'(row_place);
  assign row_fits   = (row_end <= EndBits'(PageBeats)) | endless;
  assign row_short  = row_left_q <= LeftBits'(BurstBeats);
  assign row_near   = 32'(row_place) + BurstBeats >= PageBeats;

  assign next_ends  = next_fits & (32'(next_left) <= BurstBeats);
  assign next_turns = ~next_fits & (turns_q ? (PageBeats <= BurstBeats) : next_near);
  assign row_ends   = row_fits & row_short;
  assign row_turns  = ~row_fits & row_near;
  assign next_len   = next_ends ? LenBits'(next_left)
                      : (next_turns ? LenBits'(PageBeats + 32'(late) - 32'(next_place)) : LenBits'(BurstBeats));
  assign row_len    = row_ends ? LenBits'(row_left_q)
                      : (row_turns ? LenBits'(PageBeats + 32'(late) - 32'(row_place)) : LenBits'(BurstBeats));

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      busy_q  <= 1'b0;
      valid_q <= 1'b0;
      fill_q  <= '0;
    end else begin
      busy_q  <= busy_d;
      valid_q <= valid_d;
      fill_q  <= fill_d;
    end
  end

  always_ff @(posedge clk_i) begin
    rows_q     <= rows_d;
    ahead_q    <= ahead_d;
    row_left_q <= row_left_d;
    if (start_i) begin
      row_bytes_q <= row_bytes_i;
      stride_q    <= stride_bytes_i;
    end
    if (row_begins | taken) begin
      beat_q  <= is_row ? row_beat : next_beat;
      end_q   <= is_row ? row_end : next_end;
      len_q   <= is_row ? row_len : next_len;
      ends_q  <= is_row ? row_ends : next_ends;
      turns_q <= is_row ? row_turns : next_turns;
    end
  end

`ifndef YOSYS
  a_start: assert property (@(posedge clk_i) disable iff (!rst_ni) start_i |-> !busy_o)
    else $error("a transfer starts only after the one before has handed over its last burst");
  a_something: assert property (@(posedge clk_i) disable iff (!rst_ni) start_i |-> rows_i != '0 && row_bytes_i != '0)
    else $error("a transfer that starts has rows, and bytes in each");
`endif

endmodule
