// SPDX-License-Identifier: Apache-2.0
// Channels that the host would pick or put side by side, halves of a value, a shuffle of it, as products by
// ones and zeros, which an accelerator computes where the values are.
#pragma once

#include "compiler/graph/graph.h"

namespace cosim::graph {

/// Of an integer graph: movements of the host, one or several behind each other, by which each channel of
/// their result is a whole one of the value that they begin with, become a convolution of 1x1 with one weight
/// a channel that is 1, and a requantization that changes nothing; and where a convolution of 1x1 that reads
/// them has few channels, more weights of that one, which are 0. Not where they begin with an input, or only
/// the host reads them. The same values, outputs and inputs; others have new ids. Doing it twice changes
/// nothing more.
Graph PickByProducts(const Graph& graph);

/// Of an integer graph: a concatenation whose parts do not all fill blocks of so many channels becomes a
/// convolution of 1x1 by ones for each part, which leaves it where the result has it and zeros elsewhere, and
/// additions of those. Not where a part is an input or the host's, or only the host reads the result.
/// Otherwise as PickByProducts.
Graph JoinByProducts(const Graph& graph, int64_t block);

}  // namespace cosim::graph
