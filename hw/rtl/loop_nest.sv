// SPDX-License-Identifier: Apache-2.0
// The two hardware loops around a run of micro-ops: for i < iter_out, for j < iter_in, for u in [uop_begin, uop_end).
// Gives each step's micro-op and the part of its indices that the loops decide; what a step does is the unit's.
//
// With Taps, rows_i makes it a nest along rows: for i, for u, for j, one step for each element of index RowIndex that the
// iterations of j reach, from the first one's on, Taps each. fire_o: this step's element is the last one of an iteration,
// whose other indices stand beside it. The inner stride of index RowIndex is 1 to Taps then.
//
// Started in cycle t, the first step stands at t + 1, and each further one in the cycle after advance_i; last_o marks the
// final one. ready_o: a nest may start, also in the cycle in which the last step is left. A nest without steps (empty_i)
// stands as one step does, but with step_o low.
`ifndef MUTANT  // a fault that tests plant: tests/hw/mutants.sv
`define MUTANT(name) 1'b0
`endif

module loop_nest #(
  parameter int unsigned UopBits   = 10,
  parameter int unsigned IterBits  = 14,
  parameter int unsigned Indices   = 3,
  parameter int unsigned IndexBits = 16,  // of the widest index; each is modulo its own width
  parameter int unsigned Taps      = 0,   // 0: no rows
  parameter int unsigned RowIndex  = 0
) (
  input  logic                         clk_i,
  input  logic                         rst_ni,
  output logic                         ready_o,
  input  logic                         start_i,
  input  logic                         advance_i,
  input  logic                         empty_i,
  input  logic                         rows_i,
  input  logic [UopBits-1:0]           uop_begin_i,
  input  logic [UopBits:0]             uop_end_i,
  input  logic [IterBits-1:0]          iter_out_i,
  input  logic [IterBits-1:0]          iter_in_i,
  input  logic [Indices*IndexBits-1:0] base_i,
  input  logic [Indices*IndexBits-1:0] outer_i,
  input  logic [Indices*IndexBits-1:0] inner_i,
  output logic                         step_o,
  output logic                         fire_o,
  output logic                         last_o,
  output logic [UopBits-1:0]           uop_o,
  output logic [Indices*IndexBits-1:0] index_o   // base + i * outer + j * inner
);

  localparam int unsigned AllBits = Indices * IndexBits;

  logic                busy_d, busy_q, empty_d, empty_q;
  logic [UopBits-1:0]  uop_d, uop_q, begin_d, begin_q, final_d, final_q;
  logic [IterBits-1:0] out_d, out_q, in_d, in_q, iter_in_d, iter_in_q;  // iterations left, this one included
  logic [AllBits-1:0]  index_d, index_q;   // of this step
  logic [AllBits-1:0]  row_d, row_q;       // of this i at j = 0
  logic [AllBits-1:0]  outer_d, outer_q, inner_d, inner_q;
  logic                last_uop, last_in, last_out;
  logic                rows, fire;           // along rows; the last element of an iteration
  logic                in_moves, row_ends;   // j counts on; a row ends, but not with i

  assign last_uop = uop_q == final_q;
  assign last_in  = in_q == IterBits'(1);
  assign last_out = out_q == IterBits'(1);
  assign step_o   = busy_q & ~empty_q;
  assign fire_o   = step_o & fire;
  assign last_o   = busy_q & (empty_q | (last_uop & last_in & last_out & fire));
  assign in_moves = rows ? fire : last_uop;
  assign row_ends = rows & fire & last_in & ~last_uop;
  assign ready_o  = ~busy_q | (last_o & advance_i);
  assign uop_o    = uop_q;
  assign index_o  = index_q;

  if (Taps == 0) begin : gen_no_rows
    assign rows = 1'b0;
    assign fire = 1'b1;
    logic unused_rows;
    assign unused_rows = rows_i;
  end else begin : gen_rows
    localparam int unsigned WaitBits = (Taps > 1) ? $clog2(Taps) : 1;
    logic                rows_q;
    logic [WaitBits-1:0] wait_q, apart_q;   // elements before the next last one, and between two of them

    assign rows = rows_q;
    assign fire = wait_q == '0;

    always_ff @(posedge clk_i) begin
      if (start_i) begin
        rows_q  <= rows_i;
        wait_q  <= rows_i ? WaitBits'(Taps - 1 - (`MUTANT(RowShort) ? 1 : 0)) : '0;
        apart_q <= WaitBits'(inner_i[RowIndex*IndexBits +: IndexBits] - 1'b1);
      end else if (rows_q & step_o & advance_i) begin
        if (!fire)        wait_q <= wait_q - 1'b1;
        else if (last_in) wait_q <= WaitBits'(Taps - 1);
        else              wait_q <= apart_q;
      end
    end
  end

  always_comb begin
    busy_d    = busy_q & ~(last_o & advance_i);
    empty_d   = empty_q;
    uop_d     = uop_q;
    begin_d   = begin_q;
    final_d   = final_q;
    out_d     = out_q;
    in_d      = in_q;
    iter_in_d = iter_in_q;
    index_d   = index_q;
    row_d     = row_q;
    outer_d   = outer_q;
    inner_d   = inner_q;
    if (start_i) begin
      busy_d    = 1'b1;
      empty_d   = empty_i;
      uop_d     = uop_begin_i;
      begin_d   = uop_begin_i;
      final_d   = UopBits'(uop_end_i - 1'b1);
      out_d     = iter_out_i;
      in_d      = iter_in_i;
      iter_in_d = iter_in_i;
      index_d   = base_i;
      row_d     = base_i;
      outer_d   = `MUTANT(LoopsSwapped) ? inner_i : outer_i;
      inner_d   = inner_i;
      // Along a row every element is read.
      if (Taps != 0 && rows_i) inner_d[RowIndex*IndexBits +: IndexBits] = IndexBits'(1);
    end else if (step_o & advance_i) begin
      if (~rows | (fire & last_in)) uop_d = last_uop ? begin_q : uop_q + 1'b1;
      if (in_moves) begin
        in_d = last_in ? iter_in_q : in_q - 1'b1;
        if (last_in & ~row_ends) out_d = out_q - 1'b1;
      end
      for (int k = 0; k < Indices; k++) begin
        if (in_moves & last_in) begin
          if (row_ends) begin
            index_d[k*IndexBits +: IndexBits] = row_q[k*IndexBits +: IndexBits];
          end else begin
            row_d[k*IndexBits +: IndexBits]   = row_q[k*IndexBits +: IndexBits] + outer_q[k*IndexBits +: IndexBits];
            index_d[k*IndexBits +: IndexBits] = row_q[k*IndexBits +: IndexBits] + outer_q[k*IndexBits +: IndexBits];
          end
        end else if (in_moves | (rows & (32'(k) == RowIndex))) begin
          index_d[k*IndexBits +: IndexBits] = index_q[k*IndexBits +: IndexBits] + inner_q[k*IndexBits +: IndexBits];
        end
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) busy_q <= 1'b0;
    else         busy_q <= busy_d;
  end

  always_ff @(posedge clk_i) begin
    empty_q   <= empty_d;
    uop_q     <= uop_d;
    begin_q   <= begin_d;
    final_q   <= final_d;
    out_q     <= out_d;
    in_q      <= in_d;
    iter_in_q <= iter_in_d;
    index_q   <= index_d;
    row_q     <= row_d;
    outer_q   <= outer_d;
    inner_q   <= inner_d;
  end

`ifndef YOSYS
  a_start: assert property (@(posedge clk_i) disable iff (!rst_ni) start_i |-> ready_o)
    else $error("a nest starts only when the one before is at its last step");
`endif

endmodule
