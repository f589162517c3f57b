// SPDX-License-Identifier: Apache-2.0
// A group's epilogue: what follows its anchor.
#pragma once

#include <optional>

#include "compiler/graph/graph.h"
#include "compiler/network/group.h"
#include "compiler/schedules/accel/epilogue.h"

namespace cosim::network {

using kernels::Epilogue;
using kernels::EpilogueStep;
using kernels::IsPureShift;
using kernels::TakesTwoValues;

/// The operand of `group` that it does not compute and that is not its first one: what a step reads besides
/// the value before it.
std::optional<graph::ValueId> ResidualOf(const graph::Graph& graph, const Group& group);

/// The steps of a group behind its anchor, but a max pool, which comes before them; of an elementwise group
/// with the anchor.
Epilogue EpilogueOf(const graph::Graph& graph, const Group& group);

}  // namespace cosim::network
