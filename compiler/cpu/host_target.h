// SPDX-License-Identifier: Apache-2.0
// The processors that host code can be made for, by the names that --host-target takes. What LLVM then makes
// of a module is optimize.h's.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/schedules/cpu/target.h"

namespace llvm {
class TargetMachine;
}

namespace cosim::cpu {

/// The name of this very processor, with all it can do.
inline constexpr const char* kNativeTarget = "native";

struct HostTarget {
  std::string name;
  std::string architecture;  ///< as runtime::HostArchitecture names it
  std::string triple, cpu, features;
};

/// All names, kNativeTarget first.
std::vector<std::string> HostTargets();

/// The target of that name; nothing for an unknown one.
std::optional<HostTarget> FindHostTarget(std::string_view name);

/// What an object for `target` needs its machine to be: kNativeTarget is the best other target that runs
/// here, so that a file says in so many words what it needs.
HostTarget ObjectTarget(const HostTarget& target);

/// Whether this machine runs code for it.
bool RunsHere(const HostTarget& target);

/// What a machine of the last ten years of this architecture has.
std::string DefaultObjectTarget();

/// Position-independent code; floats are passed in their own registers where there is a choice.
std::unique_ptr<llvm::TargetMachine> MakeMachine(const HostTarget& target);

/// What schedules use of a processor, as LLVM describes it: of x86-64, and of ARM with NEON.
schedules::CpuTarget TargetOf(const llvm::TargetMachine& machine);
schedules::CpuTarget TargetOf(const HostTarget& target);

}  // namespace cosim::cpu
