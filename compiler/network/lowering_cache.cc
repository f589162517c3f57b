// SPDX-License-Identifier: Apache-2.0
#include "compiler/network/lowering_cache.h"

#include <fmt/format.h>

#include <algorithm>

#include "isa/spec/elaborate.h"

namespace cosim::network {
namespace {

/// Without what only times depend on. Latencies stay, as do the distances of an ALU op's steps: the verifier
/// and programs know them.
isa::Spec WithoutTimes(isa::Spec spec) {
  spec.fetch_words = 0;
  spec.dram.outstanding = 1;
  for (isa::Unit& unit : spec.units) unit.commands = unit.lanes = unit.buffer_beats = 0;
  for (isa::AluOp& op : spec.alu_ops) op.initiation_interval = 1;
  return spec;
}

/// Whether a field counts elements or banks of a memory on chip.
bool CountsOnChip(const isa::InstructionFormat& format, int field) {
  const std::string& name = format.fields[field].name;
  return name == "sram" || name == "uop_begin" || name == "uop_end" ||
         std::ranges::any_of(format.locks, [&](const auto& lock) { return field == lock.second; }) ||
         std::ranges::any_of(format.indices, [&](const isa::IndexFields& index) {
           return field == index.base || field == index.outer || field == index.inner;
         });
}

/// Without how many elements memories hold, and how wide what counts them is.
isa::Spec WithoutSizes(isa::Spec spec) {
  spec.word_bits = 0;
  for (isa::Queue& queue : spec.queues) queue.capacity = 0;
  for (isa::Memory& memory : spec.memories) {
    memory.depth = 0;
    memory.banks = 1;
    if (!memory.is_micro_ops) continue;
    memory.stored_bytes = 0;
    for (isa::Field& field : memory.fields) field.offset = field.type.width = 0;
  }
  for (isa::InstructionFormat& format : spec.formats)
    for (size_t f = 0; f < format.fields.size(); ++f) {
      format.fields[f].offset = 0;
      if (CountsOnChip(format, static_cast<int>(f))) format.fields[f].type.width = 0;
    }
  return spec;
}

}  // namespace

std::string LoweringCache::KeyOf(const isa::Spec& spec) {
  std::string key = fmt::format("{} {:016x} {} {} {}", spec.isa, isa::Fingerprint(WithoutTimes(spec)),
                                spec.dram.port_bits, spec.dram.burst_beats, spec.ports);
  for (const isa::AluOp& op : spec.alu_ops) key += fmt::format(" {}", op.min_distance);
  return key;
}

std::string KernelCache::ScopeOf(const isa::Spec& spec) {
  return fmt::format("{} {:016x} {}", spec.isa, isa::Fingerprint(WithoutSizes(WithoutTimes(spec))),
                     spec.dram.port_bits);
}

}  // namespace cosim::network
