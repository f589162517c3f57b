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
    RowShort,         // of an instruction's first row one element less is read before its first sum
    TapsStay,         // what a row has brought does not go on from tap to tap
    PitchForgotten,   // of several rows at once each is read where the first is
    LineForgotten,    // of several rows at once only the first counts
    ForwardsLittle,   // gemm does not see the result of the step before
    SumUnsigned,      // sums of products lose their sign
    LowBorrows,       // a negative low sum of products borrows from the high one
    DigitUnsigned,    // a multiplier of LUTs carries nothing into a negative multiple
    RetireDropped,    // of two retirements in one cycle one is not counted
    AluReadyEarly,    // the alu takes the next instruction in the cycle of the retirement
    FifoShort,        // a FIFO is one place shorter than it says
    LoopsSwapped,     // the inner stride is taken for the outer one
    PortUncounted,    // what ports beside the first read is not counted
    WaitUncounted,    // the ledger does not count waiting for room in a queue
    HistoryShort,     // of two beats that a piece lies in the newer one is taken for both
    HeldKept,         // a row's first piece waits for no beat where an element behind the last row's would not
    GapForgotten,     // beats between two pieces stay in the data buffer
    MaskShifted,      // a piece writes a byte more than it has
    WrapForgotten,    // bytes that turning a piece moves over a beat's border are those of the beat beside
    WaitingCounted,   // a beat that waits to be written is counted in each cycle
    LastUncounted,    // the last beat of a read burst is not counted
    StepsUncounted,   // the steps of gemm instructions are counted as the alu's
    PageLate,         // bursts go one beat across 4 KiB boundaries
    FixedBurst,       // write bursts say that they stay at one address
    HalfBeats,        // write bursts say that their beats have half the bytes
    AddressFalls,     // a write address is withdrawn if it is not taken at once
    LengthMoves,      // a read burst changes its length while it waits
    WritesMore,       // one write burst more than Outstanding is accepted
    LastForgotten,    // a write burst of one beat does not mark it as the last
    StrobesShort,     // a beat that several elements share is written without the first
    PushLost,         // a token that comes while another goes is lost
    LookupHalf,       // the upper half of a table is written to the lower one
    FifoStale         // a FIFO does not store what comes in the cycle in which something goes
  } mutant_t;

  mutant_t active /*verilator public_flat_rw*/ = None;
endpackage
