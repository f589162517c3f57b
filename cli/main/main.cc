// SPDX-License-Identifier: Apache-2.0
// The cosim command.
#include <malloc.h>

#include "cli/verbs.h"

int main(int argc, char** argv) {
  // Tensors come and go: out of the heap, and not fresh from the system, whose pages must all be cleared.
  mallopt(M_MMAP_THRESHOLD, 32 << 20);
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
  return cosim::cli::Main({argv + 1, argv + argc});
}
