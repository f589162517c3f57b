// SPDX-License-Identifier: Apache-2.0
// Sums of products over named dimensions.
#pragma once

#include <string>

#include "compiler/host/make.h"

namespace cosim::host {

/// (x...) -> numpy's einsum of one equation, such as "bij, bjk -> bik"; "..." stands for dimensions in front.
HostOperatorPtr Einsum(const std::string& equation);

}  // namespace cosim::host
