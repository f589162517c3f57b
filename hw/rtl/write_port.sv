// SPDX-License-Identifier: Apache-2.0
// The write half of the memory port for the one unit that stores: AXI4 with one ID, several bursts under way. Data and
// their order are store_unit.sv's.
//
// One burst a cycle is accepted (req_ready_o), from the first cycle its request stands; it is on the bus one cycle
// later. At most Outstanding bursts are accepted whose response has not come; a response in cycle t makes room at
// t + 1.
`ifndef MUTANT  // a fault that tests plant: tests/hw/mutants.sv
`define MUTANT(name) 1'b0
`endif

module write_port #(
  parameter  int unsigned BurstBeats  = 16,
  parameter  int unsigned Outstanding = 8,
  localparam int unsigned LenBits     = $clog2(BurstBeats + 1),
  localparam int unsigned CountBits   = $clog2(Outstanding + 1)
) (
  input  logic               clk_i,
  input  logic               rst_ni,
  input  logic               req_valid_i,
  input  logic [31:0]        req_addr_i,
  input  logic [LenBits-1:0] req_len_i,        // beats
  input  logic               req_last_i,       // the last burst of its instruction
  input  logic [31:12]       base_i,           // added to every address: whole pages
  output logic               req_ready_o,
  output logic               idle_o,           // no burst is under way
  output logic               response_last_o,  // a response came, to the last burst of its instruction
  // AXI4 address and response channels.
  output logic               aw_valid_o,
  input  logic               aw_ready_i,
  output logic [31:0]        aw_addr_o,
  output logic [7:0]         aw_len_o,         // beats - 1
  input  logic               b_valid_i,
  output logic               b_ready_o
);

  logic [CountBits-1:0] flying_d, flying_q;
  logic                 blocked, accept, aw_valid_d, aw_valid_q;
  logic [31:0]          aw_addr_q;
  logic [7:0]           aw_len_q;
  logic                 last, last_valid, last_room;

  assign blocked         = flying_q == CountBits'(Outstanding) + CountBits'(`MUTANT(WritesMore));
  assign idle_o          = flying_q == '0;
  assign accept          = req_valid_i & ~blocked & (~aw_valid_q | aw_ready_i);
  assign req_ready_o     = accept;
  assign flying_d        = flying_q + CountBits'(accept) - CountBits'(b_valid_i);
  assign aw_valid_d      = accept | (aw_valid_q & ~aw_ready_i & ~`MUTANT(AddressFalls));
  assign aw_valid_o      = aw_valid_q;
  assign aw_addr_o       = aw_addr_q;
  assign aw_len_o        = aw_len_q;
  assign b_ready_o       = 1'b1;
  assign response_last_o = b_valid_i & last;

  fifo #(.Width(1), .Depth(Outstanding)) i_lasts (
    .clk_i,
    .rst_ni,
    .push_valid_i(accept),
    .push_ready_o(last_room),
    .push_data_i (req_last_i),
    .pop_valid_o (last_valid),
    .pop_ready_i (b_valid_i),
    .pop_data_o  (last)
  );

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      flying_q   <= '0;
      aw_valid_q <= 1'b0;
    end else begin
      flying_q   <= flying_d;
      aw_valid_q <= aw_valid_d;
    end
  end

  always_ff @(posedge clk_i) begin
    if (accept) begin
      aw_addr_q <= {req_addr_i[31:12] + base_i, req_addr_i[11:0]};
      aw_len_q  <= 8'(32'(req_len_i) - 32'd1);
    end
  end

`ifndef YOSYS
  a_room: assert property (@(posedge clk_i) disable iff (!rst_ni) accept |-> last_room)
    else $error("a burst is accepted only while fewer than Outstanding are under way");
  a_response: assert property (@(posedge clk_i) disable iff (!rst_ni) b_valid_i |-> last_valid)
    else $error("a response comes only to a burst that was sent");
`endif
  logic unused_room;
  assign unused_room = ^{last_room, last_valid};

endmodule
