// SPDX-License-Identifier: Apache-2.0
// Sequences alu instructions: loops, operand reads, and when the datapath works and its result is written. What an op
// computes, and which operands it reads when, the generated datapath and operand table say.
//
// A step takes Groups x reads cycles: for each group of lanes one for each element it reads of one memory. Issued in
// cycle t, n steps: retires at t + n x that + Latency; ready for the next in the cycle after the retirement. The last read
// of a group in cycle s: operands are there, and fire_o is high, in s + 6; the result is written in s + 7 + Stages.
`ifndef MUTANT  // a fault that tests plant: tests/hw/mutants.sv
`define MUTANT(name) 1'b0
`endif

module alu_unit #(
  parameter  int unsigned             UopBits   = 10,   // address of a micro-op
  parameter  int unsigned             IterBits  = 14,
  parameter  int unsigned             Indices   = 3,
  parameter  int unsigned             IndexBits = 11,   // the widest
  parameter  int unsigned             UopWidth  = 32,   // bits of a micro-op, and where its fields stand
  parameter  logic [Indices*32-1:0]   UopOffset = '0,
  parameter  logic [Indices*32-1:0]   UopField  = {Indices{32'd1}},  // bits of each
  parameter  int unsigned             Reads     = 1,    // memories it reads
  parameter  int unsigned             Writes    = 1,    // memories its results go to
  parameter  int unsigned             Groups    = 1,    // of lanes, one after the other
  parameter  logic [Reads*32-1:0]     Parts     = {Reads{32'd1}},  // of each memory: elements that one of the result takes,
  parameter  logic [Reads*32-1:0]     PartGroups = {Reads{32'd1}}, // and groups that read one of them before the next
  parameter  int unsigned             Stages    = 0,    // registers in the datapath
  parameter  int unsigned             Latency   = 6,    // at least 6 + Stages
  parameter  int unsigned             TagBits   = 1,
  localparam int unsigned             GroupBits = (Groups > 1) ? $clog2(Groups) : 1
) (
  input  logic                         clk_i,
  input  logic                         rst_ni,
  output logic                         ready_o,
  output logic                         idle_o,      // nothing is in flight
  output logic                         busy_o,      // an instruction is in flight (the ledger's busy)
  output logic                         step_o,      // a step ends in this cycle
  input  logic                         issue_i,
  input  logic                         sync_i,      // only takes and gives tokens
  input  logic [UopBits-1:0]           uop_begin_i,
  input  logic [UopBits:0]             uop_end_i,
  input  logic [IterBits-1:0]          iter_out_i,
  input  logic [IterBits-1:0]          iter_in_i,
  input  logic [Indices*IndexBits-1:0] base_i,
  input  logic [Indices*IndexBits-1:0] outer_i,
  input  logic [Indices*IndexBits-1:0] inner_i,
  input  logic [TagBits-1:0]           tag_i,       // comes back at retirement
  output logic                         retire_o,
  output logic [TagBits-1:0]           retire_tag_o,
  // The operand table, for the op that is executed.
  input  logic                         twice_i,     // reads some memory twice a step
  input  logic [Reads-1:0]             first_i,     // memories read in a step's first cycle
  input  logic [Reads-1:0]             second_i,    // memories read in its second cycle
  input  logic [Reads*Indices-1:0]     first_index_i,   // by which index: one bit each
  input  logic [Reads*Indices-1:0]     second_index_i,
  input  logic [Indices-1:0]           result_index_i,
  input  logic [Writes-1:0]            result_memory_i,
  // Micro-ops, two cycles after their address.
  output logic                         uop_re_o,
  output logic [UopBits-1:0]           uop_addr_o,
  input  logic [UopWidth-1:0]          uop_data_i,
  // Operands, three cycles after their address.
  output logic [Reads-1:0]             re_o,
  output logic [Reads*IndexBits-1:0]   raddr_o,
  // Datapath.
  output logic                         active_o,    // operands may be under way: it stands still otherwise
  output logic                         fire_o,
  output logic [GroupBits-1:0]         group_o,     // lanes that fire
  output logic [Writes-1:0]            we_o,        // Stages + 1 cycles later: their results are there
  output logic [GroupBits-1:0]         wgroup_o,
  output logic [IndexBits-1:0]         waddr_o
);

  // ---- Loops, and the cycles of a step.
  logic                         empty, sync_q, nest_ready, step, last, advance, second_cycle;
  logic                         second_d, second_q;   // the second of two reads
  logic [GroupBits-1:0]         group_d, group_q;
  logic [Indices*IndexBits-1:0] index;
  logic [TagBits-1:0]           tag_q;

  assign empty   = sync_i | (iter_out_i == '0) | (iter_in_i == '0) | ({1'b0, uop_begin_i} >= uop_end_i);
  assign second_cycle = ~twice_i | second_q;
  assign advance = sync_q | (second_cycle & (group_q == GroupBits'(Groups - 1)));

  logic unused_fire;   // every step is one

  loop_nest #(.UopBits(UopBits), .IterBits(IterBits), .Indices(Indices), .IndexBits(IndexBits)) i_nest (
    .clk_i,
    .rst_ni,
    .ready_o  (nest_ready),
    .start_i  (issue_i),
    .advance_i(advance),
    .empty_i  (empty),
    .rows_i   (1'b0),
    .uop_begin_i,
    .uop_end_i,
    .iter_out_i,
    .iter_in_i,
    .base_i,
    .outer_i,
    .inner_i,
    .step_o   (step),
    .fire_o   (unused_fire),
    .last_o   (last),
    .uop_o    (uop_addr_o),
    .index_o  (index)
  );
  assign uop_re_o = step;
  assign step_o   = step & advance;

  always_comb begin
    second_d = second_q;
    group_d  = group_q;
    if (issue_i) begin
      second_d = 1'b0;
      group_d  = '0;
    end else if (second_cycle) begin
      second_d = 1'b0;
      group_d  = advance ? '0 : group_q + 1'b1;
    end else begin
      second_d = 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    second_q <= second_d;
    group_q  <= group_d;
    if (issue_i) begin
      sync_q <= sync_i;
      tag_q  <= tag_i;
    end
  end

  // ---- Indices (two cycles later), and one cycle after that the addresses.
  logic [Indices*IndexBits-1:0] index2, sum2;
  logic [Reads*Indices*IndexBits-1:0] sums2;  // of each memory: the part that a group reads is added
  logic                         step2, second2, fires2, step3, fires3;
  logic [GroupBits-1:0]         group2, group3;
  logic [Reads-1:0]             re_d, re_q;
  logic [Reads*IndexBits-1:0]   raddr_d, raddr_q;
  logic [IndexBits-1:0]         dst_d, dst_q;

  delay #(.Width(Indices*IndexBits), .Stages(2)) i_index2 (.clk_i, .rst_ni, .data_i(index), .data_o(index2));
  delay #(.Width(1), .Stages(2), .HasReset(1'b1)) i_step2 (.clk_i, .rst_ni, .data_i(step), .data_o(step2));
  delay #(.Width(2 + GroupBits), .Stages(2)) i_cycle2 (
    .clk_i, .rst_ni, .data_i({second_q, second_cycle, group_q}), .data_o({second2, fires2, group2})
  );

  for (genvar k = 0; k < Indices; k++) begin : gen_index
    localparam int unsigned Offset = UopOffset[k*32 +: 32];
    localparam int unsigned Bits   = UopField[k*32 +: 32];
    assign sum2[k*IndexBits +: IndexBits] = index2[k*IndexBits +: IndexBits] + IndexBits'(uop_data_i[Offset +: Bits]);
    for (genvar m = 0; m < Reads; m++) begin : gen_sum
      if (Parts[m*32 +: 32] == 1) begin : gen_whole
        assign sums2[(m*Indices+k)*IndexBits +: IndexBits] = sum2[k*IndexBits +: IndexBits];
      end else begin : gen_parts
        logic [IndexBits-1:0] part, part_q, whole_q, index_q;
        always_comb begin
          part = '0;
          for (int unsigned g = 0; g < Groups; g++) begin
            if (group_q == GroupBits'(g)) part = IndexBits'((g / PartGroups[m*32 +: 32]) % Parts[m*32 +: 32]);
          end
        end
        always_ff @(posedge clk_i) begin
          part_q  <= part;
          whole_q <= index[k*IndexBits +: IndexBits];
          index_q <= whole_q + part_q;
        end
        assign sums2[(m*Indices+k)*IndexBits +: IndexBits] = index_q + IndexBits'(uop_data_i[Offset +: Bits]);
      end
    end
  end

  always_comb begin
    raddr_d = '0;
    dst_d   = '0;
    re_d    = step2 ? (second2 ? second_i : first_i) : '0;
    for (int k = 0; k < Indices; k++) begin
      for (int m = 0; m < Reads; m++) begin
        if (second2 ? second_index_i[m*Indices+k] : first_index_i[m*Indices+k]) begin
          raddr_d[m*IndexBits +: IndexBits] =
              raddr_d[m*IndexBits +: IndexBits] | sums2[(m*Indices+k)*IndexBits +: IndexBits];
        end
      end
      if (result_index_i[k]) dst_d = dst_d | sum2[k*IndexBits +: IndexBits];
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      re_q  <= '0;
      step3 <= 1'b0;
    end else begin
      re_q  <= re_d;
      step3 <= step2;
    end
  end

  always_ff @(posedge clk_i) begin
    raddr_q <= raddr_d;
    dst_q   <= dst_d;
    fires3  <= fires2;
    group3  <= group2;
  end

  assign re_o    = re_q;
  assign raddr_o = raddr_q;

  // ---- The datapath fires when the last operand is there, and gives its result Stages + 1 cycles later.
  delay #(.Width(1), .Stages(3), .HasReset(1'b1)) i_fire (.clk_i, .rst_ni, .data_i(step3 & fires3), .data_o(fire_o));
  delay #(.Width(GroupBits), .Stages(3)) i_group (.clk_i, .rst_ni, .data_i(group3), .data_o(group_o));
  logic written;

  delay #(.Width(1), .Stages(Stages), .HasReset(1'b1)) i_written (.clk_i, .rst_ni, .data_i(fire_o), .data_o(written));
  delay #(.Width(Writes), .Stages(1), .HasReset(1'b1)) i_we (
    .clk_i, .rst_ni, .data_i({Writes{written}} & result_memory_i), .data_o(we_o)
  );
  delay #(.Width(GroupBits), .Stages(Stages + 1)) i_wgroup (
    .clk_i, .rst_ni, .data_i(group_o), .data_o(wgroup_o)
  );
  delay #(.Width(IndexBits), .Stages(Stages + 4)) i_waddr (.clk_i, .rst_ni, .data_i(dst_q), .data_o(waddr_o));

  // ---- Retirement: one instruction at a time. The last result is there a cycle after it.
  logic flying_d, flying_q, active_q;

  delay #(.Width(1), .Stages(Latency), .HasReset(1'b1)) i_retire (
    .clk_i, .rst_ni, .data_i(last & advance), .data_o(retire_o)
  );
  assign retire_tag_o = tag_q;
  assign flying_d     = issue_i | (flying_q & ~retire_o);
  assign idle_o       = ~flying_q | (`MUTANT(AluReadyEarly) & retire_o);
  assign ready_o      = idle_o;
  assign busy_o       = issue_i | ~idle_o;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) flying_q <= 1'b0;
    else         flying_q <= flying_d;
  end

  always_ff @(posedge clk_i) active_q <= flying_q;
  assign active_o = active_q;

`ifndef YOSYS
  a_issue: assert property (@(posedge clk_i) disable iff (!rst_ni) issue_i |-> idle_o)
    else $error("an instruction issues only when the one before has retired");
`endif
  logic unused_signals;
  assign unused_signals = ^{nest_ready, uop_data_i};

endmodule
