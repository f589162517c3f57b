// SPDX-License-Identifier: Apache-2.0
// What the tests of specs share: a small ISA and configuration as texts, and what the loader says of changed
// ones.
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "isa/spec/loader.h"

namespace cosim::isa::testing {

/// Two computing units that share `acc`; every kind of instruction; micro-ops of both units in one shape.
inline const std::string kIsa = R"yaml(isa: mini
word_bits: 128
parameters:
  block: {default: 4, min: 1, max: 16}
  acc_bytes: {default: 1024}
  fetch_words: {default: 8}
memories:
  inp: {lanes: [block], type: int(8), depth: 64}
  wgt: {lanes: [block, block], type: int(8), depth: 32}
  acc: {lanes: [block], type: int(32), depth: acc_bytes * 8 / (block * 32), banks: 2}
  guop: {fields: {dst: uint(6), src: uint(6), wgt: uint(5)}, depth: 64}
  auop: {fields: {dst: uint(6), src: uint(6)}, depth: 64}
units:
  load: {commands: 4, overlap: true, latency: 2, buffer_beats: 16}
  gemm: {commands: 4, overlap: true, latency: 9}
  alu: {commands: 4, overlap: false, latency: 6 + alu_stages, lanes: 4}
  store: {commands: 4, overlap: true, latency: 2}
queues:
  load_to_gemm: {from: load, to: gemm, capacity: 4}
  gemm_to_alu: {from: gemm, to: alu, capacity: 4}
opcode_bits: 4
instructions:
  load_inp:
    opcode: 0
    unit: load
    kind: load
    memory: inp
    fields: {sram: uint(6), dram: uint(32), rows: uint(8), cols: uint(8), stride: uint(8)}
  load_wgt:
    opcode: 1
    unit: load
    kind: load
    memory: wgt
    fields: {sram: uint(5), dram: uint(32), rows: uint(8), cols: uint(8), stride: uint(8)}
  load_guop:
    opcode: 2
    match: {which: 0}
    unit: load
    kind: load
    memory: guop
    fields: {which: uint(1), sram: uint(6), dram: uint(32), rows: uint(8), cols: uint(8), stride: uint(8)}
  load_auop:
    opcode: 2
    match: {which: 1}
    unit: load
    kind: load
    memory: auop
    fields: {which: uint(1), sram: uint(6), dram: uint(32), rows: uint(8), cols: uint(8), stride: uint(8)}
  gemm:
    opcode: 3
    unit: gemm
    kind: gemm
    micro_ops: guop
    computes: acc[dst][o] += inp[src][k] * wgt[wgt][o, k]
    fields:
      reset: uint(1)
      lock_acc: uint(acc.banks)
      uop_begin: uint(6)
      uop_end: uint(7)
      iter_out: uint(8)
      iter_in: uint(8)
      dst_out: uint(6)
      dst_in: uint(6)
      src_out: uint(6)
      src_in: uint(6)
      wgt_out: uint(5)
      wgt_in: uint(5)
  alu:
    opcode: 4
    unit: alu
    kind: alu
    micro_ops: auop
    fields:
      op: uint(2)
      lock_acc: uint(acc.banks)
      uop_begin: uint(6)
      uop_end: uint(7)
      iter_out: uint(8)
      iter_in: uint(8)
      dst_out: uint(6)
      dst_in: uint(6)
      src_out: uint(6)
      src_in: uint(6)
      imm: int(16)
      shift: uint(5)
  store_acc:
    opcode: 5
    unit: store
    kind: store
    memory: acc
    fields: {lock_acc: uint(acc.banks), sram: uint(6), dram: uint(32), rows: uint(8), cols: uint(8), stride: uint(8)}
alu_ops:
  add:
    code: 0
    operands: {a: "acc[dst]", b: "acc[src]"}
    result: acc[dst]
    body: ["wrap(a + b, 32)"]
  scale:
    code: 1
    operands: {a: "acc[src]"}
    result: acc[dst]
    body:
      - product = a * imm
      - stage
      - sat(round_shift(product, shift), 32)
)yaml";

inline const std::string kConfig = R"yaml(isa: mini
clock_mhz: 100
parameters:
  block: 4
memory:
  port_bits: 64
  burst_beats: 16
  latency: 12
  write_latency: 6
  outstanding: 4
)yaml";

/// `text` with the first `from` replaced; fails the test if there is none.
inline std::string Replace(std::string text, const std::string& from, const std::string& to) {
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << "no '" << from << "' in the text";
  if (at != std::string::npos) text.replace(at, from.size(), to);
  return text;
}

/// What the loader says; empty when it accepts. Each text is known as isa.yaml and config.yaml.
inline std::string Complaints(const std::string& isa, const std::string& config = kConfig,
                              const std::vector<Override>& overrides = {}) {
  Diagnostics diags;
  const std::optional<Spec> spec = Elaborate({"isa.yaml", isa}, {"config.yaml", config}, overrides, diags);
  EXPECT_EQ(spec.has_value(), !diags.HasErrors());
  return diags.Render();
}

/// Of the small ISA with `from` replaced by `to`.
inline std::string ComplaintsOfIsa(const std::string& from, const std::string& to) {
  return Complaints(Replace(kIsa, from, to));
}

inline std::string ComplaintsOfConfig(const std::string& from, const std::string& to) {
  return Complaints(kIsa, Replace(kConfig, from, to));
}

}  // namespace cosim::isa::testing
