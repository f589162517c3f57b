// SPDX-License-Identifier: Apache-2.0
// What completion.sv promises: done from the cycle after the last instruction retired until the next start, no sooner.
//
// Wires named \dut.… are the block's own registers, in the assertions that make the induction close (i_…).
module completion_formal #(
  parameter int unsigned Units = 3
) (
  input logic             clk_i,
  input logic             rst_ni,
  input logic             start_i,
  input logic [31:0]      words_i,
  input logic [Units-1:0] retire_i
);

  logic done;

  completion #(.Units(Units)) dut (.clk_i, .rst_ni, .start_i, .words_i, .retire_i, .done_o(done));

  (* hierconn *) logic        \dut.running_q ;
  (* hierconn *) logic [31:0] \dut.left_q ;
  (* hierconn *) logic        \dut.small_q ;

  logic        started_q;
  logic [31:0] words_q, retired_q, retiring;

  always_comb begin
    retiring = '0;
    for (int u = 0; u < Units; u++) retiring = retiring + 32'(retire_i[u]);
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      started_q <= 1'b0;
      words_q   <= '0;
      retired_q <= '0;
    end else if (start_i) begin
      started_q <= 1'b1;
      words_q   <= words_i;
      retired_q <= '0;
    end else begin
      retired_q <= retired_q + retiring;
    end
  end

  initial assume (!rst_ni);

  always @(posedge clk_i) if (rst_ni) begin
    // No more instructions retire than the program has.
    m_retire: assume (retiring <= words_q - retired_q);

    a_done:   assert (done == (started_q && retired_q == words_q));

    i_left:   assert (\dut.left_q == words_q - retired_q && retired_q <= words_q);
    i_small:  assert (\dut.small_q ? (\dut.left_q >> $clog2(Units + 1)) == '0 : \dut.left_q != '0);
    i_start:  assert (\dut.running_q == started_q);

    c_done:   cover (done && words_q == 4);
  end

endmodule
