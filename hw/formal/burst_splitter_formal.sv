// SPDX-License-Identifier: Apache-2.0
// What burst_splitter.sv promises for every transfer: the bursts cover exactly the beats its rows touch, row by row and
// each beat of a row once, none crosses 4 KiB or exceeds the limit, the last one is marked, and a burst stands until taken.
//
// The harness walks the rows on its own, by bytes. Wires named \dut.… are the block's own registers, in the assertions
// that make the induction close (i_…).
module burst_splitter_formal #(
  parameter  int unsigned PortBits   = 64,
  parameter  int unsigned BurstBeats = 16,
  parameter  int unsigned DimBits    = 4,
  localparam int unsigned LenBits    = $clog2(BurstBeats + 1),
  localparam int unsigned BeatBytes  = PortBits / 8,
  localparam int unsigned BeatShift  = $clog2(BeatBytes),
  localparam int unsigned LeftBits   = 32 - BeatShift
) (
  input logic               clk_i,
  input logic               rst_ni,
  input logic               start_i,
  input logic [31:0]        addr_i,
  input logic [DimBits-1:0] rows_i,
  input logic [31:0]        row_bytes_i,
  input logic [31:0]        stride_bytes_i,
  input logic               burst_ready_i
);

  logic               busy, valid, burst_last;
  logic [31:0]        burst_addr;
  logic [LenBits-1:0] burst_len;

  burst_splitter #(.PortBits(PortBits), .BurstBeats(BurstBeats), .DimBits(DimBits)) dut (
    .clk_i, .rst_ni, .start_i, .addr_i, .rows_i, .row_bytes_i, .stride_bytes_i, .busy_o(busy), .burst_valid_o(valid),
    .burst_addr_o(burst_addr), .burst_len_o(burst_len), .burst_last_o(burst_last), .burst_ready_i
  );

  (* hierconn *) logic [1:0]          \dut.fill_q ;
  (* hierconn *) logic                \dut.ends_q , \dut.turns_q ;
  (* hierconn *) logic [31:0]         \dut.ahead_q , \dut.row_bytes_q , \dut.stride_q ;
  (* hierconn *) logic [LeftBits-1:0] \dut.row_left_q ;
  (* hierconn *) logic [DimBits-1:0]  \dut.rows_q ;
  (* hierconn *) logic [LeftBits-1:0] \dut.beat_q ;
  (* hierconn *) logic [LeftBits:0]   \dut.end_q ;

  (* hierconn *) logic [LenBits-1:0]  \dut.len_q ;
  logic                left_high;     // never set: a row has less than 2 GiB
  logic [LeftBits-1:0] left;          // beats of the row from it on
  assign {left_high, left} = \dut.end_q - (LeftBits + 1)'(burst_addr[11:BeatShift]);
  logic [LenBits-1:0] right_len;      // what burst_length.sv says of the burst that stands
  burst_length #(.PortBits(PortBits), .BurstBeats(BurstBeats), .LeftBits(LeftBits)) i_length (
    .addr_i({\dut.beat_q [11-BeatShift:0], BeatShift'(0)}), .left_i(left), .len_o(right_len)
  );

  logic [31:0]        row_q, bytes_q, stride_q;  // the row being cut: its first byte, its bytes, the way to the next
  logic [DimBits-1:0] rows_q;                    // rows left, this one included
  logic [31:0]        next_q;                    // byte at which the next burst must begin
  logic [31:0]        end_d, end_q;              // one past the last byte of the row's last beat
  logic [31:0]        burst_end, row_d, bytes_d;
  logic               row_ends;
  logic               stood_q;                   // a burst stood in the cycle before and was not taken
  logic [31:0]        stood_addr_q;
  logic [LenBits-1:0] stood_len_q;

  assign burst_end = burst_addr + 32'(burst_len) * BeatBytes;
  assign row_ends  = burst_end == end_q;
  assign row_d     = start_i ? addr_i : row_q + stride_q;
  assign bytes_d   = start_i ? row_bytes_i : bytes_q;
  assign end_d     = {row_d[31:BeatShift], BeatShift'(0)}
                     + (((32'(row_d[BeatShift-1:0]) + bytes_d + BeatBytes - 1) >> BeatShift) << BeatShift);

  always_ff @(posedge clk_i) begin
    stood_q      <= rst_ni & valid & ~burst_ready_i;
    stood_addr_q <= burst_addr;
    stood_len_q  <= burst_len;
    if (!rst_ni) begin
      rows_q <= '0;
    end else if (start_i || (valid && burst_ready_i && row_ends)) begin
      row_q   <= row_d;
      bytes_q <= bytes_d;
      next_q  <= {row_d[31:BeatShift], BeatShift'(0)};
      end_q   <= end_d;
      if (start_i) begin
        stride_q <= stride_bytes_i;
        rows_q   <= rows_i;
      end else begin
        rows_q   <= rows_q - 1'b1;
      end
    end else if (valid && burst_ready_i) begin
      next_q <= burst_end;
    end
  end

  initial assume (!rst_ni);

  always @(posedge clk_i) if (rst_ni) begin
    // A transfer starts only after the one before has handed over its last burst.
    m_start: assume (!start_i || !busy);
    // A row has less than 2 GiB; addresses wrap at 4 GiB.
    m_bytes: assume (!start_i || !row_bytes_i[31]);
    m_some:  assume (!start_i || (row_bytes_i != '0 && rows_i != '0));

    a_busy:  assert (busy == (rows_q != '0));
    // A burst begins where the one before ended, or at the beat of its row's first byte.
    a_next:  assert (!valid || burst_addr == next_q);
    a_some:  assert (!valid || burst_len != '0);
    a_limit: assert (!valid || burst_len <= BurstBeats);
    a_page:  assert (!valid || 32'(burst_addr[11:0]) + 32'(burst_len) * BeatBytes <= 4096);
    // It does not go beyond the row's last beat, so that a row ends exactly there.
    a_row:   assert (!valid || 32'(burst_len) * BeatBytes <= end_q - burst_addr);
    a_last:  assert (!valid || burst_last == (row_ends && rows_q == 1));
    a_stand: assert (!stood_q || (valid && burst_addr == stood_addr_q && burst_len == stood_len_q));

    i_fill:  assert (valid == (busy && \dut.fill_q == 0) && \dut.fill_q <= 2 && (busy || \dut.fill_q == 0));
    i_row:   assert (!busy || (\dut.row_bytes_q == bytes_q && \dut.stride_q == stride_q && \dut.rows_q == rows_q));
    i_ahead: assert (!busy || \dut.ahead_q == (valid ? row_q + stride_q : row_q));
    i_beats: assert (!busy || \dut.fill_q == 2 || 32'(\dut.row_left_q )
                     == (32'(\dut.ahead_q [BeatShift-1:0]) + bytes_q + BeatBytes - 1) >> BeatShift);
    i_ends:  assert (!valid || \dut.ends_q == (left == LeftBits'(\dut.len_q )));
    i_start: assert (!busy || valid || next_q == {row_q[31:BeatShift], BeatShift'(0)});
    i_last:  assert (!busy || end_q == {row_q[31:BeatShift], BeatShift'(0)}
                     + (((32'(row_q[BeatShift-1:0]) + bytes_q + BeatBytes - 1) >> BeatShift) << BeatShift));
    i_bytes: assert (!busy || (bytes_q != '0 && !bytes_q[31]));
    i_turns: assert (!valid || \dut.turns_q == (!\dut.ends_q && burst_end[11:0] == '0));
    i_len:   assert (!valid || \dut.len_q == right_len);
    i_left:  assert (!valid || (left != '0 && !left_high));
    i_end:   assert (!valid || (({left, BeatShift'(0)} == end_q - next_q)
                               && 32'({left, BeatShift'(0)}) <= 32'h8000_0000 + BeatBytes));

    c_page:  cover (valid && !row_ends && burst_len < BurstBeats && burst_end[11:0] == '0);
    c_rows:  cover (valid && burst_last && stood_q && row_q[BeatShift-1:0] != '0);
    c_two:   cover (valid && burst_ready_i && row_ends && rows_q == 2);
  end

endmodule
