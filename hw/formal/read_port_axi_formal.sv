// SPDX-License-Identifier: Apache-2.0
// AXI's rules for the read address channel of read_port.sv (Arm IHI 0022, A3.2.1 and A3.4.1): what is offered stands until
// it is taken, unchanged, and no burst crosses 4 KiB, is longer than the limit or begins within a beat, provided that no
// request does. Who is served when is read_port_formal.sv's.
module read_port_axi_formal #(
  parameter  int unsigned Requesters  = 2,
  parameter  int unsigned PortBits    = 64,
  parameter  int unsigned BurstBeats  = 16,
  parameter  int unsigned Outstanding = 2,
  localparam int unsigned LenBits     = $clog2(BurstBeats + 1)
) (
  input logic                          clk_i,
  input logic                          rst_ni,
  input logic [Requesters-1:0]         req_valid_i,
  input logic [Requesters*32-1:0]      req_addr_i,
  input logic [Requesters*LenBits-1:0] req_len_i,
  input logic                          ar_ready_i,
  input logic                          r_valid_i,
  input logic [PortBits-1:0]           r_data_i,
  input logic                          r_last_i
);

  localparam int unsigned BeatBytes = PortBits / 8;

  logic [Requesters-1:0] req_ready, beat_valid;
  logic                  idle, beat_last, ar_valid, r_ready;
  logic [PortBits-1:0]   beat_data;
  logic [31:0]           ar_addr;
  logic [7:0]            ar_len;

  read_port #(
    .Requesters(Requesters), .PortBits(PortBits), .BurstBeats(BurstBeats), .Outstanding(Outstanding)
  ) dut (
    .clk_i, .rst_ni, .req_valid_i, .req_addr_i, .req_len_i, .req_ready_o(req_ready), .idle_o(idle),
    .beat_valid_o(beat_valid), .beat_last_o(beat_last), .beat_data_o(beat_data), .ar_valid_o(ar_valid), .ar_ready_i,
    .ar_addr_o(ar_addr), .ar_len_o(ar_len), .r_valid_i, .r_ready_o(r_ready), .r_data_i, .r_last_i
  );

  // Each request is a legal burst: from a whole beat on, at most BurstBeats of them, within a page.
  logic [Requesters-1:0] legal;
  always_comb begin
    for (int i = 0; i < Requesters; i++) begin
      legal[i] = (32'(req_addr_i[i*32 +: 12]) % BeatBytes == '0) && (req_len_i[i*LenBits +: LenBits] != '0)
                 && (32'(req_len_i[i*LenBits +: LenBits]) <= BurstBeats)
                 && (32'(req_addr_i[i*32 +: 12]) + 32'(req_len_i[i*LenBits +: LenBits]) * BeatBytes <= 4096);
    end
  end

  logic        stood_q;
  logic [31:0] addr_q;
  logic [7:0]  len_q;
  always_ff @(posedge clk_i) begin
    stood_q <= rst_ni & ar_valid & ~ar_ready_i;
    addr_q  <= ar_addr;
    len_q   <= ar_len;
  end

  initial assume (!rst_ni);

  always @(posedge clk_i) if (rst_ni) begin
    m_legal: assume ((req_valid_i & ~legal) == '0);

    a_valid: assert (!stood_q || ar_valid);
    a_same:  assert (!stood_q || (ar_addr == addr_q && ar_len == len_q));
    a_limit: assert (!ar_valid || 32'(ar_len) < BurstBeats);
    a_whole: assert (!ar_valid || 32'(ar_addr[11:0]) % BeatBytes == '0);
    a_page:  assert (!ar_valid || 32'(ar_addr[11:0]) + (32'(ar_len) + 1) * BeatBytes <= 4096);

    c_wait:  cover (stood_q && ar_ready_i);
    c_page:  cover (ar_valid && 32'(ar_addr[11:0]) + (32'(ar_len) + 1) * BeatBytes == 4096);
  end

endmodule
