// SPDX-License-Identifier: Apache-2.0
// The way of a kernel from loops to what the instruction writer takes: pipeline.cc lists the passes in order.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "compiler/accel/ir.h"
#include "compiler/accel/passes.h"
#include "compiler/tir/ir.h"
#include "isa/spec/spec.h"

namespace cosim::accel {

/// A kernel on its way.
struct Draft {
  const isa::Spec& spec;
  tir::Function function;  ///< what a schedule was lowered to
  Kernel kernel;           ///< what it is from "tensorize" on
  StorageCursor cursor;    ///< where the kernel before it left off; behind this one after "storage"
  int units = 1;           ///< that its threads are dealt to
};

struct Pass {
  std::string_view name;  ///< as --print-after takes it
  std::string_view does;  ///< in a line
  Refusal (*run)(Draft& draft);
  /// A refusal may be this schedule's: one with other tiles may pass.
  bool depends_on_tiles = false;
};

std::span<const Pass> Pipeline();

/// "lower, tensorize, …".
std::string PassNames();

/// Sees a draft after each pass.
using Watch = std::function<void(const Pass& pass, const Draft& draft)>;

struct PipelineResult {
  Refusal refusal;
  bool another_tile_may_pass = false;
};

/// All passes, up to the first that refuses. What each leaves is verified (verify_kernel.h).
PipelineResult RunPipeline(Draft& draft, const Watch& watch = {});

/// The same in two parts. What the first one leaves does not depend on how many elements memories hold, on
/// fields that index them, nor on what anything takes in cycles; the second one gives it its place.
PipelineResult MakeUnplaced(Draft& draft, const Watch& watch = {});
PipelineResult PlaceOnChip(Draft& draft, const Watch& watch = {});

/// The IR that a pass leaves.
std::string TextAfter(const Pass& pass, const Draft& draft);

}  // namespace cosim::accel
