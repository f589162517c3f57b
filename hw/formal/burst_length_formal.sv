// SPDX-License-Identifier: Apache-2.0
// What burst_length.sv promises for every address and every run: at least one beat, not across a 4 KiB boundary, not
// above the limit nor beyond the run, and as long as these allow. Combinational: one step proves it.
module burst_length_formal #(
  parameter  int unsigned PortBits   = 64,
  parameter  int unsigned BurstBeats = 16,
  parameter  int unsigned LeftBits   = 16,
  localparam int unsigned LenBits    = $clog2(BurstBeats + 1)
) (
  input logic                clk_i,
  input logic [11:0]         addr_i,
  input logic [LeftBits-1:0] left_i
);

  localparam int unsigned BeatBytes = PortBits / 8;

  logic [LenBits-1:0] len;
  logic [31:0]        first, past;  // bytes in the page: of the first beat, one past the last

  burst_length #(.PortBits(PortBits), .BurstBeats(BurstBeats), .LeftBits(LeftBits)) dut (.addr_i, .left_i, .len_o(len));

  assign first = 32'(addr_i) / BeatBytes * BeatBytes;
  assign past  = first + 32'(len) * BeatBytes;

  always @(posedge clk_i) begin
    // The run has a beat left.
    m_left:  assume (left_i != '0);

    a_some:  assert (len != '0);
    a_limit: assert (len <= BurstBeats);
    a_run:   assert (len <= left_i);
    a_page:  assert (past <= 4096);
    a_whole: assert (len == BurstBeats || len == left_i || past == 4096);

    c_limit: cover (len == BurstBeats);
    c_page:  cover (past == 4096 && len < left_i && len == 1);
  end

endmodule
