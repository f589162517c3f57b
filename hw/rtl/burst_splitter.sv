// SPDX-License-Identifier: Apache-2.0
// Cuts the rows of one transfer into bursts, each row from its first byte on. Whether a burst may go is the unit's.
//
// Started in cycle t, the first burst stands at t + 3; the next one in the cycle after one was taken (burst_ready_i, only
// while one stands). busy_o is high from t + 1 on and falls in the cycle after the last burst was taken. A row takes the
// whole beats it touches. A transfer that starts has rows, and bytes in each.
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

  // What is known of the transfer two cycles after its start: a row's beats, by whether its first byte's place in its
  // beat makes it touch one more. The row after the one that is cut is always at hand, so is its first burst.
  logic [1:0]           fill_d, fill_q;          // cycles until the first burst stands, less one
  logic [DimBits-1:0]   rows_d, rows_q;          // rows left, the one that is cut included
  logic [31:0]          row_bytes_q, stride_q;
  logic [BeatShift-1:0] odd_d, odd_q;            // bytes that a row with no offset takes of one more beat
  logic [LeftBits-1:0]  beats_d, beats_q, more_beats_d, more_beats_q;
  logic [31:0]          ahead_d, ahead_q;        // first byte of the row after the one that is cut
  // The burst that stands.
  logic [LeftBits-1:0]  beat_q;                  // address, in beats
  logic [LeftBits-1:0]  left_q;                  // beats of the row from this burst on
  logic [LenBits-1:0]   len_q;
  logic                 ends_q;                  // the row's last
  // What may stand next: the row's next burst, or the next row's first.
  logic [LeftBits-1:0]  next_beat, next_left, row_beat, row_left;
  logic [LenBits-1:0]   next_len, row_len;
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
    ahead_d = row_begins ? ahead_q + stride_q : ahead_q;
    busy_d  = busy_q & ~(taken & burst_last_o);
    valid_d = (fill_q == 2'd1) | (valid_q & ~(taken & burst_last_o));
    if (start_i) begin
      busy_d  = 1'b1;
      fill_d  = 2'd2;
      rows_d  = rows_i;
      ahead_d = addr_i;
    end
    {beats_d, odd_d} = row_bytes_q + 32'(BeatBytes - 1);
    more_beats_d     = LeftBits'((row_bytes_q + 32'(2 * BeatBytes - 1)) >> BeatShift);
    next_beat = beat_q + LeftBits'(len_q);
    next_left = left_q - LeftBits'(len_q);
    row_beat  = ahead_q[31:BeatShift];
    row_left  = (32'(ahead_q[BeatShift-1:0]) + 32'(odd_q) >= 32'(BeatBytes)) & ~`MUTANT(ForgetsOffset)
                ? more_beats_q : beats_q;
  end

  burst_length #(.PortBits(PortBits), .BurstBeats(BurstBeats), .LeftBits(LeftBits)) i_next_length (
    .addr_i({next_beat[11-BeatShift:0], BeatShift'(0)}),
    .left_i(next_left),
    .len_o (next_len)
  );

  burst_length #(.PortBits(PortBits), .BurstBeats(BurstBeats), .LeftBits(LeftBits)) i_row_length (
    .addr_i({row_beat[11-BeatShift:0], BeatShift'(0)}),
    .left_i(row_left),
    .len_o (row_len)
  );

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
    rows_q       <= rows_d;
    ahead_q      <= ahead_d;
    odd_q        <= odd_d;
    beats_q      <= beats_d;
    more_beats_q <= more_beats_d;
    if (start_i) begin
      row_bytes_q <= row_bytes_i;
      stride_q    <= stride_bytes_i;
    end
    if (row_begins | taken) begin
      beat_q <= is_row ? row_beat : next_beat;
      left_q <= is_row ? row_left : next_left;
      len_q  <= is_row ? row_len : next_len;
      ends_q <= is_row ? row_left == LeftBits'(row_len) : next_left == LeftBits'(next_len);
    end
  end

`ifndef YOSYS
  a_start: assert property (@(posedge clk_i) disable iff (!rst_ni) start_i |-> !busy_o)
    else $error("a transfer starts only after the one before has handed over its last burst");
  a_something: assert property (@(posedge clk_i) disable iff (!rst_ni) start_i |-> rows_i != '0 && row_bytes_i != '0)
    else $error("a transfer that starts has rows, and bytes in each");
`endif

endmodule
