// SPDX-License-Identifier: Apache-2.0
// Many mutants of several compiled programs, each judged in a process that may die of it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tests/network/mutant_judge.h"
#include "tests/network/program_mutants.h"

namespace cosim::testing {

struct Subject {
  std::string name;
  isa::Spec spec;
  isa::Program program;
};

/// The longest programs of five networks, on three ISAs and five configurations.
std::vector<Subject> MutationSubjects();

struct JudgedMutant {
  int64_t number = 0;
  MutationClass what{};
  size_t subject = 0;
  MutantVerdict verdict;
};

/// As many mutants as asked for, in child processes; one that dies, or takes longer than a minute, is a hole.
/// Calls `done` for each.
void JudgeMutants(const std::vector<Subject>& subjects, uint64_t seed, int64_t first, int64_t count,
                  const std::function<void(const JudgedMutant&)>& done);

}  // namespace cosim::testing
