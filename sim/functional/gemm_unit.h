// SPDX-License-Identifier: Apache-2.0
// Executes the instructions of one gemm format: on the tile kernels when its intrinsic is a product of
// matrices they know, else by the generic evaluation.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "isa/program/decode.h"
#include "isa/spec/spec.h"
#include "sim/functional/generic_gemm.h"
#include "sim/functional/memories.h"
#include "sim/functional/step_table.h"
#include "sim/kernels/tile_gemm.h"

namespace cosim::sim {

class GemmUnit {
 public:
  /// Keeps references to both; `memories` must not move.
  GemmUnit(const isa::Spec& spec, const isa::InstructionFormat& format, Memories& memories, SimdLevel level);

  /// Returns why the instruction cannot be executed, and then does nothing; empty if it was.
  std::string Execute(const isa::Gemm& gemm);
  /// To be called after elements of a memory have changed.
  void Written(int memory, int64_t first, int64_t count);
  /// The steps of the last instruction executed; column 0 is the destination.
  const StepTable& steps() const { return table_; }
  /// What it takes, as isa::Gemm says.
  int64_t cycles() const { return cycles_; }
  int destination() const { return intrinsic_.dst.memory; }

 private:
  void RunTiles(TileMode mode);
  void RunGeneric(TileMode mode);
  void RunRows(TileMode mode);
  void GenericStep(int64_t i, int64_t j, int64_t u, TileMode mode);

  const isa::Spec& spec_;
  const isa::Intrinsic& intrinsic_;
  Memories& memories_;
  std::string unavailable_;  ///< why none of the format can be executed, if so
  int inp_ = 0, wgt_ = 1;    ///< which source is which, for the tile kernels
  std::unique_ptr<TileGemm> tiles_;
  std::unique_ptr<GenericGemm> generic_;
  StepTable table_;
  int64_t cycles_ = 0;
  std::vector<int64_t> elements_;  ///< of a step
  int64_t pitch_ = 0;              ///< of the rows that a step reads
  std::vector<StepOperand> operands_;
  std::vector<TileStep> uops_;
};

}  // namespace cosim::sim
