// SPDX-License-Identifier: Apache-2.0
// Loop IR functions as an object in a file, for a stated processor, which need not be the one at hand: the
// same functions give the same bytes everywhere.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "compiler/cpu/compiler.h"
#include "compiler/cpu/host_target.h"
#include "runtime/cpu_object.h"

namespace cosim::cpu {

class ObjectCompiler final : public CpuCompiler {
 public:
  explicit ObjectCompiler(const HostTarget& target, schedules::ContractionSchedules schedules = {})
      : target_(ObjectTarget(target)), schedules_(std::move(schedules)) {}

  schedules::CpuTarget target() const override;
  const schedules::ContractionSchedules& schedules() const override { return schedules_; }
  /// Kernels that only have names (runtime::KernelSymbol).
  std::vector<runtime::CpuKernelPtr> CompileAll(std::span<const tir::Function> functions) override;

  /// All kernels so far in one object. Nothing, and `error` set, when the linker cannot write its files.
  std::optional<runtime::CpuObject> Link(std::string& error) const;

 private:
  HostTarget target_;
  schedules::ContractionSchedules schedules_;
  std::unordered_map<std::string, std::string> symbols_;  // by the text of the module before optimisation
  std::vector<std::string> objects_;                      // relocatable, one a kernel
};

}  // namespace cosim::cpu
