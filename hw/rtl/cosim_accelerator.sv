// SPDX-License-Identifier: Apache-2.0
// The accelerator as a peripheral: the generated core between its registers, its counters and the buses. What each of
// them does, its own module says. A simulation instantiates it as it is; a board takes the generated cosim_top around it,
// which names each memory port.
//
// The ports have AXI's names and not this project's: s_axi (AXI4-Lite, registers), m_axi (AXI4, memory), aclk, aresetn and
// interrupt. A signal of m_axi is a vector over the memory ports, port 0 lowest. The outputs at the end are for comparison
// with a model.
`ifndef MUTANT  // a fault that tests plant: tests/hw/mutants.sv
`define MUTANT(name) 1'b0
`endif

module cosim_accelerator #(
  localparam int unsigned Ports    = cosim_pkg::Ports,
  localparam int unsigned PortBits = cosim_pkg::PortBits
) (
  input  logic                             aclk,
  input  logic                             aresetn,
  // verilator lint_off SYMRSVDWORD
  // Reason: the name from which Vivado infers an interrupt.
  output logic                             interrupt,
  // verilator lint_on SYMRSVDWORD
  // Registers: isa/spec/registers.h.
  input  logic                             s_axi_awvalid,
  output logic                             s_axi_awready,
  input  logic [11:0]                      s_axi_awaddr,
  input  logic                             s_axi_wvalid,
  output logic                             s_axi_wready,
  input  logic [31:0]                      s_axi_wdata,
  input  logic [3:0]                       s_axi_wstrb,
  output logic                             s_axi_bvalid,
  input  logic                             s_axi_bready,
  output logic [1:0]                       s_axi_bresp,
  input  logic                             s_axi_arvalid,
  output logic                             s_axi_arready,
  input  logic [11:0]                      s_axi_araddr,
  output logic                             s_axi_rvalid,
  input  logic                             s_axi_rready,
  output logic [31:0]                      s_axi_rdata,
  output logic [1:0]                       s_axi_rresp,
  // Memory.
  output logic [Ports-1:0]                 m_axi_arvalid,
  input  logic [Ports-1:0]                 m_axi_arready,
  output logic [Ports*32-1:0]              m_axi_araddr,
  output logic [Ports*8-1:0]               m_axi_arlen,
  output logic [Ports*3-1:0]               m_axi_arsize,
  output logic [Ports*2-1:0]               m_axi_arburst,
  output logic [Ports*4-1:0]               m_axi_arcache,
  output logic [Ports*3-1:0]               m_axi_arprot,
  input  logic [Ports-1:0]                 m_axi_rvalid,
  output logic [Ports-1:0]                 m_axi_rready,
  input  logic [Ports*PortBits-1:0]        m_axi_rdata,
  input  logic [Ports-1:0]                 m_axi_rlast,
  input  logic [Ports*2-1:0]               m_axi_rresp,
  output logic [Ports-1:0]                 m_axi_awvalid,
  input  logic [Ports-1:0]                 m_axi_awready,
  output logic [Ports*32-1:0]              m_axi_awaddr,
  output logic [Ports*8-1:0]               m_axi_awlen,
  output logic [Ports*3-1:0]               m_axi_awsize,
  output logic [Ports*2-1:0]               m_axi_awburst,
  output logic [Ports*4-1:0]               m_axi_awcache,
  output logic [Ports*3-1:0]               m_axi_awprot,
  output logic [Ports-1:0]                 m_axi_wvalid,
  input  logic [Ports-1:0]                 m_axi_wready,
  output logic [Ports*PortBits-1:0]        m_axi_wdata,
  output logic [Ports*PortBits/8-1:0]      m_axi_wstrb,
  output logic [Ports-1:0]                 m_axi_wlast,
  input  logic [Ports-1:0]                 m_axi_bvalid,
  output logic [Ports-1:0]                 m_axi_bready,
  input  logic [Ports*2-1:0]               m_axi_bresp,
  // What happens in this cycle.
  output logic                             start_o,   // cycle 0 of a run
  output logic                             done_o,    // from the cycle in which the run is done until the next start
  output logic [cosim_pkg::Units-1:0]      issue_o,
  output logic [cosim_pkg::Units-1:0]      retire_o
);

  localparam int unsigned CounterBits = cosim_pkg::RegCounterBits;
  localparam int unsigned StepBits    = $clog2(cosim_pkg::Units + 1);
  localparam int unsigned BeatShift   = $clog2(PortBits / 8);
  localparam int unsigned BeatsBits   = $clog2(Ports + 1);   // of beats in a cycle: one a port at most
  localparam int unsigned BytesBits   = BeatsBits + BeatShift;
  localparam int unsigned EntryBits   = $clog2(cosim_pkg::Units) + $clog2(cosim_pkg::RegLedgerStride);
  localparam logic [1:0]  Okay        = 2'b00;
  localparam logic [1:0]  Increment   = 2'b01;
  localparam logic [3:0]  Bufferable  = 4'b0011;   // and modifiable; nothing is cached
  // A response given on the way to memory might come before a read through another port would see the data.
  localparam logic [3:0]  WriteCache  = (Ports > 1) ? 4'b0010 : Bufferable;

  // ---- Registers and the run.
  logic        start, abort, run_busy, run_done, run_ended, interrupt_level;
  logic [31:0] program_address, base, length, watchdog;
  logic [3:0]  error;
  logic        clear_n, stop, watching, running, core_done, quiet, still, illegal, stuck, expired;
  logic        moves, bus_error;

  logic [5*CounterBits-1:0] counters;
  logic [EntryBits-1:0]     ledger_entry;
  logic [CounterBits-1:0]   ledger_value;

  registers #(
    .CounterBits(CounterBits), .Units(cosim_pkg::Units), .Columns(cosim_pkg::RegLedgerStride)
  ) i_registers (
    .clk_i      (aclk),
    .rst_ni     (aresetn),
    .aw_valid_i (s_axi_awvalid),
    .aw_ready_o (s_axi_awready),
    .aw_addr_i  (s_axi_awaddr),
    .w_valid_i  (s_axi_wvalid),
    .w_ready_o  (s_axi_wready),
    .w_data_i   (s_axi_wdata),
    .w_strb_i   (s_axi_wstrb),
    .b_valid_o  (s_axi_bvalid),
    .b_ready_i  (s_axi_bready),
    .ar_valid_i (s_axi_arvalid),
    .ar_ready_o (s_axi_arready),
    .ar_addr_i  (s_axi_araddr),
    .r_valid_o  (s_axi_rvalid),
    .r_ready_i  (s_axi_rready),
    .r_data_o   (s_axi_rdata),
    .start_o    (start),
    .abort_o    (abort),
    .program_o  (program_address),
    .base_o     (base),
    .length_o   (length),
    .watchdog_o (watchdog),
    .busy_i     (run_busy),
    .done_i     (run_done),
    .ended_i    (run_ended),
    .error_i    (error),
    .interrupt_o(interrupt_level),
    .counters_i (counters),
    .entry_o    (ledger_entry),
    .ledger_i   (ledger_value)
  );

  assign interrupt   = interrupt_level;
  assign s_axi_bresp = Okay;
  assign s_axi_rresp = Okay;

  run_control i_run_control (
    .clk_i      (aclk),
    .rst_ni     (aresetn),
    .start_i    (start),
    .abort_i    (abort),
    .misplaced_i((program_address[11:0] | base[11:0]) != '0),
    .busy_o     (run_busy),
    .done_o     (run_done),
    .ended_o    (run_ended),
    .error_o    (error),
    .clear_no   (clear_n),
    .start_o    (start_o),
    .stop_o     (stop),
    .watching_o (watching),
    .running_o  (running),
    .done_i     (core_done),
    .quiet_i    (quiet),
    .bus_error_i(bus_error),
    .illegal_i  (illegal),
    .stuck_i    (stuck),
    .expired_i  (expired)
  );

  watch i_watch (
    .clk_i     (aclk),
    .rst_ni    (aresetn),
    .running_i (running),
    .still_i   (still),
    .stuck_o   (stuck),
    .watching_i(watching),
    .owed_i    (~quiet),
    .moves_i   (moves),
    .limit_i   (watchdog),
    .expired_o (expired)
  );

  assign done_o = run_done | (running & core_done);

  // ---- The core.
  logic [cosim_pkg::Units-1:0]     in_flight, busy, wait_push, wait_port, gemm_step, alu_step;
  logic [cosim_pkg::QueueBits-1:0] wait_token;

  accelerator i_accelerator (
    .clk_i         (aclk),
    .rst_ni        (aresetn & clear_n),
    .start_i       (start_o),
    .code_address_i(program_address),
    .code_words_i  (length),
    .base_i        (base),
    .done_o        (core_done),
    .stop_i        (stop),
    .ar_valid_o    (m_axi_arvalid),
    .ar_ready_i    (m_axi_arready),
    .ar_addr_o     (m_axi_araddr),
    .ar_len_o      (m_axi_arlen),
    .r_valid_i     (m_axi_rvalid),
    .r_ready_o     (m_axi_rready),
    .r_data_i      (m_axi_rdata),
    .r_last_i      (m_axi_rlast),
    .aw_valid_o    (m_axi_awvalid),
    .aw_ready_i    (m_axi_awready),
    .aw_addr_o     (m_axi_awaddr),
    .aw_len_o      (m_axi_awlen),
    .w_valid_o     (m_axi_wvalid),
    .w_ready_i     (m_axi_wready),
    .w_data_o      (m_axi_wdata),
    .w_strb_o      (m_axi_wstrb),
    .w_last_o      (m_axi_wlast),
    .b_valid_i     (m_axi_bvalid),
    .b_ready_o     (m_axi_bready),
    .issue_o,
    .retire_o,
    .in_flight_o   (in_flight),
    .busy_o        (busy),
    .wait_push_o   (wait_push),
    .wait_token_o  (wait_token),
    .wait_port_o   (wait_port),
    .gemm_step_o   (gemm_step),
    .alu_step_o    (alu_step),
    .illegal_o     (illegal),
    .quiet_o       (quiet),
    .still_o       (still)
  );

  assign m_axi_arsize  = {Ports{3'(BeatShift)}};
  assign m_axi_arburst = {Ports{Increment}};
  assign m_axi_arcache = {Ports{Bufferable}};
  assign m_axi_arprot  = '0;
  assign m_axi_awsize  = {Ports{3'(BeatShift) - 3'(`MUTANT(HalfBeats))}};
  assign m_axi_awburst = {Ports{Increment & ~{2{`MUTANT(FixedBurst)}}}};
  assign m_axi_awcache = {Ports{WriteCache}};
  assign m_axi_awprot  = '0;

  // ---- What passes the ports.
  logic [Ports-1:0]     ar_moves, r_moves, aw_moves, w_moves, b_moves;
  logic [BeatsBits-1:0] read_beats, write_beats;

  assign ar_moves = m_axi_arvalid & m_axi_arready;
  assign r_moves  = m_axi_rvalid & m_axi_rready;
  assign aw_moves = m_axi_awvalid & m_axi_awready;
  assign w_moves  = m_axi_wvalid & m_axi_wready;
  assign b_moves  = m_axi_bvalid & m_axi_bready;
  assign moves    = (ar_moves | r_moves | aw_moves | w_moves | b_moves) != '0;

  always_comb begin
    bus_error   = 1'b0;
    read_beats  = '0;
    write_beats = '0;
    for (int p = 0; p < Ports; p++) begin
      bus_error   = bus_error | (r_moves[p] & (m_axi_rresp[p*2 +: 2] != Okay))
                              | (b_moves[p] & (m_axi_bresp[p*2 +: 2] != Okay));
      if ((p == 0 || !`MUTANT(PortUncounted)) && !(`MUTANT(LastUncounted) && m_axi_rlast[p])) begin
        read_beats = read_beats + BeatsBits'(r_moves[p]);
      end
      write_beats = write_beats + (`MUTANT(WaitingCounted) ? BeatsBits'(m_axi_wvalid[p]) : BeatsBits'(w_moves[p]));
    end
  end

  // ---- Counters.
  logic                counts;
  logic [StepBits-1:0] gemm_steps, alu_steps;

  assign counts = start_o | (running & ~core_done);

  always_comb begin
    gemm_steps = '0;
    alu_steps  = '0;
    for (int u = 0; u < cosim_pkg::Units; u++) begin
      gemm_steps = gemm_steps + StepBits'(gemm_step[u]);
      alu_steps  = alu_steps + (`MUTANT(StepsUncounted) ? StepBits'(gemm_step[u]) : StepBits'(alu_step[u]));
    end
  end

  counter #(.Width(CounterBits)) i_cycles (
    .clk_i(aclk), .rst_ni(aresetn), .start_i(start_o), .step_i(counts), .value_o(counters[0*CounterBits +: CounterBits])
  );
  counter #(.Width(CounterBits), .StepBits(BytesBits)) i_read_bytes (
    .clk_i(aclk), .rst_ni(aresetn), .start_i(start_o), .step_i({read_beats, BeatShift'(0)}),
    .value_o(counters[1*CounterBits +: CounterBits])
  );
  counter #(.Width(CounterBits), .StepBits(BytesBits)) i_write_bytes (
    .clk_i(aclk), .rst_ni(aresetn), .start_i(start_o), .step_i({write_beats, BeatShift'(0)}),
    .value_o(counters[2*CounterBits +: CounterBits])
  );
  counter #(.Width(CounterBits), .StepBits(StepBits)) i_gemm_steps (
    .clk_i(aclk), .rst_ni(aresetn), .start_i(start_o), .step_i(gemm_steps),
    .value_o(counters[3*CounterBits +: CounterBits])
  );
  counter #(.Width(CounterBits), .StepBits(StepBits)) i_alu_steps (
    .clk_i(aclk), .rst_ni(aresetn), .start_i(start_o), .step_i(alu_steps),
    .value_o(counters[4*CounterBits +: CounterBits])
  );

  ledger #(
    .Units(cosim_pkg::Units), .Queues(cosim_pkg::Queues), .Pops(cosim_pkg::QueuePops),
    .Columns(cosim_pkg::RegLedgerStride), .CounterBits(CounterBits)
  ) i_ledger (
    .clk_i       (aclk),
    .rst_ni      (aresetn),
    .start_i     (start_o),
    .run_i       (counts),
    .busy_i      (busy),
    .wait_push_i (wait_push),
    .wait_token_i(wait_token),
    .wait_port_i (wait_port),
    .in_flight_i (in_flight),
    .entry_i     (ledger_entry),
    .value_o     (ledger_value)
  );

endmodule
