// SPDX-License-Identifier: Apache-2.0
// Random configurations of the ISAs, and random programs on them: every access in bounds, nothing else
// promised; tokens are all zero, so only engines that go in program order can run them.
#pragma once

#include <string>

#include "isa/program/program.h"
#include "isa/spec/spec.h"
#include "tests/sim/golden/random.h"

namespace cosim::testing {

/// A configuration of `isa` ("cosim", "vta") with odd shapes and widths.
isa::Spec RandomSpec(const std::string& isa, Random& random);

/// `length` instructions of random kinds, and before each gemm or alu one that loads its micro-ops. The only
/// segment besides the micro-ops fills the data part of DRAM with random bytes.
isa::Program RandomProgram(const isa::Spec& spec, int length, Random& random);

}  // namespace cosim::testing
