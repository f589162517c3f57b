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

TEST(U4Gather, TakesACycleForEachBeatThatAPieceTouches) {
  // Bytes 0 to 5, 2 to 7, 4 to 9, 6 to 11: one beat, one, two, two.
  ExpectTakes({.dram = 4096, .cols = 4, .bytes = 6, .step = 2}, 6);
}

TEST(U4Gather, CountsBeatsFromTheFirstBytesPlace) {
  // Each piece of 8 bytes has its first 3 in one beat.
  ExpectTakes({.dram = 4096 + 5, .cols = 4, .bytes = 8, .step = 8}, 8);
}

TEST(U4Gather, TakesThreeBeatsOfAPieceOfTwo) {
  ExpectTakes({.dram = 4096 + 1, .cols = 3, .bytes = 16, .step = 0}, 9);
}

TEST(U4Gather, TakesACycleForEachBeatBetweenPieces) {
  // Beats 0 and 1, then 2; beat 3, then 4; beats 5 and 6.
  ExpectTakes({.dram = 4096 + 7, .cols = 3, .bytes = 2, .step = 20}, 7);
}

TEST(U4Gather, BeginsEachRowAnew) {
  // Places 7, 6, 5 of a beat: two beats, one, one, of which each row's are asked for.
  ExpectTakes({.dram = 4096 + 7, .cols = 1, .bytes = 2, .step = 0, .rows = 3, .stride = 7}, 4);
}

TEST(U4Gather, GivesRoomBackWhenABurstsLastBeatIsTakenForTheFirstTime) {
  isa::Spec spec = Wide();
  spec.units[0].buffer_beats = 16;
  Timeline t(spec);
  // Element c takes beats c and c + 1, so beat b comes first in take 2b - 1. 17 beats: bursts of 16 and 1.
  t.Add(Load(t.spec(), t.Unit("load"), Gather({.dram = 4096, .cols = 16, .bytes = 16, .step = 8})));
  t.Run();
  // Beat 15 is taken in kT + 24 + 29, the second burst presented in kT + 54, its beat there in kT + 74.
  t.ExpectRetiresAt(0, kT + 75 + 1 + 2 - 1);
}

TEST(U4Gather, WaitsOnlyForBeatsNotYetTaken) {
  isa::Spec spec = Wide();
  spec.units[0].buffer_beats = 16;
  Timeline t(spec);
  t.Add(Load(t.spec(), t.Unit("load"), Gather({.dram = 4096, .cols = 16, .bytes = 16, .step = 8})));
  t.Run();
  // Take 30, of beat 15 again, does not wait for the second burst: 31 takes and one, then the two cycles
  // behind.
  EXPECT_EQ(t.counters().ledger[0].busy, 31 + 1 + 2);
}

}  // namespace
}  // namespace cosim::sim::testing
