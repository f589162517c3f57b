// SPDX-License-Identifier: Apache-2.0
// Copies from and to memory that takes aligned 32-bit accesses only. Linux maps memory of UIO devices as
// device memory: on ARM an unaligned access traps there (SIGBUS), and memcpy makes some.
#pragma once

#include <cstdint>
#include <span>

namespace cosim::driver {

/// Writes `bytes` at byte `address` of `words`. A word that is not written whole is read first; its other
/// bytes stay.
void WriteWords(volatile uint32_t* words, uint64_t address, std::span<const uint8_t> bytes);

/// Reads `bytes` from byte `address` of `words`, each word once.
void ReadWords(const volatile uint32_t* words, uint64_t address, std::span<uint8_t> bytes);

}  // namespace cosim::driver
