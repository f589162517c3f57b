// SPDX-License-Identifier: Apache-2.0
// Who owns which bank of the shared memories. A unit holds the banks its instruction names from issue to retirement.
//
// granted_o is combinational: the banks unit u names are free or its own, and no later unit that could issue takes one
// of them in this cycle. Retired in cycle t, free at t + 1. All shared memories' banks stand side by side in a mask.
// What the other units hold stands in a register of each unit: the way to issue begins there, not at the counts.
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

  // [u * Banks + b]: of unit u, bank b.
  logic [Units*Banks-1:0]           keeps;                // holds it, and does not give it back now
  logic [Units*Banks-1:0]           take, give;
  logic [Units*Banks-1:0]           others_d, others_q;   // another unit holds it

  // Instructions of a unit in flight that named the bank, all counted at once: bit k of every count stands in line k.
  logic [CountBits*Units*Banks-1:0] count_d, count_q;
  logic [Units*Banks-1:0]           up, down, more;

  always_comb begin
    up    = take & ~give;
    down  = give & ~take;
    for (int k = 0; k < CountBits; k++) begin
      count_d[k*Units*Banks +: Units*Banks] = count_q[k*Units*Banks +: Units*Banks] ^ (up | down);
      up   = up & count_q[k*Units*Banks +: Units*Banks];
      down = down & ~count_q[k*Units*Banks +: Units*Banks];
    end
    more = '0;   // than one
    for (int k = 1; k < CountBits; k++) more = more | count_q[k*Units*Banks +: Units*Banks];
    keeps = more | (count_q[Units*Banks-1:0] & ~give);
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) count_q <= '0;
    else         count_q <= count_d;
  end

`ifdef FORMAL
  logic [Units*Banks*CountBits-1:0] held_q;   // the proof looks at the counts
  for (genvar i = 0; i < Units * Banks * CountBits; i++) begin : gen_held
    assign held_q[i] = count_q[i % CountBits * Units * Banks + i / CountBits];
  end
`endif

  // What two units want stands with their heads; who of them comes first is known last.
  always_comb begin
    granted_o = '0;
    for (int u = Units - 1; u >= 0; u--) begin
      granted_o[u] = (want_i[u*Banks +: Banks] & others_q[u*Banks +: Banks]) == '0;
      for (int v = u + 1; v < Units; v++) begin
        if (could_i[v] & granted_o[v] & ((want_i[u*Banks +: Banks] & want_i[v*Banks +: Banks]) != '0)) granted_o[u] = 1'b0;
      end
    end
  end

  always_comb begin
    others_d = '0;
    for (int u = 0; u < Units; u++) begin
      for (int v = 0; v < Units; v++) begin
        if (v != u) others_d[u*Banks +: Banks] = others_d[u*Banks +: Banks] | keeps[v*Banks +: Banks] | take[v*Banks +: Banks];
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) others_q <= '0;
    else         others_q <= others_d;
  end

  for (genvar u = 0; u < Units; u++) begin : gen_unit
    assign take[u*Banks +: Banks] = (could_i[u] & granted_o[u] & ~`MUTANT(LockForgotten)) ? want_i[u*Banks +: Banks] : '0;
    assign give[u*Banks +: Banks] = (retire_i[u] & ~(`MUTANT(LockKept) & (u == 2))) ? retire_mask_i[u*Banks +: Banks] : '0;
  end

`ifndef YOSYS
  for (genvar b = 0; b < Banks; b++) begin : gen_assert
    logic [Units-1:0] owners;
    for (genvar u = 0; u < Units; u++) begin : gen_owner
      assign owners[u] = keeps[u*Banks+b] | take[u*Banks+b];
    end
    a_owner: assert property (@(posedge clk_i) disable iff (!rst_ni) (owners & (owners - 1'b1)) == '0)
      else $error("a bank is held by one unit at a time");
  end
`endif

endmodule
