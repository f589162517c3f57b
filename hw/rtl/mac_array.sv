// SPDX-License-Identifier: Apache-2.0
// One tile of multiply-accumulate a cycle, up to the accumulation: sum[b, o] = sum over k of inp[b, k] * wgt[o, k].
// Reading the tiles is gemm_unit.sv's, adding the sums to memory accumulator.sv's.
//
// Operands of cycle t give their sums at t + 3 + Levels: a register before the multipliers, two in them, and Levels
// registered adders. The first level adds the products of two activations. With MacsPerDsp = 2, two DSPs do so for two
// neighbouring outputs (multiplier_quad.sv), and the later levels put right what is left to do. The products of the last
// LutInputs activations are made of LUTs.
//
// With Taps, the operands of a cycle with rows_i are other ones. Each group of Group channels is multiplied with its own
// activations only, of Lines rows of this cycle and of the Taps - 1 valid ones before it: those of the oldest come first.
//   sum[b, o] = sum over r < Lines, t < Taps, g < Group of
//               inp[r][t][b, Group * (o / Group) + g] * wgt[o, (Taps * r + t) * Group + g]
// Each group has registers of its own for these activations (row_taps.sv), in the place of as many first ones; the others
// are zero then. The activations with products of LUTs are the first ones then, not the last: those make no errors that
// would be another one for each group.
//
// Where two outputs share DSPs, groups of one channel have their activations by twos beside each other: weights of the second
// channel move to the places behind the first one's, and those of the other channel are zero. A tap that is too many then
// has multipliers of its own, whose products the first adders behind the others take.
`ifndef MUTANT  // a fault that tests plant: tests/hw/mutants.sv
`define MUTANT(name) 1'b0
`endif

module mac_array #(
  parameter  int unsigned Batch      = 1,
  parameter  int unsigned BlockIn    = 16,
  parameter  int unsigned BlockOut   = 16,
  parameter  int unsigned InpBits    = 8,
  parameter  int unsigned WgtBits    = 8,
  parameter  int unsigned MacsPerDsp = 1,
  parameter  int unsigned LutInputs = 0,   // at most BlockIn
  parameter  int unsigned Taps       = 0,   // 0: no rows; else BlockOut is BlockIn, a multiple of Group
  parameter  int unsigned Lines      = 1,
  parameter  int unsigned Group      = 1,   // Lines * Taps * Group is at most BlockIn; with MacsPerDsp = 2 Group is even,
                                            // or 1, BlockIn even and Lines * Taps at most BlockIn / 2 + 1, or 1 of 2
  localparam int unsigned Levels     = $clog2(BlockIn),
  localparam int unsigned SumBits    = InpBits + WgtBits + Levels
) (
  input  logic                                clk_i,
  input  logic                                rst_ni,
  input  logic                                valid_i,
  input  logic                                rows_i,
  input  logic [Lines*Batch*BlockIn*InpBits-1:0] inp_i,   // of the lines beside the first only with rows_i
  input  logic [BlockOut*BlockIn*WgtBits-1:0] wgt_i,
  output logic [Batch*BlockOut*SumBits-1:0]   sum_o
);

  localparam int unsigned NodeBits = InpBits + WgtBits + 1;
  localparam int unsigned Nodes    = (BlockIn + 1) / 2;   // sums of two products, of one output
  localparam int unsigned Quads    = (MacsPerDsp == 2) ? (BlockIn - LutInputs) / 2 : 0;  // nodes that share DSPs
  localparam int unsigned Paired   = (Quads != 0) ? BlockOut / 2 * 2 : 0;                 // outputs that do
  localparam bit          Halves   = Taps != 0 && Group == 1 && MacsPerDsp == 2;  // two groups' activations in one set
  localparam int unsigned Parts    = Halves ? 2 : 1;      // groups of a set
  localparam int unsigned AllTaps  = Lines * Taps;
  localparam int unsigned Extra    = (AllTaps * Group * Parts > BlockIn) ? 1 : 0;   // the last tap: own multipliers
  localparam int unsigned Sets     = (Taps != 0) ? BlockOut / (Group * Parts) : 1;  // of activations, side by side
  localparam int unsigned PartOwn  = (AllTaps - Extra) * Group;    // activations of a group
  localparam int unsigned Own      = PartOwn * Parts;              // activations of which each set has its own
  localparam int unsigned Moved    = Halves ? PartOwn : 1;         // weights that may have to move
  // Quads whose activations are different ones for each group make no errors: what quads give too much is worked out for
  // all groups at once, and the last adder subtracts it. Nor does a quad without adders behind it.
  localparam int unsigned Turned   = (Taps != 0) ? LutInputs : 0;     // activations that are moved behind the others
  localparam int unsigned OwnInDsps = (Own > Turned) ? (Own - Turned + 1) / 2 : 0;
  localparam int unsigned Exact    = (Levels > 1 && OwnInDsps < Quads) ? OwnInDsps : Quads;   // quads that make none
  localparam int unsigned First    = 2 * Exact;           // activation whose quad makes errors

  logic [Batch*BlockIn*InpBits-1:0]         inp_q;
  logic [Batch*Sets*BlockIn*InpBits-1:0]    seen, act;   // activations of each set, and as they are multiplied
  logic [BlockOut*BlockIn*WgtBits-1:0]      wgt;         // weights likewise
  logic [BlockOut*BlockIn*WgtBits-1:0]      wgt_q;
  logic [Levels+1:0]                        valid_q;  // [0]: operands, [1]: in the multipliers, [2 + k]: before level k
  logic [Batch*BlockOut*Nodes*NodeBits-1:0] node;     // in offset binary: adder_tree.sv
  logic [Batch*BlockOut*NodeBits-1:0]       extra;    // products of the last tap

  always_ff @(posedge clk_i) begin
    if (!rst_ni) valid_q <= '0;
    else         valid_q <= (Levels + 2)'({valid_q, valid_i});
  end

  always_ff @(posedge clk_i) begin
    if (valid_i) begin
      inp_q <= (Taps != 0 && rows_i) ? '0 : inp_i[Batch*BlockIn*InpBits-1:0];
      wgt_q <= wgt_i;
      // Simulators go over the weights one by one only along rows.
      if (Halves && rows_i) begin
        for (int o = 0; o < BlockOut; o++) begin
          for (int k = 0; k < Moved; k++) begin
            wgt_q[(o*BlockIn+o%Parts*PartOwn+k)*WgtBits +: WgtBits]       <= wgt_i[(o*BlockIn+k)*WgtBits +: WgtBits];
            wgt_q[(o*BlockIn+(Parts-1-o%Parts)*PartOwn+k)*WgtBits +: WgtBits] <= '0;
          end
        end
      end
    end
  end

  if (Taps == 0) begin : gen_no_rows
    assign seen  = inp_q;
    assign extra = '0;
    logic unused_rows;
    assign unused_rows = rows_i;
  end else begin : gen_rows
    for (genvar s = 0; s < Batch * Sets; s++) begin : gen_set
      localparam int unsigned Inp = s / Sets * BlockIn;   // of its row

      if (Own < BlockIn) begin : gen_rest
        assign seen[(s*BlockIn+Own)*InpBits +: (BlockIn-Own)*InpBits] = inp_q[(Inp+Own)*InpBits +: (BlockIn-Own)*InpBits];
      end
      for (genvar h = 0; h < Parts; h++) begin : gen_part
        localparam int unsigned Channel = s % Sets * Parts * Group + h * Group;   // the first of its group
        localparam int unsigned Place   = h * PartOwn;
        logic [Lines*Group*InpBits-1:0]   lines;   // the group's channels of this cycle
        logic [AllTaps*Group*InpBits-1:0] taps_q;

        for (genvar r = 0; r < Lines; r++) begin : gen_line
          assign lines[r*Group*InpBits +: Group*InpBits] =
              (`MUTANT(LineForgotten) && r > 0) ? '0 : inp_i[(r*Batch*BlockIn+Inp+Channel)*InpBits +: Group*InpBits];
        end
        row_taps #(.Lanes(Group), .LaneBits(InpBits), .Lines(Lines), .Taps(Taps), .Own(PartOwn)) i_taps (
          .clk_i, .valid_i, .rows_i, .inp_i(inp_i[(Inp+Place)*InpBits +: PartOwn*InpBits]), .lines_i(lines), .taps_o(taps_q)
        );
        assign seen[(s*BlockIn+Place)*InpBits +: PartOwn*InpBits] = taps_q[PartOwn*InpBits-1:0];

        if (Extra != 0) begin : gen_extra
          logic signed [InpBits+WgtBits-1:0] product;
          extra_product #(.ABits(InpBits), .BBits(WgtBits)) i_product (
            .clk_i,
            .enable_i ({valid_q[2:0], valid_i}),
            .a_i      (taps_q[PartOwn*InpBits +: InpBits]),
            .b_i      (wgt_i[(Channel*BlockIn+PartOwn)*WgtBits +: WgtBits]),
            .product_o(product)
          );
          assign extra[(s/Sets*BlockOut+Channel)*NodeBits +: NodeBits] = NodeBits'(product);
        end
      end
    end
    if (Extra == 0) begin : gen_no_extra
      assign extra = '0;
    end
    logic unused_inputs;
    assign unused_inputs = ^inp_q;
  end

  if (Turned == 0 || Turned == BlockIn) begin : gen_in_place
    assign act = seen;
    assign wgt = wgt_q;
  end else begin : gen_turned
    localparam int unsigned InpLine = BlockIn * InpBits, WgtLine = BlockIn * WgtBits;

    for (genvar s = 0; s < Batch * Sets; s++) begin : gen_act
      assign act[s*InpLine +: InpLine] = {seen[s*InpLine +: Turned*InpBits],
                                          seen[s*InpLine+Turned*InpBits +: InpLine-Turned*InpBits]};
    end
    for (genvar o = 0; o < BlockOut; o++) begin : gen_wgt
      assign wgt[o*WgtLine +: WgtLine] = {wgt_q[o*WgtLine +: Turned*WgtBits],
                                          wgt_q[o*WgtLine+Turned*WgtBits +: WgtLine-Turned*WgtBits]};
    end
  end

  if (Levels == 0) begin : gen_products
    for (genvar s = 0; s < Batch * BlockOut; s++) begin : gen_sum
      multiplier #(.ABits(InpBits), .BBits(WgtBits), .InLuts(LutInputs != 0)) i_multiplier (
        .clk_i,
        .enable_i (valid_q[1:0]),
        .a_i      (act[((s/BlockOut)*Sets+s%BlockOut*Sets/BlockOut)*InpBits +: InpBits]),
        .b_i      (wgt[s%BlockOut*WgtBits +: WgtBits]),
        .product_o(sum_o[s*SumBits +: SumBits])
      );
    end
    assign node = '0;
  end else begin : gen_sums
    for (genvar b = 0; b < Batch; b++) begin : gen_batch
      logic signed [SumBits-1:0] less;   // what quads have given too much, of an even output

      quad_excess #(
        .BlockIn(BlockIn), .First(First), .Last(2 * Quads), .InpBits(InpBits), .WgtBits(WgtBits)
      ) i_excess (
        .clk_i, .rst_ni, .enable_i(valid_q[Levels-1:0]), .inp_i(act[b*Sets*BlockIn*InpBits +: BlockIn*InpBits]),
        .excess_o(less)
      );

      for (genvar n = 0; n < Nodes; n++) begin : gen_node
        localparam int unsigned Terms  = (2 * n + 1 < BlockIn) ? 2 : 1;
        localparam int unsigned Single = (n < Quads) ? Paired : 0;   // the first output without a quad
        localparam int unsigned Beyond = 2 * n + Terms + LutInputs;  // more than BlockIn: by so many terms
        localparam int unsigned InLuts = (Beyond <= BlockIn) ? 0 : (Beyond < BlockIn + Terms) ? Beyond - BlockIn : Terms;

        if (n < Quads) begin : gen_quads
          logic [Sets*NodeBits-1:0] offset;   // multiplier_quad.sv says what for

          for (genvar s = 0; s < Sets; s++) begin : gen_set
            localparam int unsigned Inp = ((b * Sets + s) * BlockIn + 2 * n) * InpBits;

            if (n < Exact) begin : gen_offset
              logic [NodeBits-1:0] offset_q;
              always_ff @(posedge clk_i) begin
                if (valid_q[0]) begin
                  offset_q <= (NodeBits'(1) << (NodeBits - 1))
                              - (NodeBits'($signed(act[Inp +: InpBits])) << (WgtBits - 1))
                              - (NodeBits'($signed(act[Inp+InpBits +: InpBits])) << (WgtBits - 1));
                end
              end
              assign offset[s*NodeBits +: NodeBits] = offset_q;
            end else begin : gen_no_offset
              assign offset[s*NodeBits +: NodeBits] = '0;
            end
          end

          for (genvar o = 0; o < Paired; o += 2) begin : gen_out
            localparam int unsigned Node = (b * BlockOut + o) * Nodes + n;
            localparam int unsigned Low  = (o * BlockIn + 2 * n) * WgtBits;
            localparam int unsigned Set  = o * Sets / BlockOut;
            localparam int unsigned Inp  = ((b * Sets + Set) * BlockIn + 2 * n) * InpBits;
            localparam int unsigned High = Low + BlockIn * WgtBits;

            multiplier_quad #(.ABits(InpBits), .BBits(WgtBits), .Offset(n < Exact)) i_quad (
              .clk_i,
              .enable_i(valid_q[2:0]),
              .a0_i    (act[Inp +: InpBits]),
              .a1_i    (act[Inp+InpBits +: InpBits]),
              .low0_i  (wgt[Low +: WgtBits]),
              .low1_i  (wgt[Low+WgtBits +: WgtBits]),
              .high0_i (wgt[High +: WgtBits]),
              .high1_i (wgt[High+WgtBits +: WgtBits]),
              .offset_i(offset[Set*NodeBits +: NodeBits]),
              .low_o   (node[Node*NodeBits +: NodeBits]),
              .high_o  (node[(Node+Nodes)*NodeBits +: NodeBits])
            );
          end
        end

        for (genvar o = Single; o < BlockOut; o++) begin : gen_out
          localparam int unsigned Node = (b * BlockOut + o) * Nodes + n;
          localparam int unsigned Inp  = ((b * Sets + o * Sets / BlockOut) * BlockIn + 2 * n) * InpBits;

          multiplier_sum #(
            .Terms(Terms), .InLuts(InLuts), .ABits(InpBits), .BBits(WgtBits)
          ) i_sum (
            .clk_i,
            .enable_i(valid_q[2:0]),
            .a_i     (act[Inp +: Terms*InpBits]),
            .b_i     (wgt[(o*BlockIn+2*n)*WgtBits +: Terms*WgtBits]),
            .sum_o   (node[Node*NodeBits +: NodeBits])
          );
        end
      end

      for (genvar o = 0; o < BlockOut; o++) begin : gen_out
        localparam int unsigned Sum = b * BlockOut + o;
        logic [SumBits-1:0] sum;
        assign sum_o[Sum*SumBits +: SumBits] = sum ^ (SumBits'(1) << (SumBits - 1));

        if (Levels == 1) begin : gen_node
          assign sum = node[Sum*NodeBits +: NodeBits];
        end else begin : gen_tree
          adder_tree #(
            .N(Nodes), .TermBits(NodeBits), .Levels(Levels - 1),
            .HasLess(o < Paired && o % 2 == 0 && 2 * Quads > First), .HasThird(Extra != 0)
          ) i_tree (
            .clk_i,
            .enable_i (valid_q[Levels+1:3]),
            .terms_i  (node[Sum*Nodes*NodeBits +: Nodes*NodeBits]),
            .less_i   (less),
            .third_i  (extra[Sum*NodeBits +: NodeBits]),
            .sum_o    (sum)
          );
        end
      end

      logic unused_less;
      assign unused_less = ^less;
    end
  end

  logic unused_nodes;
  assign unused_nodes = ^{node, extra};

endmodule
