// SPDX-License-Identifier: Apache-2.0
// What read_port.sv promises its requesters and the bus: one burst a cycle and each on the bus once and unchanged, never
// more than Outstanding under way, every beat to the requester whose burst it is, and a turn for everyone.
//
// The proof follows one burst, picked freely, and one requester (Waiter), whose wait is bounded: at most Requesters - 1
// bursts of others overtake it, and under a fair bus it waits a bounded time. Wires named \dut.… are the block's own.
module read_port_formal #(
  parameter  int unsigned Requesters  = 3,
  parameter  int unsigned PortBits    = 8,
  parameter  int unsigned BurstBeats  = 4,
  parameter  int unsigned Outstanding = 2,  // at most 4
  parameter  int unsigned Waiter      = 0,
  parameter  int unsigned BusWait     = 2,  // fair bus: cycles an address stands at most
  parameter  int unsigned DataWait    = 3,  // fair bus: cycles from one burst's end to the next one's at most
  localparam int unsigned LenBits     = $clog2(BurstBeats + 1),
  localparam int unsigned IndexBits   = (Requesters > 1) ? $clog2(Requesters) : 1,
  localparam int unsigned CountBits   = $clog2(Outstanding + 1),
  localparam int unsigned PtrBits     = (Outstanding > 1) ? $clog2(Outstanding) : 1
) (
  input logic                          clk_i,
  input logic                          rst_ni,
  input logic [Requesters-1:0]         req_valid_i,
  input logic [Requesters*32-1:0]      req_addr_i,
  input logic [31:12]                  base_i,
  input logic [Requesters*LenBits-1:0] req_len_i,
  input logic                          ar_ready_i,
  input logic                          r_valid_i,
  input logic [PortBits-1:0]           r_data_i,
  input logic                          r_last_i,
  input logic                          pick_i  // follow the burst accepted in this cycle
);

  logic [Requesters-1:0] req_ready, beat_valid;
  logic                  idle, beat_last, ar_valid, r_ready;
  logic [PortBits-1:0]   beat_data;
  logic [31:0]           ar_addr;
  logic [7:0]            ar_len;

  read_port #(
    .Requesters(Requesters), .PortBits(PortBits), .BurstBeats(BurstBeats), .Outstanding(Outstanding)
  ) dut (
    .clk_i, .rst_ni, .req_valid_i, .req_addr_i, .req_len_i, .base_i, .req_ready_o(req_ready), .idle_o(idle),
    .beat_valid_o(beat_valid), .beat_last_o(beat_last), .beat_data_o(beat_data), .ar_valid_o(ar_valid), .ar_ready_i,
    .ar_addr_o(ar_addr), .ar_len_o(ar_len), .r_valid_i, .r_ready_o(r_ready), .r_data_i, .r_last_i
  );

  (* hierconn *) logic [IndexBits-1:0] \dut.last_q ;
  (* hierconn *) logic [CountBits-1:0] \dut.flying_q , \dut.i_owners.count_q ;
  (* hierconn *) logic                 \dut.i_owners.some_q ;
  (* hierconn *) logic [PtrBits-1:0]   \dut.i_owners.head_q , \dut.i_owners.tail_q ;
  (* hierconn *) logic [IndexBits-1:0] \dut.i_owners.mem[0] , \dut.i_owners.mem[1] , \dut.i_owners.mem[2] ,
                                       \dut.i_owners.mem[3] ;

  logic                  accept, arrive;
  logic [31:0]           addr;        // of the burst accepted in this cycle, with its beats - 1
  logic [7:0]            len;
  logic [15:0]           flying_q;    // bursts accepted whose last beat has not arrived
  logic [15:0]           on_bus;      // those whose address the bus has taken
  logic                  sent_q;      // a burst was accepted in the cycle before, with this address and length
  logic [31:0]           sent_addr_q;
  logic [7:0]            sent_len_q;
  logic                  follow_q;
  logic [15:0]           ahead_q;     // bursts before the one followed
  logic [Requesters-1:0] owner_q;     // whose it is, one bit
  logic [15:0]           place;
  logic [IndexBits-1:0]  owner;       // what the block holds there
  logic [15:0]           overtaken_q, gap_q, wait_q, stuck_q, dry_q;
  logic [15:0]           turns;       // requesters whose turn comes before Waiter's
  logic [15:0]           bus_left, data_left;

  assign accept = |(req_valid_i & req_ready);
  assign arrive = r_valid_i & r_last_i;
  assign on_bus = flying_q - 16'(ar_valid);
  assign place  = (16'(\dut.i_owners.head_q ) + ahead_q >= 16'(Outstanding))
                  ? 16'(\dut.i_owners.head_q ) + ahead_q - 16'(Outstanding) : 16'(\dut.i_owners.head_q ) + ahead_q;
  assign turns  = (16'(\dut.last_q ) < 16'(Waiter)) ? 16'(Waiter) - 16'(\dut.last_q ) - 16'd1
                                                    : 16'(Requesters) + 16'(Waiter) - 16'(\dut.last_q ) - 16'd1;
  assign bus_left  = ar_valid ? 16'(BusWait + 1) - stuck_q : '0;
  assign data_left = (flying_q == Outstanding) ? 16'(DataWait + 1) - dry_q : '0;

  always_comb begin
    addr = '0;
    len  = '0;
    for (int i = 0; i < Requesters; i++) begin
      if (req_ready[i]) begin
        addr = addr | req_addr_i[i*32 +: 32];
        len  = len | (8'(req_len_i[i*LenBits +: LenBits]) - 8'd1);
      end
    end
    case (place[1:0])
      2'd0:    owner = \dut.i_owners.mem[0] ;
      2'd1:    owner = \dut.i_owners.mem[1] ;
      2'd2:    owner = \dut.i_owners.mem[2] ;
      default: owner = \dut.i_owners.mem[3] ;
    endcase
  end

  // Places of the block's queue of owners that are in use hold a requester.
  logic [3:0] named;
  assign named = {\dut.i_owners.mem[3] < Requesters, \dut.i_owners.mem[2] < Requesters,
                  \dut.i_owners.mem[1] < Requesters, \dut.i_owners.mem[0] < Requesters};
  logic all_named;
  always_comb begin
    all_named = 1'b1;
    for (int i = 0; i < Outstanding; i++) begin
      if (((i >= 32'(\dut.i_owners.head_q )) ? i - 32'(\dut.i_owners.head_q )
                                             : i + Outstanding - 32'(\dut.i_owners.head_q )) < 32'(flying_q)) begin
        all_named = all_named & named[i];
      end
    end
  end

  always_ff @(posedge clk_i) begin
    sent_q      <= accept & rst_ni;
    sent_addr_q <= addr + {base_i, 12'd0};
    sent_len_q  <= len;
    if (!rst_ni) begin
      flying_q    <= '0;
      follow_q    <= 1'b0;
      overtaken_q <= '0;
      gap_q       <= '0;
      wait_q      <= '0;
      stuck_q     <= '0;
      dry_q       <= '0;
    end else begin
      flying_q <= flying_q + 16'(accept) - 16'(arrive);
      if (follow_q) begin
        if (arrive && ahead_q == '0) follow_q <= 1'b0;
        else if (arrive)             ahead_q <= ahead_q - 1'b1;
      end else if (accept && pick_i) begin
        follow_q <= 1'b1;
        ahead_q  <= flying_q - 16'(arrive);
        owner_q  <= req_ready;
      end
      if (!req_valid_i[Waiter] || req_ready[Waiter]) begin
        overtaken_q <= '0;
        gap_q       <= '0;
        wait_q      <= '0;
      end else begin
        overtaken_q <= overtaken_q + 16'(accept);
        gap_q       <= accept ? '0 : gap_q + 1'b1;
        wait_q      <= wait_q + 1'b1;
      end
      stuck_q <= (ar_valid && !ar_ready_i) ? stuck_q + 1'b1 : '0;
      dry_q   <= (on_bus != '0 && !arrive) ? dry_q + 1'b1 : '0;
    end
  end

  initial assume (!rst_ni);

  // A request stands, until it is accepted.
  logic [Requesters-1:0] standing_q;
  always_ff @(posedge clk_i) standing_q <= rst_ni ? req_valid_i & ~req_ready : '0;

  always @(posedge clk_i) if (rst_ni) begin
    m_stand:    assume ((standing_q & ~req_valid_i) == '0);
    // Data come only for bursts whose address the bus has taken.
    m_data:     assume (!r_valid_i || on_bus != '0);
    // The bus is fair: it takes an address within BusWait cycles and ends a burst within DataWait.
    m_bus:      assume (!ar_valid || ar_ready_i || stuck_q < BusWait);
    m_end:      assume (on_bus == '0 || arrive || dry_q < DataWait);

    // At most one requester is served in a cycle, and only one that asks.
    a_one:      assert ((req_ready & (req_ready - 1'b1)) == '0);
    a_asks:     assert ((req_ready & ~req_valid_i) == '0);
    a_work:     assert (accept == (req_valid_i != '0 && flying_q != Outstanding && (!ar_valid || ar_ready_i)));
    a_overflow: assert (flying_q <= Outstanding && idle == (flying_q == '0));
    // Every accepted burst is on the bus in the next cycle, as it was asked for, and stays until it is taken.
    a_sent:     assert (!sent_q || (ar_valid && ar_addr == sent_addr_q && ar_len == sent_len_q));
    a_stay:     assert (!(stuck_q != '0) || (ar_valid && !sent_q));
    // Every beat goes, unchanged, to one requester: the owner of the oldest burst.
    a_beat:     assert (!r_valid_i || (beat_valid != '0 && (beat_valid & (beat_valid - 1'b1)) == '0));
    a_none:     assert (r_valid_i || beat_valid == '0);
    a_data:     assert (r_ready && beat_data == r_data_i && beat_last == r_last_i);
    a_owner:    assert (!(follow_q && ahead_q == '0 && r_valid_i) || beat_valid == owner_q);
    a_kept:     assert (!follow_q || ahead_q < flying_q);
    // No starvation: each other requester overtakes at most once, and the time is bounded.
    a_turns:    assert (overtaken_q <= Requesters - 1);
    a_wait:     assert (wait_q <= Requesters * (BusWait + DataWait + 3));

    i_flying:   assert (16'(\dut.flying_q ) == flying_q && 16'(\dut.i_owners.count_q ) == flying_q);
    i_some:     assert (\dut.i_owners.some_q == (flying_q != '0));
    i_bus:      assert (!ar_valid || flying_q != '0);
    i_head:     assert (\dut.i_owners.head_q < Outstanding && \dut.last_q < Requesters);
    i_tail:     assert (16'(\dut.i_owners.tail_q ) == ((16'(\dut.i_owners.head_q ) + flying_q >= 16'(Outstanding))
                        ? 16'(\dut.i_owners.head_q ) + flying_q - 16'(Outstanding)
                        : 16'(\dut.i_owners.head_q ) + flying_q));
    i_owner:    assert (!follow_q || (owner_q == Requesters'(1) << owner && owner < Requesters));
    i_named:    assert (all_named);
    i_turns:    assert (overtaken_q + turns <= Requesters - 1 || !standing_q[Waiter]);
    i_idle:     assert (standing_q[Waiter] || (overtaken_q == '0 && gap_q == '0 && wait_q == '0));
    i_timers:   assert (stuck_q <= BusWait && dry_q <= DataWait && (ar_valid || stuck_q == '0));
    i_dry:      assert (dry_q == '0 || on_bus != '0);
    i_gap:      assert (gap_q + bus_left + data_left <= BusWait + DataWait + 2);
    i_wait:     assert (wait_q <= overtaken_q * 16'(BusWait + DataWait + 3) + gap_q);

    c_full:     cover (flying_q == Outstanding && on_bus == Outstanding && arrive);
    c_overtake: cover (overtaken_q == Requesters - 1 && req_ready[Waiter]);
    c_owner:    cover (follow_q && ahead_q == '0 && arrive && flying_q == Outstanding);
  end

endmodule
