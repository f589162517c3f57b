// SPDX-License-Identifier: Apache-2.0
// A module read and linked once, to be run on the simulators as often as somebody likes: runtime/module.h,
// runtime/executor.h and sim/simulator.h behind one object. Knows nothing of Python.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

#include "isa/spec/loader.h"
#include "runtime/executor.h"
#include "runtime/module.h"
#include "sim/simulator.h"

namespace cosim::python {

/// What is wrong, as the command says it: what() is the text of one diagnostic or several.
class Mistake : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// "cosim: error: …" with the hint, if there is one.
Mistake MistakeOf(const std::string& message, const std::string& hint = "");

class LoadedModule {
 public:
  /// `settings` come on top of those that it was compiled with. Unless `trust`, machine code for host layers
  /// is taken from modules that this user made on this machine only. Throws Mistake.
  LoadedModule(const std::string& path, const std::vector<isa::Override>& settings, bool trust);

  const isa::Spec& spec() const { return *spec_; }
  const runtime::Network& network() const { return module_.network; }
  const std::vector<runtime::Sample>& samples() const { return module_.samples; }

  /// Plain arrays, as Network::inputs; without any when `timing_only`. One run at a time: others wait. Throws
  /// Mistake.
  runtime::Run Run(const std::vector<std::vector<uint8_t>>& inputs, sim::Simulator device, bool timing_only);

 private:
  void CheckInputs(const std::vector<std::vector<uint8_t>>& inputs) const;

  std::string path_;
  runtime::Module module_;
  std::unique_ptr<const isa::Spec> spec_;
  bool has_code_ = true;  ///< of host layers, which everything but timing takes
  std::mutex running_;
  struct Ready {
    std::unique_ptr<runtime::Device> device;
    runtime::Programs programs = runtime::Programs::kToLoad;
  };
  Ready ready_[2];  ///< by sim::Simulator
};

}  // namespace cosim::python
