// SPDX-License-Identifier: Apache-2.0
// Faults planted in hw/rtl, to see that lockstep notices each (mutants_test.cc). Read before all other sources of a
// model, this gives `MUTANT(Name), which is 0 in every other model, its meaning: whether that fault was selected.
`define MUTANT(name) (mutant_pkg::active == mutant_pkg::name)

package mutant_pkg;
  typedef enum int {
    None,
    FixedPriority,    // the read port always serves the first requester
    OneBurstMore,     // one read burst more than Outstanding is accepted
    CrossesPages,     // bursts go across 4 KiB boundaries
    ForgetsOffset,    // a row's beats are counted from its first byte, not from its first beat
    TokenTwice,       // a token pushed is there twice
    PlaceLost,        // a queue has one place less
    LockKept,         // the third unit's banks stay locked
    LockForgotten,    // nobody holds a bank
    BankZero,         // what is read comes from bank 0
    PadZero,          // pads are 0 whatever their value
    RoomEarly,        // a burst's room in the data buffer comes back at its first beat
    StrobesAll,       // stores write whole beats
    ForwardsLittle,   // gemm does not see the result of the step before
    SumUnsigned,      // sums of products lose their sign
    BorrowForgotten,  // what a low sum of products borrowed is not given back to the high one
    DigitUnsigned,    // a multiplier of LUTs carries nothing into a negative multiple
    RetireDropped,    // of two retirements in one cycle one is not counted
    AluReadyEarly,    // the alu takes the next instruction in the cycle of the retirement
    FifoShort,        // a FIFO is one place shorter than it says
    LoopsSwapped,     // the inner stride is taken for the outer one
    PortUncounted,    // what ports beside the first read is not counted
    WaitUncounted     // the ledger does not count waiting for room in a queue
  } mutant_t;

  mutant_t active /*verilator public_flat_rw*/ = None;
endpackage
