// SPDX-License-Identifier: Apache-2.0
// Reads and writes of file descriptors that go on where a call was interrupted or did a part.
#pragma once

#include <cstddef>

namespace cosim::runtime {

/// False at the end of the file, or when it cannot be read.
bool ReadAll(int file, void* to, size_t bytes);

/// False when it takes no more, a pipe for one that nobody reads.
bool WriteAll(int file, const void* from, size_t bytes);

}  // namespace cosim::runtime
