// SPDX-License-Identifier: Apache-2.0
// Hand-made specs and instructions for tests of timing.
#include "tests/sim/cycle/testing/spec_builder.h"

#include "isa/check.h"

namespace cosim::sim::testing {
namespace {

isa::Decoded Make(const isa::Spec& spec, int unit, isa::Kind kind) {
  for (size_t f = 0; f < spec.formats.size(); ++f) {
    if (spec.formats[f].unit != unit || spec.formats[f].kind != kind) continue;
    isa::Decoded decoded;
    decoded.format = static_cast<int>(f);
    decoded.unit = unit;
    return decoded;
  }
  COSIM_CHECK(false, "unit {} has no such kind", unit);
}

uint64_t QueueBit(const isa::Spec& spec, const std::string& name) {
  for (size_t q = 0; q < spec.queues.size(); ++q) {
    if (spec.queues[q].name == name) return uint64_t{1} << q;
  }
  COSIM_CHECK(false, "no queue {}", name);
}

const char* Mnemonic(isa::Kind kind) {
  switch (kind) {
    case isa::Kind::kLoad:
      return "load";
    case isa::Kind::kStore:
      return "store";
    case isa::Kind::kGemm:
      return "gemm";
    case isa::Kind::kAlu:
      return "alu";
    case isa::Kind::kSync:
      return "sync";
  }
  return "";
}

isa::Nest Steps(int64_t steps) { return {.uop_begin = 0, .uop_end = 1, .iter_out = 1, .iter_in = steps}; }

}  // namespace

isa::Spec EmptySpec() {
  isa::Spec spec;
  spec.isa = "by hand";
  spec.word_bits = 128;
  spec.fetch_words = 16;
  spec.dram.port_bits = 64;
  spec.dram.burst_beats = 16;
  spec.dram.latency = 20;
  spec.dram.write_latency = 10;
  spec.dram.outstanding = 8;
  return spec;
}

int AddUnit(isa::Spec& spec, const std::string& name, const std::vector<isa::Kind>& kinds, bool overlap,
            int latency) {
  isa::Unit unit;
  unit.name = name;
  unit.commands = 32;
  unit.overlap = overlap;
  unit.latency = latency;
  unit.buffer_beats = 64;
  const int index = static_cast<int>(spec.units.size());
  spec.units.push_back(unit);
  std::vector<isa::Kind> all = kinds;
  all.push_back(isa::Kind::kSync);
  for (const isa::Kind kind : all) {
    isa::InstructionFormat format;
    format.name = std::string(Mnemonic(kind)) + "_" + name;
    format.kind = kind;
    format.unit = index;
    spec.formats.push_back(format);
  }
  return index;
}

int AddQueue(isa::Spec& spec, const std::string& name, int from, int to, int capacity) {
  isa::Queue queue;
  queue.name = name;
  queue.from = from;
  queue.to = to;
  queue.capacity = capacity;
  spec.queues.push_back(queue);
  return static_cast<int>(spec.queues.size()) - 1;
}

int AddMemory(isa::Spec& spec, const std::string& name, int64_t stored_bytes, int banks) {
  isa::Memory memory;
  memory.name = name;
  memory.stored_bytes = stored_bytes;
  memory.banks = banks;
  spec.memories.push_back(memory);
  return static_cast<int>(spec.memories.size()) - 1;
}

int AddAluOp(isa::Spec& spec, int initiation_interval) {
  isa::AluOp op;
  op.initiation_interval = initiation_interval;
  spec.alu_ops.push_back(op);
  return static_cast<int>(spec.alu_ops.size()) - 1;
}

isa::Spec CosimLike() {
  isa::Spec spec = EmptySpec();
  AddMemory(spec, "inp", 8, 4);
  AddMemory(spec, "wgt", 128);
  AddMemory(spec, "acc", 32, 4);
  AddMemory(spec, "out", 8);
  const int load = AddUnit(spec, "load", {isa::Kind::kLoad}, true, 2);
  const int gemm = AddUnit(spec, "gemm", {isa::Kind::kGemm}, true, 13);
  const int alu = AddUnit(spec, "alu", {isa::Kind::kAlu}, false, 12);
  const int store = AddUnit(spec, "store", {isa::Kind::kStore}, true, 2);
  const int units[] = {load, gemm, alu, store};
  for (const int from : units) {
    for (const int to : units) {
      if (from == to) continue;
      AddQueue(spec,
               spec.units[static_cast<size_t>(from)].name + "_to_" + spec.units[static_cast<size_t>(to)].name,
               from, to, 4);
    }
  }
  AddAluOp(spec, 1);
  AddAluOp(spec, 2);
  return spec;
}

isa::Spec VtaLike() {
  isa::Spec spec = EmptySpec();
  AddMemory(spec, "inp", 8);
  AddMemory(spec, "wgt", 128);
  AddMemory(spec, "acc", 32);
  AddMemory(spec, "out", 8);
  const int load = AddUnit(spec, "load", {isa::Kind::kLoad}, false, 2);
  const int compute =
      AddUnit(spec, "compute", {isa::Kind::kLoad, isa::Kind::kGemm, isa::Kind::kAlu}, false, 13);
  const int store = AddUnit(spec, "store", {isa::Kind::kStore}, false, 2);
  AddQueue(spec, "load_to_compute", load, compute, 4);
  AddQueue(spec, "compute_to_load", compute, load, 4);
  AddQueue(spec, "compute_to_store", compute, store, 4);
  AddQueue(spec, "store_to_compute", store, compute, 4);
  AddAluOp(spec, 1);
  AddAluOp(spec, 2);
  return spec;
}

isa::Decoded Load(const isa::Spec& spec, int unit, const isa::Transfer& transfer) {
  isa::Decoded decoded = Make(spec, unit, isa::Kind::kLoad);
  decoded.body = transfer;
  return decoded;
}

isa::Decoded Store(const isa::Spec& spec, int unit, const isa::Transfer& transfer) {
  isa::Decoded decoded = Make(spec, unit, isa::Kind::kStore);
  isa::Transfer stored = transfer;
  stored.is_store = true;
  decoded.body = stored;
  return decoded;
}

isa::Decoded Gemm(const isa::Spec& spec, int unit, int64_t steps) {
  isa::Decoded decoded = Make(spec, unit, isa::Kind::kGemm);
  isa::Gemm gemm;
  gemm.nest = Steps(steps);
  decoded.body = gemm;
  return decoded;
}

isa::Decoded Alu(const isa::Spec& spec, int unit, int op, int64_t steps) {
  isa::Decoded decoded = Make(spec, unit, isa::Kind::kAlu);
  isa::Alu alu;
  alu.nest = Steps(steps);
  alu.op = op;
  decoded.body = alu;
  return decoded;
}

isa::Decoded Sync(const isa::Spec& spec, int unit) { return Make(spec, unit, isa::Kind::kSync); }

isa::Decoded Pops(const isa::Spec& spec, isa::Decoded instruction, const std::string& queue) {
  instruction.pops |= QueueBit(spec, queue);
  return instruction;
}

isa::Decoded Pushes(const isa::Spec& spec, isa::Decoded instruction, const std::string& queue) {
  instruction.pushes |= QueueBit(spec, queue);
  return instruction;
}

isa::Decoded Locks(const isa::Spec& spec, isa::Decoded instruction, const std::string& memory,
                   uint32_t banks) {
  for (size_t m = 0; m < spec.memories.size(); ++m) {
    if (spec.memories[m].name == memory) instruction.locks.emplace_back(static_cast<int>(m), banks);
  }
  return instruction;
}

}  // namespace cosim::sim::testing
