// SPDX-License-Identifier: Apache-2.0
// Sees that a run cannot go on: memory that answers no more, and a program in which nothing can happen any more. What
// follows from it is run_control.sv's.
//
// stuck_o: in the StillCycles - 1 cycles before nothing moved and nothing was under way. Within the core every signal is a
// function of the cycle before, so what stands still for a few cycles does so for ever.
module watch #(
  parameter int unsigned StillCycles = 16
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        running_i,
  input  logic        still_i,      // nothing moves, nothing is in flight, nothing is asked of memory
  output logic        stuck_o,
  input  logic        watching_i,
  input  logic        owed_i,       // memory owes an answer
  input  logic        moves_i,      // something passes the bus in this cycle
  input  logic [31:0] limit_i,      // cycles; 0: none
  output logic        expired_o     // one cycle
);

  localparam int unsigned StillBits = $clog2(StillCycles);

  logic [StillBits-1:0] still_d, still_q;
  logic [31:0]          owed_d, owed_q;

  assign still_d   = (running_i & still_i) ? still_q + 1'b1 : '0;
  assign stuck_o   = running_i & (still_q == StillBits'(StillCycles - 1));
  assign owed_d    = (watching_i & owed_i & ~moves_i & ~expired_o) ? owed_q + 1'b1 : '0;
  assign expired_o = (owed_q == limit_i) & (limit_i != '0);

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      still_q <= '0;
      owed_q  <= '0;
    end else begin
      still_q <= still_d;
      owed_q  <= owed_d;
    end
  end

endmodule
