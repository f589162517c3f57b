// SPDX-License-Identifier: Apache-2.0
// What token_queue.sv promises to a producer and a consumer that issue through issue.sv: a token is neither lost nor
// doubled, a push always has its place, nothing runs below zero or above Capacity. Both issue.sv are part of the proof,
// so that "a place is taken only when one is free" and "a token is popped only when there is one" are proven here.
//
// Wires named \dut.… are the block's own registers, in the assertions that make the induction close (i_…).
module token_queue_formal #(
  parameter  int unsigned Capacity  = 4,
  localparam int unsigned CountBits = $clog2(Capacity + 1)
) (
  input logic clk_i,
  input logic rst_ni,
  input logic push_i,                                                // an instruction that pushes retires
  input logic producer_head_i, producer_ready_i, producer_pushes_i, producer_pops_i, other_token_i, producer_granted_i,
  input logic consumer_head_i, consumer_ready_i, consumer_pops_i, consumer_pushes_i, other_place_i, consumer_granted_i
);

  logic place, token, take, pop;
  logic producer_could, producer_issue, producer_pop, producer_wait_push, producer_wait_token, producer_wait_bank;
  logic consumer_could, consumer_issue, consumer_take, consumer_wait_push, consumer_wait_token, consumer_wait_bank;

  token_queue #(.Capacity(Capacity)) dut (
    .clk_i, .rst_ni, .take_i(take), .push_i, .pop_i(pop), .place_o(place), .token_o(token)
  );

  issue #(.Pops(1), .Pushes(1)) i_producer (
    .head_valid_i(producer_head_i), .ready_i(producer_ready_i), .pops_i(producer_pops_i), .tokens_i(other_token_i),
    .pushes_i(producer_pushes_i), .places_i(place), .granted_i(producer_granted_i), .could_o(producer_could),
    .issue_o(producer_issue), .pop_o(producer_pop), .take_o(take), .wait_push_o(producer_wait_push),
    .wait_token_o(producer_wait_token), .wait_bank_o(producer_wait_bank)
  );

  issue #(.Pops(1), .Pushes(1)) i_consumer (
    .head_valid_i(consumer_head_i), .ready_i(consumer_ready_i), .pops_i(consumer_pops_i), .tokens_i(token),
    .pushes_i(consumer_pushes_i), .places_i(other_place_i), .granted_i(consumer_granted_i), .could_o(consumer_could),
    .issue_o(consumer_issue), .pop_o(pop), .take_o(consumer_take), .wait_push_o(consumer_wait_push),
    .wait_token_o(consumer_wait_token), .wait_bank_o(consumer_wait_bank)
  );

  (* hierconn *) logic [CountBits-1:0] \dut.places_q , \dut.tokens_q ;

  logic [15:0] flying_q;   // instructions of the producer that will push and have not retired
  logic [15:0] waiting_q;  // tokens pushed and not popped

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      flying_q  <= '0;
      waiting_q <= '0;
    end else begin
      flying_q  <= flying_q + 16'(take) - 16'(push_i);
      waiting_q <= waiting_q + 16'(push_i) - 16'(pop);
    end
  end

  initial assume (!rst_ni);

  always @(posedge clk_i) if (rst_ni) begin
    // Only an instruction that issued retires, and each once.
    m_push:     assume (!push_i || flying_q != '0);

    a_take:     assert (!take || place);
    a_pop:      assert (!pop || token);
    a_overflow: assert (flying_q + waiting_q <= Capacity);
    a_token:    assert (token == (waiting_q != '0));
    a_place:    assert (place == (flying_q + waiting_q != Capacity));
    // With nothing else missing, a free place lets the producer issue at once, a token the consumer.
    a_go:       assert (!(producer_head_i && producer_ready_i && producer_granted_i && !producer_pops_i && place)
                        || producer_issue);
    a_come:     assert (!(consumer_head_i && consumer_ready_i && consumer_granted_i && !consumer_pushes_i && token)
                        || consumer_issue);
    // A head that is ready either issues or names exactly one reason.
    a_reason:   assert (2'(producer_issue) + 2'(producer_wait_push) + 2'(producer_wait_token) + 2'(producer_wait_bank)
                        == 2'(producer_head_i & producer_ready_i));

    i_tokens:   assert (16'(\dut.tokens_q ) == waiting_q);
    i_places:   assert (16'(\dut.places_q ) + flying_q + waiting_q == Capacity);

    c_full:     cover (waiting_q == Capacity);
    c_flying:   cover (flying_q == Capacity);
    c_both:     cover (Capacity < 3 || take && pop && push_i);
  end

endmodule
