// SPDX-License-Identifier: Apache-2.0
#include "sim/tlm/ported_engine.h"

#include <fmt/format.h>

#include <limits>
#include <variant>

#include "sim/functional/transfer.h"

namespace cosim::sim {

using registers::ErrorCode;

Failure PortedEngine::Execute(const isa::Instruction& instruction, const isa::Decoded& decoded) {
  const auto* transfer = std::get_if<isa::Transfer>(&decoded.body);
  if (transfer != nullptr) return Execute(instruction, decoded, *transfer);
  const std::string error = engine_.Execute(instruction, decoded);
  if (!error.empty()) return {ErrorCode::kBadAccess, error};
  return {};
}

Failure PortedEngine::Execute(const isa::Instruction& instruction, const isa::Decoded& decoded,
                              const isa::Transfer& transfer) {
  // On-chip bounds first: they bound the rows. Whether the DRAM side exists is for the port to say.
  const isa::Memory& memory = spec_.memories[static_cast<size_t>(transfer.memory)];
  const std::string bounds = TransferError(spec_, transfer, engine_.memories().Store(transfer.memory).depth,
                                           std::numeric_limits<uint64_t>::max());
  if (!bounds.empty()) return {ErrorCode::kBadAccess, bounds};
  const int64_t row_bytes = transfer.RowBytes(memory.stored_bytes);
  if (transfer.cols > 0) engine_.Reserve(static_cast<uint64_t>(transfer.rows * row_bytes));

  isa::Decoded dense = decoded;
  auto& rows = std::get<isa::Transfer>(dense.body);
  rows.dram = 0;
  rows.stride = transfer.gathers ? row_bytes : rows.cols;
  if (!transfer.is_store) {
    Failure failure = MoveRows(transfer);
    if (!failure.ok()) return failure;
  }
  const std::string error = engine_.Execute(instruction, dense);
  if (!error.empty()) return {ErrorCode::kBadAccess, error};
  return transfer.is_store ? MoveRows(transfer) : Failure{};
}

Failure PortedEngine::MoveRows(const isa::Transfer& transfer) {
  if (transfer.rows == 0 || transfer.cols == 0) return {};
  const int64_t stored = spec_.memories[static_cast<size_t>(transfer.memory)].stored_bytes;
  const auto stride = static_cast<uint64_t>(transfer.StrideBytes(stored));
  auto rows = static_cast<uint64_t>(transfer.rows), bytes = static_cast<uint64_t>(transfer.RowBytes(stored));
  if (stride == bytes) {  // one piece
    bytes *= rows;
    rows = 1;
  }
  for (uint64_t r = 0; r < rows; ++r) {
    const uint64_t address = transfer.dram + r * stride;
    const auto row = engine_.dram().subspan(r * bytes, bytes);
    if (transfer.is_store ? port_.Write(address, row) : port_.Read(address, row)) continue;
    return {ErrorCode::kBusError, fmt::format("gets a bus error {} {} bytes at {:#x}",
                                              transfer.is_store ? "writing" : "reading", bytes, address)};
  }
  return {};
}

}  // namespace cosim::sim
