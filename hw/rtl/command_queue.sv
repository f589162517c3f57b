// SPDX-License-Identifier: Apache-2.0
// A queue whose head stands in a register of its reader, who may keep it decoded: what begins with the head begins at a
// register. Knows nothing of what it holds.
//
// As fifo.sv: a word pushed in cycle t is at the head from t + 1 on; a word popped in cycle t gives its place back at
// t + 1. push happens when push_valid_i and push_ready_o are high, pop when pop_valid_o and pop_ready_i are. In a cycle
// with load_o the reader registers what next_o makes the head of the next cycle, if pop_valid_o is high then.
module command_queue #(
  parameter int unsigned Width = 8,
  parameter int unsigned Depth = 4
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             push_valid_i,
  output logic             push_ready_o,
  input  logic [Width-1:0] push_data_i,
  output logic             pop_valid_o,
  input  logic             pop_ready_i,
  output logic             load_o,
  output logic [Width-1:0] next_o
);

  logic             valid_d, valid_q;
  logic [Width-1:0] behind;
  logic             refill, behind_valid;   // nothing stands behind an empty head

  assign refill      = ~valid_q | pop_ready_i;
  assign valid_d     = refill ? (behind_valid | (push_valid_i & push_ready_o)) : 1'b1;
  assign pop_valid_o = valid_q;
  assign load_o      = refill;
  assign next_o      = behind_valid ? behind : push_data_i;

  if (Depth == 1) begin : gen_one
    assign push_ready_o = ~valid_q;
    assign behind_valid = 1'b0;
    assign behind       = '0;
  end else begin : gen_more
    fifo #(.Width(Width), .Depth(Depth - 1)) i_behind (
      .clk_i,
      .rst_ni,
      .push_valid_i(push_valid_i & ~(refill & ~behind_valid)),
      .push_ready_o,
      .push_data_i,
      .pop_valid_o (behind_valid),
      .pop_ready_i (refill),
      .pop_data_o  (behind)
    );
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) valid_q <= 1'b0;
    else         valid_q <= valid_d;
  end

endmodule
