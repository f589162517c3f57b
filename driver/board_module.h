// SPDX-License-Identifier: Apache-2.0
// A module from a file, ready to run on the machine that this is.
#pragma once

#include <optional>
#include <string>

#include "isa/spec/spec.h"
#include "runtime/module.h"

namespace cosim::driver {

struct BoardModule {
  runtime::Module module;
  isa::Spec spec;
};

/// What a person is told instead.
struct Refusal {
  std::string message, hint;  ///< the hint may be empty
};

/// Reads the module and links it, machine code included when `trust` says so or this user made it here.
/// Nothing, and `refusal` set, when it is none, is damaged, or cannot run here.
std::optional<BoardModule> ReadBoardModule(const std::string& path, bool trust, Refusal& refusal);

}  // namespace cosim::driver
