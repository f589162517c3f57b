// SPDX-License-Identifier: Apache-2.0
// Executes stores: asks for a transfer's bursts, sends the elements as they are accepted, and retires on the response to
// the last one. Which instruction comes when is issue.sv's, the bus write_port.sv's.
//
// Issued in cycle t, the first burst stands at t + 3. The data of a burst accepted in cycle a leave from a + Latency
// on, after those of the burst before. Retires one cycle after the last response; a sync, and a store of nothing, at
// t + 1 + Latency; always after the instruction before. Readiness as load_unit.sv's.
module store_unit #(
  parameter  int unsigned ElementBits = 32,
  parameter  int unsigned StoredBytes = 4,
  parameter  int unsigned AddrBits    = 10,
  parameter  int unsigned PortBits    = 64,
  parameter  int unsigned BurstBeats  = 16,
  parameter  int unsigned Outstanding = 8,
  parameter  int unsigned InFlight    = 4,
  parameter  int unsigned Latency     = 2,   // at least 2
  parameter  bit          Overlap     = 1'b1,
  parameter  int unsigned TagBits     = 1,
  parameter  int unsigned DimBits     = 16,
  localparam int unsigned BeatBytes   = PortBits / 8,
  localparam int unsigned BeatShift   = $clog2(BeatBytes),
  localparam int unsigned LenBits     = $clog2(BurstBeats + 1),
  localparam int unsigned CountBits   = $clog2(InFlight + 1)
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  output logic                   ready_o,
  output logic                   idle_o,           // nothing is in flight
  output logic                   busy_o,           // a burst takes the data channel (the ledger's busy)
  input  logic                   issue_i,
  input  logic                   sync_i,           // only takes and gives tokens
  input  logic [AddrBits-1:0]    sram_i,
  input  logic [31:0]            dram_i,
  input  logic [DimBits-1:0]     rows_i,
  input  logic [DimBits-1:0]     cols_i,
  input  logic [DimBits-1:0]     stride_i,
  input  logic [TagBits-1:0]     tag_i,            // comes back at retirement
  output logic                   retire_o,
  output logic [TagBits-1:0]     retire_tag_o,
  // Write port.
  output logic                   req_valid_o,
  output logic [31:0]            req_addr_o,
  output logic [LenBits-1:0]     req_len_o,
  output logic                   req_last_o,
  input  logic                   req_ready_i,
  input  logic                   response_last_i,
  output logic                   w_valid_o,
  input  logic                   w_ready_i,
  output logic [PortBits-1:0]    w_data_o,
  output logic [BeatBytes-1:0]   w_strb_o,
  output logic                   w_last_o,
  // Memory: data three cycles after their address.
  output logic                   re_o,
  output logic [AddrBits-1:0]    raddr_o,
  input  logic [ElementBits-1:0] rdata_i
);

  logic        nothing, start, splitting, standing, accept;
  logic [31:0] row_bytes, stride_bytes;

  assign nothing      = sync_i | (rows_i == '0) | (cols_i == '0);
  assign start        = issue_i & ~nothing;
  assign row_bytes    = 32'(cols_i) * StoredBytes;
  assign stride_bytes = 32'(stride_i) * StoredBytes;

  // ---- Bursts.
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
    .burst_len_o   (req_len_o),
    .burst_last_o  (req_last_o),
    .burst_ready_i (accept)
  );
  assign req_valid_o = standing;
  assign accept      = standing & req_ready_i;

  // ---- Data: taken two cycles before they leave.
  logic               grant, active;
  logic [LenBits-1:0] grant_len;

  delay #(.Width(1), .Stages(Latency - 2), .HasReset(1'b1)) i_grant (
    .clk_i, .rst_ni, .data_i(accept), .data_o(grant)
  );
  delay #(.Width(LenBits), .Stages(Latency - 2)) i_grant_len (
    .clk_i, .rst_ni, .data_i(req_len_o), .data_o(grant_len)
  );

  store_reader #(
    .ElementBits(ElementBits), .StoredBytes(StoredBytes), .AddrBits(AddrBits), .PortBits(PortBits),
    .BurstBeats(BurstBeats), .Outstanding(Outstanding), .Transfers(InFlight), .DimBits(DimBits)
  ) i_reader (
    .clk_i,
    .rst_ni,
    .start_i    (start),
    .sram_i,
    .offset_i   (dram_i[BeatShift-1:0]),
    .stride_i   (stride_bytes[BeatShift-1:0]),
    .rows_i,
    .cols_i,
    .grant_i    (grant),
    .grant_len_i(grant_len),
    .active_o   (active),
    .re_o,
    .raddr_o,
    .rdata_i,
    .w_valid_o,
    .w_ready_i,
    .w_data_o,
    .w_strb_o,
    .w_last_o
  );

  delay #(.Width(1), .Stages(2), .HasReset(1'b1)) i_busy (.clk_i, .rst_ni, .data_i(active), .data_o(busy_o));

  // ---- Retirement, in order: what has matured is only counted.
  logic                 head_valid, head_room, head_nothing, ripe, retire_timed, retire_stored;
  logic [CountBits-1:0] stored_d, stored_q;  // stores whose last response came
  logic [CountBits-1:0] timed_d, timed_q;    // syncs whose time has come

  fifo #(.Width(TagBits + 1), .Depth(InFlight)) i_flying (
    .clk_i,
    .rst_ni,
    .push_valid_i(issue_i),
    .push_ready_o(head_room),
    .push_data_i ({tag_i, nothing}),
    .pop_valid_o (head_valid),
    .pop_ready_i (retire_o),
    .pop_data_o  ({retire_tag_o, head_nothing})
  );

  delay #(.Width(1), .Stages(Latency), .HasReset(1'b1)) i_timed (
    .clk_i, .rst_ni, .data_i(issue_i & nothing), .data_o(ripe)
  );

  assign retire_timed  = head_valid & head_nothing & (timed_q != '0);
  assign retire_stored = head_valid & ~head_nothing & (stored_q != '0);
  assign retire_o      = retire_timed | retire_stored;
  assign timed_d  = timed_q + CountBits'(ripe) - CountBits'(retire_timed);
  assign stored_d = stored_q + CountBits'(response_last_i) - CountBits'(retire_stored);

  // ---- In flight.
  logic [CountBits-1:0] flying_d, flying_q;

  assign flying_d = flying_q + CountBits'(issue_i) - CountBits'(retire_o);
  assign idle_o   = flying_q == '0;
  assign ready_o  = Overlap ? (~splitting & (flying_q != CountBits'(InFlight))) : idle_o;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      stored_q <= '0;
      timed_q  <= '0;
      flying_q <= '0;
    end else begin
      stored_q <= stored_d;
      timed_q  <= timed_d;
      flying_q <= flying_d;
    end
  end

`ifndef YOSYS
  a_room: assert property (@(posedge clk_i) disable iff (!rst_ni) issue_i |-> head_room)
    else $error("an instruction issues only when there is room for it");
`endif
  logic unused_room;
  assign unused_room = head_room;

endmodule
