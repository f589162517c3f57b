// SPDX-License-Identifier: Apache-2.0
// Executes gemm: for each step of the nest, acc[dst] += inp[src] * wgt[wgt] over one tile. Which instruction comes when
// is issue.sv's; the memories stand outside. With PerLane the tile is no product of matrices: each lane is multiplied
// by its own, acc[b, c] += inp[b, c] * wgt[c], for c < BlockOut, and BlockIn is 1. With Taps, rows_i makes it one along
// rows (loop_nest.sv): each step reads an element, and where it is an iteration's last one, acc gets what mac_array.sv
// makes of the Taps read last. Of Lines rows, src_row_i elements behind each other, it reads one each, from copies of the
// memory, and makes one sum of all of them.
//
// A step a cycle. Issued in cycle t, n steps: retires at t + n + Latency, ready for the next at t + n (with Overlap), else
// in the cycle after the retirement. Step s0 reads its micro-op in s0, the tiles in s0 + 3, multiplies from s0 + 6 on,
// adds in s0 + 9 + Levels, and writes in s0 + 10 + Levels: one cycle after the earliest retirement, when nobody can see
// the retirement yet.
`ifndef MUTANT  // a fault that tests plant: tests/hw/mutants.sv
`define MUTANT(name) 1'b0
`endif

module gemm_unit #(
  parameter  int unsigned Batch     = 1,
  parameter  int unsigned BlockIn   = 16,
  parameter  int unsigned BlockOut  = 16,
  parameter  bit          PerLane   = 1'b0,
  parameter  int unsigned InpBits   = 8,
  parameter  int unsigned WgtBits   = 8,
  parameter  int unsigned MacsPerDsp = 1,  // 1 or 2: see mac_array.sv
  parameter  int unsigned LutInputs = 0,   // see there
  parameter  int unsigned Taps      = 0,   // 0: no rows; BlockIn and BlockOut are equal otherwise
  parameter  int unsigned Lines     = 1,   // at least 1
  parameter  int unsigned Group     = 1,   // channels that are multiplied with each other along rows
  parameter  int unsigned AccBits   = 32,
  parameter  int unsigned UopBits   = 10,   // address of a micro-op
  parameter  int unsigned IterBits  = 14,
  parameter  int unsigned DstBits   = 11,   // addresses of acc, inp, wgt
  parameter  int unsigned SrcBits   = 11,
  parameter  int unsigned SideBits  = 10,
  parameter  int unsigned IndexBits = 11,   // the widest of them
  parameter  int unsigned UopWidth  = 32,   // bits of a micro-op, and where its fields stand
  parameter  int unsigned UopDst    = 0,
  parameter  int unsigned UopSrc    = 11,
  parameter  int unsigned UopSide   = 22,
  parameter  int unsigned UopDstBits  = 11, // how wide its fields are: offsets may be narrower than an address
  parameter  int unsigned UopSrcBits  = 11,
  parameter  int unsigned UopSideBits = 10,
  parameter  int unsigned Latency   = 13,   // at least 9 + Levels
  parameter  bit          Overlap   = 1'b1,
  parameter  int unsigned TagBits   = 1,
  localparam int unsigned SrcLanes  = PerLane ? BlockOut : BlockIn,
  localparam int unsigned TileBits  = Batch * SrcLanes * InpBits,
  localparam int unsigned Levels    = $clog2(BlockIn),
  localparam int unsigned SumBits   = InpBits + WgtBits + Levels,
  localparam int unsigned InFlight  = Latency + 2,
  localparam int unsigned CountBits = $clog2(InFlight + 1)
) (
  input  logic                                clk_i,
  input  logic                                rst_ni,
  output logic                                ready_o,
  output logic                                idle_o,      // nothing is in flight
  output logic                                busy_o,      // an instruction is in flight (the ledger's busy)
  output logic                                step_o,      // a step begins in this cycle
  input  logic                                issue_i,
  input  logic                                sync_i,      // only takes and gives tokens
  input  logic                                overwrite_i, // sums replace the accumulators
  input  logic                                zero_i,      // zeros replace the accumulators
  input  logic                                rows_i,      // along rows
  input  logic [UopBits-1:0]                  uop_begin_i,
  input  logic [UopBits:0]                    uop_end_i,
  input  logic [IterBits-1:0]                 iter_out_i,
  input  logic [IterBits-1:0]                 iter_in_i,
  input  logic [3*IndexBits-1:0]              base_i,      // dst, src, wgt from the lowest
  input  logic [3*IndexBits-1:0]              outer_i,
  input  logic [3*IndexBits-1:0]              inner_i,
  input  logic [SrcBits-1:0]                  src_row_i,   // elements from row to row
  input  logic [TagBits-1:0]                  tag_i,       // comes back at retirement
  output logic                                retire_o,
  output logic [TagBits-1:0]                  retire_tag_o,
  // Micro-ops, two cycles after their address.
  output logic                                uop_re_o,
  output logic [UopBits-1:0]                  uop_addr_o,
  input  logic [UopWidth-1:0]                 uop_data_i,
  // Tiles, three cycles after their address. Of each copy of the memory one, those behind the first only along rows.
  output logic [Lines-1:0]                    src_re_o,
  output logic [Lines*SrcBits-1:0]            src_addr_o,
  input  logic [Lines*TileBits-1:0]           src_data_i,
  output logic                                side_re_o,
  output logic [SideBits-1:0]                 side_addr_o,
  input  logic [BlockOut*BlockIn*WgtBits-1:0] side_data_i,
  output logic                                dst_re_o,
  output logic [DstBits-1:0]                  dst_raddr_o,
  input  logic [Batch*BlockOut*AccBits-1:0]   dst_rdata_i,
  output logic                                dst_we_o,
  output logic [DstBits-1:0]                  dst_waddr_o,
  output logic [Batch*BlockOut*AccBits-1:0]   dst_wdata_o
);

  // ---- Loops (s0).
  logic                   empty, nest_ready, step, fire, last;
  logic [3*IndexBits-1:0] index;
  logic                   overwrite_q, zero_q, rows_q;
  logic [TagBits-1:0]     tag_q;

  assign empty = sync_i | (iter_out_i == '0) | (iter_in_i == '0) | ({1'b0, uop_begin_i} >= uop_end_i);

  loop_nest #(.UopBits(UopBits), .IterBits(IterBits), .Indices(3), .IndexBits(IndexBits), .Taps(Taps), .RowIndex(1)) i_nest (
    .clk_i,
    .rst_ni,
    .ready_o(nest_ready),
    .start_i(issue_i),
    .advance_i(1'b1),
    .empty_i(empty),
    .rows_i,
    .uop_begin_i,
    .uop_end_i,
    .iter_out_i,
    .iter_in_i,
    .base_i,
    .outer_i,
    .inner_i,
    .step_o (step),
    .fire_o (fire),
    .last_o (last),
    .uop_o  (uop_addr_o),
    .index_o(index)
  );
  assign uop_re_o = step;
  assign step_o   = step;

  always_ff @(posedge clk_i) begin
    if (issue_i) begin
      overwrite_q <= overwrite_i;
      zero_q      <= zero_i;
      rows_q      <= rows_i;
      tag_q       <= tag_i;
    end
  end

  // ---- Indices (s0 + 2, registered for s0 + 3).
  logic [4:0]             control, control2, control3;   // rows, fire, zero, overwrite, step
  logic [3*IndexBits-1:0] index2;
  logic [DstBits-1:0]     dst_d, dst_q;
  logic [SrcBits-1:0]     src_d, src_q;
  logic [SideBits-1:0]    side_d, side_q;

  assign control = {rows_q, fire, zero_q, overwrite_q, step};
  delay #(.Width(3*IndexBits), .Stages(2)) i_index2 (.clk_i, .rst_ni, .data_i(index), .data_o(index2));
  delay #(.Width(5), .Stages(2), .HasReset(1'b1)) i_control2 (.clk_i, .rst_ni, .data_i(control), .data_o(control2));
  delay #(.Width(5), .Stages(1), .HasReset(1'b1)) i_control3 (.clk_i, .rst_ni, .data_i(control2), .data_o(control3));

  assign dst_d  = DstBits'(index2[0 +: IndexBits] + IndexBits'(uop_data_i[UopDst +: UopDstBits]));
  assign src_d  = SrcBits'(index2[IndexBits +: IndexBits] + IndexBits'(uop_data_i[UopSrc +: UopSrcBits]));
  assign side_d = SideBits'(index2[2*IndexBits +: IndexBits] + IndexBits'(uop_data_i[UopSide +: UopSideBits]));

  always_ff @(posedge clk_i) begin
    dst_q  <= dst_d;
    src_q  <= src_d;
    side_q <= side_d;
  end

  assign src_re_o[0] = control3[0] & ~control3[2];  // a reset reads no tiles: it holds none of their banks
  assign src_addr_o[SrcBits-1:0] = src_q;
  assign side_re_o   = control3[3] & ~control3[2];
  assign side_addr_o = side_q;

  // Rows behind the first: how far is added in s0, so that the micro-op's part is the only one left in s0 + 2.
  for (genvar r = 1; r < Lines; r++) begin : gen_line
    logic [SrcBits-1:0] behind_q, index1_q, index2_q, addr_q;

    always_ff @(posedge clk_i) begin
      if (issue_i) behind_q <= SrcBits'(r * 32'(src_row_i));
      if (rows_q) index1_q <= SrcBits'(index[IndexBits +: IndexBits]) + (`MUTANT(PitchForgotten) ? '0 : behind_q);
      index2_q <= index1_q;
      if (control2[4]) addr_q <= index2_q + SrcBits'(uop_data_i[UopSrc +: UopSrcBits]);
    end
    assign src_re_o[r] = control3[4] & control3[0] & ~control3[2];
    assign src_addr_o[r*SrcBits +: SrcBits] = addr_q;
  end

  // ---- Tiles (s0 + 6), sums (s0 + 9 + Levels).
  logic                             tile_valid, tile_rows;
  logic [Batch*BlockOut*SumBits-1:0] sum;

  delay #(.Width(1), .Stages(3), .HasReset(1'b1)) i_tile_valid (
    .clk_i, .rst_ni, .data_i(control3[0]), .data_o(tile_valid)
  );
  delay #(.Width(1), .Stages(3)) i_tile_rows (.clk_i, .rst_ni, .data_i(control3[4]), .data_o(tile_rows));

  if (PerLane) begin : gen_lanes
    for (genvar l = 0; l < Batch * BlockOut; l++) begin : gen_lane
      mac_array #(
        .Batch(1), .BlockIn(1), .BlockOut(1), .InpBits(InpBits), .WgtBits(WgtBits)
      ) i_array (
        .clk_i,
        .rst_ni,
        .valid_i(tile_valid),
        .rows_i (1'b0),
        .inp_i  (src_data_i[l*InpBits +: InpBits]),
        .wgt_i  (side_data_i[l%BlockOut*WgtBits +: WgtBits]),
        .sum_o  (sum[l*SumBits +: SumBits])
      );
    end
  end else begin : gen_tile
    mac_array #(
      .Batch(Batch), .BlockIn(BlockIn), .BlockOut(BlockOut), .InpBits(InpBits), .WgtBits(WgtBits),
      .MacsPerDsp(MacsPerDsp), .LutInputs(LutInputs), .Taps(Taps), .Lines(Lines), .Group(Group)
    ) i_array (
      .clk_i, .rst_ni, .valid_i(tile_valid), .rows_i(tile_rows), .inp_i(src_data_i), .wgt_i(side_data_i), .sum_o(sum)
    );
  end

  // ---- Accumulation: reads in s0 + 6 + Levels, so that the element meets its sum.
  logic [2:0]         control_acc;
  logic [DstBits-1:0] dst_acc;

  delay #(.Width(3), .Stages(3 + Levels), .HasReset(1'b1)) i_control_acc (
    .clk_i, .rst_ni, .data_i(control3[3:1]), .data_o(control_acc)
  );
  delay #(.Width(DstBits), .Stages(3 + Levels)) i_dst_acc (.clk_i, .rst_ni, .data_i(dst_q), .data_o(dst_acc));

  accumulator #(
    .Lanes(Batch*BlockOut), .SumBits(SumBits), .AccBits(AccBits), .AddrBits(DstBits)
  ) i_accumulator (
    .clk_i,
    .rst_ni,
    .valid_i    (control_acc[2]),
    .overwrite_i(control_acc[0]),
    .zero_i     (control_acc[1]),
    .addr_i     (dst_acc),
    .sum_i      (sum),
    .re_o       (dst_re_o),
    .raddr_o    (dst_raddr_o),
    .rdata_i    (dst_rdata_i),
    .we_o       (dst_we_o),
    .waddr_o    (dst_waddr_o),
    .wdata_o    (dst_wdata_o)
  );

  if (PerLane || Lines == 1) begin : gen_unused_rows
    logic unused_rows;
    assign unused_rows = ^{tile_rows, src_row_i};
  end

  // ---- Retirement.
  logic [CountBits-1:0] flying_d, flying_q;

  delay #(.Width(1), .Stages(Latency), .HasReset(1'b1)) i_retire (
    .clk_i, .rst_ni, .data_i(last), .data_o(retire_o)
  );
  delay #(.Width(TagBits), .Stages(Latency)) i_tag (.clk_i, .rst_ni, .data_i(tag_q), .data_o(retire_tag_o));

  assign flying_d = flying_q + CountBits'(issue_i) - CountBits'(retire_o);
  assign idle_o   = flying_q == '0;
  assign busy_o   = issue_i | ~idle_o;
  assign ready_o  = Overlap ? nest_ready : idle_o;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) flying_q <= '0;
    else         flying_q <= flying_d;
  end

endmodule
