// SPDX-License-Identifier: Apache-2.0
// What is wrong with memories, units and queues. Each test pins the whole text that a user sees.
#include <gtest/gtest.h>

#include "tests/isa/spec/testing.h"

namespace cosim::isa {
namespace {

using testing::Complaints;
using testing::ComplaintsOfIsa;
using testing::kIsa;
using testing::Replace;

TEST(MemoryDiagnostics, RejectsBanksThatDoNotDivide) {
  EXPECT_EQ(ComplaintsOfIsa("banks: 2", "banks: 3"),
            R"~(isa.yaml:10:84: error[E0403]: 3 banks do not divide the 64 elements of memory 'acc'
   10 |   acc: {lanes: [block], type: int(32), depth: acc_bytes * 8 / (block * 32), banks: 3}
      |                                                                                    ^
  note: 'block' is 4, from config.yaml:4:10
)~");
}

TEST(MemoryDiagnostics, RejectsAMemoryWithoutType) {
  EXPECT_EQ(ComplaintsOfIsa("type: int(8), depth: 64", "depth: 64"),
            R"~(isa.yaml:8:3: error[E0007]: memory 'inp' has to have either 'type' or 'fields'
    8 |   inp: {lanes: [block], depth: 64}
      |   ^~~
)~");
}

TEST(MemoryDiagnostics, RejectsAMemoryWithTypeAndFields) {
  EXPECT_EQ(ComplaintsOfIsa("type: int(8), depth: 64", "type: int(8), fields: {a: int(8)}, depth: 64"),
            R"~(isa.yaml:8:3: error[E0007]: memory 'inp' has to have either 'type' or 'fields'
    8 |   inp: {lanes: [block], type: int(8), fields: {a: int(8)}, depth: 64}
      |   ^~~
)~");
}

TEST(MemoryDiagnostics, RejectsLanesThatAreNoList) {
  EXPECT_EQ(ComplaintsOfIsa("lanes: [block], type: int(8)", "lanes: block, type: int(8)"),
            R"~(isa.yaml:8:9: error[E0008]: 'lanes' of memory 'inp' has to be a list, not a single value
    8 |   inp: {lanes: block, type: int(8), depth: 64}
      |         ^~~~~
)~");
}

TEST(MemoryDiagnostics, RejectsMirrorsOfNothing) {
  EXPECT_EQ(ComplaintsOfIsa("  guop: {", "  low: {mirrors: ac, type: int(8)}\n  guop: {"),
            R"~(isa.yaml:11:18: error[E0009]: there is no memory 'ac'
   11 |   low: {mirrors: ac, type: int(8)}
      |                  ^~
  hint: did you mean 'acc'?
)~");
}

TEST(MemoryDiagnostics, RejectsMirrorsWithADepth) {
  EXPECT_EQ(
      ComplaintsOfIsa("  guop: {", "  low: {mirrors: acc, type: int(8), depth: 4}\n  guop: {"),
      R"~(isa.yaml:11:37: error[E0404]: memory 'low' mirrors another memory and takes its 'depth' from there
   11 |   low: {mirrors: acc, type: int(8), depth: 4}
      |                                     ^~~~~
)~");
}

TEST(MemoryDiagnostics, RejectsMirrorsOfRecords) {
  EXPECT_EQ(
      ComplaintsOfIsa("  auop: {", "  low: {mirrors: guop, type: int(8)}\n  auop: {"),
      R"~(isa.yaml:12:18: error[E0404]: memory 'guop' cannot be mirrored: it has fields or is a mirror itself
   12 |   low: {mirrors: guop, type: int(8)}
      |                  ^~~~
)~");
}

TEST(MemoryDiagnostics, RejectsUnusedMemories) {
  EXPECT_EQ(ComplaintsOfIsa("  guop: {", "  low: {type: int(8), depth: 4}\n  guop: {"),
            R"~(isa.yaml:11:3: error[E0406]: no instruction uses memory 'low'
   11 |   low: {type: int(8), depth: 4}
      |   ^~~
)~");
}

TEST(MemoryDiagnostics, RejectsMemoriesThatNothingWrites) {
  EXPECT_EQ(ComplaintsOfIsa("    memory: inp", "    memory: wgt"),
            R"~(isa.yaml:8:3: error[E0406]: memory 'inp' is read, but no instruction writes it
    8 |   inp: {lanes: [block], type: int(8), depth: 64}
      |   ^~~
)~");
}

TEST(MemoryDiagnostics, RejectsUnknownMemories) {
  EXPECT_EQ(ComplaintsOfIsa("memory: inp", "memory: imp"),
            R"~(isa.yaml:27:13: error[E0009]: there is no memory 'imp'
   27 |     memory: imp
      |             ^~~
  hint: did you mean 'inp'?
)~");
}

/// With a mirror of `acc` that a store reads.
std::string WithMirror() {
  return Replace(Replace(kIsa, "  guop: {", "  low: {mirrors: acc, type: int(8)}\n  guop: {"),
                 "memory: acc\n    fields: {lock_acc: uint(acc.banks), sram",
                 "memory: low\n    fields: {sram");
}

TEST(MemoryDiagnostics, AcceptsMirrors) { EXPECT_EQ(Complaints(WithMirror()), ""); }

TEST(MemoryDiagnostics, RejectsMirrorsAsOperands) {
  EXPECT_EQ(Complaints(Replace(WithMirror(), "b: \"acc[src]\"", "b: \"low[src]\"")),
            R"~(isa.yaml:96:35: error[E0404]: memory 'low' is a mirror, which only a store reads
   96 |     operands: {a: "acc[dst]", b: "low[src]"}
      |                                   ^~~
  hint: name 'acc' instead
)~");
}

TEST(MemoryDiagnostics, RejectsLoadsOfMirrors) {
  EXPECT_EQ(Complaints(Replace(WithMirror(), "memory: inp", "memory: low")),
            R"~(isa.yaml:28:13: error[E0404]: memory 'low' is a mirror and cannot be loaded
   28 |     memory: low
      |             ^~~
  hint: load 'acc'
)~");
}

TEST(MemoryDiagnostics, RejectsPaddingOfRecords) {
  EXPECT_EQ(ComplaintsOfIsa("fields: {which: uint(1), ", "fields: {which: uint(1), pad_value: int(8), "),
            R"~(isa.yaml:41:30: error[E0108]: memory 'guop' holds records, which no single value can pad
   41 |     fields: {which: uint(1), pad_value: int(8), sram: uint(6), dram: uint(32), rows: uint(8), cols: uint(8), stride: uint(8)}
      |                              ^~~~~~~~~
)~");
}

TEST(UnitDiagnostics, RejectsUnreachableUnits) {
  EXPECT_EQ(ComplaintsOfIsa("  store: {commands",
                            "  spare: {commands: 4, overlap: true, latency: 2}\n  store: {commands"),
            R"~(isa.yaml:17:3: error[E0401]: no instruction executes on unit 'spare'
   17 |   spare: {commands: 4, overlap: true, latency: 2}
      |   ^~~~~
)~");
}

TEST(UnitDiagnostics, RejectsUnknownUnits) {
  EXPECT_EQ(ComplaintsOfIsa("unit: store", "unit: stor"),
            R"~(isa.yaml:88:11: error[E0009]: there is no unit 'stor'
   88 |     unit: stor
      |           ^~~~
  hint: did you mean 'store'?
)~");
}

TEST(UnitDiagnostics, RejectsAnAluWithoutLanes) {
  EXPECT_EQ(ComplaintsOfIsa(", lanes: 4}", "}"),
            R"~(isa.yaml:16:3: error[E0405]: unit 'alu' executes alu instructions and needs the key 'lanes'
   16 |   alu: {commands: 4, overlap: false, latency: 6 + alu_stages}
      |   ^~~
)~");
}

TEST(UnitDiagnostics, RejectsLanesWithoutAlu) {
  EXPECT_EQ(
      ComplaintsOfIsa("overlap: true, latency: 9}", "overlap: true, latency: 9, lanes: 4}"),
      R"~(isa.yaml:15:50: error[E0405]: unit 'gemm' executes no alu instructions and has no use for 'lanes'
   15 |   gemm: {commands: 4, overlap: true, latency: 9, lanes: 4}
      |                                                  ^~~~~
)~");
}

TEST(UnitDiagnostics, RejectsALoadWithoutBuffer) {
  EXPECT_EQ(
      ComplaintsOfIsa(", buffer_beats: 16}", "}"),
      R"~(isa.yaml:14:3: error[E0405]: unit 'load' executes load instructions and needs the key 'buffer_beats'
   14 |   load: {commands: 4, overlap: true, latency: 2}
      |   ^~~~
)~");
}

TEST(UnitDiagnostics, RejectsAPortOfAUnitThatNeitherLoadsNorStores) {
  EXPECT_EQ(ComplaintsOfIsa("  gemm: {commands: 4,", "  gemm: {port: 0, commands: 4,"),
            R"~(isa.yaml:15:10: error[E0405]: unit 'gemm' neither loads nor stores and has no use for 'port'
   15 |   gemm: {port: 0, commands: 4, overlap: true, latency: 9}
      |          ^~~~
)~");
}

TEST(UnitDiagnostics, RejectsPortsThatNothingUses) {
  EXPECT_EQ(ComplaintsOfIsa(", buffer_beats: 16}", ", buffer_beats: 16, port: 2}"),
            R"~(isa.yaml:14:74: error[E0407]: unit 'load' uses memory port 2, but nothing uses port 1
   14 |   load: {commands: 4, overlap: true, latency: 2, buffer_beats: 16, port: 2}
      |                                                                          ^
)~");
}

TEST(UnitDiagnostics, RejectsMorePortsThanThereMayBe) {
  EXPECT_EQ(ComplaintsOfIsa(", buffer_beats: 16}", ", buffer_beats: 16, port: 4}"),
            R"~(isa.yaml:14:74: error[E0010]: 'port' of unit 'load' is 4, but has to be 0 to 3
   14 |   load: {commands: 4, overlap: true, latency: 2, buffer_beats: 16, port: 4}
      |                                                                          ^
)~");
}

TEST(UnitDiagnostics, RejectsOverlapOfSeveralKinds) {
  EXPECT_EQ(ComplaintsOfIsa("    unit: alu", "    unit: gemm"),
            R"~(isa.yaml:15:3: error[E0405]: unit 'gemm' executes alu instructions and needs the key 'lanes'
   15 |   gemm: {commands: 4, overlap: true, latency: 9}
      |   ^~~~
isa.yaml:15:32: error[E0405]: unit 'gemm' executes several kinds of instructions, which cannot overlap
   15 |   gemm: {commands: 4, overlap: true, latency: 9}
      |                                ^~~~
isa.yaml:16:3: error[E0401]: no instruction executes on unit 'alu'
   16 |   alu: {commands: 4, overlap: false, latency: 6 + alu_stages, lanes: 4}
      |   ^~~
)~");
}

TEST(UnitDiagnostics, RejectsQueuesToTheSameUnit) {
  EXPECT_EQ(ComplaintsOfIsa("{from: load, to: gemm,", "{from: load, to: load,"),
            R"~(isa.yaml:19:34: error[E0402]: queue 'load_to_gemm' leads from unit 'load' to itself
   19 |   load_to_gemm: {from: load, to: load, capacity: 4}
      |                                  ^~~~
  hint: a unit's own instructions follow each other in order and need no tokens
)~");
}

TEST(UnitDiagnostics, RejectsQueuesToUnknownUnits) {
  EXPECT_EQ(ComplaintsOfIsa("{from: load, to: gemm,", "{from: load, to: gem,"),
            R"~(isa.yaml:19:34: error[E0009]: there is no unit 'gem'
   19 |   load_to_gemm: {from: load, to: gem, capacity: 4}
      |                                  ^~~
  hint: did you mean 'gemm'?
)~");
}

TEST(UnitDiagnostics, RejectsQueuesWithTheSameEnds) {
  EXPECT_EQ(
      ComplaintsOfIsa("{from: gemm, to: alu,", "{from: load, to: gemm,"),
      R"~(isa.yaml:20:3: error[E0402]: queues 'load_to_gemm' and 'gemm_to_alu' lead from and to the same units
   20 |   gemm_to_alu: {from: load, to: gemm, capacity: 4}
      |   ^~~~~~~~~~~
  note: the first one is at isa.yaml:19:3
)~");
}

TEST(UnitDiagnostics, RejectsQueuesWithoutRoom) {
  EXPECT_EQ(
      ComplaintsOfIsa("to: gemm, capacity: 4", "to: gemm, capacity: 0"),
      R"~(isa.yaml:19:50: error[E0010]: the capacity of queue 'load_to_gemm' is 0, but has to be 1 to 65536
   19 |   load_to_gemm: {from: load, to: gemm, capacity: 0}
      |                                                  ^
)~");
}

}  // namespace
}  // namespace cosim::isa
