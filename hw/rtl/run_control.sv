// SPDX-License-Identifier: Apache-2.0
// The life of a run: waits until memory owes nothing, clears the core, starts it, and ends when it is done or something
// went wrong. What went wrong is seen outside (watch.sv, the bus, the dispatcher); the registers are registers.sv's.
//
// After an error the core is stopped (stop_o): it asks for nothing more, and what it has asked for is answered as the
// bus wants it. When nothing is owed any more the core is cleared and the run ends; it also ends when the watchdog has run
// out once more, so it ends in any case. The next start waits for what is still owed, under the watchdog as well.
module run_control (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        start_i,        // one cycle, only while busy_o is low
  input  logic        abort_i,        // one cycle; ends a run
  input  logic        misplaced_i,    // the program's address is none
  output logic        busy_o,
  output logic        done_o,         // a run ended, and none has been started since
  output logic        ended_o,        // one cycle: done_o rises in the next
  output logic [3:0]  error_o,        // of the last run
  // The core.
  output logic        clear_no,       // its reset
  output logic        start_o,        // one cycle: cycle 0
  output logic        stop_o,
  output logic        watching_o,     // memory may owe an answer
  output logic        running_o,      // cycle 0 was, and neither done nor an error has come
  input  logic        done_i,
  input  logic        quiet_i,        // memory owes nothing
  // What may go wrong.
  input  logic        bus_error_i,
  input  logic        illegal_i,      // the next word is no instruction
  input  logic        stuck_i,
  input  logic        expired_i       // memory has owed an answer for too long
);

  typedef enum logic [2:0] {
    Idle,
    Settling,   // a start waits until nothing is owed
    Clearing,
    Starting,
    Running,
    Stopping
  } state_t;

  state_t     state_d, state_q;
  logic [3:0] error_d, error_q;
  logic       done_d, done_q;
  logic       clear_d, clear_q, stop_d, stop_q;
  logic       abort_d, abort_q;       // somebody has asked for the end of this run

  always_comb begin
    state_d = state_q;
    error_d = error_q;
    done_d  = done_q;
    ended_o = 1'b0;
    unique case (state_q)
      Idle: begin
        if (start_i) begin
          state_d = Settling;
          error_d = '0;
          done_d  = 1'b0;
        end
      end
      Settling: begin
        if (misplaced_i)    error_d = 4'(cosim_pkg::RegErrorBadProgramAddress);
        else if (expired_i) error_d = 4'(cosim_pkg::RegErrorTimeout);
        else if (abort_q)   error_d = 4'(cosim_pkg::RegErrorAborted);
        if (error_d != '0)  ended_o = 1'b1;
        else if (quiet_i)   state_d = Clearing;
      end
      Clearing: state_d = Starting;
      Starting: state_d = Running;
      Running: begin
        if (bus_error_i)    error_d = 4'(cosim_pkg::RegErrorBusError);
        else if (illegal_i) error_d = 4'(cosim_pkg::RegErrorBadInstruction);
        else if (stuck_i)   error_d = 4'(cosim_pkg::RegErrorStuck);
        else if (expired_i) error_d = 4'(cosim_pkg::RegErrorTimeout);
        else if (abort_q)   error_d = 4'(cosim_pkg::RegErrorAborted);
        if (error_d != '0)  state_d = Stopping;
        else if (done_i)    ended_o = 1'b1;
      end
      default: ended_o = quiet_i | expired_i;  // Stopping
    endcase
    if (ended_o) begin
      state_d = Idle;
      done_d  = 1'b1;
    end
    clear_d = (state_d == Clearing) | ((state_q == Stopping) & quiet_i);
    abort_d = (abort_q | abort_i) & (state_q != Idle);
    stop_d  = (state_d != Starting) & (state_d != Running);
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q <= Idle;
      error_q <= '0;
      done_q  <= 1'b0;
      clear_q <= 1'b1;
      stop_q  <= 1'b1;
      abort_q <= 1'b0;
    end else begin
      state_q <= state_d;
      error_q <= error_d;
      done_q  <= done_d;
      clear_q <= clear_d;
      stop_q  <= stop_d;
      abort_q <= abort_d;
    end
  end

  assign busy_o     = state_q != Idle;
  assign done_o     = done_q;
  assign error_o    = error_q;
  assign clear_no   = ~clear_q;
  assign start_o    = state_q == Starting;
  assign stop_o     = stop_q;
  assign watching_o = (state_q == Settling) | (state_q == Running) | (state_q == Stopping);
  assign running_o  = state_q == Running;

`ifndef YOSYS
  a_start: assert property (@(posedge clk_i) disable iff (!rst_ni) start_i |-> !busy_o)
    else $error("a run is started only when none is");
  a_clear: assert property (@(posedge clk_i) disable iff (!rst_ni) clear_q |-> quiet_i)
    else $error("the core is cleared only while memory owes it nothing");
`endif

endmodule
