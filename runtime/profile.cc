// SPDX-License-Identifier: Apache-2.0
// Sums over the ledger. Who fills the rows is the cycle device.
#include "runtime/profile.h"

#include <numeric>

namespace cosim::runtime {

Cycle LedgerRow::Total() const {
  const Cycle tokens = std::accumulate(wait_token.begin(), wait_token.end(), Cycle{0});
  return busy + wait_push + tokens + wait_port + wait_memory + idle;
}

}  // namespace cosim::runtime
