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

  logic [CountBits-1:0] places_d, places_q, tokens_d, tokens_q;

  assign place_o  = places_q != '0;
  assign token_o  = tokens_q != '0;
  assign places_d = places_q + CountBits'(pop_i) - CountBits'(take_i);
  assign tokens_d = tokens_q + ((`MUTANT(PushLost) && pop_i) ? '0 : CountBits'(push_i))
                  + (`MUTANT(TokenTwice) ? CountBits'(push_i) : '0) - CountBits'(pop_i);

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
