// SPDX-License-Identifier: Apache-2.0
// Where a transfer stands: row by row over its elements, an element in parts if it is wider than a beat. When a part is
// taken, and what of the transfer lies in DRAM at all, load_writer.sv and store_reader.sv say.
//
// All outputs are of the part that would be taken next; the walk moves in the cycle of take_i, and after the last part
// of the last element it begins anew.
module element_walk #(
  parameter int unsigned AddrBits  = 10,
  parameter int unsigned CountBits = 16,
  parameter int unsigned PartBits  = 1,
  parameter int unsigned BeatShift = 3    // of the bytes of a beat
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  input  logic                 take_i,
  input  logic                 in_dram_i,      // the element lies in DRAM: it has parts, and takes bytes there
  input  logic                 row_in_dram_i,
  input  logic [CountBits-1:0] row_last_i,
  input  logic [CountBits-1:0] col_last_i,
  input  logic                 part_last_i,    // the part is the element's last
  input  logic [BeatShift-1:0] size_i,         // bytes from element to element, within a beat
  input  logic [BeatShift-1:0] first_i,        // the transfer's first byte, within its beat
  input  logic [BeatShift-1:0] stride_i,       // bytes from row to row, within a beat
  output logic [CountBits-1:0] row_o,
  output logic [CountBits-1:0] col_o,
  output logic [PartBits-1:0]  part_o,
  output logic [AddrBits-1:0]  element_o,      // elements before this one
  output logic [BeatShift-1:0] offset_o,       // the part's first byte, within its beat
  output logic                 whole_o,        // the element's last part is taken
  output logic                 row_end_o,      // … and it is the row's last element
  output logic                 end_o           // … and that is the last row
);

  logic [CountBits-1:0] row_d, row_q, col_d, col_q;
  logic [PartBits-1:0]  part_d, part_q;
  logic [AddrBits-1:0]  element_d, element_q;
  logic [BeatShift-1:0] row_offset_d, row_offset_q;   // of the row's first byte, from the transfer's first
  logic [BeatShift-1:0] col_offset_d, col_offset_q;   // of the element, from the row's first byte

  assign row_o     = row_q;
  assign col_o     = col_q;
  assign part_o    = part_q;
  assign element_o = element_q;
  assign offset_o  = first_i + row_offset_q + col_offset_q;
  assign whole_o   = take_i & (~in_dram_i | part_last_i);
  assign row_end_o = whole_o & (col_q == col_last_i);
  assign end_o     = row_end_o & (row_q == row_last_i);

  always_comb begin
    row_d        = row_q;
    col_d        = col_q;
    part_d       = part_q;
    element_d    = element_q;
    row_offset_d = row_offset_q;
    col_offset_d = col_offset_q;
    if (take_i & in_dram_i) part_d = whole_o ? '0 : part_q + 1'b1;
    if (whole_o) begin
      col_d     = col_q + 1'b1;
      element_d = element_q + 1'b1;
      if (in_dram_i) col_offset_d = col_offset_q + size_i;
    end
    if (row_end_o) begin
      col_d        = '0;
      row_d        = row_q + 1'b1;
      col_offset_d = '0;
      if (row_in_dram_i) row_offset_d = row_offset_q + stride_i;
    end
    if (end_o) begin
      row_d        = '0;
      element_d    = '0;
      row_offset_d = '0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      row_q        <= '0;
      col_q        <= '0;
      part_q       <= '0;
      element_q    <= '0;
      row_offset_q <= '0;
      col_offset_q <= '0;
    end else begin
      row_q        <= row_d;
      col_q        <= col_d;
      part_q       <= part_d;
      element_q    <= element_d;
      row_offset_q <= row_offset_d;
      col_offset_q <= col_offset_d;
    end
  end

endmodule
