// SPDX-License-Identifier: Apache-2.0
// A model from a file, compiled once and run on many inputs: what accuracy is measured with.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "compiler/session/session.h"

namespace cosim::session {

class Evaluator {
 public:
  /// Compiles and verifies `options.model` for `options.device`. Null, and `error` set, when the verifier
  /// objects. `spec` outlives the result.
  static std::unique_ptr<Evaluator> Make(const isa::Spec& spec, const Options& options, std::string& error);

  /// The outputs for each of `inputs`, run as frames on options.jobs accelerators where the device can have
  /// several at a time. Nothing, and `error` set, when the device stops.
  std::optional<std::vector<std::vector<graph::Tensor>>> Run(
      const std::vector<std::vector<graph::Tensor>>& inputs, std::string& error);

  /// Of all inputs so far; 0 on devices without a clock.
  runtime::Cycle cycles() const { return cycles_; }

 private:
  Evaluator(const isa::Spec& spec, Options options) : spec_(spec), options_(std::move(options)) {}

  const isa::Spec& spec_;
  Options options_;
  Result result_;
  runtime::Cycle cycles_ = 0;
};

}  // namespace cosim::session
