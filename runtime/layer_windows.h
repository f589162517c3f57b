// SPDX-License-Identifier: Apache-2.0
// Whose cycles are whose: the time of an accelerator program, cut into its layers'.
#pragma once

#include <span>
#include <vector>

#include "isa/program/decode.h"
#include "runtime/profile.h"

namespace cosim::runtime {

/// The cycles [begin, end) of a program are those of one layer.
struct LayerWindow {
  int layer;
  Cycle begin, end;
};

/// Windows of the layers of a program of `cycles`, without gaps, in the order of their numbers, which ascend
/// in a program. A layer ends with its last retirement; or before it, when a later layer's
/// multiply-accumulates begin. So the array works for a layer in that layer's window only, and no layer is
/// shorter than that work. Layers whose instructions take turns share one such window, in the proportion in
/// which the array works for them. `layer_of` and `times` are of each instruction.
std::vector<LayerWindow> LayerWindows(std::span<const int> layer_of, std::span<const isa::Decoded> program,
                                      std::span<const InstructionTimes> times, Cycle cycles);

}  // namespace cosim::runtime
