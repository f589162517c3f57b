// SPDX-License-Identifier: Apache-2.0
// What piece_turn.sv promises for every piece and every row of beats: byte b of the element is that byte of the piece,
// modulo two beats, wherever in the last three beats it lies; exactly the piece's bytes are written. What does not come
// in pieces is the newest beat, turned to its first byte.
module piece_turn_formal #(
  parameter  int unsigned PieceBytes = 16,
  parameter  int unsigned PortBits   = 64,
  localparam int unsigned ByteBits   = $clog2(PieceBytes + 1),
  localparam int unsigned BeatBytes  = PortBits / 8,
  localparam int unsigned BeatShift  = $clog2(BeatBytes)
) (
  input logic                 clk_i,
  input logic                 read_i,
  input logic [PortBits-1:0]  beat_i,    // that is read
  input logic                 gathers_i,
  input logic [ByteBits-1:0]  first_i,
  input logic [BeatShift:0]   last_i,
  input logic [BeatShift-1:0] offset_i
);

  logic [2*PortBits-1:0]  piece;
  logic [PieceBytes-1:0]  slices, asked, right;
  logic [31:0]            stop;
  logic                   read1_q;
  logic [PortBits-1:0]    beat1_q, beat2_q;
  logic [3*PortBits-1:0]  window, window_q, window1_q, window2_q;   // the oldest beat first
  logic                   gathers1_q, gathers2_q;
  logic [31:0]            first1_q, first2_q, first3_q, last1_q, last2_q, last3_q, offset2_q, begins;
  logic [BeatShift-1:0]   offset1_q;
  logic [3:0]             age_q;                // cycles since the first one; stays at 12

  assign stop   = 32'(first_i) + 32'(last_i) + 32'd1;
  assign window = read_i ? {beat_i, window_q[3*PortBits-1:PortBits]} : window_q;

  piece_turn #(.PieceBytes(PieceBytes), .PortBits(PortBits)) dut (
    .clk_i, .read_i, .gathers_i, .first_i, .stop_i(ByteBits'(stop)), .last_i, .offset1_i(offset1_q),
    .beat2_i(beat2_q), .piece2_o(piece), .slices3_o(slices)
  );

  initial assume (age_q == '0);

  always_ff @(posedge clk_i) begin
    read1_q    <= read_i;
    if (read_i) beat1_q <= beat_i;
    if (read1_q) beat2_q <= beat1_q;
    window_q   <= window;
    window1_q  <= window;
    window2_q  <= window1_q;
    gathers1_q <= gathers_i;
    gathers2_q <= gathers1_q;
    first1_q   <= 32'(first_i);
    first2_q   <= first1_q;
    first3_q   <= first2_q;
    last1_q    <= 32'(last_i);
    last2_q    <= last1_q;
    last3_q    <= last2_q;
    offset1_q  <= offset_i;
    offset2_q  <= 32'(offset1_q);
    if (age_q != 4'd12) age_q <= age_q + 1'b1;
  end

  // First byte of the piece in the three beats: its last one is in the newest.
  assign begins = offset2_q + 32'd2 * BeatBytes - (offset2_q + last2_q) / BeatBytes * BeatBytes;

  for (genvar b = 0; b < PieceBytes; b++) begin : gen_byte
    logic in_piece;
    assign in_piece = b >= first2_q && b <= first2_q + last2_q;
    assign right[b] = !in_piece || piece[b%(2*BeatBytes)*8 +: 8] == 8'(window2_q >> ((begins + b - first2_q) * 8));
    assign asked[b] = b >= first3_q && b <= first3_q + last3_q;
  end

  always @(posedge clk_i) begin
    // A piece lies in the element, a whole element begins with its first byte, and there is a read in two cycles, so that twelve cycles know all that is kept.
    m_piece: assume (stop <= PieceBytes && (gathers_i || first_i == '0));
    m_reads: assume (age_q == '0 || read_i || read1_q);

    a_age:   assert (age_q <= 4'd12);
    a_piece: assert (age_q != 4'd12 || !gathers2_q || right == '1);
    a_slice: assert (age_q != 4'd12 || slices == asked);
    a_whole: assert (age_q != 4'd12 || gathers2_q ||
                     PortBits'(piece[PortBits-1:0] << (offset2_q * 8)) ==
                     PortBits'((window2_q >> (2 * PortBits + offset2_q * 8)) << (offset2_q * 8)));

    c_three: cover (age_q == 4'd12 && gathers2_q && begins < BeatBytes && !read1_q);
    c_one:   cover (age_q == 4'd12 && gathers2_q && begins > 2 * BeatBytes && first2_q != '0);
  end

endmodule
