// SPDX-License-Identifier: Apache-2.0
// First in, first out, in LUT RAM: command queues and small buffers. Knows nothing of what it holds.
//
// A word pushed in cycle t is at the head from t + 1 on; a word popped in cycle t gives its place back at t + 1.
// push happens when push_valid_i and push_ready_o are high, pop when pop_valid_o and pop_ready_i are.
`ifndef MUTANT  // a fault that tests plant: tests/hw/mutants.sv
`define MUTANT(name) 1'b0
`endif

module fifo #(
  parameter  int unsigned Width = 8,
  parameter  int unsigned Depth = 4,
  localparam int unsigned PtrBits   = (Depth > 1) ? $clog2(Depth) : 1,
  localparam int unsigned CountBits = $clog2(Depth + 1)
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             push_valid_i,
  output logic             push_ready_o,
  input  logic [Width-1:0] push_data_i,
  output logic             pop_valid_o,
  input  logic             pop_ready_i,
  output logic [Width-1:0] pop_data_o
);

  logic [Width-1:0]     mem [0:Depth-1];
  logic [PtrBits-1:0]   head_d, head_q, tail_d, tail_q;
  logic [CountBits-1:0] count_d, count_q;
  logic                 some_d, some_q;    // a word stands at the head: a register, which readers' muxes hang on
  logic                 push, pop;

  assign push_ready_o = count_q != CountBits'(Depth) - CountBits'(`MUTANT(FifoShort));
  assign pop_valid_o  = some_q;
  assign pop_data_o   = mem[head_q];
  assign push         = push_valid_i & push_ready_o;
  assign pop          = pop_valid_o & pop_ready_i;

  always_comb begin
    head_d  = head_q;
    tail_d  = tail_q;
    count_d = count_q + CountBits'(push) - CountBits'(pop);
    some_d  = push | (some_q & ~(pop & (count_q == CountBits'(1))));
    if (push) tail_d = (tail_q == PtrBits'(Depth - 1)) ? '0 : tail_q + 1'b1;
    if (pop)  head_d = (head_q == PtrBits'(Depth - 1)) ? '0 : head_q + 1'b1;
  end

  // What stands at the input goes to the next free place, pushed or not: whether it is, is known late.
  always_ff @(posedge clk_i) begin
    if (push_ready_o & ~(`MUTANT(FifoStale) & pop)) mem[tail_q] <= push_data_i;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      head_q  <= '0;
      tail_q  <= '0;
      count_q <= '0;
      some_q  <= 1'b0;
    end else begin
      head_q  <= head_d;
      tail_q  <= tail_d;
      count_q <= count_d;
      some_q  <= some_d;
    end
  end

endmodule
