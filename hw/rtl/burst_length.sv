// SPDX-License-Identifier: Apache-2.0
// How long the next burst of a run of beats is: at most BurstBeats, and not across a 4 KiB boundary. Combinational.
module burst_length #(
  parameter  int unsigned PortBits   = 64,
  parameter  int unsigned BurstBeats = 16,
  parameter  int unsigned LeftBits   = 16,
  localparam int unsigned LenBits    = $clog2(BurstBeats + 1)
) (
  input  logic [11:0]         addr_i,  // of the first beat, within its 4 KiB page
  input  logic [LeftBits-1:0] left_i,  // beats of the run from here on
  output logic [LenBits-1:0]  len_o
);

  localparam int unsigned BeatShift = $clog2(PortBits / 8);
  localparam int unsigned PageBits  = 12 - BeatShift;  // log2 of the beats of a page

  logic [PageBits:0]  to_page;   // beats up to the page's end
  logic [LenBits-1:0] in_page;
  logic               unused_addr;

  assign to_page     = (PageBits + 1)'(1 << PageBits) - {1'b0, addr_i[11:BeatShift]};
  assign in_page     = (32'(to_page) < BurstBeats) ? LenBits'(to_page) : LenBits'(BurstBeats);
  assign len_o       = (left_i < LeftBits'(in_page)) ? LenBits'(left_i) : in_page;
  assign unused_addr = ^addr_i;

endmodule
