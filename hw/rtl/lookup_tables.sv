// SPDX-License-Identifier: Apache-2.0
// Copies of a table of values by number, one for each who looks values up in the same cycle: what lanes of an ALU take
// from it in the cycle in which they ask. All are written at once, a cycle after the write is there.
//
// Tools make each of LUTs, with one address: what is read while something is written means nothing, and the ISA's tokens
// keep the two apart.
`ifndef MUTANT  // a fault that tests plant: tests/hw/mutants.sv
`define MUTANT(name) 1'b0
`endif

module lookup_tables #(
  parameter  int unsigned Width  = 8,
  parameter  int unsigned Depth  = 256,
  parameter  int unsigned Copies = 1,
  localparam int unsigned AddrBits = (Depth > 1) ? $clog2(Depth) : 1
) (
  input  logic                       clk_i,
  input  logic                       we_i,
  input  logic [AddrBits-1:0]        waddr_i,
  input  logic [Width-1:0]           wdata_i,
  input  logic [Copies*AddrBits-1:0] index_i,
  output logic [Copies*Width-1:0]    data_o
);

  logic                we_q;
  logic [AddrBits-1:0] waddr_q;
  logic [Width-1:0]    wdata_q;

  always_ff @(posedge clk_i) begin
    we_q    <= we_i;
    waddr_q <= waddr_i & ~(AddrBits'(`MUTANT(LookupHalf)) << (AddrBits - 1));
    wdata_q <= wdata_i;
  end

`ifdef VERILATOR
  // Copies are alike: a simulator has one, and looks at, and fills, its contents from outside.
  logic [Width-1:0] mem [0:Depth-1] /* verilator public_flat_rw */;

  always_ff @(posedge clk_i) if (we_q) mem[waddr_q] <= wdata_q;
  for (genvar c = 0; c < Copies; c++) begin : gen_copy
    assign data_o[c*Width +: Width] = mem[index_i[c*AddrBits +: AddrBits]];
  end
`else
  for (genvar c = 0; c < Copies; c++) begin : gen_lane
    logic [Width-1:0]    mem [0:Depth-1];
    logic [AddrBits-1:0] addr;

    assign addr = we_q ? waddr_q : index_i[c*AddrBits +: AddrBits];
    always_ff @(posedge clk_i) if (we_q) mem[addr] <= wdata_q;
    assign data_o[c*Width +: Width] = mem[addr];
  end
`endif

endmodule
