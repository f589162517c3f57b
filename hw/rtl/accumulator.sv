// SPDX-License-Identifier: Apache-2.0
// Adds sums to elements of the accumulator memory, one element a cycle, at any distance: a step sees the results of all
// steps before it, whether they are written yet or not.
//
// A step that comes in cycle t reads its element in t, takes its sum (sum_i) in t + 3 and writes in t + 4. Results of
// the last four cycles are not in what was read, and are forwarded.
`ifndef MUTANT  // a fault that tests plant: tests/hw/mutants.sv
`define MUTANT(name) 1'b0
`endif

module accumulator #(
  parameter int unsigned Lanes    = 16,
  parameter int unsigned SumBits  = 20,
  parameter int unsigned AccBits  = 32,
  parameter int unsigned AddrBits = 11
) (
  input  logic                     clk_i,
  input  logic                     rst_ni,
  input  logic                     valid_i,
  input  logic                     overwrite_i,  // the sum replaces the element
  input  logic                     zero_i,       // zero replaces the element
  input  logic [AddrBits-1:0]      addr_i,
  input  logic [Lanes*SumBits-1:0] sum_i,        // of the step that came three cycles ago
  output logic                     re_o,
  output logic [AddrBits-1:0]      raddr_o,
  input  logic [Lanes*AccBits-1:0] rdata_i,
  output logic                     we_o,
  output logic [AddrBits-1:0]      waddr_o,
  output logic [Lanes*AccBits-1:0] wdata_o
);

  localparam int unsigned Forwards = 4;
  localparam int unsigned Width    = Lanes * AccBits;

  // A step is at stage s in the s-th cycle after it came; [s-1] below.
  logic [Forwards+1:0]          valid_q;                   // stages 1 to 6
  logic [(Forwards+2)*AddrBits-1:0] addr_q;
  logic [2:0]                   overwrite_q, zero_q;       // stages 1 to 3
  logic [Forwards-1:0]          match_d, match_q;          // the step d + 1 cycles before had this address
  logic [Forwards*Width-1:0]    result_q;                  // stages 4 to 7
  logic [Width-1:0]             old, result_d;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) valid_q <= '0;
    else         valid_q <= {valid_q[Forwards:0], valid_i};
  end

  always_ff @(posedge clk_i) begin
    addr_q      <= {addr_q[(Forwards+1)*AddrBits-1:0], addr_i};
    overwrite_q <= {overwrite_q[1:0], overwrite_i | zero_i};
    zero_q      <= {zero_q[1:0], zero_i};
  end

  // At stage 2: which of the four results before it is the newest for its address?
  always_comb begin
    match_d = '0;
    for (int d = Forwards - 1; d >= 0; d--) begin
      if (valid_q[d+2] & (addr_q[(d+2)*AddrBits +: AddrBits] == addr_q[AddrBits +: AddrBits])) begin
        match_d    = '0;
        match_d[d] = 1'b1;
      end
    end
  end
  always_ff @(posedge clk_i) match_q <= match_d;

  // At stage 3: the sum is there.
  always_comb begin
    old = rdata_i;
    for (int d = 0; d < Forwards; d++) begin
      if (match_q[d] & ~(`MUTANT(ForwardsLittle) & (d == 0))) old = result_q[d*Width +: Width];
    end
    if (overwrite_q[2]) old = '0;
  end

  for (genvar l = 0; l < Lanes; l++) begin : gen_lane
    logic signed [SumBits-1:0] sum;
    assign sum = zero_q[2] ? '0 : sum_i[l*SumBits +: SumBits];
    assign result_d[l*AccBits +: AccBits] = old[l*AccBits +: AccBits] + (`MUTANT(SumUnsigned) ? AccBits'($unsigned(sum)) : AccBits'(sum));
  end

  always_ff @(posedge clk_i) begin
    if (|valid_q[Forwards+1:2]) result_q <= {result_q[(Forwards-1)*Width-1:0], result_d};
  end

  assign re_o    = valid_i;
  assign raddr_o = addr_i;
  assign we_o    = valid_q[3];
  assign waddr_o = addr_q[3*AddrBits +: AddrBits];
  assign wdata_o = result_q[Width-1:0];

endmodule
