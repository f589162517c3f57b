// SPDX-License-Identifier: Apache-2.0
// Where every cycle of every unit went: the section "Ledger" of docs/rationale/microarchitecture.md as counters. What a
// unit does in a cycle, its engines and issue.sv say.
//
// A cycle counts for one reason a unit, the first that applies, so a row is a small memory of which one entry a cycle
// is counted up: read in one cycle, counted and written in the next. An entry never counted in this run reads as 0. A
// cycle t with run_i is in the entries from t + 3 on.
`ifndef MUTANT  // a fault that tests plant: tests/hw/mutants.sv
`define MUTANT(name) 1'b0
`endif

module ledger #(
  parameter  int unsigned Units       = 2,
  parameter  int unsigned Queues      = 1,
  localparam int unsigned QueueBits   = (Queues > 0) ? Queues : 1,
  parameter  logic [Units*QueueBits-1:0] Pops = '0,   // bit u*QueueBits + q: unit u pops from queue q
  parameter  int unsigned Columns     = 8,         // entries of a row: a power of two, at least 5 + Queues
  parameter  int unsigned CounterBits = 40,
  localparam int unsigned ColumnBits  = $clog2(Columns),
  localparam int unsigned RowBits     = $clog2(Units),
  localparam int unsigned EntryBits   = RowBits + ColumnBits
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic                   start_i,       // cycle 0: what was counted before is gone; no cycle just before counts
  input  logic                   run_i,         // this cycle counts; cycle 0 does
  input  logic [Units-1:0]       busy_i,
  input  logic [Units-1:0]       wait_push_i,
  input  logic [QueueBits-1:0]   wait_token_i,
  input  logic [Units-1:0]       wait_port_i,
  input  logic [Units-1:0]       in_flight_i,
  input  logic [EntryBits-1:0]   entry_i,       // {unit, column}
  output logic [CounterBits-1:0] value_o        // in the same cycle
);

  logic                           run_q, counts_q;   // the cycle before, the one before that
  logic                           start_q;
  logic [Units*CounterBits-1:0]   values;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      run_q    <= 1'b0;
      counts_q <= 1'b0;
      start_q  <= 1'b0;
    end else begin
      run_q    <= run_i;
      counts_q <= run_q;
      start_q  <= start_i;
    end
  end

  for (genvar u = 0; u < Units; u++) begin : gen_row
    logic [QueueBits-1:0]   tokens;
    logic [ColumnBits-1:0]  column_d, column_q, counted_column_q;
    logic [CounterBits-1:0] mem [0:Columns-1];
    logic [Columns-1:0]     counted_d, counted_q;   // entries that this run has counted up
    logic [CounterBits-1:0] count_d, count_q, sum;

    assign tokens = wait_token_i & Pops[u*QueueBits +: QueueBits];

    always_comb begin
      column_d = ColumnBits'(0);
      if (!busy_i[u]) begin
        column_d = ColumnBits'(4 + Queues);
        if (in_flight_i[u]) column_d = ColumnBits'(3 + Queues);
        if (wait_port_i[u]) column_d = ColumnBits'(2 + Queues);
        for (int q = Queues - 1; q >= 0; q--) begin
          if (tokens[q]) column_d = ColumnBits'(2 + q);
        end
        if (wait_push_i[u] & ~`MUTANT(WaitUncounted)) column_d = ColumnBits'(1);
      end
    end

    // The entry that is written in this cycle is not in the memory yet.
    always_comb begin
      counted_d = start_q ? '0 : counted_q;
      sum       = count_q + 1'b1;
      count_d   = counted_d[column_q] ? mem[column_q] : '0;
      if (counts_q) begin
        counted_d[counted_column_q] = 1'b1;
        if (column_q == counted_column_q) count_d = sum;
      end
    end

    always_ff @(posedge clk_i) begin
      column_q         <= column_d;
      counted_column_q <= column_q;
      count_q          <= count_d;
      if (counts_q) mem[counted_column_q] <= sum;
    end

    always_ff @(posedge clk_i) begin
      if (!rst_ni) counted_q <= '0;
      else         counted_q <= counted_d;
    end

    assign values[u*CounterBits +: CounterBits] =
        counted_q[entry_i[ColumnBits-1:0]] ? mem[entry_i[ColumnBits-1:0]] : '0;
  end

  always_comb begin
    value_o = '0;
    for (int u = 0; u < Units; u++) begin
      if (32'(entry_i) >> ColumnBits == u) value_o = values[u*CounterBits +: CounterBits];
    end
  end

`ifndef YOSYS
  a_start: assert property (@(posedge clk_i) disable iff (!rst_ni) start_i |-> !run_q)
    else $error("a run starts behind a cycle that does not count");
`endif

endmodule
