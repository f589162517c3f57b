// SPDX-License-Identifier: Apache-2.0
// What lock_manager.sv promises: a bank has one holder, a unit waits only while another unit holds or takes a bank it
// names, and so for a bounded time when the others hold theirs for a bounded time and have a bounded program left.
//
// Without that bound there is no promise: a unit later in the list may take a bank again and again before an earlier
// one. Wires named \dut.… are the block's own registers, in the assertions that make the induction close (i_…).
module lock_manager_formal #(
  parameter  int unsigned Units    = 2,
  parameter  int unsigned Banks    = 2,
  parameter  int unsigned InFlight = 3,
  parameter  int unsigned Waiter   = 0,  // whose wait is bounded
  parameter  int unsigned Hold     = 3,  // cycles from a unit's last issue until all its banks are given back, at most
  parameter  int unsigned Program  = 2,  // instructions each other unit issues from reset on, at most
  localparam int unsigned CountBits = $clog2(InFlight + 1)
) (
  input logic                   clk_i,
  input logic                   rst_ni,
  input logic [Units-1:0]       could_i,
  input logic [Units*Banks-1:0] want_i,
  input logic [Units-1:0]       retire_i,
  input logic [Units*Banks-1:0] retire_mask_i
);

  logic [Units-1:0] granted;

  lock_manager #(.Units(Units), .Banks(Banks), .InFlight(InFlight)) dut (
    .clk_i, .rst_ni, .could_i, .want_i, .granted_o(granted), .retire_i, .retire_mask_i
  );

  (* hierconn *) logic [Units*Banks*CountBits-1:0] \dut.held_q ;
  (* hierconn *) logic [Units*Banks-1:0]           \dut.others_q ;

  logic [Units*Banks*8-1:0] held_d, held_q;    // instructions of a unit that named a bank and have not given it back
  logic [Units-1:0]         issue;
  logic [Units*8-1:0]       left_q, hold_q;    // instructions left; cycles until all banks are given back
  logic [15:0]              wait_q, rank;      // rank falls in every cycle that Waiter waits
  logic                     alone, another, room, real_give, counts, idle, fair, waits;
  logic [Banks-1:0]         others_hold, others_take;

  assign issue = could_i & granted;
  assign waits = could_i[Waiter] & ~granted[Waiter];

  always_comb begin
    held_d      = held_q;
    alone       = 1'b1;
    another     = 1'b0;
    room        = 1'b1;
    real_give   = 1'b1;
    counts      = 1'b1;
    idle        = 1'b1;
    fair        = 1'b1;
    others_hold = '0;
    others_take = '0;
    rank        = '0;
    for (int u = 0; u < Units; u++) begin
      for (int b = 0; b < Banks; b++) begin
        held_d[(u*Banks+b)*8 +: 8] = held_q[(u*Banks+b)*8 +: 8] + 8'(issue[u] & want_i[u*Banks+b])
                                     - 8'(retire_i[u] & retire_mask_i[u*Banks+b]);
        if (issue[u] && want_i[u*Banks+b] && held_q[(u*Banks+b)*8 +: 8] == InFlight) room = 1'b0;
        if (retire_i[u] && retire_mask_i[u*Banks+b] && held_q[(u*Banks+b)*8 +: 8] == '0) real_give = 1'b0;
        if (8'(\dut.held_q [(u*Banks+b)*CountBits +: CountBits]) != held_q[(u*Banks+b)*8 +: 8]) counts = 1'b0;
        if (held_q[(u*Banks+b)*8 +: 8] != '0) idle = 1'b0;
        another = 1'b0;
        for (int v = 0; v < Units; v++) begin
          if (v != u && held_q[(v*Banks+b)*8 +: 8] != '0) another = 1'b1;
        end
        if (another && held_q[(u*Banks+b)*8 +: 8] != '0) alone = 1'b0;
        if (another != \dut.others_q [u*Banks+b]) counts = 1'b0;
        if (u != Waiter && held_q[(u*Banks+b)*8 +: 8] != '0) others_hold[b] = 1'b1;
        if (u != Waiter && issue[u] && want_i[u*Banks+b]) others_take[b] = 1'b1;
        if (u != Waiter && held_q[(u*Banks+b)*8 +: 8] != '0 && hold_q[u*8 +: 8] == '0) fair = 1'b0;
      end
      if (u != Waiter && issue[u] && left_q[u*8 +: 8] == '0) fair = 1'b0;
      if (u != Waiter) rank = rank + 16'(left_q[u*8 +: 8]) * (Hold + 1) + 16'(hold_q[u*8 +: 8]);
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      held_q <= '0;
      left_q <= {Units{8'(Program)}};
      hold_q <= '0;
      wait_q <= '0;
    end else begin
      held_q <= held_d;
      wait_q <= waits ? wait_q + 1'b1 : '0;
      for (int u = 0; u < Units; u++) begin
        if (issue[u]) begin
          left_q[u*8 +: 8] <= left_q[u*8 +: 8] - 1'b1;
          hold_q[u*8 +: 8] <= 8'(Hold);
        end else if (hold_q[u*8 +: 8] != '0) begin
          hold_q[u*8 +: 8] <= hold_q[u*8 +: 8] - 1'b1;
        end
      end
    end
  end

  logic bounded;  // left_q and hold_q of the others are within their bounds
  always_comb begin
    bounded = 1'b1;
    for (int u = 0; u < Units; u++) begin
      if (u != Waiter && (left_q[u*8 +: 8] > Program || hold_q[u*8 +: 8] > Hold)) bounded = 1'b0;
    end
  end

  initial assume (!rst_ni);

  always @(posedge clk_i) if (rst_ni) begin
    // A unit has at most InFlight instructions between issue and retirement.
    m_room:   assume (room);
    // A retiring instruction gives back only banks that it took.
    m_give:   assume (real_give);
    // The other units hold a bank for at most Hold cycles after their last issue, and have Program instructions.
    m_fair:   assume (fair);

    a_alone:  assert (alone);
    // A unit waits only for a bank that another one holds or takes in this cycle, and never takes such a bank.
    a_reason: assert (granted[Waiter] || (want_i[Waiter*Banks +: Banks] & (others_hold | others_take)) != '0);
    a_safe:   assert (!issue[Waiter] || (want_i[Waiter*Banks +: Banks] & (others_hold | others_take)) == '0);
    // No deadlock: with every bank free, someone who could issue does.
    a_go:     assert (!idle || could_i == '0 || issue != '0);
    a_wait:   assert (wait_q <= (Units - 1) * (Program * (Hold + 1) + Hold));

    i_counts: assert (counts);
    i_bounds: assert (bounded);
    i_wait:   assert (wait_q + rank <= (Units - 1) * (Program * (Hold + 1) + Hold));

    c_wait:   cover (waits && others_hold != '0 && wait_q == Hold);
    c_after:  cover (wait_q != '0 && issue[Waiter]);
  end

endmodule
