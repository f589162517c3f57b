// SPDX-License-Identifier: Apache-2.0
// The bits of elements as elements of another type.
#pragma once

#include "compiler/host/make.h"

namespace cosim::host {

/// (x) -> its bytes as elements of `to`, as they stand in memory (the lowest first). Where those are smaller
/// the result has one dimension more, of as many as fit into one; where they are larger, x's last dimension,
/// of as many as one takes, is gone. Not of bool.
HostOperatorPtr Bitcast(DType to);

}  // namespace cosim::host
