// SPDX-License-Identifier: Apache-2.0
// One queue of dependency tokens between two units, as two counters. Which instruction pushes and pops is issue.sv's.
//
// The producer takes a place when it issues (take_i) and pushes the token when it retires (push_i), so a push never
// waits. The consumer pops when it issues (pop_i). A token pushed in cycle t is there (token_o) at t + 1; a place given
// back by a pop in cycle t is there (place_o) at t + 1.
`ifndef MUTANT  // a fault that tests plant: tests/hw/mutants.sv
`define MUTANT(name) 1'b0
`endif

module token_queue #(
  parameter  int unsigned Capacity = 4,
  localparam int unsigned CountBits = $clog2(Capacity + 1)
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic take_i,
  input  logic push_i,
  input  logic pop_i,
  output logic place_o,
  output logic token_o
);

  logic [CountBits-1:0] places_d, places_q, tokens_d, tokens_q, push_by;
  logic                 pushed;

  assign place_o  = places_q != '0;
  assign token_o  = tokens_q != '0;
  assign pushed   = push_i & ~(`MUTANT(PushLost) & pop_i);
  assign push_by  = `MUTANT(TokenTwice) ? CountBits'(2) : CountBits'(1);

  // Takes and pops are known late in a cycle: they choose among sums.
  always_comb begin
    places_d = places_q;
    if (pop_i & ~take_i) places_d = places_q + 1'b1;
    if (take_i & ~pop_i) places_d = places_q - 1'b1;
    tokens_d = pushed ? tokens_q + push_by : tokens_q;
    if (pop_i) tokens_d = pushed ? tokens_q + push_by - 1'b1 : tokens_q - 1'b1;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      places_q <= CountBits'(Capacity) - CountBits'(`MUTANT(PlaceLost));
      tokens_q <= '0;
    end else begin
      places_q <= places_d;
      tokens_q <= tokens_d;
    end
  end

`ifndef YOSYS
  a_take: assert property (@(posedge clk_i) disable iff (!rst_ni) take_i |-> place_o)
    else $error("a place is taken only when one is free");
  a_pop: assert property (@(posedge clk_i) disable iff (!rst_ni) pop_i |-> token_o)
    else $error("a token is popped only when there is one");
  a_push: assert property (@(posedge clk_i) disable iff (!rst_ni) push_i |-> (tokens_q + places_q) != CountBits'(Capacity))
    else $error("a token is pushed only into a place taken before");
`endif

endmodule
