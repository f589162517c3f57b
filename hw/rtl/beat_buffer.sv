// SPDX-License-Identifier: Apache-2.0
// The load unit's data buffer: beats in the order in which they arrive, and a mark on each burst's last one, since a
// burst gives its room back as a whole. What is read when is load_writer.sv's, what is asked for load_unit.sv's.
//
// A beat that arrives in cycle t is present from t + 1 on. Read in cycle t, the oldest beat stands at the output from
// t + 2 on, until another one that was read does; it leaves when pop_i is high.
`ifndef MUTANT  // a fault that tests plant: tests/hw/mutants.sv
`define MUTANT(name) 1'b0
`endif

module beat_buffer #(
  parameter  int unsigned PortBits = 64,
  parameter  int unsigned Beats    = 32,
  localparam int unsigned RoomBits = $clog2(Beats + 1),
  localparam int unsigned PtrBits  = (Beats > 1) ? $clog2(Beats) : 1
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  // Beats, as they arrive.
  input  logic                beat_valid_i,
  input  logic                beat_last_i,
  input  logic [PortBits-1:0] beat_data_i,
  // The oldest of them.
  output logic                present_o,
  input  logic                read_i,
  input  logic                pop_i,
  output logic [PortBits-1:0] beat_o,
  output logic [RoomBits-1:0] freed_o    // beats of a burst whose last one leaves in this cycle, else 0
);

  logic [PtrBits-1:0]  rptr_d, rptr_q, wptr_d, wptr_q;
  logic [RoomBits-1:0] held_d, held_q;        // beats in the buffer
  logic [RoomBits-1:0] popped_d, popped_q;    // beats of the standing burst that have left
  logic                lasts [0:Beats-1];
  logic                last;

  assign present_o = held_q != '0;
  assign last      = lasts[rptr_q];
  assign freed_o   = `MUTANT(RoomEarly) ? RoomBits'(pop_i) : ((pop_i & last) ? popped_q + 1'b1 : '0);

  always_comb begin
    rptr_d   = rptr_q;
    wptr_d   = wptr_q;
    held_d   = held_q + RoomBits'(beat_valid_i) - RoomBits'(pop_i);
    popped_d = popped_q;
    if (pop_i) begin
      rptr_d   = (rptr_q == PtrBits'(Beats - 1)) ? '0 : rptr_q + 1'b1;
      popped_d = last ? '0 : popped_q + 1'b1;
    end
    if (beat_valid_i) wptr_d = (wptr_q == PtrBits'(Beats - 1)) ? '0 : wptr_q + 1'b1;
  end

  always_ff @(posedge clk_i) begin
    if (beat_valid_i) lasts[wptr_q] <= beat_last_i;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      rptr_q   <= '0;
      wptr_q   <= '0;
      held_q   <= '0;
      popped_q <= '0;
    end else begin
      rptr_q   <= rptr_d;
      wptr_q   <= wptr_d;
      held_q   <= held_d;
      popped_q <= popped_d;
    end
  end

  ram #(.Width(PortBits), .Depth(Beats)) i_ram (
    .clk_i,
    .re_i   (read_i),
    .raddr_i(rptr_q),
    .rdata_o(beat_o),
    .we_i   (beat_valid_i),
    .waddr_i(wptr_q),
    .wdata_i(beat_data_i)
  );

`ifndef YOSYS
  a_room: assert property (@(posedge clk_i) disable iff (!rst_ni) beat_valid_i |-> held_q != RoomBits'(Beats))
    else $error("a beat arrives only when room was kept for it");
  a_there: assert property (@(posedge clk_i) disable iff (!rst_ni) pop_i |-> held_q != '0)
    else $error("a beat leaves only when it is there");
`endif

endmodule
