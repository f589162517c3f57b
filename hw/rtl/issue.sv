// SPDX-License-Identifier: Apache-2.0
// Decides, for one unit, whether the head of its command queue may issue, and why not. Banks are lock_manager.sv's.
//
// Combinational; every input comes from a register of another unit. could_o: everything but the banks is there.
// The reasons follow the order of the ledger: the first that is missing is the one that is named.
module issue #(
  parameter int unsigned Pops   = 1,
  parameter int unsigned Pushes = 1
) (
  input  logic              head_valid_i,
  input  logic              ready_i,       // the unit can take an instruction
  input  logic [Pops-1:0]   pops_i,        // queues the head pops from
  input  logic [Pops-1:0]   tokens_i,      // queues that hold a token
  input  logic [Pushes-1:0] pushes_i,      // queues the head pushes to
  input  logic [Pushes-1:0] places_i,      // queues that have a free place
  input  logic              granted_i,     // the banks it names are its own
  output logic              could_o,
  output logic              issue_o,
  output logic [Pops-1:0]   pop_o,
  output logic [Pushes-1:0] take_o,
  output logic              wait_push_o,
  output logic [Pops-1:0]   wait_token_o,  // at most one bit: the first missing queue
  output logic              wait_bank_o
);

  logic            standing, push_ok;
  logic [Pops-1:0] missing;

  assign standing = head_valid_i & ready_i;
  assign push_ok  = (pushes_i & ~places_i) == '0;
  assign missing  = pops_i & ~tokens_i;
  assign could_o  = standing & push_ok & ~(|missing);
  assign issue_o  = could_o & granted_i;
  assign pop_o    = issue_o ? pops_i : '0;
  assign take_o   = issue_o ? pushes_i : '0;

  assign wait_push_o  = standing & ~push_ok;
  always_comb begin
    wait_token_o = '0;
    for (int q = Pops - 1; q >= 0; q--) begin
      if (standing & push_ok & missing[q]) wait_token_o = Pops'(1) << q;
    end
  end
  assign wait_bank_o  = could_o & ~granted_i;

endmodule
