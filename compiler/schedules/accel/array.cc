// SPDX-License-Identifier: Apache-2.0
#include "compiler/schedules/accel/array.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <set>

namespace cosim::kernels {
namespace {

bool HasGap(const isa::Memory& memory) { return memory.stored_bytes * 8 != memory.element_bits; }

std::string TypeText(const isa::ScalarType& type) {
  return fmt::format("{}int{}", type.is_signed ? "" : "u", type.width);
}

/// Why a memory that is stored cannot hold what becomes activations again; empty: it can.
std::string ResultsMisfit(const isa::Spec& spec, const Array& array, int memory) {
  const isa::Memory& results = spec.memories[memory];
  const isa::Memory& activations = spec.memories[array.activations];
  if (results.fields.size() > 1) return fmt::format("'{}' holds records", results.name);
  if (results.fields[0].type != activations.fields[0].type)
    return fmt::format("'{}' has lanes of {}, and '{}', where they are read again, of {}", results.name,
                       TypeText(results.fields[0].type), activations.name,
                       TypeText(activations.fields[0].type));
  if (results.lanes != spec.memories[array.accumulators].lanes)
    return fmt::format("an element of '{}' has {} lanes, one of '{}' {}", results.name,
                       fmt::join(results.lanes, "x"), spec.memories[array.accumulators].name,
                       fmt::join(spec.memories[array.accumulators].lanes, "x"));
  if (results.mirrors == array.accumulators) return {};
  std::string why = fmt::format("no ALU op writes '{}'", results.name);
  for (const isa::AluOp& op : spec.alu_ops) {
    if (op.result.memory != memory) continue;
    const std::string misfit = accel::Misfit(spec, op);
    if (misfit.empty()) return {};
    why = fmt::format("ALU op '{}' cannot be used: {}", op.name, misfit);
  }
  return why;
}

void FindUnits(const isa::Spec& spec, Array& array) {
  const std::vector<accel::SameWork> same = accel::FindSameWork(spec, array.gemm);
  std::set<int> activations, weights;
  const auto& sources = spec.formats[array.gemm].intrinsic->sources;
  for (const accel::SameWork& work : same)
    for (size_t s = 0; s < work.sources.size(); ++s)
      (sources[work.sources[s]].memory == array.weights ? weights : activations)
          .insert(spec.formats[work.format].intrinsic->sources[s].memory);
  array.units = static_cast<int>(same.size());
  array.own_activations = array.units > 1 && activations.size() == same.size();
  array.own_weights = array.units > 1 && weights.size() == same.size();
}

// Where ALU ops read what the array's activations are.
int FindAluActivations(const isa::Spec& spec, int activations) {
  const auto is_read = [&](int memory) {
    return std::ranges::any_of(spec.alu_ops, [&](const isa::AluOp& op) {
      return accel::Misfit(spec, op).empty() &&
             std::ranges::count(op.operands, memory, &isa::Operand::memory) > 0;
    });
  };
  if (is_read(activations)) return activations;
  for (int m = 0; m < static_cast<int>(spec.memories.size()); ++m)
    if (accel::HoldAlike(spec, m, activations) && accel::FindTransfer(spec, m, false) >= 0 && is_read(m))
      return m;
  return activations;
}

// Of values that stand in DRAM as `array` has them.
int64_t FindAluParts(const isa::Spec& spec, const Array& array) {
  const std::vector<int>& read = spec.memories[array.alu_activations].lanes;
  const std::vector<int>& sums = spec.memories[array.accumulators].lanes;
  if (read == sums) return array.layout_in == array.layout_out ? 1 : 0;
  const bool side_by_side = array.batch == 1 && array.layout_in == array.layout_out;
  return side_by_side && array.block_out % array.block_in == 0 ? array.block_out / array.block_in : 0;
}

bool FindResults(const isa::Spec& spec, Array& array, std::string& why) {
  std::vector<std::string> misfits;
  for (const isa::InstructionFormat& format : spec.formats) {
    if (format.kind != isa::Kind::kStore) continue;
    const bool mirrored = spec.memories[format.memory].mirrors == array.accumulators;
    if (array.results >= 0 && (mirrored || !array.results_are_mirrored)) continue;
    const std::string misfit = ResultsMisfit(spec, array, format.memory);
    if (!misfit.empty()) {
      misfits.push_back(fmt::format("instruction '{}' stores no results: {}", format.name, misfit));
      continue;
    }
    array.results = format.memory;
    array.results_are_mirrored = mirrored;
  }
  if (array.results >= 0) return true;
  why = misfits.empty() ? "the ISA has no store instruction" : fmt::format("{}", fmt::join(misfits, "; "));
  return false;
}

}  // namespace

Array FindArray(const isa::Spec& spec, std::string& why) {
  const accel::Contraction contraction = accel::FindContraction(spec, why);
  if (contraction.format < 0) return {};
  if (spec.alu_ops.empty()) {
    why = fmt::format("isa '{}' has no ALU ops: no unit can requantize int32 sums", spec.isa);
    return {};
  }
  Array array;
  array.accumulators = contraction.accumulators;
  array.activations = contraction.activations;
  array.weights = contraction.weights;
  array.batch = contraction.batch;
  array.block_in = contraction.block_in;
  array.block_out = contraction.block_out;
  array.weights_by_input = contraction.weights_by_input;
  if (!FindResults(spec, array, why)) return {};
  array.gemm = contraction.format;
  FindUnits(spec, array);
  array.lanes = accel::FindLaneProduct(spec, array.accumulators, array.activations);
  array.rows = accel::FindRowProduct(spec, contraction);
  array.alu_activations = FindAluActivations(spec, array.activations);
  const isa::Memory& activations = spec.memories[array.activations];
  const isa::Memory& weights = spec.memories[array.weights];
  const isa::Memory& results = spec.memories[array.results];
  array.activation_bits = activations.fields[0].type.width;
  array.activation_bytes = activations.stored_bytes;
  array.weight_bits = weights.fields[0].type.width;
  array.weight_bytes = weights.stored_bytes;
  array.result_bytes = results.stored_bytes;
  // With several rows in a tile, or with gaps, values of one element do not follow those of another: no
  // common block.
  const bool joined = array.batch == 1 && !HasGap(activations) && !HasGap(results);
  const bool common = joined || array.block_in == array.block_out;
  array.layout_in = common ? std::lcm(array.block_in, array.block_out) : array.block_in;
  array.layout_out = common ? array.layout_in : array.block_out;
  array.alu_parts = FindAluParts(spec, array);
  array.table = accel::FindValueTable(spec, array.accumulators, array.ResultMemory());
  array.parameters = accel::FindChannelRecord(spec, array.block_out, array.no_parameters);
  return array;
}

}  // namespace cosim::kernels
