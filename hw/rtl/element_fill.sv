// SPDX-License-Identifier: Apache-2.0
// The element on its way on chip: put together from the beats, or parts of them, that load_writer.sv takes, or made of
// the pad value.
//
// A beat that is taken in cycle s stands at beat2_i in s + 2; an element whose last beat that is, is written in s + 3.
`ifndef MUTANT  // a fault that tests plant: tests/hw/mutants.sv
`define MUTANT(name) 1'b0
`endif

module element_fill #(
  parameter  int unsigned            Memories    = 1,
  parameter  logic [Memories*32-1:0] ElementBits = '0,  // as load_writer.sv's, all of them
  parameter  logic [Memories*32-1:0] LaneBits    = '0,
  parameter  int unsigned            DataBits    = 64,
  parameter  int unsigned            AddrBits    = 10,
  parameter  int unsigned            PortBits    = 64,
  parameter  int unsigned            PartBits    = 1,
  parameter  int unsigned            ValueBits   = 8,
  parameter  int unsigned            PieceBytes  = 0,
  localparam int unsigned            Slices      = (PieceBytes > 0) ? PieceBytes : 1,
  localparam int unsigned            ByteBits    = $clog2(Slices + 1),
  localparam int unsigned            BeatBytes   = PortBits / 8,
  localparam int unsigned            BeatShift   = $clog2(BeatBytes)
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  // What is taken in this cycle.
  input  logic [Memories-1:0]  memory_i,    // to be written; 0: the element is not whole yet
  input  logic [Memories-1:0]  pads_i,      // memory whose lanes are padded; 0: from the beat
  input  logic [AddrBits-1:0]  addr_i,
  input  logic [BeatShift-1:0] offset_i,    // place of its first byte in the beat
  input  logic [PartBits-1:0]  part_i,      // beat of the element
  input  logic [ValueBits-1:0] value_i,     // of the padding
  input  logic                 read_i,      // a new beat
  input  logic                 gathers_i,   // the element is a piece: as piece_turn.sv's
  input  logic [ByteBits-1:0]  first_i,     // bytes of the element that are written: from here …
  input  logic [ByteBits-1:0]  stop_i,      // … to before here
  input  logic [BeatShift:0]   last_i,      // bytes of the piece, less one
  input  logic [PortBits-1:0]  beat2_i,     // the newest, two cycles later
  output logic [Memories-1:0]  we_o,
  output logic [Slices-1:0]    wslices_o,   // bytes, of a memory that pieces are gathered into
  output logic [AddrBits-1:0]  waddr_o,
  output logic [DataBits-1:0]  wdata_o
);

  typedef struct packed {
    logic [Memories-1:0]  memory;
    logic [Memories-1:0]  pads;
    logic [AddrBits-1:0]  addr;
    logic [BeatShift-1:0] offset;
    logic [PartBits-1:0]  part;
    logic                 gathers;
    logic [ValueBits-1:0] value;
  } stage_t;

  stage_t              stage_d, stage1_q, stage2_q;
  logic [Memories-1:0] we_q;
  logic [AddrBits-1:0] waddr_q;
  logic [DataBits-1:0] wdata_d, wdata_q;
  logic [DataBits-1:0] pad;             // the pad value in every lane
  logic [2*PortBits-1:0] turned;        // the beat, or a piece, its bytes in their places of the element

  always_comb begin
    stage_d.memory  = memory_i;
    stage_d.pads    = pads_i;
    stage_d.addr    = addr_i;
    stage_d.offset  = offset_i;
    stage_d.part    = part_i;
    stage_d.gathers = gathers_i;
    stage_d.value   = value_i;
  end

  logic [Memories*DataBits-1:0] pad_of;  // each memory's padded element, 0 for the others
  for (genvar m = 0; m < Memories; m++) begin : gen_pad
    localparam int unsigned Lane = LaneBits[m*32 +: 32];
    if (Lane == 0) begin : gen_none
      assign pad_of[m*DataBits +: DataBits] = '0;
    end else begin : gen_lanes
      localparam int unsigned Lanes = ElementBits[m*32 +: 32] / Lane;
      logic [Lane-1:0] lane;
      assign lane = `MUTANT(PadZero) ? '0 : Lane'($signed(stage2_q.value));
      assign pad_of[m*DataBits +: DataBits] = stage2_q.pads[m] ? DataBits'({Lanes{lane}}) : '0;
    end
  end

  always_comb begin
    pad = '0;
    for (int m = 0; m < Memories; m++) pad = pad | pad_of[m*DataBits +: DataBits];
  end

  // Bytes of the element that the beat is written to; of pieces all. What lies behind the first beat and all pieces is
  // part of an element of whole beats, which stand where they belong.
  localparam int unsigned TurnedBytes = (PieceBytes > BeatBytes) ? PieceBytes : BeatBytes;
  logic [DataBits/8-1:0] fresh;

  always_comb begin
    wdata_d = wdata_q;
    for (int b = 0; b < DataBits / 8; b++) begin
      if (fresh[b]) wdata_d[b*8 +: 8] = (b < TurnedBytes) ? turned[b%(2*BeatBytes)*8 +: 8] : beat2_i[b%BeatBytes*8 +: 8];
    end
    if (stage2_q.pads != '0) wdata_d = pad;
  end

  for (genvar b = 0; b < DataBits / 8; b++) begin : gen_fresh
    assign fresh[b] = (stage2_q.part == PartBits'(b / BeatBytes)) | ((b < PieceBytes) & stage2_q.gathers);
  end

  if (PieceBytes == 0) begin : gen_whole
    logic unused_pieces;
    assign unused_pieces = ^{read_i, first_i, stop_i, last_i};
    assign turned    = (2*PortBits)'(beat2_i) >> {stage2_q.offset, 3'b000};
    assign wslices_o = '1;
  end else begin : gen_pieces
    piece_turn #(.PieceBytes(PieceBytes), .PortBits(PortBits)) i_turn (
      .clk_i,
      .read_i,
      .gathers_i,
      .first_i,
      .stop_i,
      .last_i,
      .offset1_i(stage1_q.offset),
      .beat2_i,
      .piece2_o (turned),
      .slices3_o(wslices_o)
    );
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      stage1_q.memory <= '0;
      stage2_q.memory <= '0;
      we_q            <= '0;
    end else begin
      stage1_q <= stage_d;
      stage2_q <= stage1_q;
      we_q     <= stage2_q.memory;
    end
    waddr_q <= stage2_q.addr;
    wdata_q <= wdata_d;
  end

  assign we_o    = we_q;
  assign waddr_o = waddr_q;
  assign wdata_o = wdata_q;

  logic unused_stage;
  assign unused_stage = ^stage2_q;

endmodule
