// SPDX-License-Identifier: Apache-2.0
// Who owns which bank of the shared memories. A unit holds the banks its instruction names from issue to retirement.
//
// granted_o is combinational: the banks unit u names are free or its own, and no later unit that could issue takes one
// of them in this cycle. Retired in cycle t, free at t + 1. All shared memories' banks stand side by side in a mask.
`ifndef MUTANT  // a fault that tests plant: tests/hw/mutants.sv
`define MUTANT(name) 1'b0
`endif

module lock_manager #(
  parameter  int unsigned Units    = 2,
  parameter  int unsigned Banks    = 4,
  parameter  int unsigned InFlight = 16,  // instructions of one unit between issue and retirement
  localparam int unsigned CountBits = $clog2(InFlight + 1)
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic [Units-1:0]       could_i,        // everything but the banks is there
  input  logic [Units*Banks-1:0] want_i,         // banks the head names
  output logic [Units-1:0]       granted_o,
  input  logic [Units-1:0]       retire_i,
  input  logic [Units*Banks-1:0] retire_mask_i   // banks the retiring instruction named
);

  // held_q[u][b], flat: instructions of unit u in flight that named bank b.
  logic [Units*Banks*CountBits-1:0] held_d, held_q;
  logic [Units*Banks-1:0]           holds;   // unit u holds bank b
  logic [Units*Banks-1:0]           take, give;
  logic [Banks-1:0]                 others, taken;

  for (genvar i = 0; i < Units * Banks; i++) begin : gen_holds
    assign holds[i] = held_q[i*CountBits +: CountBits] != '0;
  end

  always_comb begin
    granted_o = '0;
    taken     = '0;
    others    = '0;
    for (int u = Units - 1; u >= 0; u--) begin
      others = taken;
      for (int v = 0; v < Units; v++) begin
        if (v != u) others = others | holds[v*Banks +: Banks];
      end
      granted_o[u] = (want_i[u*Banks +: Banks] & others) == '0;
      if (granted_o[u] & could_i[u]) taken = taken | want_i[u*Banks +: Banks];
    end
  end

  for (genvar u = 0; u < Units; u++) begin : gen_unit
    assign take[u*Banks +: Banks] = (could_i[u] & granted_o[u] & ~`MUTANT(LockForgotten)) ? want_i[u*Banks +: Banks] : '0;
    assign give[u*Banks +: Banks] = (retire_i[u] & ~(`MUTANT(LockKept) & (u == 2))) ? retire_mask_i[u*Banks +: Banks] : '0;
  end

  always_comb begin
    held_d = held_q;
    for (int i = 0; i < Units * Banks; i++) begin
      held_d[i*CountBits +: CountBits] = held_q[i*CountBits +: CountBits]
        + (take[i] ? CountBits'(1) : '0) - (give[i] ? CountBits'(1) : '0);
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) held_q <= '0;
    else         held_q <= held_d;
  end

`ifndef YOSYS
  for (genvar b = 0; b < Banks; b++) begin : gen_assert
    logic [Units-1:0] owners;
    for (genvar u = 0; u < Units; u++) begin : gen_owner
      assign owners[u] = holds[u*Banks+b];
    end
    a_owner: assert property (@(posedge clk_i) disable iff (!rst_ni) (owners & (owners - 1'b1)) == '0)
      else $error("a bank is held by one unit at a time");
  end
`endif

endmodule
