// SPDX-License-Identifier: Apache-2.0
// How far from zero int16 values may be, so that no int32 sum of their products can overflow.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/graph/graph.h"
#include "compiler/quantize/graph/scheme.h"

namespace cosim::graph {

/// Scales of weights keep biases of int16 products below this; the rest of an int32 is the products'.
inline constexpr double kMostBias = 1 << 28;

/// The largest sum in magnitude, over output channels, that values in [-1, 1] (in [0, 1] where they are
/// `never_negative`) can have with int8 weights [O,...].
int64_t LargestGain(const Tensor& weight, bool never_negative);

/// For each value of a folded float graph, the largest magnitude of the int16 that stands for it: at most
/// 32767, and as far as every sum that the value gets into allows.
///
/// A convolution or dense layer adds at most reach * LargestGain, and its bias below kMostBias. (Its weights
/// are the ones it gets; scales that a large bias makes coarser lessen the gain.) A pool of P pixels adds at
/// most P * reach; a product of two activations over K terms at most K * reach * reach, or (levels + K / 2) *
/// reach where the one operand is a softmax over what is summed. Operations that keep values pass their
/// result's reach on.
std::vector<int32_t> ChooseReaches(const Graph& graph, const Scheme& scheme, int weight_levels);

}  // namespace cosim::graph
