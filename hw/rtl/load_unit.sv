// SPDX-License-Identifier: Apache-2.0
// Executes loads: asks for a transfer's bursts while its data buffer has room, and writes the elements on chip in
// order, with padding. Which instruction comes when is issue.sv's, the bus read_port.sv's.
//
// Issued in cycle t, the first burst stands at t + 3. Retires Latency cycles after the writer's last cycle. With
// Overlap ready in the cycle after the last burst was accepted, while fewer than InFlight have not retired; else in the
// cycle after the retirement.
module load_unit #(
  parameter  int unsigned            Memories    = 1,
  parameter  logic [Memories*32-1:0] ElementBits = '0,  // as load_writer.sv's
  parameter  logic [Memories*32-1:0] LaneBits    = '0,
  parameter  logic [Memories*32-1:0] StoredBytes = '0,
  parameter  int unsigned            DataBits    = 64,
  parameter  int unsigned            AddrBits    = 10,
  parameter  int unsigned            PortBits    = 64,
  parameter  int unsigned            BurstBeats  = 16,
  parameter  int unsigned            BufferBeats = 32,
  parameter  int unsigned            InFlight    = 4,
  parameter  int unsigned            Latency     = 2,   // at least 2
  parameter  bit                     Overlap     = 1'b1,
  parameter  int unsigned            TagBits     = 1,
  parameter  int unsigned            DimBits     = 16,
  parameter  int unsigned            PadBits     = 6,
  parameter  int unsigned            ValueBits   = 8,
  parameter  int unsigned            PieceBytes  = 0,   // as load_writer.sv's
  parameter  int unsigned            StepBits    = 1,
  localparam int unsigned            Slices      = (PieceBytes > 0) ? PieceBytes : 1,
  localparam int unsigned            ByteBits    = $clog2(Slices + 1),
  localparam int unsigned            LenBits     = $clog2(BurstBeats + 1),
  localparam int unsigned            RoomBits    = $clog2(BufferBeats + 1),
  localparam int unsigned            CountBits   = $clog2(InFlight + 1),
  localparam int unsigned            BeatShift   = $clog2(PortBits / 8)
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  output logic                 ready_o,
  output logic                 idle_o,        // nothing is in flight
  output logic                 busy_o,        // the writer works, or has just ended an instruction (the ledger's busy)
  input  logic                 issue_i,
  input  logic [Memories-1:0]  memory_i,      // none: a sync
  input  logic [AddrBits-1:0]  sram_i,
  input  logic [31:0]          dram_i,
  input  logic [DimBits-1:0]   rows_i,
  input  logic [DimBits-1:0]   cols_i,
  input  logic [DimBits-1:0]   stride_i,
  input  logic [PadBits-1:0]   pad_top_i,
  input  logic [PadBits-1:0]   pad_bottom_i,
  input  logic [PadBits-1:0]   pad_left_i,
  input  logic [PadBits-1:0]   pad_right_i,
  input  logic [ValueBits-1:0] pad_value_i,
  input  logic                 gathers_i,     // pieces: rows and strides are given in bytes; only with PieceBytes
  input  logic [31:0]          row_bytes_i,
  input  logic [ByteBits-1:0]  piece_first_i,
  input  logic [ByteBits-1:0]  piece_bytes_i,
  input  logic [StepBits-1:0]  piece_step_i,
  input  logic [TagBits-1:0]   tag_i,         // comes back at retirement
  output logic                 retire_o,
  output logic [TagBits-1:0]   retire_tag_o,
  // Read port.
  output logic                 req_valid_o,
  output logic [31:0]          req_addr_o,
  output logic [LenBits-1:0]   req_len_o,
  input  logic                 req_ready_i,
  input  logic                 beat_valid_i,
  input  logic                 beat_last_i,
  input  logic [PortBits-1:0]  beat_data_i,
  // Memories.
  output logic [Memories-1:0]  we_o,
  output logic [Slices-1:0]    wslices_o,
  output logic [AddrBits-1:0]  waddr_o,
  output logic [DataBits-1:0]  wdata_o
);

  logic [31:0] row_bytes, stride_bytes;

  // Of memory m: shifted terms, one for most element sizes. A multiplier would be a DSP without registers.
  logic [31:0] row, stride;
  always_comb begin
    row_bytes    = '0;
    stride_bytes = '0;
    for (int m = 0; m < Memories; m++) begin
      row    = '0;
      stride = '0;
      for (int i = 0; i < 32; i++) begin
        if (StoredBytes[m*32+i]) begin
          row    = row + (32'(cols_i) << i);
          stride = stride + (32'(stride_i) << i);
        end
      end
      row_bytes    = row_bytes | (memory_i[m] ? row : '0);
      stride_bytes = stride_bytes | (memory_i[m] ? stride : '0);
    end
    if (gathers_i) begin
      row_bytes    = row_bytes_i;
      stride_bytes = 32'(stride_i);
    end
  end

  // ---- Bursts.
  logic                start, splitting, standing, accept, take, unused_last;
  logic                presented_d, presented_q;  // room for the standing burst is taken
  logic [RoomBits-1:0] room_d, room_q, freed;
  logic [LenBits-1:0]  len;

  burst_splitter #(.PortBits(PortBits), .BurstBeats(BurstBeats), .DimBits(DimBits)) i_splitter (
    .clk_i,
    .rst_ni,
    .start_i       (start),
    .addr_i        (dram_i),
    .rows_i,
    .row_bytes_i   (row_bytes),
    .stride_bytes_i(stride_bytes),
    .busy_o        (splitting),
    .burst_valid_o (standing),
    .burst_addr_o  (req_addr_o),
    .burst_len_o   (len),
    .burst_last_o  (unused_last),
    .burst_ready_i (accept)
  );

  assign start       = issue_i & (memory_i != '0) & (rows_i != '0) & (cols_i != '0);
  assign req_len_o   = len;
  assign req_valid_o = standing & (presented_q | (32'(room_q) >= 32'(len)));
  assign accept      = req_valid_o & req_ready_i;
  assign take        = req_valid_o & ~presented_q;
  assign presented_d = req_valid_o & ~req_ready_i;
  assign room_d      = room_q + freed - (take ? RoomBits'(len) : '0);

  // ---- Elements.
  logic               active, ends;
  logic [TagBits-1:0] end_tag;

  load_writer #(
    .Memories(Memories), .ElementBits(ElementBits), .LaneBits(LaneBits), .StoredBytes(StoredBytes),
    .DataBits(DataBits), .AddrBits(AddrBits), .PortBits(PortBits), .BufferBeats(BufferBeats), .Transfers(InFlight),
    .TagBits(TagBits), .DimBits(DimBits), .PadBits(PadBits), .ValueBits(ValueBits),
    .PieceBytes(PieceBytes), .StepBits(StepBits)
  ) i_writer (
    .clk_i,
    .rst_ni,
    .start_i (issue_i),
    .memory_i,
    .sram_i,
    .offset_i(dram_i[BeatShift-1:0]),
    .stride_i(stride_bytes[BeatShift-1:0]),
    .rows_i,
    .cols_i,
    .pad_top_i,
    .pad_bottom_i,
    .pad_left_i,
    .pad_right_i,
    .pad_value_i,
    .gathers_i,
    .piece_first_i,
    .piece_bytes_i,
    .piece_step_i,
    .tag_i,
    .beat_valid_i,
    .beat_last_i,
    .beat_data_i,
    .freed_o (freed),
    .active_o(active),
    .end_o   (ends),
    .tag_o   (end_tag),
    .we_o,
    .wslices_o,
    .waddr_o,
    .wdata_o
  );

  delay #(.Width(1), .Stages(Latency), .HasReset(1'b1)) i_retire (
    .clk_i, .rst_ni, .data_i(ends), .data_o(retire_o)
  );
  delay #(.Width(TagBits), .Stages(Latency)) i_tag (
    .clk_i, .rst_ni, .data_i(end_tag), .data_o(retire_tag_o)
  );

  // ---- In flight.
  logic [CountBits-1:0] flying_d, flying_q;
  logic [CountBits-1:0] ending_d, ending_q;  // written, retire within Latency cycles

  assign flying_d = flying_q + CountBits'(issue_i) - CountBits'(retire_o);
  assign ending_d = ending_q + CountBits'(ends) - CountBits'(retire_o);
  assign idle_o   = flying_q == '0;
  assign busy_o   = active | (ending_q != '0);
  assign ready_o  = Overlap ? (~splitting & (flying_q != CountBits'(InFlight))) : idle_o;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      presented_q <= 1'b0;
      room_q      <= RoomBits'(BufferBeats);
      flying_q    <= '0;
      ending_q    <= '0;
    end else begin
      presented_q <= presented_d;
      room_q      <= room_d;
      flying_q    <= flying_d;
      ending_q    <= ending_d;
    end
  end

endmodule
