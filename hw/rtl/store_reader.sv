// SPDX-License-Identifier: Apache-2.0
// The data half of the store unit: walks the elements of each transfer in order, row by row, reads them and makes beats
// of them. Bursts, issue and retirement are store_unit.sv's.
//
// Beats may leave as bursts are accepted: grant_i adds a burst's beats in the cycle from which its data may be taken. An
// element is taken a cycle, or a beat of one that is wider than a beat; a beat taken in cycle s is on the bus in s + 4.
`ifndef MUTANT  // a fault that tests plant: tests/hw/mutants.sv
`define MUTANT(name) 1'b0
`endif

module store_reader #(
  parameter  int unsigned ElementBits = 32,
  parameter  int unsigned StoredBytes = 4,   // an element's in DRAM
  parameter  int unsigned AddrBits    = 10,
  parameter  int unsigned PortBits    = 64,
  parameter  int unsigned BurstBeats  = 16,
  parameter  int unsigned Outstanding = 8,
  parameter  int unsigned Transfers   = 4,   // that wait or are walked
  parameter  int unsigned DimBits     = 16,
  localparam int unsigned BeatBytes   = PortBits / 8,
  localparam int unsigned BeatShift   = $clog2(BeatBytes),
  localparam int unsigned LenBits     = $clog2(BurstBeats + 1)
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  // Transfers with elements, as they issue.
  input  logic                   start_i,
  input  logic [AddrBits-1:0]    sram_i,
  input  logic [BeatShift-1:0]   offset_i,     // first byte within its beat
  input  logic [BeatShift-1:0]   stride_i,     // bytes from row to row, within a beat
  input  logic [DimBits-1:0]     rows_i,
  input  logic [DimBits-1:0]     cols_i,
  // Bursts.
  input  logic                   grant_i,
  input  logic [LenBits-1:0]     grant_len_i,  // beats
  output logic                   active_o,     // two cycles later the data channel is taken, in the timing page's words
  // Memory: data three cycles after their address.
  output logic                   re_o,
  output logic [AddrBits-1:0]    raddr_o,
  input  logic [ElementBits-1:0] rdata_i,
  // AXI4 write data channel.
  output logic                   w_valid_o,
  input  logic                   w_ready_i,
  output logic [PortBits-1:0]    w_data_o,
  output logic [BeatBytes-1:0]   w_strb_o,
  output logic                   w_last_o
);

  localparam int unsigned Parts      = (StoredBytes > BeatBytes) ? StoredBytes / BeatBytes : 1;  // beats an element takes
  localparam int unsigned Size       = (StoredBytes > BeatBytes) ? BeatBytes : StoredBytes;      // bytes of a beat it takes
  localparam int unsigned PartBits   = (Parts > 1) ? $clog2(Parts) : 1;
  localparam int unsigned Slots      = 8;   // beats between being taken and the bus: 4 cycles, and some
  localparam int unsigned SlotBits   = $clog2(Slots + 1);
  localparam int unsigned CreditBits = $clog2(Outstanding * BurstBeats + 1);
  localparam int unsigned EntryBits  = AddrBits + 2*BeatShift + 2*DimBits;

  // ---- Transfers waiting.
  logic                 head_valid, head_room, ends;
  logic [AddrBits-1:0]  sram;
  logic [BeatShift-1:0] first_offset, stride;
  logic [DimBits-1:0]   rows, cols;

  fifo #(.Width(EntryBits), .Depth(Transfers)) i_transfers (
    .clk_i,
    .rst_ni,
    .push_valid_i(start_i),
    .push_ready_o(head_room),
    .push_data_i ({sram_i, offset_i, stride_i, rows_i, cols_i}),
    .pop_valid_o (head_valid),
    .pop_ready_i (ends),
    .pop_data_o  ({sram, first_offset, stride, rows, cols})
  );

  // ---- The walk.
  logic [DimBits-1:0]    unused_row, unused_col;
  logic [AddrBits-1:0]   element;              // elements taken so far
  logic [PartBits-1:0]   part;                 // beat of the element
  logic [BeatShift-1:0]  offset;
  logic [CreditBits-1:0] credit_d, credit_q;   // beats that may be taken
  logic [SlotBits-1:0]   slots_d, slots_q;     // beats there is room for on the way to the bus
  logic                  take, begins, unused_whole, row_done, beat_done, leave;
  logic                  open_d, open_q;       // the standing beat has elements already

  element_walk #(.AddrBits(AddrBits), .CountBits(DimBits), .PartBits(PartBits), .BeatShift(BeatShift)) i_walk (
    .clk_i,
    .rst_ni,
    .take_i       (take),
    .in_dram_i    (1'b1),
    .row_in_dram_i(1'b1),
    .row_last_i   (rows - 1'b1),
    .col_last_i   (cols - 1'b1),
    .part_last_i  (part == PartBits'(Parts - 1)),
    .size_i       (BeatShift'(Size)),
    .first_i      (first_offset),
    .stride_i     (stride),
    .row_o        (unused_row),
    .col_o        (unused_col),
    .part_o       (part),
    .element_o    (element),
    .offset_o     (offset),
    .whole_o      (unused_whole),
    .row_end_o    (row_done),
    .end_o        (ends)
  );

  assign take      = head_valid & (grant_i | (credit_q != '0)) & (open_q | (slots_q != '0));
  assign begins    = take & ~open_q;
  assign beat_done = take & (row_done | ((BeatShift + 1)'(offset) + (BeatShift + 1)'(Size) == (BeatShift + 1)'(BeatBytes)));
  assign open_d    = take ? ~beat_done : open_q;
  assign credit_d  = credit_q + (grant_i ? CreditBits'(grant_len_i) : '0) - CreditBits'(beat_done);
  assign slots_d   = slots_q + SlotBits'(leave) - SlotBits'(begins);

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      open_q   <= 1'b0;
      credit_q <= '0;
      slots_q  <= SlotBits'(Slots);
    end else begin
      open_q   <= open_d;
      credit_q <= credit_d;
      slots_q  <= slots_d;
    end
  end

  assign re_o     = take;
  assign raddr_o  = sram + element;
  assign active_o = take;

  // ---- Three cycles later: the element is there and goes to its place in the beat.
  logic                 taken3, open3, done3;
  logic [BeatShift-1:0] offset3;
  logic [PartBits-1:0]  part3;
  logic [PortBits-1:0]  piece, merged, partial_q;
  logic [BeatBytes-1:0] strobe, strobes, strobes_q;

  delay #(.Width(1), .Stages(3), .HasReset(1'b1)) i_taken (.clk_i, .rst_ni, .data_i(take), .data_o(taken3));
  delay #(.Width(2 + BeatShift + PartBits), .Stages(3)) i_place (
    .clk_i, .rst_ni, .data_i({open_q, beat_done, offset, part}), .data_o({open3, done3, offset3, part3})
  );

  logic [Parts*PortBits-1:0] stored;   // the element as DRAM has it, in whole beats
  assign stored = (Parts*PortBits)'(rdata_i);

  always_comb begin
    piece = '0;
    for (int p = 0; p < Parts; p++) begin
      if (part3 == PartBits'(p)) piece = stored[p*PortBits +: PortBits];
    end
  end

  assign merged  = (open3 ? partial_q : '0) | (piece << {offset3, 3'b000});
  assign strobe  = ((Size == BeatBytes) | `MUTANT(StrobesAll)) ? '1 : BeatBytes'((1 << Size) - 1);
  assign strobes = ((open3 & ~`MUTANT(StrobesShort)) ? strobes_q : '0) | (strobe << offset3);

  always_ff @(posedge clk_i) begin
    if (taken3) begin
      partial_q <= merged;
      strobes_q <= strobes;
    end
  end

  // ---- On the way to the bus. Bursts' lengths mark their last beats.
  logic               beat_room, len_valid, len_room, last;
  logic [LenBits-1:0] len;
  logic [LenBits-1:0] count_d, count_q;  // beats of the standing burst already here
  logic               push;

  assign push    = taken3 & done3;
  assign last    = count_q == len - 1'b1;
  assign count_d = push ? (last ? '0 : count_q + 1'b1) : count_q;
  assign leave   = w_valid_o & w_ready_i;

  fifo #(.Width(LenBits), .Depth(Outstanding)) i_lengths (
    .clk_i,
    .rst_ni,
    .push_valid_i(grant_i),
    .push_ready_o(len_room),
    .push_data_i (grant_len_i),
    .pop_valid_o (len_valid),
    .pop_ready_i (push & last),
    .pop_data_o  (len)
  );

  fifo #(.Width(1 + BeatBytes + PortBits), .Depth(Slots)) i_beats (
    .clk_i,
    .rst_ni,
    .push_valid_i(push),
    .push_ready_o(beat_room),
    .push_data_i ({last & ~(`MUTANT(LastForgotten) & (len == LenBits'(1))), strobes, merged}),
    .pop_valid_o (w_valid_o),
    .pop_ready_i (w_ready_i),
    .pop_data_o  ({w_last_o, w_strb_o, w_data_o})
  );

  always_ff @(posedge clk_i) begin
    if (!rst_ni) count_q <= '0;
    else         count_q <= count_d;
  end

`ifndef YOSYS
  a_transfers: assert property (@(posedge clk_i) disable iff (!rst_ni) start_i |-> head_room)
    else $error("a transfer comes only when there is room for it");
  a_beats: assert property (@(posedge clk_i) disable iff (!rst_ni) push |-> beat_room)
    else $error("a beat is taken only when there is room for it");
  a_lengths: assert property (@(posedge clk_i) disable iff (!rst_ni) push |-> len_valid)
    else $error("a beat belongs to an accepted burst");
`endif
  logic unused_room;
  assign unused_room = ^{head_room, beat_room, len_room, len_valid};

endmodule
