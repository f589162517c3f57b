// SPDX-License-Identifier: Apache-2.0
// One read and one write port, written so that tools infer block RAM with its output register. A word is written in
// slices of SliceBits, the last of what is left, each with an enable of its own. Ports and banks are memory.sv's.
//
// An address read in cycle t gives its data at t + 2; what was written in cycle t is read from t + 1 on. Reading the
// address that is written in the same cycle gives the old data.
module ram #(
  parameter  int unsigned Width = 8,
  parameter  int unsigned Depth = 16,
  parameter  int unsigned SliceBits = Width,
  localparam int unsigned AddrBits = (Depth > 1) ? $clog2(Depth) : 1,
  localparam int unsigned Slices = (Width + SliceBits - 1) / SliceBits,
  localparam int unsigned Whole = Width / SliceBits,   // slices that are not shorter
  localparam int unsigned Last = (Slices > Whole) ? Whole * SliceBits : 0   // first bit of the one that is
) (
  input  logic                clk_i,
  input  logic                re_i,
  input  logic [AddrBits-1:0] raddr_i,
  output logic [Width-1:0]    rdata_o,
  input  logic [Slices-1:0]   we_i,
  input  logic [AddrBits-1:0] waddr_i,
  input  logic [Width-1:0]    wdata_i
);

  // Simulators look at, and fill, the contents from outside.
  logic [Width-1:0] mem [0:Depth-1] /* verilator public_flat_rw */;
  logic             re_q;
  logic [Width-1:0] latch_q, rdata_q;

`ifdef COSIM_STOP_CLOCKS   // a simulator of whole networks: what follows in one write, not one a slice, which is quicker
  always_ff @(posedge clk_i) begin
    if (we_i != '0) begin
      automatic logic [Width-1:0] word = wdata_i;
      for (int i = 0; i < Whole; i++) begin
        if (!we_i[i]) word[i*SliceBits +: SliceBits] = mem[waddr_i][i*SliceBits +: SliceBits];
      end
      if (Slices > Whole) begin
        if (!we_i[Slices-1]) word[Width-1:Last] = mem[waddr_i][Width-1:Last];
      end
      mem[waddr_i] <= word;
    end
  end
`else
  always_ff @(posedge clk_i) begin
    if (we_i != '0) begin
      for (int i = 0; i < Whole; i++) begin
        if (we_i[i]) mem[waddr_i][i*SliceBits +: SliceBits] <= wdata_i[i*SliceBits +: SliceBits];
      end
      if (Slices > Whole) begin
        if (we_i[Slices-1]) mem[waddr_i][Width-1:Last] <= wdata_i[Width-1:Last];
      end
    end
  end
`endif

  always_ff @(posedge clk_i) begin
    if (re_i) latch_q <= mem[raddr_i];
    re_q <= re_i;
    if (re_q) rdata_q <= latch_q;
  end

  assign rdata_o = rdata_q;

endmodule
