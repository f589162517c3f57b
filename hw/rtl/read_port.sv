// SPDX-License-Identifier: Apache-2.0
// The read half of the memory port: turns of one burst between the requesters, AXI4 with one ID, data in order.
// Cutting transfers into bursts and keeping room for their data is the requesters' work.
//
// One burst a cycle is accepted (req_ready_o), from the first cycle its request stands; it is on the bus one cycle
// later. At most Outstanding bursts are accepted whose last beat has not arrived; a last beat in cycle t makes room at
// t + 1. Beats go to their requester in the cycle they arrive: requesters always have room for them.
`ifndef MUTANT  // a fault that tests plant: tests/hw/mutants.sv
`define MUTANT(name) 1'b0
`endif

module read_port #(
  parameter  int unsigned Requesters  = 2,
  parameter  int unsigned PortBits    = 64,
  parameter  int unsigned BurstBeats  = 16,
  parameter  int unsigned Outstanding = 8,
  localparam int unsigned LenBits     = $clog2(BurstBeats + 1),
  localparam int unsigned IndexBits   = (Requesters > 1) ? $clog2(Requesters) : 1,
  localparam int unsigned CountBits   = $clog2(Outstanding + 1)
) (
  input  logic                          clk_i,
  input  logic                          rst_ni,
  // Requesters. A request stands until it is accepted.
  input  logic [Requesters-1:0]         req_valid_i,
  input  logic [Requesters*32-1:0]      req_addr_i,
  input  logic [Requesters*LenBits-1:0] req_len_i,    // beats
  output logic [Requesters-1:0]         req_ready_o,
  input  logic [31:12]                  base_i,       // added to every address: whole pages
  output logic                          idle_o,       // no burst is on its way
  output logic [Requesters-1:0]         beat_valid_o,
  output logic                          beat_last_o,  // of its burst
  output logic [PortBits-1:0]           beat_data_o,
  // AXI4 read channels.
  output logic                          ar_valid_o,
  input  logic                          ar_ready_i,
  output logic [31:0]                   ar_addr_o,
  output logic [7:0]                    ar_len_o,     // beats - 1
  input  logic                          r_valid_i,
  output logic                          r_ready_o,
  input  logic [PortBits-1:0]           r_data_i,
  input  logic                          r_last_i
);

  logic [IndexBits-1:0]  last_d, last_q;      // who was served last
  logic [CountBits-1:0]  flying_d, flying_q;
  logic                  any, blocked, accept, arrive;
  logic [IndexBits-1:0]  turn;
  logic [Requesters-1:0] later;               // requests after the one served last
  logic                  ar_valid_d, ar_valid_q;
  logic [31:0]           ar_addr_d, ar_addr_q;
  logic [7:0]            ar_len_d, ar_len_q;
  logic [IndexBits-1:0]  owner;               // whose data is arriving
  logic                  owner_valid, owner_room;

  assign blocked   = flying_q == CountBits'(Outstanding) + CountBits'(`MUTANT(OneBurstMore));
  assign idle_o    = flying_q == '0;
  assign any       = |req_valid_i;
  assign accept    = any & ~blocked & (~ar_valid_q | ar_ready_i);

  always_comb begin
    later = '0;
    turn  = '0;
    for (int i = 0; i < Requesters; i++) begin
      if (i > 32'(last_q)) later[i] = req_valid_i[i] & ~`MUTANT(FixedPriority);
    end
    for (int i = Requesters - 1; i >= 0; i--) begin
      if ((later != '0) ? later[i] : req_valid_i[i]) turn = IndexBits'(i);
    end
    for (int i = 0; i < Requesters; i++) begin
      req_ready_o[i] = accept & (turn == IndexBits'(i));
    end
  end

  always_comb begin
    ar_valid_d = ar_valid_q & ~ar_ready_i;
    ar_addr_d  = ar_addr_q;
    ar_len_d   = (`MUTANT(LengthMoves) && ar_valid_q && !ar_ready_i && ar_len_q != '0) ? ar_len_q - 8'd1 : ar_len_q;
    last_d     = last_q;
    if (accept) begin
      ar_valid_d = 1'b1;
      ar_addr_d  = '0;
      ar_len_d   = '0;
      for (int i = 0; i < Requesters; i++) begin
        if (turn == IndexBits'(i)) begin
          ar_addr_d = {req_addr_i[i*32+12 +: 20] + base_i, req_addr_i[i*32 +: 12]};
          ar_len_d  = 8'(32'(req_len_i[i*LenBits +: LenBits]) - 32'd1);
        end
      end
      last_d = turn;
    end
    flying_d = flying_q + CountBits'(accept) - CountBits'(arrive);
  end

  assign ar_valid_o = ar_valid_q;
  assign ar_addr_o  = ar_addr_q;
  assign ar_len_o   = ar_len_q;
  assign r_ready_o  = 1'b1;
  assign arrive     = r_valid_i & r_last_i;

  fifo #(.Width(IndexBits), .Depth(Outstanding)) i_owners (
    .clk_i,
    .rst_ni,
    .push_valid_i(accept),
    .push_ready_o(owner_room),
    .push_data_i (turn),
    .pop_valid_o (owner_valid),
    .pop_ready_i (arrive),
    .pop_data_o  (owner)
  );

  always_comb begin
    for (int i = 0; i < Requesters; i++) begin
      beat_valid_o[i] = r_valid_i & (owner == IndexBits'(i));
    end
  end
  assign beat_last_o = r_last_i;
  assign beat_data_o = r_data_i;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      last_q     <= IndexBits'(Requesters - 1);
      flying_q   <= '0;
      ar_valid_q <= 1'b0;
    end else begin
      last_q     <= last_d;
      flying_q   <= flying_d;
      ar_valid_q <= ar_valid_d;
    end
  end

  always_ff @(posedge clk_i) begin
    ar_addr_q <= ar_addr_d;
    ar_len_q  <= ar_len_d;
  end

`ifndef YOSYS
  a_room: assert property (@(posedge clk_i) disable iff (!rst_ni) accept |-> owner_room)
    else $error("a burst is accepted only while fewer than Outstanding are on their way");
  a_owner: assert property (@(posedge clk_i) disable iff (!rst_ni) r_valid_i |-> owner_valid)
    else $error("data arrives only for a burst that was asked for");
`endif
  logic unused_room;
  assign unused_room = ^{owner_room, owner_valid};

endmodule
