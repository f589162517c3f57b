// SPDX-License-Identifier: Apache-2.0
// Reads the program in bursts ahead of its use and offers its words in order. Who takes a word is the dispatcher's.
//
// Started in cycle 0, the first request stands in cycle 1. Room for the words a burst completes is taken when its
// request is presented; a word taken in cycle t gives its room back at t + 1. A word stands (word_valid_o) from the
// cycle after its last beat arrived.
module fetch #(
  parameter  int unsigned WordBits   = 256,
  parameter  int unsigned PortBits   = 64,
  parameter  int unsigned FetchWords = 64,
  parameter  int unsigned BurstBeats = 16,
  localparam int unsigned LenBits    = $clog2(BurstBeats + 1)
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic                start_i,
  input  logic [31:0]         code_address_i,  // a multiple of 4096
  input  logic [31:0]         code_words_i,
  // Read port.
  output logic                req_valid_o,
  output logic [31:0]         req_addr_o,
  output logic [LenBits-1:0]  req_len_o,
  input  logic                req_ready_i,
  input  logic                beat_valid_i,
  input  logic [PortBits-1:0] beat_data_i,
  // Words.
  output logic                word_valid_o,
  output logic [WordBits-1:0] word_o,
  input  logic                word_ready_i
);

  localparam int unsigned WordBeats  = (WordBits > PortBits) ? WordBits / PortBits : 1;
  localparam int unsigned BeatWords  = (PortBits > WordBits) ? PortBits / WordBits : 1;
  localparam int unsigned HalfBeats  = (FetchWords / 2) * WordBits / PortBits;
  localparam int unsigned ChunkLimit = (HalfBeats > 1) ? HalfBeats : 1;
  localparam int unsigned Chunk      = (BurstBeats < ChunkLimit) ? BurstBeats : ChunkLimit;
  localparam int unsigned ChunkBits  = $clog2(Chunk + 1);
  localparam int unsigned PageBeats  = 4096 / (PortBits / 8);
  localparam int unsigned FirstChunk = (Chunk < PageBeats) ? Chunk : PageBeats;  // a program begins with its page
  localparam int unsigned BeatShift  = $clog2(PortBits / 8);
  localparam int unsigned WordShift  = $clog2(WordBeats);
  localparam int unsigned PackShift  = $clog2(BeatWords);
  localparam int unsigned RoomBits   = $clog2(FetchWords + 1);
  localparam int unsigned NeedBits   = RoomBits + LenBits + PackShift;  // never overflows
  localparam int unsigned EntryBits  = (WordBits > PortBits) ? WordBits : PortBits;
  localparam int unsigned Entries    = (BeatWords > 1) ? FetchWords / BeatWords + 1 : FetchWords;

  // Requests.
  logic                 presented_d, presented_q;  // room for the standing request is taken
  logic [31:0]          addr_d, addr_q;
  logic [31:0]          left_d, left_q;            // beats to ask for
  logic [31:0]          words_d, words_q;          // words the beats left complete
  logic [31:0]          next_addr, next_left;      // after the standing burst
  logic [31:0]          first_left;                // at the start
  logic [ChunkBits-1:0] len_d, len_q, next_len;
  logic [RoomBits-1:0]  room_d, room_q;            // words
  logic [NeedBits-1:0]  need;                      // words the standing burst completes
  logic                 accept, take, give;

  if (WordBeats > 1) begin : gen_long_word
    logic [WordShift-1:0] phase_d, phase_q;        // beats of a started word
    assign need    = NeedBits'((NeedBits'(phase_q) + NeedBits'(len_q)) >> WordShift);
    assign phase_d = start_i ? '0 : (accept ? phase_q + WordShift'(len_q) : phase_q);
    always_ff @(posedge clk_i) phase_q <= phase_d;
  end else begin : gen_short_word
    logic [NeedBits-1:0] whole;
    assign whole = NeedBits'(len_q) << PackShift;
    assign need  = (words_q < 32'(whole)) ? NeedBits'(words_q) : whole;
  end

  assign req_valid_o = (left_q != '0) & (presented_q | (NeedBits'(room_q) >= need));
  assign req_addr_o  = addr_q;
  assign req_len_o   = LenBits'(len_q);
  assign accept      = req_valid_o & req_ready_i;
  assign take        = req_valid_o & ~presented_q;
  assign give        = word_valid_o & word_ready_i;

  // The burst after the standing one is worked out before it is known whether that one is accepted.
  assign next_addr  = addr_q + (32'(len_q) << BeatShift);
  assign first_left = ((code_words_i << WordShift) + 32'(BeatWords - 1)) >> PackShift;

  if (((Chunk & (Chunk - 1)) == 0) && (Chunk <= PageBeats)) begin : gen_whole_bursts
    // No burst meets a page's end, so that all but the last are whole: what is left tells the next one's length, and
    // the standing one's is not waited for.
    logic [31:0] whole, after;  // whole bursts left, and but for the standing one
    assign whole     = left_q >> $clog2(Chunk);
    assign after     = left_q >> ($clog2(Chunk) + 1);
    assign next_left = (whole != '0) ? left_q - 32'(Chunk) : '0;
    assign next_len  = (after != '0) ? ChunkBits'(Chunk)
                       : ((whole != '0) ? ChunkBits'(left_q & 32'(Chunk - 1)) : '0);
  end else begin : gen_any_burst
    assign next_left = left_q - 32'(len_q);
    burst_length #(.PortBits(PortBits), .BurstBeats(Chunk), .LeftBits(32)) i_next_length (
      .addr_i(next_addr[11:0]),
      .left_i(next_left),
      .len_o (next_len)
    );
  end

  always_comb begin
    presented_d = req_valid_o & ~req_ready_i;
    addr_d      = addr_q;
    left_d      = left_q;
    len_d       = len_q;
    words_d     = words_q;
    room_d      = room_q + RoomBits'(give) - (take ? RoomBits'(need) : '0);
    if (start_i) begin
      addr_d  = code_address_i;
      left_d  = first_left;
      len_d   = (first_left < 32'(FirstChunk)) ? ChunkBits'(first_left) : ChunkBits'(FirstChunk);
      words_d = code_words_i;
    end else if (accept) begin
      addr_d  = next_addr;
      left_d  = next_left;
      len_d   = next_len;
      words_d = words_q - 32'(need);
    end
  end

  // The fetch buffer holds words, or beats where a beat is several words.
  logic                 entry_valid, entry_push, entry_pop, entry_room;
  logic [EntryBits-1:0] entry_in, entry_out;

  fifo #(.Width(EntryBits), .Depth(Entries)) i_buffer (
    .clk_i,
    .rst_ni,
    .push_valid_i(entry_push),
    .push_ready_o(entry_room),
    .push_data_i (entry_in),
    .pop_valid_o (entry_valid),
    .pop_ready_i (entry_pop),
    .pop_data_o  (entry_out)
  );

  assign word_valid_o = entry_valid;

  if (WordBeats > 1) begin : gen_gather
    logic [WordShift-1:0]         beat_d, beat_q;  // beats of the word gathered so far
    logic [WordBits-PortBits-1:0] part_q;
    assign entry_push = beat_valid_i & (beat_q == WordShift'(WordBeats - 1));
    assign entry_in   = {beat_data_i, part_q};
    assign entry_pop  = word_ready_i;
    assign word_o     = entry_out;
    assign beat_d     = start_i ? '0 : (beat_valid_i ? beat_q + 1'b1 : beat_q);
    always_ff @(posedge clk_i) begin
      beat_q <= beat_d;
      for (int i = 0; i < WordBeats - 1; i++) begin
        if (beat_valid_i & (beat_q == WordShift'(i))) part_q[i*PortBits +: PortBits] <= beat_data_i;
      end
    end
  end else if (BeatWords > 1) begin : gen_scatter
    logic [PackShift-1:0] slot_d, slot_q;          // word of the beat
    logic [31:0]          rest_d, rest_q;          // words still to give
    assign entry_push = beat_valid_i;
    assign entry_in   = beat_data_i;
    assign entry_pop  = word_ready_i & ((slot_q == PackShift'(BeatWords - 1)) | (rest_q == 32'd1));
    assign word_o     = entry_out[slot_q*WordBits +: WordBits];
    assign slot_d     = (start_i | (give & entry_pop)) ? '0 : (give ? slot_q + 1'b1 : slot_q);
    assign rest_d     = start_i ? code_words_i : rest_q - 32'(give);
    always_ff @(posedge clk_i) begin
      slot_q <= slot_d;
      rest_q <= rest_d;
    end
  end else begin : gen_same
    assign entry_push = beat_valid_i;
    assign entry_in   = beat_data_i;
    assign entry_pop  = word_ready_i;
    assign word_o     = entry_out;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      presented_q <= 1'b0;
      left_q      <= '0;
      room_q      <= RoomBits'(FetchWords);
    end else begin
      presented_q <= presented_d;
      left_q      <= left_d;
      room_q      <= room_d;
    end
  end

  always_ff @(posedge clk_i) begin
    addr_q  <= addr_d;
    words_q <= words_d;
    len_q   <= len_d;
  end

`ifndef YOSYS
  a_room: assert property (@(posedge clk_i) disable iff (!rst_ni) entry_push |-> entry_room)
    else $error("a beat arrives only when there is room for its word");
`endif
  logic unused_room;
  assign unused_room = ^{entry_room};

endmodule
