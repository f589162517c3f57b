// SPDX-License-Identifier: Apache-2.0
// The loop IR's verifier: what a pass may rely on in any function it is given. Findings are bugs of whoever
// built the function, so they are sentences for developers, not diagnostics.
#pragma once

#include <string>
#include <vector>

#include "compiler/tir/ir.h"

namespace cosim::tir {

/// Every broken rule, in program order; empty when `function` is well formed: variables are bound by an
/// enclosing loop, once; buffers are parameters or allocated around their use, once; ranks and types of
/// indices, operands, stored values, bounds and conditions agree; names are not empty.
std::vector<std::string> Verify(const Function& function);

/// COSIM_CHECKs that Verify finds nothing; `after` names the pass that ran last.
void CheckWellFormed(const Function& function, const std::string& after);

}  // namespace cosim::tir
