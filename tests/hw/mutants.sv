// SPDX-License-Identifier: Apache-2.0
// Faults planted in hw/rtl, to see that lockstep notices each (mutants_test.cc). Read before all other sources of a
// model, this gives `MUTANT(Name), which is 0 in every other model, its meaning: whether that fault was selected.
`define MUTANT(name) (mutant_pkg::active == mutant_pkg::name)

package mutant_pkg;
  typedef enum int {
    None,
    CrossesPages,     // bursts go across 4 KiB boundaries
    ForgetsOffset,    // a row's beats are counted from its first byte, not from its first beat
    TokenTwice,       // a token pushed is there twice
    PlaceLost,        // a queue has one place less
    LockKept,         // the second unit's banks stay locked
    LockForgotten,    // nobody holds a bank
    BankZero,         // what is read comes from bank 0
    ForwardsTooLittle,  // gemm does not see the result of the step before
    SumUnsigned,      // sums of products lose their sign
    RetireDropped,    // of two retirements in one cycle one is not counted
    FifoShort,        // a FIFO is one place shorter than it says
    LoopsSwapped      // the outer stride is taken for the inner one
  } mutant_t;

  mutant_t active /*verilator public_flat_rw*/ = None;
endpackage
