// SPDX-License-Identifier: Apache-2.0
// What fifo.sv promises, for any stream of pushes and pops, with resets in between: nothing lost, nothing twice, in
// order, never more than Depth. Nothing is assumed but a reset in the first cycle.
//
// The proof follows one word, picked freely among those pushed. Wires named \dut.… are the block's own registers: they
// appear only in the assertions that make the induction close (i_…).
module fifo_formal #(
  parameter  int unsigned Width = 4,
  parameter  int unsigned Depth = 4,  // at most 4
  localparam int unsigned PtrBits   = (Depth > 1) ? $clog2(Depth) : 1,
  localparam int unsigned CountBits = $clog2(Depth + 1)
) (
  input logic             clk_i,
  input logic             rst_ni,
  input logic             push_valid_i,
  input logic [Width-1:0] push_data_i,
  input logic             pop_ready_i,
  input logic             pick_i  // follow the word pushed in this cycle
);

  logic             push_ready, pop_valid;
  logic [Width-1:0] pop_data;

  fifo #(.Width(Width), .Depth(Depth)) dut (
    .clk_i, .rst_ni, .push_valid_i, .push_ready_o(push_ready), .push_data_i,
    .pop_valid_o(pop_valid), .pop_ready_i, .pop_data_o(pop_data)
  );

  (* hierconn *) logic [PtrBits-1:0]   \dut.head_q , \dut.tail_q ;
  (* hierconn *) logic [CountBits-1:0] \dut.count_q ;
  (* hierconn *) logic                 \dut.some_q ;
  (* hierconn *) logic [Width-1:0]     \dut.mem[0] , \dut.mem[1] , \dut.mem[2] , \dut.mem[3] ;  // those below Depth

  logic             push, pop;
  logic [15:0]      fill_q;               // words pushed and not popped
  logic             follow_q;
  logic [15:0]      ahead_q;              // words before the one followed
  logic [Width-1:0] data_q;               // what it holds
  logic [15:0]      place;                // where it must be
  logic [Width-1:0] word;                 // what is there

  assign push  = push_valid_i & push_ready;
  assign pop   = pop_valid & pop_ready_i;
  assign place = (16'(\dut.head_q ) + ahead_q >= 16'(Depth)) ? 16'(\dut.head_q ) + ahead_q - 16'(Depth)
                                                             : 16'(\dut.head_q ) + ahead_q;

  always_comb begin
    case (place[1:0])
      2'd0:    word = \dut.mem[0] ;
      2'd1:    word = \dut.mem[1] ;
      2'd2:    word = \dut.mem[2] ;
      default: word = \dut.mem[3] ;
    endcase
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      fill_q   <= '0;
      follow_q <= 1'b0;
    end else begin
      fill_q <= fill_q + 16'(push) - 16'(pop);
      if (follow_q) begin
        if (pop && ahead_q == '0) follow_q <= 1'b0;
        else if (pop)             ahead_q <= ahead_q - 1'b1;
      end else if (push && pick_i) begin
        follow_q <= 1'b1;
        ahead_q  <= fill_q - 16'(pop);
        data_q   <= push_data_i;
      end
    end
  end

  initial assume (!rst_ni);

  always @(posedge clk_i) if (rst_ni) begin
    // It never holds more than Depth words, and takes one exactly while it holds fewer.
    a_overflow:  assert (fill_q <= Depth);
    a_ready:     assert (push_ready == (fill_q != Depth));
    // It offers a word exactly while it holds one, so none is popped that was not pushed.
    a_valid:     assert (pop_valid == (fill_q != '0));
    // The word followed comes out after those before it, unchanged; until then it is inside.
    a_order:     assert (!(follow_q && ahead_q == '0) || (pop_valid && pop_data == data_q));
    a_kept:      assert (!follow_q || ahead_q < fill_q);

    i_count:     assert (16'(\dut.count_q ) == fill_q);
    i_some:      assert (\dut.some_q == (fill_q != '0));
    i_head:      assert (\dut.head_q < Depth);
    i_tail:      assert (16'(\dut.tail_q ) == ((16'(\dut.head_q ) + fill_q >= 16'(Depth))
                                               ? 16'(\dut.head_q ) + fill_q - 16'(Depth)
                                               : 16'(\dut.head_q ) + fill_q));
    i_data:      assert (!follow_q || word == data_q);
  end

  always @(posedge clk_i) if (rst_ni) begin
    c_full:  cover (fill_q == Depth);
    c_order: cover (follow_q && ahead_q == '0 && pop && fill_q == Depth);
  end

endmodule
