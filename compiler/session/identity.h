// SPDX-License-Identifier: Apache-2.0
// What stands for a model file in the fingerprint of an experiment.
#pragma once

#include <string>
#include <string_view>

#include "isa/digest.h"

namespace cosim::session {

/// Of the whole file's bytes (import::ReadWhole).
inline std::string FileIdentity(std::string_view bytes) { return "file " + isa::Sha256Hex(bytes); }

}  // namespace cosim::session
