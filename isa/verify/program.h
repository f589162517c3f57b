// SPDX-License-Identifier: Apache-2.0
// The verifier's checks that look at one thing at a time: the program as a whole, and each instruction's
// fields.
#pragma once

#include <cstdint>

#include "isa/program/decode.h"
#include "isa/verify/report.h"

namespace cosim::isa {

/// Reports kFingerprint, kSegment.
void CheckProgram(const Spec& spec, const Program& program, VerifyReport& report);

/// Reports kField for instruction `i`; false if it cannot be decoded.
bool CheckFields(const Spec& spec, const Program& program, int64_t i, VerifyReport& report);

/// Reports kCount, kAluOp, kMirrorWritten for instruction `i`, whose fields are in order.
void CheckMeaning(const Spec& spec, int64_t i, const Decoded& decoded, VerifyReport& report);

}  // namespace cosim::isa
