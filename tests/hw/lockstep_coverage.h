// SPDX-License-Identifier: Apache-2.0
// What a sweep's programs have done, counted by program: so that what the generators never reach is seen.
#pragma once

#include <map>
#include <string>

#include "isa/program/program.h"
#include "isa/spec/spec.h"

namespace cosim::testing {

class Coverage {
 public:
  Coverage();
  /// Counts every feature that the program reaches on the cycle simulator.
  void Add(const isa::Spec& spec, const isa::Program& program);
  /// Programs that reached each feature, "name count" by line, those of none first.
  std::string Render() const;
  /// Features that no program reached.
  int Missed() const;

 private:
  std::map<std::string, int64_t> programs_;
};

}  // namespace cosim::testing
