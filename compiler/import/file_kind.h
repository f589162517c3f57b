// SPDX-License-Identifier: Apache-2.0
// What a file is that should have been a model.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace cosim::import {

/// A hint for the one who named `bytes` as a model: what they are by their first ones, and what to do about
/// it. Empty: they look like nothing that is known.
std::string FileKindHint(std::span<const uint8_t> bytes);

}  // namespace cosim::import
