// SPDX-License-Identifier: Apache-2.0
// The verifier's token checks: no deadlock, nothing left over, and an order of execution.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "isa/program/decode.h"
#include "isa/verify/report.h"

namespace cosim::isa {

struct TokenOrder {
  bool forward = false;        ///< program order is valid
  std::vector<int64_t> order;  ///< otherwise: a valid one, unless a deadlock was reported
};

/// `decoded` holds the program's instructions. Reports kDeadlock and kTokensLeft.
TokenOrder CheckTokens(const Spec& spec, std::span<const Decoded> decoded, VerifyReport& report);

}  // namespace cosim::isa
