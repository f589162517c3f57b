// SPDX-License-Identifier: Apache-2.0
// What rule U4 of docs/rationale/microarchitecture.md says of loads that gather pieces, with cycles worked
// out by hand.
#include <gtest/gtest.h>

#include "tests/sim/cycle/testing/timeline.h"

namespace cosim::sim::testing {
namespace {

constexpr int kInp = 0;

/// Beats of 8 bytes, elements of 16, so that a piece may have two beats.
isa::Spec Wide() {
  isa::Spec spec = Plain();
  spec.memories[kInp].stored_bytes = 16;
  return spec;
}

struct Pieces {
  uint64_t dram;
  int64_t cols, bytes, step;
  int64_t rows = 1, stride = 0;
};

isa::Transfer Gather(const Pieces& p) {
  return {.memory = kInp,
          .dram = p.dram,
          .rows = p.rows,
          .cols = p.cols,
          .stride = p.stride,
          .gathers = true,
          .piece_bytes = p.bytes,
          .piece_step = p.step,
          .row_bytes = (p.cols - 1) * p.step + p.bytes};
}

/// Accepted in kT + 3, the first burst's first beat comes in kT + 23: the writer begins in kT + 24.
constexpr Cycle kBegin = kT + 24;

void ExpectTakes(const Pieces& pieces, Cycle takes) {
  Timeline t(Wide());
  t.Add(Load(t.spec(), t.Unit("load"), Gather(pieces)));
  t.Run();
  t.ExpectRetiresAt(0, kBegin + takes + 2 - 1);
}

TEST(U4Gather, TakesACycleForEachElementWhoseBeatsWereTaken) {
  // Bytes 0 to 5, 2 to 7, 4 to 9, 6 to 11: beat 0, none, beat 1, none.
  ExpectTakes({.dram = 4096, .cols = 4, .bytes = 6, .step = 2}, 4);
}

TEST(U4Gather, CountsBeatsFromTheFirstBytesPlace) {
  // Each piece of 8 bytes has its first 3 in one beat, for which only the first waits.
  ExpectTakes({.dram = 4096 + 5, .cols = 4, .bytes = 8, .step = 8}, 5);
}

TEST(U4Gather, TakesThreeBeatsOfAPieceOfTwoOnce) {
  ExpectTakes({.dram = 4096 + 1, .cols = 3, .bytes = 16, .step = 0}, 3 + 2);
}

TEST(U4Gather, TakesACycleForEachBeatBetweenPieces) {
  // Beats 0 and 1; beats 2 and 3; beats 4, 5 and 6, of which the piece lies in two.
  ExpectTakes({.dram = 4096 + 7, .cols = 3, .bytes = 2, .step = 20}, 7);
}

TEST(U4Gather, BeginsEachRowAnew) {
  // Places 7, 6, 5 of a beat: two beats, one, one, of which each row's are asked for.
  ExpectTakes({.dram = 4096 + 7, .cols = 1, .bytes = 2, .step = 0, .rows = 3, .stride = 7}, 4);
}

/// Element c ends with byte 4c + 15: beats 0 and 1 are taken for element 0, each beat b behind them for
/// element 2b - 3, in cycle 2b - 2. 17 beats: bursts of 16 and 1.
constexpr Pieces kHalfBeats = {.dram = 4096, .cols = 31, .bytes = 16, .step = 4};

TEST(U4Gather, GivesRoomBackWhenABurstsLastBeatIsTaken) {
  isa::Spec spec = Wide();
  spec.units[0].buffer_beats = 16;
  Timeline t(spec);
  t.Add(Load(t.spec(), t.Unit("load"), Gather(kHalfBeats)));
  t.Run();
  // Element 29 needs beat 16 (byte 131). Beat 15 is taken for element 27 in kT + 24 + 28, the second burst
  // presented in kT + 53, its beat there in kT + 73: elements 29 and 30 in kT + 74 and 75.
  t.ExpectRetiresAt(0, kT + 75 + 1 + 2 - 1);
}

TEST(U4Gather, WaitsOnlyForBeatsNotYetTaken) {
  isa::Spec spec = Wide();
  spec.units[0].buffer_beats = 16;
  Timeline t(spec);
  t.Add(Load(t.spec(), t.Unit("load"), Gather(kHalfBeats)));
  t.Run();
  // Element 28, all in beats taken, does not wait for the second burst: 30 cycles and two, then the two
  // behind.
  EXPECT_EQ(t.counters().ledger[0].busy, 30 + 2 + 2);
}

}  // namespace
}  // namespace cosim::sim::testing
