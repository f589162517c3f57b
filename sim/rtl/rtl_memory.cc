// SPDX-License-Identifier: Apache-2.0
#include "sim/rtl/rtl_memory.h"

#include <span>

#include "isa/check.h"
#include "isa/program/microops.h"
#include "isa/sv/plan.h"
#include "sim/functional/memories.h"

namespace cosim::sim {
namespace {

/// One element into its bank, field by field: bits of no field stay 0, as Verilator wants it.
void Put(const isa::Memory& memory, const MemoryStore& store, int64_t element, std::span<uint8_t> bytes) {
  for (int64_t lane = 0; lane < memory.LaneCount(); ++lane) {
    for (size_t f = 0; f < memory.fields.size(); ++f) {
      const int64_t value = store.fields[f].Get(element * store.lanes + lane);
      isa::PutBits(bytes, lane * memory.record_bits + memory.fields[f].offset, memory.fields[f].type.width,
                   static_cast<uint64_t>(value));
    }
  }
}

}  // namespace

void PoisonOnChip(RtlModel& model, const isa::Spec& spec, uint64_t seed) {
  Memories memories(spec);
  memories.Poison(seed);
  const isa::SvPlan plan(spec);
  for (size_t m = 0; m < spec.memories.size(); ++m) {
    const isa::Memory& memory = spec.memories[m];
    const MemoryStore& store = memories.Store(static_cast<int>(m));
    const int64_t bank_depth = memory.depth / memory.banks;
    const int copies = isa::SvCopies(spec, plan, static_cast<int>(m));
    for (int b = 0; b < memory.banks * copies; ++b) {
      const int number = b / copies;
      const RtlBank bank = model.Bank(memory.name, number, b % copies);
      COSIM_CHECK(bank.data != nullptr, "the RTL has no bank {} of '{}'", number, memory.name);
      for (int64_t i = 0; i < bank_depth; ++i)
        Put(memory, store, number * bank_depth + i, {bank.data + i * bank.stride, bank.stride});
    }
  }
}

}  // namespace cosim::sim
