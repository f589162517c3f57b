// SPDX-License-Identifier: Apache-2.0
// The load unit's single writer: walks the elements of each transfer in order, row by row, and takes them from the data
// buffer or as padding. What is written on chip of them is element_fill.sv's, bursts and issue are load_unit.sv's.
//
// A transfer that comes in cycle t is begun at t + 1 at the earliest. An element of padding takes one cycle, one from
// memory a cycle for each beat it is made of (at least one). An element taken in cycle s is written in cycle s + 3.
//
// Where PieceBytes is not 0 a transfer may gather: elements are parts of rows that may overlap, and take a cycle for
// each beat that none before has taken, and at least one (piece_walk.sv). Only those bytes of an element are written
// that the transfer fills (piece_turn.sv).
module load_writer #(
  parameter  int unsigned                  Memories    = 1,
  parameter  logic [Memories*32-1:0]       ElementBits = '0,  // of each memory
  parameter  logic [Memories*32-1:0]       LaneBits    = '0,  // of each memory that is padded, else 0
  parameter  logic [Memories*32-1:0]       StoredBytes = '0,  // an element's in DRAM
  parameter  int unsigned                  DataBits    = 64,  // the widest element's whole beats
  parameter  int unsigned                  AddrBits    = 10,
  parameter  int unsigned                  PortBits    = 64,
  parameter  int unsigned                  BufferBeats = 32,
  parameter  int unsigned                  Transfers   = 4,   // that wait or are walked
  parameter  int unsigned                  TagBits     = 1,
  parameter  int unsigned                  DimBits     = 16,
  parameter  int unsigned                  PadBits     = 6,
  parameter  int unsigned                  ValueBits   = 8,
  parameter  int unsigned                  PieceBytes  = 0,   // of the widest element that pieces are gathered into
  parameter  int unsigned                  StepBits    = 1,
  localparam int unsigned                  Slices      = (PieceBytes > 0) ? PieceBytes : 1,
  localparam int unsigned                  ByteBits    = $clog2(Slices + 1),
  localparam int unsigned                  BeatBytes   = PortBits / 8,
  localparam int unsigned                  BeatShift   = $clog2(BeatBytes),
  localparam int unsigned                  RoomBits    = $clog2(BufferBeats + 1),
  localparam int unsigned                  CountBits   = ((DimBits > PadBits) ? DimBits : PadBits) + 2
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  // Transfers, as they issue.
  input  logic                 start_i,
  input  logic [Memories-1:0]  memory_i,       // at most one; none: takes one cycle and writes nothing
  input  logic [AddrBits-1:0]  sram_i,
  input  logic [BeatShift-1:0] offset_i,       // first byte within its beat
  input  logic [BeatShift-1:0] stride_i,       // bytes from row to row, within a beat
  input  logic [DimBits-1:0]   rows_i,
  input  logic [DimBits-1:0]   cols_i,
  input  logic [PadBits-1:0]   pad_top_i,
  input  logic [PadBits-1:0]   pad_bottom_i,
  input  logic [PadBits-1:0]   pad_left_i,
  input  logic [PadBits-1:0]   pad_right_i,
  input  logic [ValueBits-1:0] pad_value_i,
  input  logic                 gathers_i,
  input  logic [ByteBits-1:0]  piece_first_i,  // byte of the element
  input  logic [ByteBits-1:0]  piece_bytes_i,  // at most two beats
  input  logic [StepBits-1:0]  piece_step_i,
  input  logic [TagBits-1:0]   tag_i,
  // Beats, as they arrive.
  input  logic                 beat_valid_i,
  input  logic                 beat_last_i,
  input  logic [PortBits-1:0]  beat_data_i,
  output logic [RoomBits-1:0]  freed_o,        // beats of a burst that ends in this cycle, else 0
  output logic                 active_o,       // an element, a part of one, or a pad is taken in this cycle
  // The last cycle of a transfer.
  output logic                 end_o,
  output logic [TagBits-1:0]   tag_o,
  // Writes.
  output logic [Memories-1:0]  we_o,
  output logic [Slices-1:0]    wslices_o,      // bytes, of a memory that pieces are gathered into
  output logic [AddrBits-1:0]  waddr_o,
  output logic [DataBits-1:0]  wdata_o
);

  localparam int unsigned Parts    = DataBits / PortBits;
  localparam int unsigned LeftBits = (StepBits > BeatShift + 1) ? StepBits - BeatShift + 1 : 2;  // as piece_walk.sv's
  localparam int unsigned NeedBits = LeftBits + BeatShift;
  localparam int unsigned PartBits = (Parts > 1) ? $clog2(Parts) : 1;

  // ---- Transfers waiting. Where memory begins and ends is kept such that the walk only asks whether it is there.
  typedef struct packed {
    logic [Memories-1:0]  memory;
    logic                 empty;        // nothing to write
    logic [AddrBits-1:0]  sram;
    logic [BeatShift-1:0] offset;
    logic [BeatShift-1:0] stride;
    logic                 row_first_in; // the first row is from memory
    logic                 row_padded;   // there are rows of padding before those from memory …
    logic [PadBits-1:0]   row_before;   // … and this is the last of them
    logic [CountBits-1:0] row_last_in;  // last row from memory
    logic [CountBits-1:0] row_last;     // last row
    logic                 col_first_in;
    logic                 col_padded;
    logic [PadBits-1:0]   col_before;
    logic [CountBits-1:0] col_last_in;
    logic [CountBits-1:0] col_last;
    logic [ValueBits-1:0] pad_value;
    logic [TagBits-1:0]   tag;
  } transfer_t;

  // What a transfer has beside it if any gathers.
  typedef struct packed {
    logic                 gathers;
    logic [ByteBits-1:0]  first;        // byte of the element that its piece begins with
    logic [ByteBits-1:0]  stop;         // byte after it
    logic [BeatShift:0]   last;         // bytes of a piece, less one
    logic [StepBits-1:0]  step;
    logic [BeatShift-1:0] second_row;   // place of its first byte in its beat
    logic [NeedBits-1:0]  need;         // as piece_walk.sv's
  } pieces_t;

  transfer_t            in, next, head;
  pieces_t              in_pieces, next_pieces, pieces;

  localparam int unsigned BothBits     = $bits(in) + $bits(in_pieces);
  localparam int unsigned TransferBits = (PieceBytes > 0) ? BothBits : $bits(in);

  logic [TransferBits-1:0] waiting;
  logic                 head_valid, head_room, head_load;
  logic                 no_rows, no_cols;
  logic [CountBits-1:0] row_last, col_last;

  // Asked apart from the sums: the head of the command queue is decoded in this cycle too.
  assign no_rows  = (pad_top_i == '0) & (rows_i == '0) & (pad_bottom_i == '0);
  assign no_cols  = (pad_left_i == '0) & (cols_i == '0) & (pad_right_i == '0);
  assign row_last = CountBits'(rows_i) + (CountBits'(pad_top_i) + CountBits'(pad_bottom_i) - 1'b1);
  assign col_last = CountBits'(cols_i) + (CountBits'(pad_left_i) + CountBits'(pad_right_i) - 1'b1);

  always_comb begin
    in.memory       = memory_i;
    in.empty        = (memory_i == '0) | no_rows | no_cols;
    in.sram         = sram_i;
    in.offset       = offset_i;
    in.stride       = stride_i;
    in.row_first_in = (pad_top_i == '0) & (rows_i != '0);
    in.row_padded   = pad_top_i != '0;
    in.row_before   = pad_top_i - 1'b1;
    in.row_last_in  = CountBits'(pad_top_i) + (CountBits'(rows_i) - 1'b1);
    in.row_last     = in.empty ? '0 : row_last;
    in.col_first_in = (pad_left_i == '0) & (cols_i != '0);
    in.col_padded   = pad_left_i != '0;
    in.col_before   = pad_left_i - 1'b1;
    in.col_last_in  = CountBits'(pad_left_i) + (CountBits'(cols_i) - 1'b1);
    in.col_last     = in.empty ? '0 : col_last;
    in.pad_value    = pad_value_i;
    in.tag          = tag_i;
  end

  command_queue #(.Width(TransferBits), .Depth(Transfers)) i_transfers (
    .clk_i,
    .rst_ni,
    .push_valid_i(start_i),
    .push_ready_o(head_room),
    .push_data_i (TransferBits'({in_pieces, in})),
    .pop_valid_o (head_valid),
    .pop_ready_i (end_o),
    .load_o      (head_load),
    .next_o      (waiting)
  );

  assign {next_pieces, next} = BothBits'(waiting);

  always_ff @(posedge clk_i) begin
    if (head_load) begin
      head   <= next;
      pieces <= next_pieces;
    end
  end

  // ---- The walk.
  logic [CountBits-1:0] row, col;
  logic [AddrBits-1:0]  element;                        // elements written so far
  logic [PartBits-1:0]  part, last_part;                // beat of the element
  logic [BeatShift:0]   size;                           // bytes an element takes of a beat
  logic [BeatShift-1:0] offset;
  logic                 row_in_d, row_in_q, col_in_d, col_in_q;  // the row, the column is one from memory
  logic [BeatShift-1:0] advance;                        // bytes from element to element, within a beat
  logic                 held, done;                     // of a gathered element: as piece_walk.sv's
  logic                 from_memory, is_last_part, take, whole, row_end, pop, present;

  always_comb begin
    last_part = '0;
    size      = '0;
    for (int m = 0; m < Memories; m++) begin
      if (head.memory[m]) begin
        if (StoredBytes[m*32 +: 32] > BeatBytes) begin
          last_part = PartBits'(StoredBytes[m*32 +: 32] / BeatBytes - 1);
          size      = (BeatShift + 1)'(BeatBytes);
        end else begin
          size = (BeatShift + 1)'(StoredBytes[m*32 +: 32]);
        end
      end
    end
  end

  assign from_memory = ~head.empty & row_in_q & col_in_q;
  assign take        = head_valid & (~from_memory | present | held);
  assign active_o    = take;
  assign tag_o       = head.tag;
  // A beat is done with when its last byte, or the row's last element, was taken. Of gathered rows it is when it is read:
  // the last ones are kept behind the buffer.
  assign pop = take & from_memory
               & (pieces.gathers ? ~held
                  : ((BeatShift + 1)'(offset) + size == (BeatShift + 1)'(BeatBytes)) | (part != last_part)
                    | (col == head.col_last_in));
  assign is_last_part = pieces.gathers ? done : part == last_part;
  assign advance      = pieces.gathers ? BeatShift'(pieces.step) : BeatShift'(size);

  // Known as the cycle of a row or an element begins, so that no comparison stands before what is taken. Of no rows or
  // columns from memory the "last" one is the padding's before them, which clears what it set.
  always_comb begin
    row_in_d = row_in_q;
    col_in_d = col_in_q;
    if (whole) begin
      if (head.col_padded & (col == CountBits'(head.col_before))) col_in_d = 1'b1;
      if (col == head.col_last_in) col_in_d = 1'b0;
    end
    if (row_end) begin
      col_in_d = head.col_first_in;
      if (head.row_padded & (row == CountBits'(head.row_before))) row_in_d = 1'b1;
      if (row == head.row_last_in) row_in_d = 1'b0;
    end
    if (head_load) begin
      row_in_d = next.row_first_in;
      col_in_d = next.col_first_in;
    end
  end

  always_ff @(posedge clk_i) begin
    row_in_q <= row_in_d;
    col_in_q <= col_in_d;
  end

  element_walk #(.AddrBits(AddrBits), .CountBits(CountBits), .PartBits(PartBits), .BeatShift(BeatShift)) i_walk (
    .clk_i,
    .rst_ni,
    .take_i       (take),
    .in_dram_i    (from_memory),
    .row_in_dram_i(row_in_q),
    .row_last_i   (head.row_last),
    .col_last_i   (head.col_last),
    .part_last_i  (is_last_part),
    .size_i       (advance),
    .first_i      (head.offset),
    .stride_i     (head.stride),
    .row_o        (row),
    .col_o        (col),
    .part_o       (part),
    .element_o    (element),
    .offset_o     (offset),
    .whole_o      (whole),
    .row_end_o    (row_end),
    .end_o        (end_o)
  );

  // ---- The data buffer.
  logic                read;
  logic [PortBits-1:0] beat;   // the newest that was read

  assign read = take & ~held;

  beat_buffer #(.PortBits(PortBits), .Beats(BufferBeats)) i_buffer (
    .clk_i,
    .rst_ni,
    .beat_valid_i,
    .beat_last_i,
    .beat_data_i,
    .present_o(present),
    .read_i   (read),
    .pop_i    (pop),
    .beat_o   (beat),
    .freed_o
  );

  // ---- The walk over pieces.
  if (PieceBytes == 0) begin : gen_whole
    assign in_pieces = '0;
    assign held      = 1'b0;
    assign done      = 1'b1;
  end else begin : gen_pieces
    assign in_pieces.gathers    = gathers_i;
    assign in_pieces.first      = gathers_i ? piece_first_i : '0;
    assign in_pieces.stop       = gathers_i ? piece_first_i + piece_bytes_i : ByteBits'(PieceBytes);
    assign in_pieces.last       = (BeatShift + 1)'(piece_bytes_i) - 1'b1;
    assign in_pieces.step       = piece_step_i;
    assign in_pieces.second_row = offset_i + stride_i;

    piece_walk #(.BeatShift(BeatShift), .StepBits(StepBits)) i_pieces (
      .clk_i,
      .new_at_i   (offset_i),
      .new_last_i (in_pieces.last),
      .need_o     (in_pieces.need),
      .load_i     (head_load),
      .load_need_i(next_pieces.need),
      .load_row_i (next_pieces.second_row),
      .gathers_i  (pieces.gathers),
      .last_i     (pieces.last),
      .step_i     (pieces.step),
      .stride_i   (head.stride),
      .take_i     (take),
      .whole_i    (whole),
      .row_end_i  (row_end),
      .held_o     (held),
      .done_o     (done)
    );
  end

  // ---- Behind the walk.
  element_fill #(
    .Memories(Memories), .ElementBits(ElementBits), .LaneBits(LaneBits), .DataBits(DataBits), .AddrBits(AddrBits),
    .PortBits(PortBits), .PartBits(PartBits), .ValueBits(ValueBits), .PieceBytes(PieceBytes)
  ) i_fill (
    .clk_i,
    .rst_ni,
    .memory_i ((whole & ~head.empty) ? head.memory : '0),
    .pads_i   ((take & ~from_memory) ? head.memory : '0),
    .addr_i   (head.sram + element),
    .offset_i (offset),
    .part_i   (part),
    .value_i  (head.pad_value),
    .read_i   (read),
    .gathers_i(pieces.gathers),
    .first_i  (pieces.first),
    .stop_i   (pieces.stop),
    .last_i   (pieces.last),
    .beat2_i  (beat),
    .we_o,
    .wslices_o,
    .waddr_o,
    .wdata_o
  );

`ifndef YOSYS
  a_transfers: assert property (@(posedge clk_i) disable iff (!rst_ni) start_i |-> head_room)
    else $error("a transfer comes only when there is room for it");
`endif
  logic unused_signals;
  assign unused_signals = ^{head_room, head.row_first_in, gathers_i, piece_first_i, piece_bytes_i, piece_step_i,
                            pieces, next_pieces};

endmodule
