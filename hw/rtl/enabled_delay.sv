// SPDX-License-Identifier: Apache-2.0
// A value Stages enabled cycles later: delay.sv for data that stand still while nothing needs them.
module enabled_delay #(
  parameter int unsigned Width  = 1,
  parameter int unsigned Stages = 1
) (
  input  logic             clk_i,
  input  logic             enable_i,
  input  logic [Width-1:0] data_i,
  output logic [Width-1:0] data_o
);

  if (Stages == 0) begin : gen_wire
    logic unused_clock;
    assign unused_clock = clk_i ^ enable_i;
    assign data_o = data_i;
  end else begin : gen_line
    logic [Stages*Width-1:0] line_q;   // the oldest on top
    if (Stages == 1) begin : gen_one
      always_ff @(posedge clk_i) if (enable_i) line_q <= data_i;
    end else begin : gen_more
      always_ff @(posedge clk_i) if (enable_i) line_q <= {line_q[(Stages-1)*Width-1:0], data_i};
    end
    assign data_o = line_q[Stages*Width-1 -: Width];
  end

endmodule
