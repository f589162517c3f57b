// SPDX-License-Identifier: Apache-2.0
// AXI's rules for the write address and response channels of write_port.sv (Arm IHI 0022, A3.2.1 and A3.4.1): what is
// offered stands until it is taken, unchanged, and no burst crosses 4 KiB, is longer than the limit or begins within a
// beat, provided that no request does. Every accepted burst is offered, at most Outstanding are under way, and a
// response is told to be the last of an instruction exactly when it is. Wires named \dut.… are the block's own.
module write_port_axi_formal #(
  parameter  int unsigned BeatBytes   = 8,
  parameter  int unsigned BurstBeats  = 16,
  parameter  int unsigned Outstanding = 2,   // at most 4
  localparam int unsigned LenBits     = $clog2(BurstBeats + 1),
  localparam int unsigned CountBits   = $clog2(Outstanding + 1),
  localparam int unsigned PtrBits     = (Outstanding > 1) ? $clog2(Outstanding) : 1
) (
  input logic               clk_i,
  input logic               rst_ni,
  input logic               req_valid_i,
  input logic [31:0]        req_addr_i,
  input logic [LenBits-1:0] req_len_i,
  input logic               req_last_i,
  input logic               aw_ready_i,
  input logic               b_valid_i,
  input logic               pick_i        // follow the burst accepted in this cycle
);

  logic        req_ready, idle, response_last, aw_valid, b_ready;
  logic [31:0] aw_addr;
  logic [7:0]  aw_len;

  write_port #(.BurstBeats(BurstBeats), .Outstanding(Outstanding)) dut (
    .clk_i, .rst_ni, .req_valid_i, .req_addr_i, .req_len_i, .req_last_i, .req_ready_o(req_ready), .idle_o(idle),
    .response_last_o(response_last), .aw_valid_o(aw_valid), .aw_ready_i, .aw_addr_o(aw_addr), .aw_len_o(aw_len),
    .b_valid_i, .b_ready_o(b_ready)
  );

  (* hierconn *) logic [CountBits-1:0] \dut.flying_q , \dut.i_lasts.count_q ;
  (* hierconn *) logic                 \dut.i_lasts.some_q ;
  (* hierconn *) logic [PtrBits-1:0]   \dut.i_lasts.head_q , \dut.i_lasts.tail_q ;
  (* hierconn *) logic                 \dut.i_lasts.mem[0] , \dut.i_lasts.mem[1] , \dut.i_lasts.mem[2] ,
                                       \dut.i_lasts.mem[3] ;

  logic        accept, legal, stood_q, sent_q;
  logic [31:0] addr_q;
  logic [7:0]  len_q, sent_len_q;
  logic [11:0] sent_addr_q;   // the page is the address's and Base's
  logic [15:0] flying_q;      // bursts accepted whose response has not come
  logic        follow_q, last_q;
  logic [15:0] ahead_q;       // bursts before the one followed
  logic [15:0] place;         // where the block keeps whether it is the last
  logic        kept;

  assign accept = req_valid_i & req_ready;
  assign legal  = (32'(req_addr_i[11:0]) % BeatBytes == '0) && (req_len_i != '0) && (32'(req_len_i) <= BurstBeats)
                  && (32'(req_addr_i[11:0]) + 32'(req_len_i) * BeatBytes <= 4096);
  assign place  = (16'(\dut.i_lasts.head_q ) + ahead_q >= 16'(Outstanding))
                  ? 16'(\dut.i_lasts.head_q ) + ahead_q - 16'(Outstanding) : 16'(\dut.i_lasts.head_q ) + ahead_q;

  always_comb begin
    case (place[1:0])
      2'd0:    kept = \dut.i_lasts.mem[0] ;
      2'd1:    kept = \dut.i_lasts.mem[1] ;
      2'd2:    kept = \dut.i_lasts.mem[2] ;
      default: kept = \dut.i_lasts.mem[3] ;
    endcase
  end

  always_ff @(posedge clk_i) begin
    stood_q     <= rst_ni & aw_valid & ~aw_ready_i;
    addr_q      <= aw_addr;
    len_q       <= aw_len;
    sent_q      <= rst_ni & accept;
    sent_addr_q <= req_addr_i[11:0];
    sent_len_q  <= 8'(req_len_i) - 8'd1;
    if (!rst_ni) begin
      flying_q <= '0;
      follow_q <= 1'b0;
    end else begin
      flying_q <= flying_q + 16'(accept) - 16'(b_valid_i);
      if (follow_q) begin
        if (b_valid_i && ahead_q == '0) follow_q <= 1'b0;
        else if (b_valid_i)             ahead_q <= ahead_q - 1'b1;
      end else if (accept && pick_i) begin
        follow_q <= 1'b1;
        ahead_q  <= flying_q - 16'(b_valid_i);
        last_q   <= req_last_i;
      end
    end
  end

  initial assume (!rst_ni);

  always @(posedge clk_i) if (rst_ni) begin
    m_legal:  assume (!req_valid_i || legal);
    // A response comes only for a burst whose address the bus has taken.
    m_answer: assume (!b_valid_i || flying_q > 16'(aw_valid));

    a_accept: assert (req_ready == (req_valid_i && flying_q != Outstanding && (!aw_valid || aw_ready_i)));
    a_sent:   assert (!sent_q || (aw_valid && aw_addr[11:0] == sent_addr_q && aw_len == sent_len_q));
    a_valid:  assert (!stood_q || aw_valid);
    a_same:   assert (!stood_q || (aw_addr == addr_q && aw_len == len_q));
    a_limit:  assert (!aw_valid || 32'(aw_len) < BurstBeats);
    a_whole:  assert (!aw_valid || 32'(aw_addr[11:0]) % BeatBytes == '0);
    a_page:   assert (!aw_valid || 32'(aw_addr[11:0]) + (32'(aw_len) + 1) * BeatBytes <= 4096);
    a_flying: assert (flying_q <= Outstanding && idle == (flying_q == '0) && b_ready);
    a_last:   assert (!(follow_q && ahead_q == '0 && b_valid_i) || response_last == last_q);
    a_none:   assert (b_valid_i || !response_last);

    i_flying: assert (16'(\dut.flying_q ) == flying_q && 16'(\dut.i_lasts.count_q ) == flying_q);
    i_some:   assert (\dut.i_lasts.some_q == (flying_q != '0));
    i_bus:    assert (!aw_valid || flying_q != '0);
    i_head:   assert (\dut.i_lasts.head_q < Outstanding);
    i_tail:   assert (16'(\dut.i_lasts.tail_q ) == ((16'(\dut.i_lasts.head_q ) + flying_q >= 16'(Outstanding))
                      ? 16'(\dut.i_lasts.head_q ) + flying_q - 16'(Outstanding)
                      : 16'(\dut.i_lasts.head_q ) + flying_q));
    i_kept:   assert (!follow_q || (ahead_q < flying_q && kept == last_q));

    c_wait:   cover (stood_q && aw_ready_i);
    c_full:   cover (flying_q == Outstanding && b_valid_i);
    c_last:   cover (follow_q && ahead_q == '0 && response_last);
  end

endmodule
