// SPDX-License-Identifier: Apache-2.0
// On-chip memories: who reads and writes each, and what its banks are made of.
#include <algorithm>

#include "sim/synth/area_parts.h"

namespace cosim::synth {
namespace {

/// How many engines read and write each memory.
struct Accesses {
  std::vector<int> readers, writers;
};

Accesses AccessesOf(const isa::Spec& spec, const isa::SvPlan& plan) {
  Accesses of{std::vector<int>(spec.memories.size()), std::vector<int>(spec.memories.size())};
  for (const isa::SvUnit& unit : plan.units) {
    if (unit.gemms) {
      const isa::InstructionFormat& format = spec.formats[unit.gemm.format];
      ++of.readers[format.micro_ops];
      for (const isa::Operand& source : format.intrinsic->sources) ++of.readers[source.memory];
      ++of.readers[format.intrinsic->dst.memory];
      ++of.writers[format.intrinsic->dst.memory];
    }
    if (unit.alus) {
      ++of.readers[spec.formats[unit.alu.format].micro_ops];
      for (const int memory : unit.alu.reads) ++of.readers[memory];
      for (const int memory : unit.alu.writes) ++of.writers[memory];
    }
    if (unit.loads)
      for (const int memory : unit.memories) ++of.writers[memory];
    if (unit.stores) ++of.readers[unit.stored];
  }
  return of;
}

/// Tools leave out what nobody writes or nobody reads; tables stand beside lanes.
bool IsMade(const isa::SvPlan& plan, const Accesses& of, const isa::Spec& spec, size_t m) {
  const int mirrored = spec.memories[m].mirrors;
  const bool is_written = of.writers[mirrored >= 0 ? mirrored : static_cast<int>(m)] > 0;
  return is_written && of.readers[m] > 0 && !SvIsTable(plan, static_cast<int>(m));
}

/// One copy of a memory; the first has its `writers` before it, the others take what that one takes: none.
/// Registered is what is read or, where nothing is to be chosen, the address and that it is one (memory.sv).
AreaBlock Block(const isa::Memory& memory, int copies, int readers, int writers, int64_t slice_bits) {
  const double bits = double(memory.element_bits), banks = memory.banks;
  const double address = isa::SvAddressBits(memory.depth);
  const bool address_waits = banks == 1 && readers == copies;
  const double registered = memory.is_micro_ops ? 0 : (address_waits ? address + 1 : bits) * readers;
  const RamMapping bank = MapRam(memory.element_bits, memory.depth / memory.banks, slice_bits);
  return {"memory " + memory.name,
          "memory",
          {{"one", 1},
           {"ram_luts", banks * bank.lut},
           {"ram_registers", banks * (bits + bank.registers)},
           {"ram_choices", banks * bank.choices},
           {"registered_bits", registered},
           {"read_choice_bits", banks > 1 ? registered * (banks - 1) : 0},
           {"write_choice_bits", writers > 1 ? banks * bits * (writers - 1) : 0},
           {"bank_readers", memory.is_micro_ops ? 0 : banks * readers},
           {"port_address_bits", banks > 1 ? banks * (readers + writers) * address
                                           : std::max(0, readers + writers - 2) * address}}};
}

}  // namespace

int64_t SliceBits(const isa::Spec& spec, const isa::SvPlan& plan, int number) {
  const isa::Memory& memory = spec.memories[number];
  const int written = memory.mirrors >= 0 ? memory.mirrors : number;
  for (const isa::SvUnit& unit : plan.units) {
    if (unit.alus && unit.alu.groups > 1 && std::ranges::count(unit.alu.writes, written) > 0)
      return memory.record_bits;
    if (unit.loads && unit.GathersInto(spec, written)) return isa::kSvPieceBits;
  }
  return memory.element_bits;
}

int BlockRamsOf(const isa::Spec& spec, const isa::SvPlan& plan) {
  const Accesses of = AccessesOf(spec, plan);
  int halves = 0;
  for (size_t m = 0; m < spec.memories.size(); ++m) {
    const isa::Memory& memory = spec.memories[m];
    if (!IsMade(plan, of, spec, m)) continue;
    halves += memory.banks * SvCopies(spec, plan, int(m)) *
              MapRam(memory.element_bits, memory.depth / memory.banks, SliceBits(spec, plan, int(m))).ramb18;
  }
  for (const isa::SvUnit& unit : plan.units)
    if (unit.loads)
      halves += MapRam(spec.dram.port_bits, spec.units[unit.unit].buffer_beats, spec.dram.port_bits).ramb18;
  return halves;
}

void AddMemoryBlocks(const isa::Spec& spec, const isa::SvPlan& plan, std::vector<AreaBlock>& blocks) {
  const Accesses of = AccessesOf(spec, plan);
  for (size_t m = 0; m < spec.memories.size(); ++m) {
    const isa::Memory& memory = spec.memories[m];
    const int writers = of.writers[memory.mirrors >= 0 ? memory.mirrors : int(m)];
    if (!IsMade(plan, of, spec, m)) continue;
    const int64_t slice_bits = SliceBits(spec, plan, int(m));
    const int copies = SvCopies(spec, plan, int(m));
    blocks.push_back(Block(memory, copies, std::max(1, of.readers[m]), writers, slice_bits));
    for (int copy = 1; copy < copies; ++copy) blocks.push_back(Block(memory, copies, 1, 0, slice_bits));
  }
}

}  // namespace cosim::synth
