// SPDX-License-Identifier: Apache-2.0
// Modules: a network compiled into one, and a module run as an experiment. The file's form is
// runtime/module.h's.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "compiler/session/session.h"
#include "runtime/module.h"

namespace cosim::session {

struct ModuleOptions {
  std::string network;  ///< one of zoo::Names()
  uint64_t seed = 1;
  int virtual_threads = 2;
  std::string cpu_level;  ///< one of cpu::ObjectLevels()
  int samples = 1;        ///< inputs, from `seed` on, that the module carries with the golden model's outputs
};

/// Quantizes, compiles and verifies. `source`: what `spec` was elaborated from. Nothing, and `error` set,
/// when the verifier objects or the CPU code cannot be linked.
std::optional<runtime::Module> MakeModule(const isa::Spec& spec, runtime::SpecSource source,
                                          const ModuleOptions& options, std::string& error);

/// Runs a linked module on its samples, as RunExperiment runs a network: verifies the programs first and
/// compares with the stored outputs. Of `options`, what concerns compilation is not looked at. Takes the
/// network out of `module`.
std::optional<Result> RunModule(const isa::Spec& spec, runtime::Module module, const Options& options,
                                std::string& error);

}  // namespace cosim::session
