// SPDX-License-Identifier: Apache-2.0
// The order in which a kernel begins: its first weights, parameters and micro-ops are loaded before the first
// of what other kernels compute, so that they come while the last of that is still being made. Stands between
// who writes instructions and the TokenInserter, which orders by what is touched what may be moved at will.
#pragma once

#include <vector>

#include "compiler/accel/tokens.h"
#include "isa/program/program.h"
#include "isa/spec/spec.h"

namespace cosim::accel {

class ConstantsFirst : public InstructionSink {
 public:
  /// What is read outside of `written` is constant. `next` gets all instructions, the last by Finish.
  ConstantsFirst(const isa::Spec& spec, std::vector<DramRange> written, InstructionSink& next);

  /// Kernels have ascending tags; two of them may take turns.
  void Add(isa::Instruction instruction, const Footprint& footprint, int tag) override;
  /// Passes on what is still held back.
  void Finish();

 private:
  struct Load {
    isa::Instruction instruction;
    Footprint footprint;
    bool of_constants = false;
    int unit = 0;
  };

  bool ReadsConstants(const Footprint& footprint) const;
  /// Whether a load of constants waits behind one of values, which its unit does first, for nothing.
  bool IsHeldUp() const;

  const isa::Spec& spec_;
  std::vector<DramRange> written_;
  InstructionSink& next_;
  int kernel_ = -1;          ///< the newest
  bool begins_ = false;      ///< it has only loaded so far
  std::vector<Load> first_;  ///< what it has loaded
};

}  // namespace cosim::accel
