// SPDX-License-Identifier: Apache-2.0
// Loads and stores: rows of elements between DRAM and an on-chip memory, with padding. Bytes and lanes are
// sim/functional/element_codec.h's business.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "isa/program/decode.h"
#include "isa/spec/spec.h"
#include "sim/functional/element_codec.h"
#include "sim/functional/memories.h"

namespace cosim::sim {

/// Which bounds the transfer exceeds, or that its DRAM address is not aligned; empty if it may be executed.
std::string TransferError(const isa::Spec& spec, const isa::Transfer& transfer, int64_t depth,
                          uint64_t dram_bytes);

/// Both need a transfer without error.
void Load(const isa::Transfer& transfer, const ElementCodec& codec, std::span<const uint8_t> dram,
          MemoryStore& store);
void Store(const isa::Transfer& transfer, const ElementCodec& codec, const MemoryStore& store,
           std::span<uint8_t> dram);

/// Bytes the transfer moves over a port of `beat_bytes`, in whole beats row by row.
uint64_t TransferBytes(const isa::Transfer& transfer, int64_t stored_bytes, int beat_bytes);

}  // namespace cosim::sim
