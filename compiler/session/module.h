// SPDX-License-Identifier: Apache-2.0
// Modules: a network compiled into one, and a module run as an experiment. The file's form is
// runtime/module.h's.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "compiler/cpu/host_target.h"
#include "compiler/session/session.h"
#include "runtime/module.h"

namespace cosim::session {

struct ModuleOptions {
  std::string network;  ///< one of zoo::Names(), or the name of `model`
  /// A model from `file`, compiled as it is: nothing is quantized, and the seed makes the samples only.
  std::shared_ptr<const import::Model> model;
  runtime::ModelFile file;
  uint64_t seed = 1;
  int activation_bits = 0;  ///< QuantizeFor's
  int virtual_threads = 2;
  std::shared_ptr<const network::TunedTiles> tuned;  ///< schedules to take instead of choosing; may be null
  schedules::ContractionSchedules host_schedules{};  ///< of that target, to take instead of the model's
  cpu::HostTarget host_target;                       ///< of its CPU code
  std::vector<graph::Tensor> inputs;  ///< of `model`: the only sample's, instead of random ones
  int samples = 1;  ///< inputs, from `seed` on, that the module carries with the golden model's outputs
};

/// Quantizes, compiles and verifies. `source`: what `spec` was elaborated from. Nothing, and `error` set,
/// when the verifier objects, the CPU code cannot be linked, or there are routines of the compiler's library
/// and no model to make them from.
std::optional<runtime::Module> MakeModule(const isa::Spec& spec, runtime::SpecSource source,
                                          const ModuleOptions& options, std::string& error);

/// runtime::Link for modules with routines too: imports the model they carry, and refuses when that does not
/// give the graph that was compiled.
bool LinkModule(runtime::Module& module, const isa::Spec& spec, std::string& error,
                runtime::NativeCode native);

/// Runs a linked module as RunExperiment runs a network, verifying the programs first: on options.inputs, or
/// on its samples, whose outputs are then compared with the stored ones. Of `options`, what concerns
/// compilation is not looked at. Takes the network out of `module`.
std::optional<Result> RunModule(const isa::Spec& spec, runtime::Module module, const Options& options,
                                std::string& error);

}  // namespace cosim::session
