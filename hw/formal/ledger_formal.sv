// SPDX-License-Identifier: Apache-2.0
// What ledger.sv promises: any entry is what a counter of its own would have said two cycles before, and 0 between a start
// and the first cycle counted.
module ledger_formal #(
  parameter  int unsigned Units       = 2,
  parameter  int unsigned Queues      = 2,
  parameter  int unsigned CounterBits = 4,
  localparam int unsigned Columns     = 8,
  localparam int unsigned ColumnBits  = $clog2(Columns),
  localparam int unsigned EntryBits   = $clog2(Units) + ColumnBits,
  localparam logic [Units*Queues-1:0] Pops = (Units*Queues)'(6'b101110)
) (
  input logic              clk_i,
  input logic              rst_ni,
  input logic              start_i,
  input logic              run_i,
  input logic [Units-1:0]  busy_i, wait_push_i, wait_port_i, in_flight_i,
  input logic [Queues-1:0] wait_token_i
);

  (* anyconst *) logic [EntryBits-1:0] entry;
  logic [CounterBits-1:0]              value;

  ledger #(.Units(Units), .Queues(Queues), .Pops(Pops), .Columns(Columns), .CounterBits(CounterBits)) dut (
    .clk_i, .rst_ni, .start_i, .run_i, .busy_i, .wait_push_i, .wait_token_i, .wait_port_i, .in_flight_i,
    .entry_i(entry), .value_o(value)
  );

  // Whether this cycle is the entry's: its reason applies, and none before.
  logic [EntryBits-ColumnBits-1:0] unit;
  logic [ColumnBits-1:0]           column;
  logic [Columns-1:0]              reasons;
  logic                            is_its, run_q;

  assign {unit, column} = entry;

  always_comb begin
    reasons = '0;
    reasons[0] = busy_i[unit];
    reasons[1] = wait_push_i[unit];
    for (int q = 0; q < Queues; q++) reasons[2+q] = wait_token_i[q] & Pops[32'(unit)*Queues + q];
    reasons[2+Queues] = wait_port_i[unit];
    reasons[3+Queues] = in_flight_i[unit];
    reasons[4+Queues] = 1'b1;
    is_its = reasons[column] & ((reasons & ((Columns'(1) << column) - 1'b1)) == '0);
  end

  // The counter of its own, and what it said before.
  logic [CounterBits-1:0] count_q [0:2];
  logic [2:0]             started_q;

  always_ff @(posedge clk_i) begin
    run_q      <= rst_ni & run_i;
    started_q  <= rst_ni ? {started_q[1:0], start_i} : '0;
    count_q[0] <= rst_ni ? (start_i ? '0 : count_q[0]) + CounterBits'(run_i & is_its) : '0;
    for (int i = 1; i < 3; i++) count_q[i] <= rst_ni ? count_q[i-1] : '0;
  end

  initial assume (!rst_ni);

  always @(posedge clk_i) begin
    m_reset: assume (!rst_ni || 32'(unit) < Units);

    if (rst_ni) begin
      // A run starts behind a cycle that does not count.
      m_start: assume (!start_i || !run_q);

      a_value: assert (value == (started_q[1] ? '0 : count_q[2]));

      c_count: cover (value == 3 && column == ColumnBits'(3 + Queues));
      c_again: cover (value == 1 && started_q[2] && count_q[1] == 1 && column == 0);
    end
  end

endmodule
