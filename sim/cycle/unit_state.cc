// SPDX-License-Identifier: Apache-2.0
// What the formats of a spec say about its units.
#include "sim/cycle/unit_state.h"

namespace cosim::sim {
namespace {

size_t FlightLimit(const isa::Unit& unit, const UnitTraits& traits) {
  if (!traits.overlap) return 1;
  return traits.computes ? 0 : static_cast<size_t>(unit.commands);
}

}  // namespace

UnitTraits TraitsOf(const isa::Spec& spec, int unit) {
  bool loads = false, stores = false, gemm = false, alu = false;
  for (const isa::InstructionFormat& format : spec.formats) {
    if (format.unit != unit) continue;
    loads |= format.kind == isa::Kind::kLoad;
    stores |= format.kind == isa::Kind::kStore;
    gemm |= format.kind == isa::Kind::kGemm;
    alu |= format.kind == isa::Kind::kAlu;
  }
  const int kinds = loads + stores + gemm + alu;
  return {.loads = loads,
          .stores = stores,
          .computes = gemm || alu,
          .overlap = spec.units[static_cast<size_t>(unit)].overlap && kinds <= 1};
}

UnitState::UnitState(const isa::Spec& spec, int index)
    : unit(&spec.units[static_cast<size_t>(index)]),
      traits(TraitsOf(spec, index)),
      commands(unit->commands),
      ledger(unit->name, spec.queues.size()),
      load(spec, *unit),
      store(spec, *unit),
      flights(FlightLimit(*unit, traits)) {}

}  // namespace cosim::sim
