// SPDX-License-Identifier: Apache-2.0
// The hardware that a sweep runs: an ISA, written or drawn, under a drawn configuration.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "isa/program/program.h"
#include "isa/spec/loader.h"
#include "isa/spec/spec.h"
#include "tests/hw/lockstep.h"
#include "tests/isa/program/random_program.h"

namespace cosim::testing {

struct LockstepPair {
  isa::SourceText isa, config;
  isa::Spec spec;
  std::string Summary() const;  ///< ISA, shape, port: a line
};

/// Nothing when what was drawn is not legal, or has no RTL. `isa`: the file of an ISA, instead of drawing
/// one.
std::optional<LockstepPair> DrawPair(isa::testing::Random& random, const std::string& isa = "");

/// The `number`-th memory system and program for a spec: short transfers and many tokens, or long ones that
/// fill buffers, pages and pipelines. Changes only what needs no other hardware.
isa::Program DrawProgram(isa::Spec& spec, uint64_t seed);

/// What differed, and how it was run.
struct LockstepFailure {
  LockstepPair pair;
  isa::Program program;
  LockstepOptions options;
};

/// As a folder of files that `lockstep --reproduce=FOLDER` runs: isa.yaml, config.yaml, program.s, options.
void SaveFailure(const std::filesystem::path& folder, const LockstepFailure& failure);

/// What SaveFailure saved; reports what is wrong with it.
std::optional<LockstepFailure> LoadFailure(const std::filesystem::path& folder, Diagnostics& diags);

}  // namespace cosim::testing
