// SPDX-License-Identifier: Apache-2.0
// The registers of isa/spec/registers.h behind an AXI4-Lite slave. When a program runs and how it ends is run_control.sv's;
// the counters stand outside.
//
// An address and its data come in any order and wait for each other; a write happens one cycle after both are there, a
// read two cycles after its address. One write and one read are under way at a time. What is no register reads as 0 and
// ignores writes; every answer is OKAY. Reading the low word of a counter keeps its high word, which is what the high word of
// any counter reads as until the next low one is read. Program, Base, Length and Watchdog keep what they are while a
// program runs.
module registers #(
  parameter  int unsigned CounterBits = 40,
  parameter  int unsigned Units       = 1,
  parameter  int unsigned Columns     = 8,   // counters that a row of the ledger has room for: a power of two
  localparam int unsigned Rows        = 2 ** $clog2(Units),
  localparam int unsigned EntryBits   = $clog2(Rows * Columns)
) (
  input  logic                     clk_i,
  input  logic                     rst_ni,
  // AXI4-Lite.
  input  logic                     aw_valid_i,
  output logic                     aw_ready_o,
  input  logic [11:0]              aw_addr_i,
  input  logic                     w_valid_i,
  output logic                     w_ready_o,
  input  logic [31:0]              w_data_i,
  input  logic [3:0]               w_strb_i,
  output logic                     b_valid_o,
  input  logic                     b_ready_i,
  input  logic                     ar_valid_i,
  output logic                     ar_ready_o,
  input  logic [11:0]              ar_addr_i,
  output logic                     r_valid_o,
  input  logic                     r_ready_i,
  output logic [31:0]              r_data_o,
  // The run.
  output logic                     start_o,       // one cycle
  output logic                     abort_o,       // one cycle
  output logic [31:0]              program_o,
  output logic [31:0]              base_o,
  output logic [31:0]              length_o,
  output logic [31:0]              watchdog_o,
  input  logic                     busy_i,
  input  logic                     done_i,
  input  logic                     ended_i,       // one cycle: done_i rises in the next
  input  logic [3:0]               error_i,       // a code; 0 for none
  output logic                     interrupt_o,
  // Counters. cycles, read bytes, write bytes, gemm steps, alu steps from the lowest.
  input  logic [5*CounterBits-1:0] counters_i,
  output logic [EntryBits-1:0]     entry_o,       // of the ledger: {unit, column}
  input  logic [CounterBits-1:0]   ledger_i       // its value, in the same cycle
);

  localparam int unsigned OffsetBits = 12;

  // ---- Writes.
  logic        aw_held_d, aw_held_q, w_held_d, w_held_q, b_valid_d, b_valid_q;
  logic [9:0]  aw_word_q;
  logic [31:0] w_data_q, mask;
  logic [3:0]  w_strb_q;
  logic        write, control, settable;
  logic [31:0] program_d, program_q, base_d, base_q, length_d, length_q, watchdog_d, watchdog_q;
  logic        enable_d, enable_q, pending_d, pending_q;

  assign aw_ready_o = ~aw_held_q;
  assign w_ready_o  = ~w_held_q;
  assign b_valid_o  = b_valid_q;
  assign write      = aw_held_q & w_held_q & ~b_valid_q;
  assign aw_held_d  = aw_held_q ? ~write : aw_valid_i;
  assign w_held_d   = w_held_q ? ~write : w_valid_i;
  assign b_valid_d  = write | (b_valid_q & ~b_ready_i);
  assign mask       = {{8{w_strb_q[3]}}, {8{w_strb_q[2]}}, {8{w_strb_q[1]}}, {8{w_strb_q[0]}}};
  assign settable   = write & ~busy_i;
  assign control    = write & (aw_word_q == 10'(cosim_pkg::RegControl / 4));
  assign start_o    = control & ~busy_i & ((w_data_q & mask & cosim_pkg::RegControlStart) != '0);
  assign abort_o    = control & ((w_data_q & mask & cosim_pkg::RegControlAbort) != '0);

  always_comb begin
    program_d  = program_q;
    base_d     = base_q;
    length_d   = length_q;
    watchdog_d = watchdog_q;
    enable_d   = enable_q;
    pending_d  = pending_q | ended_i;
    if (settable) begin
      case (aw_word_q)
        10'(cosim_pkg::RegProgram / 4):  program_d  = (program_q & ~mask) | (w_data_q & mask);
        10'(cosim_pkg::RegBase / 4):     base_d     = (base_q & ~mask) | (w_data_q & mask);
        10'(cosim_pkg::RegLength / 4):   length_d   = (length_q & ~mask) | (w_data_q & mask);
        10'(cosim_pkg::RegWatchdog / 4): watchdog_d = (watchdog_q & ~mask) | (w_data_q & mask);
        default: ;
      endcase
    end
    if (control & w_strb_q[0]) enable_d = (w_data_q & cosim_pkg::RegControlInterruptEnable) != '0;
    if (write & (aw_word_q == 10'(cosim_pkg::RegStatus / 4))
        & ((w_data_q & mask & cosim_pkg::RegStatusInterrupt) != '0)) begin
      pending_d = ended_i;
    end
    if (start_o) pending_d = 1'b0;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      aw_held_q  <= 1'b0;
      w_held_q   <= 1'b0;
      b_valid_q  <= 1'b0;
      program_q  <= '0;
      base_q     <= '0;
      length_q   <= '0;
      watchdog_q <= cosim_pkg::RegWatchdogReset;
      enable_q   <= 1'b0;
      pending_q  <= 1'b0;
    end else begin
      aw_held_q  <= aw_held_d;
      w_held_q   <= w_held_d;
      b_valid_q  <= b_valid_d;
      program_q  <= program_d;
      base_q     <= base_d;
      length_q   <= length_d;
      watchdog_q <= watchdog_d;
      enable_q   <= enable_d;
      pending_q  <= pending_d;
    end
  end

  always_ff @(posedge clk_i) begin
    if (aw_valid_i & aw_ready_o) aw_word_q <= aw_addr_i[OffsetBits-1:2];
    if (w_valid_i & w_ready_o) begin
      w_data_q <= w_data_i;
      w_strb_q <= w_strb_i;
    end
  end

  assign program_o   = program_q;
  assign base_o      = base_q;
  assign length_o    = length_q;
  assign watchdog_o  = watchdog_q;
  assign interrupt_o = pending_q & enable_q;

  // ---- Reads.
  logic                   looking_d, looking_q, r_valid_d, r_valid_q;
  logic [9:0]             ar_word_q;
  logic [31:0]            r_data_d, r_data_q, word;
  logic [CounterBits-1:0] counter;
  logic [63:0]            wide;
  logic                   high;         // the second word of a value of 64 bits
  logic                   is_wide, is_fixed;   // a counter; the fingerprint
  logic [31:0]            high_q;       // a counter's second word, as it was when a first one was read last
  logic                   in_ledger;

  assign ar_ready_o = ~looking_q & ~r_valid_q;
  assign looking_d  = ar_valid_i & ar_ready_o;
  assign r_valid_d  = looking_q | (r_valid_q & ~r_ready_i);
  assign r_valid_o  = r_valid_q;
  assign r_data_o   = r_data_q;
  assign high       = ar_word_q[0];
  assign in_ledger  = (ar_word_q >= 10'(cosim_pkg::RegLedger / 4))
                      & (32'(ar_word_q) < cosim_pkg::RegLedger / 4 + 2 * Units * Columns);
  assign entry_o    = EntryBits'((ar_word_q - 10'(cosim_pkg::RegLedger / 4)) >> 1);

  always_comb begin
    counter  = in_ledger ? ledger_i : '0;
    is_wide  = 1'b1;
    case ({ar_word_q[9:1], 3'b000})
      12'(cosim_pkg::RegCycles):     counter = counters_i[0*CounterBits +: CounterBits];
      12'(cosim_pkg::RegReadBytes):  counter = counters_i[1*CounterBits +: CounterBits];
      12'(cosim_pkg::RegWriteBytes): counter = counters_i[2*CounterBits +: CounterBits];
      12'(cosim_pkg::RegGemmSteps):  counter = counters_i[3*CounterBits +: CounterBits];
      12'(cosim_pkg::RegAluSteps):   counter = counters_i[4*CounterBits +: CounterBits];
      default: is_wide = in_ledger;
    endcase
    is_fixed = {ar_word_q[9:1], 3'b000} == 12'(cosim_pkg::RegFingerprint);
    wide     = is_fixed ? cosim_pkg::Fingerprint : 64'(counter);
    word     = high ? (is_fixed ? wide[63:32] : is_wide ? high_q : '0) : wide[31:0];
    case (ar_word_q)
      10'(cosim_pkg::RegControl / 4):  word = enable_q ? cosim_pkg::RegControlInterruptEnable : '0;
      10'(cosim_pkg::RegStatus / 4):   word = (busy_i ? cosim_pkg::RegStatusBusy : '0)
                                            | (done_i ? cosim_pkg::RegStatusDone : '0)
                                            | ((done_i & (error_i != '0)) ? cosim_pkg::RegStatusFailed : '0)
                                            | (pending_q ? cosim_pkg::RegStatusInterrupt : '0);
      10'(cosim_pkg::RegError / 4):    word = 32'(error_i);
      10'(cosim_pkg::RegVersion / 4):  word = cosim_pkg::RegVersionValue;
      10'(cosim_pkg::RegProgram / 4):  word = program_q;
      10'(cosim_pkg::RegBase / 4):     word = base_q;
      10'(cosim_pkg::RegLength / 4):   word = length_q;
      10'(cosim_pkg::RegWatchdog / 4): word = watchdog_q;
      default: ;
    endcase
    r_data_d = looking_q ? word : r_data_q;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      looking_q <= 1'b0;
      r_valid_q <= 1'b0;
    end else begin
      looking_q <= looking_d;
      r_valid_q <= r_valid_d;
    end
  end

  always_ff @(posedge clk_i) begin
    if (looking_d) ar_word_q <= ar_addr_i[OffsetBits-1:2];
    if (looking_q & ~high & is_wide) high_q <= wide[63:32];
    r_data_q <= r_data_d;
  end

  logic unused_bits;
  assign unused_bits = ^{aw_addr_i[1:0], ar_addr_i[1:0]};

`ifndef YOSYS
  a_start: assert property (@(posedge clk_i) disable iff (!rst_ni) start_o |-> !busy_i)
    else $error("a program starts only when none runs");
`endif

endmodule
