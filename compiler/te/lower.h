// SPDX-License-Identifier: Apache-2.0
// Lowering: a schedule becomes loop IR. Tensor intrinsics, virtual threads and memory movement are still only
// marked: they are the accelerator back end's.
//
// What comes out. A stage computed inside a consumer's loop computes the box of elements which that round of
// the loop reads (clamped to the tensor); its Allocate stands just inside the loop, its buffer is indexed
// relative to the box's origin, and its shape is the box's constant upper bound; a stage computed in place
// of another writes that one's, and one that slides has its own around the loop it is computed at. Loop
// extents are exact where loops outside determine them (min(...) at partial tiles); where a reordering makes
// that impossible the extent is the upper bound and an IfThen guards the body. A tir::Stage node wraps the
// innermost nest of a stage, that in which nothing else is computed: "x", or "x.init" and "x.update" for a
// reduction, the init standing before the outermost reduction loop. Loops of extent 1 are kept. Indices are
// in the simplifier's canonical form.
#pragma once

#include <string>
#include <vector>

#include "compiler/te/schedule.h"
#include "compiler/te/te.h"
#include "compiler/tir/ir.h"

namespace cosim::te {

/// Lowers `schedule` to a function of `args`: every placeholder it reads and every output, in the caller's
/// order. The tensors themselves are the function's parameters.
tir::Function Lower(const Schedule& schedule, const std::vector<Tensor>& args, std::string name);

}  // namespace cosim::te
