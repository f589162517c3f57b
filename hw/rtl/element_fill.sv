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

  for (genvar m = 0; m < Memories; m++) begin : gen_value
    localparam int unsigned Lane = LaneBits[m*32 +: 32];
    if (Lane != 0) begin : gen_lane
      logic [Lane-1:0] lane;
      assign lane = `MUTANT(PadZero) ? '0 : Lane'($signed(stage2_q.value));
    end
  end

  // The element, a register for each of its beats: each takes its own beat, and those that pieces are gathered into take
  // all pieces. What lies behind the first beat and all pieces is part of an element of whole beats, which stand where
  // they belong.
  localparam int unsigned TurnedBytes = (PieceBytes > BeatBytes) ? PieceBytes : BeatBytes;

  // Which take what comes, known a cycle before: each bit goes to all registers of its beat.
  localparam int unsigned       Parts    = DataBits / PortBits;
  localparam logic [Parts-1:0]  OfPieces = {Parts{1'b1}} >> (Parts - (PieceBytes + BeatBytes - 1) / BeatBytes);
  logic [Parts-1:0]             fresh_q;
  always_ff @(posedge clk_i) fresh_q <= (Parts'(1) << stage1_q.part) | (stage1_q.gathers ? OfPieces : '0);

  for (genvar p = 0; p < Parts; p++) begin : gen_beat
    logic [PortBits-1:0] bytes, data_q;

    for (genvar b = 0; b < BeatBytes; b++) begin : gen_byte
      if (p * BeatBytes + b < TurnedBytes) begin : gen_turned
        assign bytes[b*8 +: 8] = turned[(p*BeatBytes+b)%(2*BeatBytes)*8 +: 8];
      end else begin : gen_plain
        assign bytes[b*8 +: 8] = beat2_i[b*8 +: 8];
      end
    end

    // The pad value in every lane: each memory's, 0 for the others. Beats behind all padded elements need none.
    logic [Memories-1:0]          pads;
    logic [Memories*PortBits-1:0] pad_of;
    logic [PortBits-1:0]          pad;
    for (genvar m = 0; m < Memories; m++) begin : gen_pad
      localparam int unsigned Lane = LaneBits[m*32 +: 32];
      localparam int unsigned Bits = ElementBits[m*32 +: 32];
      if (Lane == 0 || p * PortBits >= Bits) begin : gen_none
        assign pads[m]                        = 1'b0;
        assign pad_of[m*PortBits +: PortBits] = '0;
      end else begin : gen_lanes
        logic [DataBits-1:0] element;
        assign element = DataBits'({Bits / Lane{gen_value[m].gen_lane.lane}});
        assign pads[m]                        = stage2_q.pads[m];
        assign pad_of[m*PortBits +: PortBits] = pads[m] ? element[p*PortBits +: PortBits] : '0;
        logic unused_element;
        assign unused_element = ^element;
      end
    end
    always_comb begin
      pad = '0;
      for (int m = 0; m < Memories; m++) pad = pad | pad_of[m*PortBits +: PortBits];
    end

    always_ff @(posedge clk_i) begin
      if (fresh_q[p] | (|pads)) begin
        if (|pads) data_q <= pad;
        else       data_q <= bytes;
      end
    end
    assign wdata_o[p*PortBits +: PortBits] = data_q;
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
  end

  assign we_o    = we_q;
  assign waddr_o = waddr_q;

  logic unused_bits;
  assign unused_bits = ^{stage2_q, turned};

endmodule
