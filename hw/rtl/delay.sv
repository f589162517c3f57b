// SPDX-License-Identifier: Apache-2.0
// A value Stages cycles later. Valid bits that come along are reset by HasReset; data need no reset.
module delay #(
  parameter int unsigned Width    = 1,
  parameter int unsigned Stages   = 1,
  parameter bit          HasReset = 1'b0
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic [Width-1:0] data_i,
  output logic [Width-1:0] data_o
);

  if (Stages == 0) begin : gen_wire
    logic unused_clock;
    assign unused_clock = clk_i ^ rst_ni;
    assign data_o = data_i;
  end else begin : gen_line
    localparam int unsigned Bits = Width * Stages;
    logic [Bits-1:0] line_d, line_q;   // the oldest on top
    if (Stages == 1) begin : gen_one
      assign line_d = data_i;
    end else begin : gen_more
      assign line_d = {line_q[Bits-Width-1:0], data_i};
    end
    assign data_o = line_q[Bits-1 -: Width];
    if (HasReset) begin : gen_reset
      always_ff @(posedge clk_i) begin
        if (!rst_ni) line_q <= '0;
        else         line_q <= line_d;
      end
    end else begin : gen_no_reset
      logic unused_reset;
      assign unused_reset = rst_ni;
      always_ff @(posedge clk_i) line_q <= line_d;
    end
  end

endmodule
