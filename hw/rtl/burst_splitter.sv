// SPDX-License-Identifier: Apache-2.0
// Cuts the rows of one transfer into bursts, each row from its first byte on. Whether a burst may go is the unit's.
//
// Started in cycle t, the first burst stands at t + 1; the next one in the cycle after one was taken (burst_ready_i).
// busy_o falls in the cycle after the last burst was taken. A row takes the whole beats it touches.
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
  output logic [31:0]        burst_addr_o,    // a multiple of a beat
  output logic [LenBits-1:0] burst_len_o,     // beats
  output logic               burst_last_o,    // of the transfer
  input  logic               burst_ready_i
);

  localparam int unsigned BeatBytes = PortBits / 8;
  localparam int unsigned BeatShift = $clog2(BeatBytes);
  localparam int unsigned LeftBits  = 32 - BeatShift;

  logic                busy_d, busy_q;
  logic [31:0]         row_addr_d, row_addr_q, row_bytes_d, row_bytes_q, stride_d, stride_q;
  logic [DimBits-1:0]  rows_d, rows_q;       // rows left, this one included
  logic [LeftBits-1:0] beat_d, beat_q;       // address of the burst, in beats
  logic [LeftBits-1:0] left_d, left_q;       // beats of the row from this burst on
  logic [LenBits-1:0]  len_d, len_q;
  logic                new_row;
  logic [31:0]         row_end;              // one past the row's last byte, from the row's first beat

  assign busy_o       = busy_q;
  assign burst_addr_o = {beat_q, BeatShift'(0)};
  assign burst_len_o  = len_q;
  assign burst_last_o = (left_q == LeftBits'(len_q)) & (rows_q == DimBits'(1));

  always_comb begin
    busy_d      = busy_q;
    row_addr_d  = row_addr_q;
    row_bytes_d = row_bytes_q;
    stride_d    = stride_q;
    rows_d      = rows_q;
    beat_d      = beat_q;
    left_d      = left_q;
    new_row     = 1'b0;
    if (start_i) begin
      busy_d      = (rows_i != '0) & (row_bytes_i != '0);
      row_addr_d  = addr_i;
      row_bytes_d = row_bytes_i;
      stride_d    = stride_bytes_i;
      rows_d      = rows_i;
      new_row     = 1'b1;
    end else if (busy_q & burst_ready_i) begin
      if (left_q == LeftBits'(len_q)) begin
        busy_d     = rows_q != DimBits'(1);
        rows_d     = rows_q - 1'b1;
        row_addr_d = row_addr_q + stride_q;
        new_row    = 1'b1;
      end else begin
        beat_d = beat_q + LeftBits'(len_q);
        left_d = left_q - LeftBits'(len_q);
      end
    end
    row_end = (`MUTANT(ForgetsOffset) ? '0 : 32'(row_addr_d[BeatShift-1:0])) + row_bytes_d + 32'(BeatBytes - 1);
    if (new_row) begin
      beat_d = row_addr_d[31:BeatShift];
      left_d = LeftBits'(row_end >> BeatShift);
    end
  end

  burst_length #(.PortBits(PortBits), .BurstBeats(BurstBeats), .LeftBits(LeftBits)) i_length (
    .addr_i({beat_d[11-BeatShift:0], BeatShift'(0)}),
    .left_i(left_d),
    .len_o (len_d)
  );

  always_ff @(posedge clk_i) begin
    if (!rst_ni) busy_q <= 1'b0;
    else         busy_q <= busy_d;
  end

  always_ff @(posedge clk_i) begin
    row_addr_q  <= row_addr_d;
    row_bytes_q <= row_bytes_d;
    stride_q    <= stride_d;
    rows_q      <= rows_d;
    beat_q      <= beat_d;
    left_q      <= left_d;
    len_q       <= len_d;
  end

`ifndef YOSYS
  a_start: assert property (@(posedge clk_i) disable iff (!rst_ni) start_i |-> !busy_q)
    else $error("a transfer starts only after the one before has handed over its last burst");
`endif

endmodule
