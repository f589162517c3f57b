// SPDX-License-Identifier: Apache-2.0
// Collects the verifier's findings and names instructions in them. What is wrong is the checks' business.
#pragma once

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "isa/verify/verify.h"

namespace cosim::isa {

class VerifyReport {
 public:
  VerifyReport(const Spec& spec, const Program& program, const VerifyOptions& options, VerifyResult& result)
      : spec_(spec), program_(program), options_(options), result_(result) {}

  /// "instruction 17 'alu requant' (conv1)".
  std::string Name(int64_t instruction) const;
  /// "acc" and so on.
  const std::string& MemoryName(int memory) const { return spec_.memories[memory].name; }

  /// Counts one more finding; true if there is room for it, so that a message is worth composing.
  bool Count() { return result_.total_findings++ < options_.max_findings; }
  void Add(Finding finding) { result_.findings.push_back(std::move(finding)); }

  bool clean() const { return result_.total_findings == 0; }

 private:
  const Spec& spec_;
  const Program& program_;
  const VerifyOptions& options_;
  VerifyResult& result_;
};

}  // namespace cosim::isa
