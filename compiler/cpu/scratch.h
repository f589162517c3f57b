// SPDX-License-Identifier: Apache-2.0
// Memory of kernels' buffers in this process. Each thread keeps some of what its kernels gave back for the
// next one: the system hands large blocks out as pages that are zeroed one by one, which takes longer than
// what is computed in them.
#pragma once

#include <cstdint>

namespace cosim::cpu {

/// At least so many bytes, at a multiple of 64.
void* AllocateScratch(uint64_t bytes);

/// Takes back what AllocateScratch gave, on any thread.
void FreeScratch(void* block);

/// Bytes that the calling thread keeps.
uint64_t KeptScratch();

/// What a thread keeps at most.
inline constexpr uint64_t kMostKeptScratch = 16 << 20;

}  // namespace cosim::cpu
