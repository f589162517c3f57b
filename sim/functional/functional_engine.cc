// SPDX-License-Identifier: Apache-2.0
// Sends each instruction to what executes its kind, and keeps packed copies of weights and inputs current.
#include "sim/functional/functional_engine.h"

#include <fmt/format.h>

#include <algorithm>

#include "isa/check.h"
#include "sim/functional/transfer.h"

namespace cosim::sim {

FunctionalEngine::FunctionalEngine(const isa::Spec& spec, SimdLevel level)
    : spec_(spec),
      level_(level),
      memories_(spec),
      gemm_units_(spec.formats.size()),
      alu_units_(spec.alu_ops.size()) {
  for (int m = 0; m < memories_.size(); ++m) codecs_.emplace_back(spec.memories[m], memories_.Store(m));
  for (size_t f = 0; f < spec.formats.size(); ++f) {
    const isa::InstructionFormat& format = spec.formats[f];
    if (format.intrinsic) gemm_units_[f] = std::make_unique<GemmUnit>(spec, format, memories_, level);
  }
}

void FunctionalEngine::Reserve(uint64_t bytes) {
  if (bytes > dram_.size()) dram_.resize(bytes);
}

void FunctionalEngine::WriteDram(uint64_t address, std::span<const uint8_t> bytes) {
  COSIM_CHECK(address <= dram_.size() && bytes.size() <= dram_.size() - address, "{} bytes at {}",
              bytes.size(), address);
  std::ranges::copy(bytes, dram_.begin() + static_cast<int64_t>(address));
}

void FunctionalEngine::ReadDram(uint64_t address, std::span<uint8_t> bytes) const {
  COSIM_CHECK(address <= dram_.size() && bytes.size() <= dram_.size() - address, "{} bytes at {}",
              bytes.size(), address);
  std::ranges::copy(std::span(dram_).subspan(address, bytes.size()), bytes.begin());
}

void FunctionalEngine::PoisonOnChip(uint64_t seed) {
  memories_.Poison(seed);
  for (int m = 0; m < memories_.size(); ++m) Written(m, 0, memories_.Store(m).depth);
}

std::string FunctionalEngine::Execute(const isa::Instruction& instruction, const isa::Decoded& decoded) {
  if (const auto* transfer = std::get_if<isa::Transfer>(&decoded.body)) return Run(*transfer);
  if (const auto* gemm = std::get_if<isa::Gemm>(&decoded.body)) return Run(*gemm, decoded.format);
  if (const auto* alu = std::get_if<isa::Alu>(&decoded.body)) return Run(*alu, instruction);
  return {};
}

std::string FunctionalEngine::Run(const isa::Transfer& transfer) {
  MemoryStore& store = memories_.Store(transfer.memory);
  const isa::Memory& memory = spec_.memories[transfer.memory];
  if (!transfer.is_store && memory.mirrors >= 0)
    return fmt::format("writes '{}', which is a mirror", memory.name);
  std::string error = TransferError(spec_, transfer, store.depth, dram_.size());
  if (!error.empty()) return error;
  const ElementCodec& codec = codecs_[transfer.memory];
  const uint64_t bytes = TransferBytes(transfer, memory.stored_bytes, spec_.dram.beat_bytes());
  if (transfer.is_store) {
    Store(transfer, codec, store, dram_);
    store_bytes_ += bytes;
  } else {
    Load(transfer, codec, dram_, store);
    load_bytes_ += bytes;
    Written(transfer.memory, transfer.sram, transfer.SramElements());
  }
  return {};
}

std::string FunctionalEngine::Run(const isa::Gemm& gemm, int format) {
  GemmUnit& unit = *gemm_units_[format];
  std::string error = unit.Execute(gemm);
  if (!error.empty() || unit.steps().Steps() == 0) return error;
  gemm_steps_ += unit.cycles();
  const StepColumn& dst = unit.steps().columns[0];
  Written(unit.destination(), dst.low, dst.high - dst.low + 1);
  return {};
}

std::string FunctionalEngine::Run(const isa::Alu& alu, const isa::Instruction& instruction) {
  if (alu.op < 0) return "has no ALU op of this code";
  const isa::AluOp& op = spec_.alu_ops[alu.op];
  if (!op.available) return fmt::format("op '{}' is not available: {}", op.name, op.unavailable);
  const isa::Memory& result_memory = spec_.memories[op.result.memory];
  if (result_memory.mirrors >= 0) return fmt::format("writes '{}', which is a mirror", result_memory.name);
  std::unique_ptr<AluUnit>& unit = alu_units_[alu.op];
  if (!unit) unit = std::make_unique<AluUnit>(spec_, op, memories_, level_);
  std::string error = unit->Execute(alu, instruction.values);
  if (!error.empty() || unit->steps().Steps() == 0) return error;
  alu_steps_ += unit->steps().Steps();
  const StepColumn& result = unit->steps().columns[0];
  Written(unit->destination(), result.low, result.high - result.low + 1);
  return {};
}

void FunctionalEngine::Written(int memory, int64_t first, int64_t count) {
  for (const std::unique_ptr<GemmUnit>& unit : gemm_units_) {
    if (unit) unit->Written(memory, first, count);
  }
}

}  // namespace cosim::sim
